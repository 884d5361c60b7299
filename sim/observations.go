package sim

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
)

// Observations are what a [Tally] has kept of its observations, from when keeping began, or the last Reset. It is a copy.
//
// As long as there are at most as many as may be kept, each is there. When there are more, neighbours are put together: each entry
// then stands for Batch observations in a row, of which it has the mean, the extremes, and one that was drawn from them by lot, with the
// same chance for each. The means are what batch means are made of, and their sum stays what it was, but for rounding. The
// drawn ones are a sample that has the distribution of all, for histograms and quantiles. The lots are the same in every run, and
// have nothing to do with the streams of a simulation.
type Observations struct {
	Name    string // of the tally in a report, if it was asked for by [Simulation.Observations]
	N       int64  // how many there were
	Batch   int64  // for how many an entry stands; 1 if all are there
	Entries []Observation
}

// An Observation is an entry of [Observations].
type Observation struct {
	At             float64 // when it was made, or the first of several; NaN if the tally has no clock
	Value          float64 // of one of them
	Mean, Min, Max float64
	N              int64 // how many it stands for; fewer than Batch only at the last one
}

// Values are one observation of each entry: all of them, or a sample. That of a last entry that stands for fewer than the others is left
// out, unless it is the only one.
func (o Observations) Values() []float64 {
	return o.column(func(e Observation) float64 { return e.Value })
}

// Means are the means of the entries, which all stand for as many: a last one that stands for fewer is left out, unless it is
// the only one.
func (o Observations) Means() []float64 {
	return o.column(func(e Observation) float64 { return e.Mean })
}

func (o Observations) column(f func(Observation) float64) []float64 {
	whole := o.Entries
	if n := len(whole); n > 1 && whole[n-1].N < o.Batch {
		whole = whole[:n-1]
	}
	all := make([]float64, len(whole))
	for i, e := range whole {
		all[i] = f(e)
	}
	return all
}

// An observer keeps observations.
type observer struct {
	clock   func() float64
	most    int
	n       int64
	batch   int64
	lots    random.Stream
	entries []Observation // Mean is the sum, until it is asked for
}

func (k *observer) begin() {
	k.n, k.batch, k.lots = 0, 1, 0
	k.entries = k.entries[:0]
}

func (k *observer) add(x float64) {
	k.n++
	if last := len(k.entries) - 1; last >= 0 && k.entries[last].N < k.batch {
		e := &k.entries[last]
		e.join(Observation{Value: x, Mean: x, Min: x, Max: x, N: 1}, k.lot(e.N+1) == 0)
		return
	}
	if len(k.entries) == k.most {
		k.pair()
		if last := len(k.entries) - 1; k.entries[last].N < k.batch { // of an odd number, one is left over
			k.n--
			k.add(x)
			return
		}
	}
	at := math.NaN()
	if k.clock != nil {
		at = k.clock()
	}
	k.entries = appendUpTo(k.most, k.entries, Observation{At: at, Value: x, Mean: x, Min: x, Max: x, N: 1})
}

// appendUpTo appends to what has at most so many, and never takes more memory than for those.
func appendUpTo[T any](most int, all []T, x T) []T {
	if len(all) == cap(all) {
		more := make([]T, len(all), min(most, max(16, 2*len(all))))
		copy(more, all)
		all = more
	}
	return append(all, x)
}

// pair puts neighbours together.
func (k *observer) pair() {
	kept := k.entries[:0]
	for i := 0; i < len(k.entries); i += 2 {
		e := k.entries[i]
		if i+1 < len(k.entries) {
			e.join(k.entries[i+1], k.lot(2) == 0)
		}
		kept = append(kept, e)
	}
	k.entries = kept
	k.batch *= 2
}

func (e *Observation) join(other Observation, its bool) {
	if its {
		e.Value = other.Value
	}
	e.Mean += other.Mean
	e.Min, e.Max = min(e.Min, other.Min), max(e.Max, other.Max)
	e.N += other.N
}

// lot draws a number below n. It is not quite fair unless n is a power of two, by less than n in 2⁶⁴.
func (k *observer) lot(n int64) uint64 { return k.lots.Uint64() % uint64(n) }

// Keep makes the tally keep observations from now on, in at most so many entries of 48 bytes; see [Observations]. With a clock, such as
// the Now of a simulation, it notes when they were made; it may be nil. Reset forgets them, and keeping goes on. A tally that keeps
// observations cannot [Tally.Merge] others. It panics if most is below 2.
func (t *Tally) Keep(most int, clock func() float64) {
	if most < 2 {
		panic(fmt.Sprintf("sim: Tally.Keep(%d): at least two observations must be kept", most))
	}
	t.observations = &observer{clock: clock, most: most}
	t.observations.begin()
}

// Observations are what the tally has kept. It reports false unless [Tally.Keep], or a Keep of what it belongs to, was called.
func (t *Tally) Observations() (Observations, bool) {
	k := t.observations
	if k == nil {
		return Observations{}, false
	}
	o := Observations{N: k.n, Batch: k.batch, Entries: slices.Clone(k.entries)}
	for i := range o.Entries {
		e := &o.Entries[i]
		e.Mean = max(e.Min, min(e.Mean/float64(e.N), e.Max)) // which rounding need not know
	}
	return o, true
}
