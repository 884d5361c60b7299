package relaxedtest

import (
	"fmt"
	"slices"
)

// A Summary tells how numbers are distributed.
type Summary struct {
	Mean float64 `json:"mean"`
	P50  int     `json:"p50"` // half of the numbers are no larger,
	P99  int     `json:"p99"` // and 99 in a hundred
	Max  int     `json:"max"`
}

// A Report is what [Replay] found in a trace.
type Report struct {
	Insertions int `json:"insertions"` // by the goroutines
	Removals   int `json:"removals"`
	Failures   int `json:"failures"` // removals that found nothing
	Missed     int `json:"missed"`   // failures during all of which some element was there
	Left       int `json:"left"`     // elements in the queue when the goroutines were done

	Rank           Summary `json:"rank"`              // over the removals
	MeanRankAtMost float64 `json:"mean_rank_at_most"` // mean, with all elements that may have been there
	Delay          Summary `json:"delay"`             // over the elements that the goroutines removed
	LeftDelay      int     `json:"left_delay"`        // the largest of an element that is left
	Collisions     uint64  `json:"collisions"`
}

// Operations is how many operations succeeded.
func (r Report) Operations() int { return r.Insertions + r.Removals }

// String is the report in three lines.
func (r Report) String() string {
	return fmt.Sprintf("%d insertions, %d removals, %d failures (%d with elements there), %d left, %d collisions\n"+
		"rank error: mean %.2f to %.2f, half up to %d, 99 %% up to %d, most %d\n"+
		"delay: mean %.2f, half up to %d, 99 %% up to %d, most %d",
		r.Insertions, r.Removals, r.Failures, r.Missed, r.Left, r.Collisions,
		r.Rank.Mean, r.MeanRankAtMost, r.Rank.P50, r.Rank.P99, r.Rank.Max,
		r.Delay.Mean, r.Delay.P50, r.Delay.P99, max(r.Delay.Max, r.LeftDelay))
}

// Replay measures how far the removals of a trace are from those of an exact queue.
//
// The rank error of a removal is the number of elements that came before the one removed and were
// in the queue: smaller keys, or the same key and inserted earlier. The delay of an element is the
// number of removals that overtook it: of an element after it, while it was in the queue. Each pair
// of an element and a removal that overtook it counts once in both.
//
// When an operation took effect is known only up to its stamps. Replay counts what is certain: an
// element was there for a removal if its insertion ended before the removal began, and its own
// removal began after that one ended. So an exact queue measures 0, whatever the number of
// goroutines, and so does a relaxed one where it may have been exact. What is missed are elements
// that others were inserting or removing meanwhile, usually fewer than one for each other
// processor. MeanRankAtMost counts those, too, and the mean of the true rank errors is between
// Rank.Mean and MeanRankAtMost; with one goroutine all three are the same. With more goroutines
// than processors MeanRankAtMost is far too large, because one that waits for a processor has an
// operation under way all the while. (Of elements with equal keys that were inserted at the same
// time either may be the first, and neither bound counts them.)
//
// It is an error if an element was removed that had not been inserted, twice, or with another key,
// and if elements are missing after the queue was drained.
//
// Time is O(log n + p) per operation, with n elements and p goroutines, and memory about 90 bytes
// per element beside the trace.
func Replay(t *Trace) (Report, error) {
	p := player{Report: Report{Collisions: t.Collisions}, fills: len(t.Fill)}
	if err := p.collect(t); err != nil {
		return Report{}, err
	}
	p.sort()
	if err := p.play(t); err != nil {
		return Report{}, err
	}
	if err := p.end(t); err != nil {
		return Report{}, err
	}
	return p.Report, nil
}

// summarize sorts numbers and summarizes them.
func summarize(x []int32) Summary {
	if len(x) == 0 {
		return Summary{}
	}
	slices.Sort(x)
	sum := 0.0
	for _, y := range x {
		sum += float64(y)
	}
	quantile := func(percent int) int { return int(x[(percent*len(x)+99)/100-1]) }
	return Summary{Mean: sum / float64(len(x)), P50: quantile(50), P99: quantile(99), Max: int(x[len(x)-1])}
}
