package engine

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/statefile"
)

// saved returns the state of a run as bytes.
func saved(r *Run, rec *Recording) (b []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	var out bytes.Buffer
	w := statefile.NewWriter(&out)
	if err := r.Save(w, 0, 0, rec); err != nil {
		return nil, err
	}
	err = w.End()
	return out.Bytes(), err
}

// restore gives a run a saved state, and returns the rows up to it.
func restore(t testing.TB, r *Run, m *program.Program, b []byte) (rec *Recording, err error) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: restoring panics: %v", m.Name, p)
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	in, err := statefile.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	all, err := SavedRuns(in)
	if err != nil {
		return nil, err
	}
	one := NewRecording(m)
	return &one, r.Restore(t.Context(), m, all[0], &one)
}

// sectionsDiffer lists the sections in which two files differ.
func sectionsDiffer(a, b []byte) (names []string) {
	contents := map[string][2]string{}
	for k, file := range [][]byte{a, b} {
		in, err := statefile.NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return []string{err.Error()}
		}
		for _, s := range in.Sections {
			text := make([]byte, s.Length)
			_ = in.Read(s, text)
			both := contents[s.Name]
			both[k] = string(text)
			contents[s.Name] = both
		}
	}
	for name, both := range contents {
		if both[0] != both[1] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// toBeSaved is a program whose runs can be saved between two rows.
func toBeSaved(m *program.Program) *program.Program {
	c := *m
	c.Stop = m.Start + (m.End-m.Start)*middle
	c.Keeps = 2 * (m.End - m.Start)
	return &c
}

// middle is where runs are saved.
const middle = 0.55

// halfway starts a run and records it up to the middle.
func halfway(t testing.TB, r *Run, m *program.Program, seed uint64) *Recording {
	t.Helper()
	if err := r.Start(t.Context(), m, seed, 3); err != nil {
		t.Fatal(err)
	}
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	rec, stop := NewRecording(m), (m.End-m.Start)*middle
	for _, at := range m.RecordTimes {
		if at > stop {
			break
		}
		if err := r.Advance(t.Context(), at, nil); err != nil {
			t.Fatal(err)
		}
		rec.add(r)
	}
	if err := r.Advance(t.Context(), stop, nil); err != nil {
		t.Fatal(err)
	}
	return &rec
}

// The state of a run by windows is the same file on any number of cores.
func TestSavedOnAnyNumberOfCores(t *testing.T) {
	for _, m := range []*program.Program{
		example(t, "tuberculosis", 4000), example(t, "measles", 4000), example(t, "sir", 4000),
	} {
		m := toBeSaved(m)
		for k, sparse := range []sparseRule{{least: math.MaxInt}, {least: 1, share: 1, shared: 1}} {
			var first []byte
			for _, on := range []struct{ shards, cores int }{{1, 1}, {2, 2}, {4, 3}, {4, 4}} {
				r := Run{sparseRule: sparse, cores: on.cores}
				r.windowRule = windowRule{
					minSize: 1, count: 30, shards: on.shards, blockBits: 4, maxEntrants: 1000, maxDue: 1 << 20,
				}
				if k > 0 { // how many windows are rolled back depends on the number of shards
					r.windowRule.maxEntrants = 5
				}
				rec := halfway(t, &r, m, 1)
				if r.windows == nil {
					t.Fatalf("%s is not by windows", m.Name)
				}
				b, err := saved(&r, rec)
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = b
				}
				if !bytes.Equal(first, b) {
					t.Errorf("%s: %d shards and 1 differ in %v", m.Name, on.shards, sectionsDiffer(first, b))
				}
				if err := r.Check(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
