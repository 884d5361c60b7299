package outdir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A study finds its own state, replaces one of another that is done, and leaves one that is not.
func TestState(t *testing.T) {
	dir := t.TempDir()
	open := func(key string) (*State, error) { return OpenState(dir, key, "almanac sweep "+key) }
	s, err := open("one")
	if err != nil || s.Before != Nothing || s.String() != "" {
		t.Fatalf("%+v, %v", s, err)
	}
	if s, err = open("one"); err != nil || s.Before != Begun || !strings.Contains(s.String(), "going on") {
		t.Fatalf("%+v, %v", s, err)
	}
	kept := filepath.Join(s.Path, "kept")
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open("two"); !errors.Is(err, ErrInTheWay) || !strings.Contains(err.Error(),
		"almanac sweep one\nGive that command") {
		t.Fatal(err)
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	if s, err = open("one"); err != nil || s.Before != Done || !strings.Contains(s.String(), "done before") {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
	if s, err = open("two"); err != nil || s.Before != Nothing {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := os.Stat(kept); err == nil {
		t.Error("the state of the first is still there")
	}
	// What is not ours is left alone.
	for _, text := range []string{"{", "{}"} {
		if err := os.WriteFile(s.file(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := open("two"); !errors.Is(err, ErrInTheWay) || !strings.Contains(err.Error(), "cannot be read") {
			t.Error(err)
		}
	}
	if err := os.Rename(s.file(), kept); err != nil {
		t.Fatal(err)
	}
	if _, err := open("two"); !errors.Is(err, ErrInTheWay) || !strings.Contains(err.Error(), "not from a study") {
		t.Error(err)
	}
}

// Only the command that began a study may write beside it until it is done, whatever its program is
// called.
func TestUnfinishedStudyOfCommand(t *testing.T) {
	for _, c := range []struct {
		recorded, command string
		may               bool
	}{
		{"almanac sweep m.yaml", "sweep", true},
		{"'my study' sweep m", "sweep", true},
		{"'my sweep m' compare m", "sweep", false},
		{"almanac bench latency --n 1", "bench latency", true},
		{"almanac bench", "bench latency", false},
		{"sweep", "sweep", false},
		{"", "sweep", false},
	} {
		dir := t.TempDir()
		if _, err := OpenState(dir, "key", c.recorded); err != nil {
			t.Fatal(err)
		}
		o, err := Open(dir, "almanac", c.command, "summary")
		if c.may != (err == nil) || err != nil && !errors.Is(err, ErrInTheWay) {
			t.Errorf("%+v: %v", c, err)
		}
		if err := o.Drop(); err != nil {
			t.Error(err)
		}
	}
}

// The list does not take its own first line for a file.
func TestListHasOneHeading(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		o := mustOpen(t, dir, "run", "summary")
		writeAll(t, o.Path(), "1", "summary")
		if err := o.Keep(); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, ownership))
	if err != nil || strings.Count(string(text), "#") != 1 {
		t.Errorf("%s, %v", text, err)
	}
}

// A study that failed goes on if it is given again, and any other study or command may take its
// place. One that can never be done leaves nothing.
func TestStateOfFailure(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "results")
	begin := func(command string) *Dir { return mustOpen(t, dir, command, command+".json") }
	open := func(key string, want Before) *State {
		t.Helper()
		s, err := OpenState(dir, key, "almanac sweep "+key)
		if err != nil || s.Before != want {
			t.Fatalf("%+v, %v", s, err)
		}
		return s
	}
	o := begin("sweep")
	if err := errors.Join(open("one", Nothing).Fail(), o.Drop()); err != nil {
		t.Fatal(err)
	}
	o = begin("sweep")
	open("one", Begun)
	if err := o.Drop(); err != nil {
		t.Fatal(err)
	}
	// It was interrupted this time, which is in the way of others.
	if _, err := OpenState(dir, "two", "almanac sweep two"); !errors.Is(err, ErrInTheWay) {
		t.Error(err)
	}
	if _, err := Open(dir, "almanac", "run", "run.json"); !errors.Is(err, ErrInTheWay) {
		t.Error(err)
	}
	if err := open("one", Begun).Fail(); err != nil {
		t.Fatal(err)
	}
	if err := begin("run").Drop(); err != nil {
		t.Error(err)
	}
	o = begin("sweep")
	if err := errors.Join(open("two", Nothing).Remove(), o.Drop()); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v are left", entries, err)
	}
}

// Directories that were made for a command that wrote nothing are removed, and no others.
func TestNothingIsLeft(t *testing.T) {
	above := t.TempDir()
	left := func(want ...string) {
		t.Helper()
		var names []string
		entries, err := os.ReadDir(above)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if err != nil || !slices.Equal(names, want) {
			t.Errorf("%v are left, want %v; %v", names, want, err)
		}
	}
	o := mustOpen(t, filepath.Join(above, "a", "b", "c"), "run", "summary")
	if err := o.Drop(); err != nil {
		t.Fatal(err)
	}
	left()
	// Somebody else puts something beside it.
	o = mustOpen(t, filepath.Join(above, "a", "b", "c"), "run", "summary")
	writeAll(t, filepath.Join(above, "a"), "1", "notes")
	if err := o.Drop(); err != nil {
		t.Fatal(err)
	}
	left("a")
	if got := seen(t, filepath.Join(above, "a")); got != "notes=1" {
		t.Errorf("there is %q", got)
	}
	// A directory that was there stays.
	if err := os.Mkdir(filepath.Join(above, "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := mustOpen(t, filepath.Join(above, "b"), "run", "summary").Drop(); err != nil {
		t.Fatal(err)
	}
	left("a", "b")
	// A file stands where a directory is needed.
	if _, err := Open(filepath.Join(above, "a", "notes", "c"), "almanac", "run", "summary"); err == nil {
		t.Error("a directory within a file")
	}
	left("a", "b")
}

// A path with .. in it makes no directory that stays after a refusal.
func TestNothingIsLeftOfDots(t *testing.T) {
	above := t.TempDir()
	if err := os.Mkdir(filepath.Join(above, "k"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeAll(t, filepath.Join(above, "k"), "mine", "summary")
	separator := string(filepath.Separator)
	dots := strings.Join([]string{above, "n", "..", "k"}, separator)
	if _, err := Open(dots, "almanac", "run", "summary"); !errors.Is(err, ErrInTheWay) {
		t.Error(err)
	}
	o := mustOpen(t, strings.Join([]string{above, "n", "m", "..", "..", "new"}, separator), "run", "summary")
	if err := o.Drop(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(above)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v are left, %v", entries, err)
	}
}
