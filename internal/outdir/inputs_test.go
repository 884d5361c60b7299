package outdir

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// What a model reads is put beside its results under the same name, also within directories, and
// goes with them; what cannot have its name gets another.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "none"
		}
		return string(text)
	}
	names := []string{"summary", "model.yaml", "by-*"}
	writeAll(t, dir, "same", "mine.csv")

	o := mustOpen(t, dir, "run", names...)
	writeAll(t, o.Path(), "1", "summary")
	moved, err := o.Inputs(map[string][]byte{
		"beta.csv": []byte("b"), "tables/a/x.csv": []byte("x"), "mine.csv": []byte("same"),
		"../up.csv": []byte("u"), "/abs.csv": nil, ".profile": nil, "a/.b": nil, "a//b": nil, "summary": []byte("s"),
		"by-age/x": nil, "a\nb": nil, "": nil, ".": nil, "inputs/up.csv": []byte("i"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"": "inputs/table.csv", ".": "inputs/2-table.csv", "../up.csv": "inputs/2-up.csv",
		".profile": "inputs/profile", "/abs.csv": "inputs/abs.csv", "a\nb": "inputs/3-table.csv", "a/.b": "inputs/b",
		"a//b": "inputs/2-b", "by-age/x": "inputs/x", "summary": "inputs/summary"}; !maps.Equal(moved, want) {
		t.Errorf("moved are %q; want %q", moved, want)
	}
	if err := o.Keep(); err != nil {
		t.Fatal(err)
	}
	if got := read("beta.csv") + read("tables/a/x.csv") + read("mine.csv") + read("summary") +
		read("inputs/up.csv") + read("inputs/2-up.csv") + read("inputs/summary"); got != "bxsame1ius" {
		t.Errorf("there is %q", got)
	}

	// The next run replaces them, also with none, and leaves what it did not write.
	o = mustOpen(t, dir, "run", names...)
	writeAll(t, o.Path(), "2", "summary")
	if moved, err := o.Inputs(map[string][]byte{"beta.csv": []byte("c")}); err != nil || len(moved) > 0 {
		t.Fatal(moved, err)
	}
	if err := o.Keep(); err != nil {
		t.Fatal(err)
	}
	if got := read("beta.csv") + read("mine.csv") + read("summary"); got != "csame2" {
		t.Errorf("there is %q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "tables")); err == nil {
		t.Error("an empty directory was left")
	}

	// What somebody else wrote is not replaced.
	o = mustOpen(t, dir, "run", names...)
	if _, err := o.Inputs(map[string][]byte{"mine.csv": []byte("other")}); !errors.Is(err, ErrInTheWay) {
		t.Errorf("got %v", err)
	}
	if err := o.Drop(); err != nil {
		t.Fatal(err)
	}
	if got := read("mine.csv") + read("summary"); got != "same2" {
		t.Errorf("there is %q", got)
	}
}
