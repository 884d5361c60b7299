package outdir

import (
	"errors"
	"os"
	"path/filepath"
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
	if _, err := open("two"); !errors.Is(err, ErrInTheWay) || !strings.Contains(err.Error(), "almanac sweep one\nGive that command") {
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
