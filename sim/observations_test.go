package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Observations are all there as long as there is room. Then entries stand for as many each, with their mean and extremes and one of
// them, and take no more room than they were given.
func TestObservations(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 4))
		most := 2 + random.IntN(50)
		n := 1 + random.IntN(3000)
		if seed%3 == 0 {
			n = 1 + random.IntN(most)
		}
		t.Run(fmt.Sprint(seed, most, n), func(t *testing.T) {
			now := 0.0
			var tally Tally
			tally.Keep(most, func() float64 { return now })
			tally.Add(7)
			tally.Reset()
			var all []float64
			for i := range n {
				now = float64(i) / 4
				all = append(all, math.Floor(1000*random.NormFloat64()))
				tally.Add(all[i])
			}
			o, ok := tally.Observations()
			if !ok || o.N != int64(n) || len(o.Entries) > most || cap(tally.observations.entries) > most {
				t.Fatalf("%t: %d of %d in %d entries of %d", ok, o.N, n, len(o.Entries), most)
			}
			if n <= most && (o.Batch != 1 || !slices.Equal(o.Values(), all) || !slices.Equal(o.Means(), all)) {
				t.Fatalf("there is room for all, and %v are there", o.Values())
			}
			i := 0
			for k, e := range o.Entries {
				part := all[i:min(i+int(o.Batch), n)]
				var want Tally
				for _, x := range part {
					want.Add(x)
				}
				if e.N != want.N() || math.Abs(e.Mean-want.Mean()) > 1e-9 || e.Min != want.Min() || e.Max != want.Max() || e.At != float64(i)/4 ||
					!slices.Contains(part, e.Value) {
					t.Fatalf("entry %d is %+v, want %v of %v", k, e, want.String(), part)
				}
				i += len(part)
			}
			if whole := n / int(o.Batch); i != n || len(o.Means()) != max(whole, 1) || len(o.Values()) != max(whole, 1) {
				t.Errorf("entries stand for %d of %d; %d of %d are whole", i, n, len(o.Means()), whole)
			}
			if n > most && len(o.Entries) < most/2 {
				t.Errorf("%d entries where there is room for %d", len(o.Entries), most)
			}
		})
	}
}

// Of each entry, every observation has the same chance to be the one: their places within a batch of 16 are uniform by Pearson's test.
// A threshold of 48 is passed by a fair lot in all but 3 of 100,000 (15 degrees of freedom).
func TestLotsAreFair(t *testing.T) {
	const most, batch = 4096, 16
	var tally Tally
	tally.Keep(most, nil)
	for i := range most * batch {
		tally.Add(float64(i % batch))
	}
	o, _ := tally.Observations()
	var count [batch]float64
	for _, x := range o.Values() {
		count[int(x)]++
	}
	sum, want := 0.0, float64(most)/batch
	for _, n := range count {
		sum += (n - want) * (n - want) / want
	}
	if o.Batch != batch || len(o.Entries) != most || sum > 48 {
		t.Errorf("%d entries of %d, %v: Pearson's statistic is %v", len(o.Entries), o.Batch, count, sum)
	}
}

// What a simulation keeps is what has a name, whether it was made before or after; warming up forgets it.
func TestSimulationKeeps(t *testing.T) {
	s := New()
	defer s.Close()
	desk := NewResource(s, "desk", 2)
	NewResource(s, "", 1)
	s.NewTally("nothing")
	if s.Courses() != nil || s.Observations() != nil || s.Holdings() != nil {
		t.Error("something is kept that nobody asked for")
	}
	s.Keep(EveryChange(100))
	tank, store := NewContainer(s, "tank", 10, 5), NewStore[int](s, "store", 3)
	s.Every(0, 2, func() {
		s.Go("ann", func(p *Process) {
			_ = desk.Use(p, 1, func() { _ = p.Wait(5) })
			_ = tank.Get(p, 1)
			store.TryPut(1)
		})
	})
	s.At(7.5, func() { desk.SetCapacity(1) })
	if err := s.Run(context.Background(), 11); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range s.Courses() {
		names = append(names, c.Name)
	}
	if want := []string{"desk in use", "desk queue", "desk capacity", "tank contents", "tank getters", "tank putters", "store contents", "store getters",
		"store putters"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if c := s.Courses()[2]; fmt.Sprint(c.Points) != "[{0 7.5 2 2 2} {7.5 11 1 1 1}]" {
		t.Errorf("the capacity was %v", c)
	}
	o := s.Observations()
	if len(o) != 4 || o[0].Name != "desk wait" || fmt.Sprint(o[0].Values()) != "[0 0 1 1]" || o[0].Entries[2].At != 5 || o[1].Name != "nothing" || o[1].Entries != nil {
		t.Errorf("%+v", o)
	}
	if got, want := fmt.Sprint(s.Holdings()), "[{desk ann 1 0 5 false false} {desk ann 1 2 7 false false} {desk ann 1 5 10 false false} {desk ann 1 7 11 true false}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	s.ResetStatistics()
	if c := s.Courses()[0]; c.Start != 11 || len(c.Points) != 0 || !math.IsNaN(c.Mean()) || len(s.Holdings()) != 1 || s.Observations()[0].N != 0 {
		t.Errorf("after a reset there is %+v, %v", c, s.Holdings())
	}
	desk.KeepHoldings(1)
	_ = s.Run(context.Background(), 30)
	if all, missed := desk.Holdings(); len(all) != 2 || missed != 3 {
		t.Errorf("%v, and %d are missed", all, missed)
	}
}
