package erickson

import (
	"errors"
	"math"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/reproduce"
)

// A pair is what M buckets took and what infinitely many took, on the same jumps. The same buckets are visited and the same
// events leave, so what differs is the entries of later years alone, and most of the noise is gone.
type pair struct{ finite, unlimited []calendar.Work }

// pairs runs h with each number of buckets, and with infinitely many.
func (r *runner) pairs(h hold, buckets []int) []pair {
	h.buckets = 0
	unlimited := r.run(h)
	all := make([]pair, len(buckets))
	for i, m := range buckets {
		h.buckets = m
		all[i] = pair{r.run(h), unlimited}
		for k, w := range all[i].finite {
			if w.EmptyBuckets != unlimited[k].EmptyBuckets {
				r.FailOn(errors.New("reproduce: runs on the same jumps visited different buckets, as if a year had no event"))
			}
		}
	}
	return all
}

// per estimates how many entries of later years there are for each of something.
func (p pair) per(count func(calendar.Work) uint64) reproduce.Estimate {
	x := make([]float64, len(p.finite))
	all := 0.0
	for i, w := range p.finite {
		x[i] = float64(w.Traversed-p.unlimited[i].Traversed) / float64(count(w))
		all += float64(count(w))
	}
	e := reproduce.BatchMeans(x)
	e.One = 1 / all
	return e
}

// excess estimates L_M, which is an average over visits.
func (p pair) excess() reproduce.Estimate {
	return p.per(func(w calendar.Work) uint64 { return w.EmptyBuckets + w.Dispatched })
}

// extra estimates E_M − E, which is an average over events.
func (p pair) extra() reproduce.Estimate {
	return p.per(func(w calendar.Work) uint64 { return w.Dispatched })
}

// degradation estimates ε_M = (E_M − E)/E.
func (p pair) degradation() reproduce.Estimate {
	extra, all := p.extra(), meanOf(p.unlimited, cost)
	mean := extra.Mean / all.Mean
	return reproduce.Estimate{Mean: mean, SE: math.Hypot(extra.SE, mean*all.SE) / all.Mean, One: extra.One / all.Mean}
}

// bucketsFor turns ratios M/N into numbers of buckets.
func bucketsFor(n int, ratios []float64) []int {
	m := make([]int, len(ratios))
	for i, ratio := range ratios {
		m[i] = int(math.Round(ratio * float64(n)))
	}
	return m
}
