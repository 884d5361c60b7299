package outdir

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// keep is a whole run: it writes results with a text in them, and the inputs.
func keep(t *testing.T, dir, text string, inputs map[string][]byte) error {
	t.Helper()
	o := mustOpen(t, dir, "run", "summary", "events")
	defer o.Drop()
	writeAll(t, o.Path(), text, "summary", "events")
	if _, err := o.Inputs(inputs); err != nil {
		return err
	}
	return o.Keep()
}

// A file of somebody else where an input needs a directory is refused before earlier results are
// removed.
func TestFileWhereDirectoryIsNeeded(t *testing.T) {
	inputs := map[string][]byte{"tables/deep/beta.csv": []byte("b")}
	for name, inTheWay := range map[string]func(dir string) error{
		"file":          func(dir string) error { return os.WriteFile(filepath.Join(dir, "tables"), []byte("mine"), 0o644) },
		"dangling link": func(dir string) error { return os.Symlink("nowhere", filepath.Join(dir, "tables")) },
		"on the list": func(dir string) error {
			list := "run: events\nrun: summary\nrun: tables/deep/beta.csv\n"
			return errors.Join(os.WriteFile(filepath.Join(dir, ownership), []byte(list), 0o644),
				os.WriteFile(filepath.Join(dir, "tables"), []byte("mine"), 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := keep(t, dir, "1", nil); err != nil {
				t.Fatal(err)
			}
			if err := inTheWay(dir); err != nil {
				t.Skip(err) // a system without links
			}
			for range 2 {
				if err := keep(t, dir, "2", inputs); !errors.Is(err, ErrInTheWay) || !strings.Contains(err.Error(),
					"tables already") {
					t.Errorf("got %v", err)
				}
				if text, err := os.ReadFile(filepath.Join(dir, "summary")); err != nil || string(text) != "1" {
					t.Errorf("the summary is %q, %v", text, err)
				}
			}
			// A run without the input has nothing in its way.
			if err := keep(t, dir, "3", nil); err != nil {
				t.Error(err)
			}
			// Nor has one after it was removed.
			if err := errors.Join(os.Remove(filepath.Join(dir, "tables")), keep(t, dir, "4", inputs)); err != nil {
				t.Error(err)
			}
			if text, err := os.ReadFile(filepath.Join(dir, "tables", "deep", "beta.csv")); err != nil || string(text) != "b" {
				t.Errorf("the input is %q, %v", text, err)
			}
		})
	}
}

// A file that the command itself wrote gives way to a directory.
func TestOwnFileBecomesDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := keep(t, dir, "1", map[string][]byte{"tables": []byte("t")}); err != nil {
		t.Fatal(err)
	}
	if err := keep(t, dir, "2", map[string][]byte{"tables/beta.csv": []byte("b")}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "tables", "beta.csv")); err != nil || string(text) != "b" {
		t.Errorf("the input is %q, %v", text, err)
	}
}

// Whatever others put in the place of results, or of their directories, while a command is at work
// is set aside under a name that is free.
func TestSetAside(t *testing.T) {
	dir := t.TempDir()
	inputs := map[string][]byte{"tables/beta.csv": []byte("b")}
	for _, mine := range []string{"one", "two", "three"} {
		o := mustOpen(t, dir, "run", "summary", "events")
		writeAll(t, o.Path(), mine, "summary", "events")
		if _, err := o.Inputs(inputs); err != nil {
			t.Fatal(err)
		}
		// A directory stands where the summary was, and a file where the directory was.
		for _, name := range []string{"summary", "tables", "events"} {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(filepath.Join(dir, "summary"), 0o755); err != nil {
			t.Fatal(err)
		}
		writeAll(t, filepath.Join(dir, "summary"), mine, "notes")
		writeAll(t, dir, mine, "tables")
		if err := o.Keep(); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"summary": mine, "events": mine, "tables/beta.csv": "b"} {
			if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
				t.Errorf("%s is %q, %v", name, text, err)
			}
		}
	}
	for name, want := range map[string]string{
		"tables.before": "one", "tables.before-2": "two", "tables.before-3": "three",
		"summary.before/notes": "one", "summary.before-2/notes": "two", "summary.before-3/notes": "three",
	} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
}

