package population_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// A fork with the same luck goes on as its original does, to the last bit, and neither disturbs the
// other, nor do forks with another luck, whose memory is used again: all of them go on in turns.
func TestForkIsOriginal(t *testing.T) {
	for name, m := range processModels(t) {
		t.Run(name, func(t *testing.T) {
			want := wholeRun(t, m, 7)
			r := rand.New(rand.NewPCG(3, 4))
			type path struct {
				p      *population.Process
				events []population.Event
			}
			first := &path{}
			var err error
			first.p, err = m.Begin(t.Context(), population.Options{Seed: 7, OnEvent: func(e population.Event) {
				first.events = append(first.events, e)
			}}, 2)
			if err != nil {
				t.Fatal(err)
			}
			paths := []*path{first}
			stops := want.stops(m, r)
			for i, stop := range stops {
				if i < len(stops)-1 && r.IntN(testscale.Size(8, 4)) > 0 {
					continue
				}
				if from := paths[r.IntN(len(paths))]; len(paths) < 4 {
					alike := &path{events: slices.Clone(from.events)}
					if alike.p, err = from.p.ForkAlike(func(e population.Event) { alike.events = append(alike.events, e) }); err !=
						nil {
						t.Fatal(err)
					}
					paths = append(paths, alike)
				} else if k := r.IntN(len(paths)); len(paths) > 1 {
					paths[k].p.Close()
					paths = slices.Delete(paths, k, k+1)
				}
				other, err := paths[0].p.Fork(r.Uint64())
				if err != nil {
					t.Fatal(err)
				}
				if err := other.Check(); err != nil {
					t.Fatal("a fork: ", err)
				}
				other.Silence()
				for _, k := range r.Perm(len(paths)) {
					if err := paths[k].p.Advance(t.Context(), stop); err != nil {
						t.Fatal(err)
					}
				}
				if err := other.Advance(t.Context(), stop); err != nil {
					t.Fatal(err)
				}
				if err := other.Check(); err != nil {
					t.Fatal("a fork that went on: ", err)
				}
				other.Close()
			}
			for k, path := range paths {
				if len(path.events) != len(want.events) {
					t.Fatalf("%d: %d events, want %d", k, len(path.events), len(want.events))
				}
				for i, e := range path.events {
					if !reflect.DeepEqual(e, want.events[i]) {
						t.Fatalf("%d: event %d is %+v, want %+v", k, i, e, want.events[i])
					}
				}
				if err := want.compare(path.p, m); err != nil {
					t.Errorf("%d: %v", k, err)
				}
				path.p.Close()
			}
		})
	}
}

// Forks of one process can go on at once, each by itself, and the same luck makes the same fork.
func TestForksAtOnce(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(population.Busy["busy everything"]))
	if err != nil {
		t.Fatal(err)
	}
	p := begun(t, m, 1, 0)
	defer p.Close()
	if err := p.Advance(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	const forks = 6
	var events [2][forks]uint64
	for round := range events {
		var group sync.WaitGroup
		for k := range forks {
			f, err := p.Fork(uint64(k))
			if err != nil {
				t.Fatal(err)
			}
			work := func() {
				defer f.Close()
				for _, time := range []float64{5, 8, 12} {
					g, err := f.Fork(9)
					if err == nil {
						g.Close()
						err = f.Advance(t.Context(), time)
					}
					if err != nil {
						t.Error(err)
					}
				}
				events[round][k] = f.Events()
			}
			if round == 0 {
				work()
			} else {
				group.Go(work)
			}
		}
		group.Wait()
	}
	if events[0] != events[1] {
		t.Errorf("%v events one after the other, %v at once", events[0], events[1])
	}
	for k := range forks {
		if slices.Index(events[0][:], events[0][k]) != k {
			t.Errorf("two forks with different luck have the same %d events", events[0][k])
		}
	}
}

// A process and its forks call OnEvent one after the other, also if they go on at the same time.
func TestForksCallOnEventInTurn(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(population.Busy["busy everything"]))
	if err != nil {
		t.Fatal(err)
	}
	var inside atomic.Int32
	calls, together := 0, false
	p, err := m.Begin(t.Context(), population.Options{Seed: 1, OnEvent: func(population.Event) {
		together = inside.Add(1) > 1 || together
		for range 3 {
			runtime.Gosched()
		}
		calls++
		inside.Add(-1)
	}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	before := calls
	var group sync.WaitGroup
	for k := range 4 {
		f, err := p.Fork(uint64(k))
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			defer f.Close()
			if err := f.Advance(t.Context(), 6); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if together || calls == before {
		t.Errorf("OnEvent was called while it was called: %v, in %d calls", together, calls-before)
	}
}

// There is no fork for which there is no memory; what is closed makes room.
func TestForkMemory(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(sir), population.Size(50_000))
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Begin(t.Context(), population.Options{Memory: 40 << 20}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var most [2]int
	for round := range most {
		var forks []*population.Process
		for {
			f, err := p.Fork(uint64(len(forks)))
			if err != nil {
				if !errors.Is(err, population.ErrMemory) {
					t.Error(err)
				}
				break
			}
			if forks = append(forks, f); len(forks) > 40<<20/(50_000*12) {
				t.Fatal("there are more forks than their records fit")
			}
		}
		for _, f := range forks {
			f.Close()
		}
		most[round] = len(forks)
	}
	if most[0] < 3 || most[0] != most[1] {
		t.Errorf("there was memory for %d forks, and then for %d", most[0], most[1])
	}
	p.Close()
}
