package outdir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What a model reads is put beside its results under the same name, also within directories, and
// goes with them; what cannot be is said.
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
	left, err := o.Inputs(map[string][]byte{
		"beta.csv": []byte("b"), "tables/a/x.csv": []byte("x"), "mine.csv": []byte("same"),
		"../up.csv": nil, "/abs.csv": nil, ".profile": nil, "a/.b": nil, "a//b": nil, "summary": nil, "by-age/x": nil,
		"a\nb": nil, "": nil, ".": nil,
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(left)
	if want := []string{"", ".", "../up.csv", ".profile", "/abs.csv", "a\nb", "a/.b", "a//b", "by-age/x",
		"summary"}; !slices.Equal(left, want) {
		t.Errorf("left out are %q; want %q", left, want)
	}
	if err := o.Keep(); err != nil {
		t.Fatal(err)
	}
	if got := read("beta.csv") + read("tables/a/x.csv") + read("mine.csv") + read("summary"); got != "bxsame1" {
		t.Errorf("there is %q", got)
	}

	// The next run replaces them, also with none, and leaves what it did not write.
	o = mustOpen(t, dir, "run", names...)
	writeAll(t, o.Path(), "2", "summary")
	if left, err := o.Inputs(map[string][]byte{"beta.csv": []byte("c")}); err != nil || left != nil {
		t.Fatal(left, err)
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