// A directory that somebody made where a result was is not removed, even if it is empty.
func TestDirectoryInPlaceOfResult(t *testing.T) {
	dir := t.TempDir()
	if err := keep(t, dir, "1", nil); err != nil {
		t.Fatal(err)
	}
	o := mustOpen(t, dir, "run", "summary", "events")
	writeAll(t, o.Path(), "2", "summary")
	events := filepath.Join(dir, "events")
	if err := errors.Join(os.Remove(events), os.Mkdir(events, 0o755), o.Keep()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(events); err != nil || !info.IsDir() {
		t.Errorf("%v, %v", info, err)
	}
}

// A second file that comes while a command is at work does not replace what is left of the first.
func TestSetAsideTwice(t *testing.T) {
	dir := t.TempDir()
	for _, mine := range []string{"one", "two"} {
		o := mustOpen(t, dir, "run", "summary", "events")
		writeAll(t, o.Path(), "1", "summary", "events")
		writeAll(t, dir, mine, "events")
		if err := o.Keep(); err != nil {
			t.Fatal(err)
		}
		o = mustOpen(t, dir, "run", "summary", "events")
		writeAll(t, o.Path(), "2", "summary")
		if err := o.Keep(); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := seen(t, dir), "events.before=one events.before-2=two summary=2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What a failed Keep could not put in its place stays, under a name that no later command removes.
func TestKeepFails(t *testing.T) {
	dir := t.TempDir()
	failed := errors.New("no such luck")
	for _, text := range []string{"one", "two"} {
		o := mustOpen(t, dir, "run", "summary", "events")
		writeAll(t, o.Path(), text, "summary", "events")
		o.step = func() error { return failed }
		if err := o.Keep(); !errors.Is(err, failed) || !strings.Contains(err.Error(), filepath.Join(dir, "unfinished")) {
			t.Error(err)
		}
	}
	if err := keep(t, dir, "3", nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"unfinished": "events=one summary=one",
		"unfinished-2": "events=two summary=two"} {
		if got := seen(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s has %q", name, got)
		}
	}
}

// A link to a directory, in which inputs of a command are, is not the command's to remove.
func TestLinkStays(t *testing.T) {
	dir, far := t.TempDir(), t.TempDir()
	if err := os.Symlink(far, filepath.Join(dir, "tables")); err != nil {
		t.Skip(err)
	}
	for _, text := range []string{"1", "2"} {
		if err := keep(t, dir, text, map[string][]byte{"tables/beta.csv": []byte(text)}); err != nil {
			t.Fatal(err)
		}
		if got, want := seen(t, far), "beta.csv="+text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if err := keep(t, dir, "3", nil); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(filepath.Join(dir, "tables")); err != nil || to != far || seen(t, far) != "" {
		t.Errorf("the link leads to %q, %v, with %q", to, err, seen(t, far))
	}
}

// A file that cannot be written is one error, not one of the writer and the same again of the buffer.
func TestFullDiskIsSaidOnce(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	for _, size := range []int{10, 100_000} { // in the buffer, and beyond it
		err := WriteFile("/dev", "full", func(w io.Writer) error {
			_, err := w.Write(make([]byte, size))
			return err
		})
		if err == nil || strings.Count(err.Error(), "no space left on device") != 1 {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// A file that cannot be completed leaves the earlier one, and nothing of its own.
func TestReplaceWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.svg")
	full := errors.New("full")
	write := func(text string, result error) func(string) error {
		return func(name string) error {
			if filepath.Ext(name) != ".svg" {
				t.Errorf("the extension of %s is another", name)
			}
			return errors.Join(os.WriteFile(name, []byte(text), 0o644), result)
		}
	}
	for _, c := range []struct {
		text string
		err  error
		want string
	}{{"half", full, ""}, {"first", nil, "a.svg=first"}, {"half", full, "a.svg=first"}, {"second", nil, "a.svg=second"}} {
		if err := Replace(file, write(c.text, c.err)); !errors.Is(err, c.err) {
			t.Fatal(err)
		}
		if got := seen(t, dir); got != c.want {
			t.Errorf("there is %q; want %q", got, c.want)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
			t.Errorf("%q was left", left)
		}
	}
	if err := os.Symlink("a.svg", filepath.Join(dir, "link.svg")); err != nil {
		t.Skip(err)
	}
	if err := Replace(filepath.Join(dir, "link.svg"), write("third", nil)); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); string(text) != "third" {
		t.Errorf("the link was replaced, not the file it leads to: %q, %v", text, err)
	}
}
