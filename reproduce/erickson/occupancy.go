package erickson

import (
	"github.com/almanac-sim/almanac/reproduce"
)

// occupancyJumps are those for which buckets are looked into: for exponential, uniform and gamma jumps F(δ) is considerable, for
// shape 1/2 most of all, and for nearly constant ones it is 0.
func occupancyJumps() []jumps {
	return []jumps{exponentialJumps(), uniformJumps(1), gammaJumps(1.2), gammaJumps(0.5), uniformJumps(0.05)}
}

// occupancySizes are numbers of events and widths, so wide that some events come back into the bucket that they left.
var occupancySizes = []struct {
	n     int
	width float64
}{{2, 0.7}, {10, 0.2}, {100, 0.05}}

// mostIn is the number of events in a bucket from which on they are counted together: the last of the shares is of as many or more.
const mostIn = 12

// together adds up what there is for numbers of events, from i on if that is the last to be told apart.
func together(n, i int, of func(int) float64) float64 {
	sum := of(i)
	if i == mostIn {
		for k := i + 1; k <= n; k++ {
			sum += of(k)
		}
	}
	return sum
}

// counts are how often something had 0, 1, 2 … events.
type counts struct {
	beginning []float64 // buckets, when they begin: Z(S_k) of the paper
	visited   []float64 // visits: Z(t)
}

func beginning(c counts) []float64 { return c.beginning }
func visited(c counts) []float64   { return c.visited }

// occupancy runs h with unlimited buckets, and tells for each batch how many events buckets had, when they began and when they were
// visited.
//
// A search that passes k empty buckets, the first of which is the one that has just lost its last event, begins k buckets: k−1 with
// no event, and one with as many as it then finds there. One that passes none finds the rest of the current bucket.
func (r *runner) occupancy(h hold) []counts {
	s, rng := r.begin(h)
	r.spend(s, rng, h, h.warmUp())
	all := make([]counts, batches)
	before := s.Work()
	for i := range all {
		c := counts{make([]float64, min(h.n, mostIn)+1), make([]float64, min(h.n, mostIn)+1)}
		for k := range h.events / batches {
			r.CheckpointEvery(4096, k)
			r.step(s, rng, h.jumps)
			now := s.Work()
			took := now.Since(before)
			before = now
			in := min(int(took.Traversed), len(c.visited)-1)
			c.visited[in]++
			c.visited[0] += float64(took.EmptyBuckets)
			if took.EmptyBuckets > 0 {
				c.beginning[in]++
				c.beginning[0] += float64(took.EmptyBuckets - 1)
			}
		}
		all[i] = c
	}
	r.Ran()
	return all
}

// shareOf estimates the share of one number of events among all.
func shareOf(all []counts, of func(counts) []float64, number int) reproduce.Estimate {
	x, total := make([]float64, len(all)), 0.0
	for i, c := range all {
		sum := 0.0
		for _, k := range of(c) {
			sum += k
		}
		x[i] = of(c)[number] / sum
		total += sum
	}
	e := reproduce.BatchMeans(x)
	e.One = 1 / total
	return e
}
