package population_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// A fork with the same luck goes on as its original does, to the last bit, and neither disturbs the other, nor do forks with another luck, whose memory
// is used again: all of them go on in turns.
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
			first.p, err = m.Begin(t.Context(), population.Options{Seed: 7, OnEvent: func(e population.Event) { first.events = append(first.events, e) }}, 2)
			if err != nil {
				t.Fatal(err)
			}
			paths := []*path{first}
			stops := want.stops(m, r)
			for i, stop := range stops {
				if i < len(stops)-1 && r.IntN(4) > 0 {
					continue
				}
				if from := paths[r.IntN(len(paths))]; len(paths) < 4 {
					alike := &path{events: slices.Clone(from.events)}
					if alike.p, err = from.p.ForkAlike(func(e population.Event) { alike.events = append(alike.events, e) }); err != nil {
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
