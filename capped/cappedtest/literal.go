package cappedtest

import (
	"math/rand/v2"
	"slices"
)

// A Ball has the round of its arrival as its label.
type Ball struct{ Label int }

// A System has bins and a pool of balls.
type System struct {
	Bins  [][]Ball
	Pool  []Ball
	Now   int
	Waits []int // the waiting times of the balls deleted in the last round

	requests [][]Ball // by bin, in this round
	rand     *rand.Rand
}

// New returns a system of empty bins.
func New(bins int, seed uint64) *System {
	return &System{
		Bins:     make([][]Ball, bins),
		requests: make([][]Ball, bins),
		rand:     rand.New(rand.NewPCG(seed, 0)),
	}
}

// Capped runs a round of CAPPED(c, λ), Algorithm 1 of Berenbrink et al., with a number of new
// balls.
func (s *System) Capped(capacity, arrivals int) {
	s.generate(arrivals)
	s.request()
	s.Pool = s.Pool[:0]
	for i, all := range s.requests {
		// Requests come in the order of the pool, which is not that of age.
		slices.SortStableFunc(all, func(a, b Ball) int { return a.Label - b.Label })
		room := min(capacity-len(s.Bins[i]), len(all))
		s.Bins[i] = append(s.Bins[i], all[:room]...)
		s.Pool = append(s.Pool, all[room:]...)
	}
	s.delete()
}

// Greedy runs a round of GREEDY[d] with leaky bins.
func (s *System) Greedy(choices, arrivals int) {
	s.generate(arrivals)
	loads := make([]int, len(s.Bins))
	for i := range s.Bins {
		loads[i] = len(s.Bins[i])
	}
	for _, b := range s.Pool {
		var least []int
		for range choices {
			switch i := s.rand.IntN(len(s.Bins)); {
			case len(least) == 0 || loads[i] < loads[least[0]]:
				least = append(least[:0], i)
			case loads[i] == loads[least[0]]:
				least = append(least, i)
			}
		}
		i := least[s.rand.IntN(len(least))]
		s.Bins[i] = append(s.Bins[i], b)
	}
	s.Pool = s.Pool[:0]
	s.delete()
}

// Threshold runs a round of THRESHOLD[T] for the balls in the pool; the waiting times are those of
// the balls accepted.
func (s *System) Threshold(most, arrivals int) {
	s.generate(arrivals)
	s.request()
	s.Pool = s.Pool[:0]
	s.Waits = s.Waits[:0]
	for i, all := range s.requests {
		room := min(most, len(all))
		s.Bins[i] = append(s.Bins[i], all[:room]...)
		s.Pool = append(s.Pool, all[room:]...)
		for _, b := range all[:room] {
			s.Waits = append(s.Waits, s.Now-b.Label)
		}
	}
}

// generate starts a round and adds new balls to the pool.
func (s *System) generate(arrivals int) {
	s.Now++
	for range arrivals {
		s.Pool = append(s.Pool, Ball{s.Now})
	}
}

// request lets every ball of the pool ask a bin.
func (s *System) request() {
	for i := range s.requests {
		s.requests[i] = s.requests[i][:0]
	}
	for _, b := range s.Pool {
		i := s.rand.IntN(len(s.Bins))
		s.requests[i] = append(s.requests[i], b)
	}
}

// delete removes the first ball of every bin that has one.
func (s *System) delete() {
	s.Waits = s.Waits[:0]
	for i, queue := range s.Bins {
		if len(queue) > 0 {
			s.Waits = append(s.Waits, s.Now-queue[0].Label)
			s.Bins[i] = append(queue[:0], queue[1:]...)
		}
	}
}
