package dispatch

import (
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/dispatch/dispatchtest"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/sim"
)

// latencies runs a policy, and returns the time of every request.
func latencies(t *testing.T, s Setting, p Policy) (*load, []float64) {
	t.Helper()
	l, err := draw(s)
	if err != nil {
		t.Fatal(err)
	}
	var times []float64
	inner := p.new
	p.new = func(c *cluster) policy {
		times = make([]float64, len(c.latency))
		return spy{inner(c), c, times}
	}
	if _, err := l.through(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return l, times
}

type spy struct {
	policy
	c     *cluster
	times []float64
}

func (s spy) finish(w, i int32) {
	s.times[i] = s.c.latency[i]
	s.policy.finish(w, i)
}

// Policies that must do the same, request by request.
func TestSame(t *testing.T) {
	join := func(c int) Policy { return Policy{new: func(k *cluster) policy { return newBounded(k, c) }} }
	for _, c := range []struct {
		why      string
		a, b     Policy
		services []string
	}{
		{"workers with one slot hold nothing that waits", named(t, "capped-1"), named(t, Central),
			[]string{"exponential", "constant", "bimodal", "slow-workers"}},
		{"a bounded queue of one is no queue", join(1), named(t, Central), []string{"exponential", "constant", "bimodal"}},
		{"a bound that is never reached is none", join(1000), named(t, "least-loaded"), []string{"exponential", "constant",
			"bimodal", "slow-workers"}},
		{"equal work ends in the order in which it began, so that the next in turn is the first to be idle",
			named(t, "round-robin"), named(t, Central), []string{"constant"}},
	} {
		for _, service := range c.services {
			s := Setting{Workers: 20, Service: service, Load: 0.85, Requests: 5000, Round: 1, Seed: 3}
			_, a := latencies(t, s, c.a)
			_, b := latencies(t, s, c.b)
			for i := range a {
				if math.Abs(a[i]-b[i]) > 1e-6 {
					t.Errorf("%s, but with %s work request %d takes %v and %v", c.why, service, i, a[i], b[i])
					break
				}
			}
		}
	}
}

// Nobody takes less time than its work, and in rounds nobody is served before the next round.
func TestNobodyIsServedTooSoon(t *testing.T) {
	for _, p := range Policies() {
		for _, service := range []string{"exponential", "constant", "bimodal"} {
			l, times := latencies(t, Setting{Workers: 10, Service: service, Load: 0.5, Requests: 2000, Round: 0.25, Seed: 1}, p)
			for i, time := range times {
				if time < l.work[i]-1e-9 {
					t.Fatalf("%s: request %d takes %v for work of %v", p.Name, i, time, l.work[i])
				}
			}
		}
	}
}

// Event-driven CAPPED begins the same requests at the same workers in the same order as the plain
// rules of dispatchtest.Reference, and tries as often, if throws hit the same.
func TestEventDrivenIsTheDispatchersRule(t *testing.T) {
	for capacity := 1; capacity <= 4; capacity++ {
		for seed := range uint64(20) {
			follow(t, capacity, seed)
		}
	}
}

func follow(t *testing.T, capacity int, seed uint64) {
	const n, requests = 5, 400
	hit := func(i int32, workers []int32) int32 {
		return slices.MinFunc(workers, func(a, b int32) int {
			x, y := random.New(seed, uint64(i), uint64(a)), random.New(seed, uint64(i), uint64(b))
			if x < y {
				return -1
			}
			return 1
		})
	}
	desk := &dispatchtest.Reference{Capacity: capacity, PoolLimit: requests, Choose: func(item int, workers []int) int {
		var all []int32
		for _, w := range workers {
			all = append(all, int32(w))
		}
		return int(hit(int32(item), all))
	}}
	for w := range n {
		desk.Add(w)
	}
	c := &cluster{sim: sim.New(), load: &load{comes: make([]float64, requests), work: make([]float64, requests)}}
	defer c.sim.Close()
	for range n {
		c.speed, c.serving, c.done = append(c.speed, 1), append(c.serving, none), append(c.done, func() {})
	}
	p := newEventDriven(c, capacity)
	p.choose = hit
	choices := random.New(seed, 100)
	for next := int32(0); ; {
		var busy []int32
		for w, i := range c.serving {
			if i != none {
				busy = append(busy, int32(w))
			}
		}
		switch {
		case next < requests && (len(busy) == 0 || choices.Float64() < 0.5):
			desk.Arrive(int(next), 0)
			p.arrive(next)
			next++
		case len(busy) > 0:
			w := busy[choices.Below(uint64(len(busy)))]
			i := c.serving[w]
			c.serving[w] = none
			desk.Finish(int(w))
			p.finish(w, i)
		default:
			if desk.Served != requests || desk.Attempts != c.tries {
				t.Fatalf("c=%d, seed %d: %d served, %d and %d tries", capacity, seed, desk.Served, desk.Attempts, c.tries)
			}
			return
		}
		for _, w := range desk.Workers {
			want := int32(none)
			if w.Busy {
				want = int32(w.Serving.ID)
			}
			if got := c.serving[w.ID]; got != want || int(p.loads[w.ID]) != w.Load() {
				t.Fatalf("c=%d, seed %d, %d have come: worker %d works on %d with %d, want %d with %d", capacity, seed, next, w.ID,
					got, p.loads[w.ID], want, w.Load())
			}
		}
	}
}

// In rounds the oldest ask first, also when all workers are full before everybody has asked: the
// pool is by age after every step.
func TestRoundsAreByAge(t *testing.T) {
	for c := 1; c <= 3; c++ {
		p := Policy{new: func(k *cluster) policy { return byAge{t, newRounds(k, c).(*rounds)} }}
		l, err := draw(Setting{Workers: 3, Service: "bimodal", Load: 0.9, Requests: 1000, Round: 1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.through(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
}

type byAge struct {
	t *testing.T
	*rounds
}

func (p byAge) finish(w, i int32) {
	p.rounds.finish(w, i)
	if !slices.IsSorted(p.pool) {
		p.t.Fatalf("the pool is not by age: %v", p.pool)
	}
}
