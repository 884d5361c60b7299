package folder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/outdir"
)

// What a page left that was killed while it saved is removed when a page starts, and when it saves;
// what another is writing now, and files of others, stay.
func TestStaleFilesAreRemoved(t *testing.T) {
	const left, used, foreign = ".almanac-AAAAAAAAAAAAAAAAAAAAAAAAAA.tmp", ".almanac-BBBBBBBBBBBBBBBBBBBBBBBBBB.tmp",
		".almanac-notes.tmp"
	dir := t.TempDir()
	put := func(names ...string) {
		t.Helper()
		for _, name := range names {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	there := func() (all []string) {
		t.Helper()
		if err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				name, _ = filepath.Rel(dir, name)
				all = append(all, filepath.ToSlash(name))
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	put("a.yaml", "sub/b.yaml", left, "sub/"+left, used, foreign)
	other, err := os.Open(filepath.Join(dir, used))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if mine, err := outdir.TryLock(other); err != nil {
		t.Skip("there are no locks here: ", err)
	} else if !mine {
		t.Fatal("nobody has it")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f := New(root.FS(), root)
	f.RemoveStale()
	want := []string{used, foreign, "a.yaml", "sub/b.yaml"}
	if got := there(); !slices.Equal(got, want) {
		t.Errorf("after a start there are %q, not %q", got, want)
	}
	put(left)
	for i := range 3 {
		text, err := f.Read("a.yaml", MaxModel)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Write("a.yaml", fmt.Append(nil, "text ", i), Digest(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got := there(); !slices.Equal(got, want) {
		t.Errorf("after saving there are %q, not %q", got, want)
	}
	if text, err := f.Read("a.yaml", MaxModel); err != nil || !strings.HasPrefix(string(text), "text 2") {
		t.Errorf("%s, %v", text, err)
	}
	// A file that is being written is not taken for one that is left.
	file, name, err := f.createTemp(".", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	f.removeStale(".")
	if _, err := root.Lstat(name); err != nil {
		t.Error(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	f.removeStale(".")
	if _, err := root.Lstat(name); err == nil {
		t.Error("it is left for ever")
	}
}
