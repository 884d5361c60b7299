package outdir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A results directory for tests: files by name, with who wrote them.
func writeAll(t *testing.T, dir, text string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// seen is what a person sees in a directory: the files and what is in them.
func seen(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".almanac") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Name()+"="+string(text))
	}
	return strings.Join(all, " ")
}

func mustOpen(t *testing.T, dir, command string, names ...string) *Dir {
	t.Helper()
	o, err := Open(dir, "almanac", command, names...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A command replaces all that it wrote earlier, leaves alone what others wrote, and does not begin
// if that is in its way.
func TestOutput(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "results")
	names := []string{"summary", "events", "picture-*"}
	first := mustOpen(t, dir, "run", names...)
	writeAll(t, first.Path(), "1", "summary", "events", "picture-a", "picture-b")
	if got := seen(t, dir); got != "" {
		t.Errorf("before it is kept there is %q", got)
	}
	if _, err := Open(dir, "almanac", "run", names...); err == nil || !strings.Contains(err.Error(),
		"another command is writing") {
		t.Errorf("two commands write at once: %v", err)
	}
	if err := first.Keep(); err != nil {
		t.Fatal(err)
	}
	writeAll(t, dir, "mine", "notes", "other.svg")

	// Another command shares the directory.
	other := mustOpen(t, dir, "bench", "bench", "picture-*")
	writeAll(t, other.Path(), "b", "bench")
	if err := other.Keep(); err != nil {
		t.Fatal(err)
	}
	// One that writes nothing in the end changes nothing.
	given := mustOpen(t, dir, "run", names...)
	writeAll(t, given.Path(), "2", "summary")
	if err := errors.Join(given.Drop(), given.Drop()); err != nil {
		t.Fatal(err)
	}
	if got, want := seen(t, dir), "bench=b events=1 notes=mine other.svg=mine picture-a=1 picture-b=1 summary=1"; got !=
		want {
		t.Errorf("%q, want %q", got, want)
	}
	second := mustOpen(t, dir, "run", names...)
	writeAll(t, second.Path(), "3", "summary", "picture-c")
	if err := second.Keep(); err != nil {
		t.Fatal(err)
	}
	if got, want := seen(t, dir), "bench=b notes=mine other.svg=mine picture-c=3 summary=3"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, c := range []struct{ file, command, name, want string }{
		{"events", "run", "events", "a file events already that this command did not write"},
		{"picture-x", "run", "picture-*", "a file picture-x already"},
		{"", "bench", "summary", "a file summary already, from almanac run"},
	} {
		if c.file != "" {
			writeAll(t, dir, "foreign", c.file)
		}
		_, err := Open(dir, "almanac", c.command, c.name)
		if !errors.Is(err, ErrInTheWay) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, expected %q", err, c.want)
		}
		if c.file != "" {
			if err := os.Remove(filepath.Join(dir, c.file)); err != nil {
				t.Fatal(err)
			}
		}
	}
	// A file that comes while the command is at work is not lost.
	third := mustOpen(t, dir, "run", names...)
	writeAll(t, dir, "late", "events")
	writeAll(t, third.Path(), "4", "summary", "events")
	if err := third.Keep(); err != nil {
		t.Fatal(err)
	}
	if got, want := seen(t, dir), "bench=b events=4 events.before=late notes=mine other.svg=mine summary=4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var none *Dir
	if err := errors.Join(none.Keep(), none.Drop()); err != nil {
		t.Error(err)
	}
}

// An incomplete result replaces an incomplete one and nothing else: a complete one stays, and the
// new files get a directory of their own.
func TestIncompleteOutput(t *testing.T) {
	dir := t.TempDir()
	write := func(text string, keep func(*Dir) (string, error), wantBeside string) {
		t.Helper()
		o := mustOpen(t, dir, "run", "summary", "events")
		writeAll(t, o.Path(), text, "summary", "events")
		if beside, err := keep(o); err != nil || beside != wantBeside {
			t.Errorf("%s is put into %q, %v", text, beside, err)
		}
	}
	complete := func(o *Dir) (string, error) { return "", o.Keep() }
	unfinished := filepath.Join(dir, "unfinished")
	write("1", (*Dir).KeepIncomplete, "")
	write("2", (*Dir).KeepIncomplete, "")
	write("3", complete, "")
	write("4", (*Dir).KeepIncomplete, unfinished)
	write("5", (*Dir).KeepIncomplete, unfinished+"-2")
	for _, part := range []struct{ dir, want string }{
		{unfinished, "events=4 summary=4"}, {unfinished + "-2", "events=5 summary=5"},
	} {
		if got := seen(t, part.dir); got != part.want {
			t.Errorf("%s has %s", part.dir, got)
		}
		if err := os.RemoveAll(part.dir); err != nil {
			t.Fatal(err)
		}
	}
	if got := seen(t, dir); got != "events=3 summary=3" {
		t.Error(got)
	}
	// One of another command is not in its way.
	other := mustOpen(t, dir, "bench", "bench")
	writeAll(t, other.Path(), "b", "bench")
	if beside, err := other.KeepIncomplete(); err != nil || beside != "" {
		t.Error(beside, err)
	}
	// Nor is what somebody has removed.
	if err := os.Remove(filepath.Join(dir, "summary")); err != nil {
		t.Fatal(err)
	}
	write("6", (*Dir).KeepIncomplete, "")
}

// Wherever a command is killed while its files take the place of earlier ones, the directory has
// files of one run alone, all of them if the first is there, and the next command puts it right.
func TestOutputKilled(t *testing.T) {
	killed := errors.New("killed")
	names := []string{"summary", "a", "b", "c", "x"}
	steps := 0
	for stop := 0; ; stop++ {
		dir := t.TempDir()
		o := mustOpen(t, dir, "run", names...)
		writeAll(t, o.Path(), "1", "summary", "a", "b", "x")
		if err := o.Keep(); err != nil {
			t.Fatal(err)
		}
		o = mustOpen(t, dir, "run", names...)
		writeAll(t, o.Path(), "2", "summary", "a", "b", "c")
		steps = 0
		o.step = func() error {
			if steps++; steps > stop {
				return killed
			}
			return nil
		}
		err := o.replace(true)
		if err != nil && !errors.Is(err, killed) {
			t.Fatal(err)
		}
		if err := o.lock.Close(); err != nil { // as the system does when a program ends
			t.Fatal(err)
		}
		got := seen(t, dir)
		if strings.Contains(got, "=1") && strings.Contains(got, "=2") {
			t.Errorf("step %d: a mixture: %s", stop, got)
		}
		if strings.Contains(got, "summary") && got != "a=1 b=1 summary=1 x=1" && got != "a=2 b=2 c=2 summary=2" {
			t.Errorf("step %d: not whole: %s", stop, got)
		}
		o = mustOpen(t, dir, "run", names...)
		writeAll(t, o.Path(), "3", "summary", "b")
		if err := o.Keep(); err != nil {
			t.Fatalf("step %d: %v", stop, err)
		}
		if got := seen(t, dir); got != "b=3 summary=3" {
			t.Errorf("step %d: then %s", stop, got)
		}
		if left, err := filepath.Glob(filepath.Join(dir, ".almanac*")); err != nil ||
			!slices.Equal(left, []string{filepath.Join(dir, ownership)}) {
			t.Errorf("step %d: %v are left, %v", stop, left, err)
		}
		if err == nil {
			break
		}
	}
	if steps != 2+4+4 {
		t.Errorf("%d steps", steps)
	}
}
