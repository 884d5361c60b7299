package population

import (
	"context"
	"slices"
	"sync"
)

// lately caches the models of the last values: many particles begin with the same ones, and
// compiling a small model takes several times as long as running it.
type lately struct {
	mu   sync.Mutex
	next int
	made [32]struct { // more than there are workers
		x    []float64
		m    *Model
		seen []Seen
	}
}

// at returns the model with these values, without groups. It is shared and must not be changed.
func (l *lately) at(f *Fit, x []float64) (*Model, []Seen, error) {
	l.mu.Lock()
	for i := range l.made {
		if e := &l.made[i]; e.m != nil && slices.Equal(e.x, x) {
			m, seen := e.m, e.seen
			l.mu.Unlock()
			return m, seen, nil
		}
	}
	l.mu.Unlock()
	m, seen, err := f.bare(x)
	if err != nil {
		return nil, nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := &l.made[l.next]
	l.next = (l.next + 1) % len(l.made)
	e.x, e.m, e.seen = slices.Clone(x), m, seen
	return m, seen, nil
}

// A Followed is a run with values of the unknowns that advances from one time of the data to the
// next and can be forked at each, as a particle filter needs it. It must not be used from several
// goroutines at once; several may.
type Followed struct {
	p      *Process
	seen   []Seen
	of     []counted
	times  []float64 // still to come
	before []uint64  // the counts at the time before, for incidences
	means  []float64
}

// Follow begins a run that stops at ascending times on the model's clock. Of the options, Seed and
// Memory are used. Without forks it is the run of [Trials] with the same values and seed. If there
// is no model with these values, the error is of type [Problems].
func (f *Fit) Follow(ctx context.Context, times, x []float64, o Options) (*Followed, error) {
	m, seen, err := f.lately.at(f, x)
	if err != nil {
		return nil, err
	}
	p, err := m.Begin(ctx, Options{Seed: o.Seed, Memory: o.Memory, patience: o.patience}, 0)
	if err != nil {
		return nil, err
	}
	n := len(f.Matches)
	return &Followed{
		p:      p,
		seen:   seen,
		of:     f.counted(),
		times:  times,
		before: make([]uint64, n),
		means:  make([]float64, n),
	}, nil
}

// Step advances to the next time and returns the expected observation of each column: the
// probability of being observed times the count. The slice is valid until the next step.
func (w *Followed) Step(ctx context.Context) ([]float64, error) {
	if len(w.times) == 0 {
		panic("population: Step after the last time")
	}
	if err := w.p.Advance(ctx, w.times[0]); err != nil {
		return nil, err
	}
	w.times = w.times[1:]
	for i, c := range w.of {
		switch {
		case c.kind == "state":
			w.means[i] = w.seen[i].Observed * float64(w.p.Count(c.index))
			continue
		case c.named:
			w.means[i] = float64(w.p.Named(c.index))
		default:
			w.means[i] = float64(w.p.Flow(c.index))
		}
		now := uint64(w.means[i])
		w.means[i] = w.seen[i].Observed * float64(now-w.before[i])
		if c.kind == "incidence" {
			w.before[i] = now
		}
	}
	return w.means, nil
}

// Fork returns a second run with the same past and another future; see [Process.Fork].
func (w *Followed) Fork(luck uint64) (*Followed, error) {
	p, err := w.p.Fork(luck)
	if err != nil {
		return nil, err
	}
	fork := *w
	fork.p, fork.before, fork.means = p, append([]uint64(nil), w.before...), make([]float64, len(w.means))
	return &fork, nil
}

// Seen is how the columns are observed.
func (w *Followed) Seen() []Seen { return w.seen }

// Events is the number of events since the start, before a fork included.
func (w *Followed) Events() uint64 { return w.p.Events() }

// Close releases the memory of the run. It may be called more than once.
func (w *Followed) Close() { w.p.Close() }
