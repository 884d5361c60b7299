package engine

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// litters has everything of places that several individuals found and leave together.
const litters = `
name: litters
time: {unit: year, start: 0, end: 16}
population: {size: 100, start: {a: rest}}
attributes: {side: {left: 30%, right: 70%}}
places: {den: {size: {poisson: {mean: 3, least: 1}}, alike: [side], join: new, capacity: 6}, pack: {size: 5, join: new}}
states: {a: {race: [{rate: 0.8 per year, to: out}]}}
always: [{rate: 0.2 per year, enter: a, count: 4, name: litter}, {rate: 0.3 per year, move: {den: new}}]
immigration: {rate: 5 per year, enter: a, count: {1: 50%, 7: 50%}}
transmission: [{from: a, among: den, rate each: 0.1 per year, to: {a: a}, name: meet}]
interventions: [{at: 10 years, every: 2 years, enter: a, count: 20}]
record: {every: 1 year}
`

// forkable returns a run that can be forked, halfway.
func forkable(t testing.TB, m *program.Program) *Run {
	t.Helper()
	r, err := Begin(t.Context(), m, &Options{Seed: 1}, 0)
	if err == nil {
		err = r.Advance(t.Context(), (m.End-m.Start)/2, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fork returns a fork.
func fork(t testing.TB, r *Run, seed uint64) *Run {
	t.Helper()
	f, err := r.Fork()
	if err != nil {
		t.Fatal(err)
	}
	f.Redraw(seed)
	return f
}

// Forks that go on at the same time are those that go on one after the other.
func TestForksAtTheSameTime(t *testing.T) {
	const forks = 4
	for name, source := range map[string]string{
		"litters": litters, "batches": text("testdata/batches"), "places": placed, "tracing": tracedText,
		"networks": networked,
	} {
		m := programOf(t, source)
		r := forkable(t, m)
		run := func(f *Run) (end string, err error) {
			defer func() {
				if p := recover(); p != nil {
					err = fmt.Errorf("panic: %v", p)
				}
			}()
			if err := f.Advance(t.Context(), m.End-m.Start, nil); err != nil {
				return "", err
			}
			return fmt.Sprint(f.Fingerprint(), f.Events), f.Check()
		}
		var want [forks]string
		for k := range forks {
			var err error
			if want[k], err = run(fork(t, r, uint64(k))); err != nil {
				t.Fatal(name, err)
			}
		}
		for range testscale.Size(2, 40) {
			var group sync.WaitGroup
			for k := range forks {
				f := fork(t, r, uint64(k))
				group.Go(func() {
					if got, err := run(f); got != want[k] || err != nil {
						t.Errorf("%s: fork %d is %s, and was %s by itself: %v", name, k, got, want[k], err)
					}
					f.Retire()
				})
			}
			group.Wait()
		}
	}
}

// A fork does not keep its original in memory.
func TestForkLetsOriginalGo(t *testing.T) {
	for _, source := range []string{placed, networked, numbered, curved} {
		m := programOf(t, source)
		r := forkable(t, m)
		f, err := r.Fork()
		if err != nil {
			t.Fatal(err)
		}
		gone := make(chan bool, 1)
		runtime.AddCleanup(&r.words[0], func(int) { gone <- true }, 0)
		r = nil
		for range 3 {
			runtime.GC()
		}
		select {
		case <-gone:
		default:
			t.Errorf("%s: the fork keeps the words of its original", m.Name)
		}
		runtime.KeepAlive(f)
	}
}
