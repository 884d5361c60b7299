package population

import (
	"context"
	"slices"
	"sync"

	"github.com/almanac-sim/almanac/internal/modelfit"
)

// lately caches the models of the last values: many particles begin with the same ones, and
// compiling a small model takes several times as long as running it.
type lately struct {
	mu   sync.Mutex
	next int
	made [32]struct { // more than there are workers
		x        []float64
		m        *Model
		observed []modelfit.Observation
	}
}

// at returns the model with these values, as bare does. It is shared and must not be changed.
func (l *lately) at(f *Fit, x []float64) (*Model, []modelfit.Observation, error) {
	l.mu.Lock()
	for i := range l.made {
		if e := &l.made[i]; e.m != nil && slices.Equal(e.x, x) {
			m, observed := e.m, e.observed
			l.mu.Unlock()
			return m, observed, nil
		}
	}
	l.mu.Unlock()
	m, observed, err := f.bare(x)
	if err != nil {
		return nil, nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := &l.made[l.next]
	l.next = (l.next + 1) % len(l.made)
	e.x, e.m, e.observed = slices.Clone(x), m, observed
	return m, observed, nil
}

// A followed is a [modelfit.Followed].
type followed struct {
	p        *Process
	observed []modelfit.Observation
	of       []counted
	times    []float64 // still to come
	before   []uint64  // the counts at the time before, for incidences
	means    []float64
}

// follow begins a run that stops at ascending times; see [modelfit.Fit].
func (f *Fit) follow(ctx context.Context, times, x []float64, seed uint64) (*followed, error) {
	m, observed, err := f.lately.at(f, x)
	if err != nil {
		return nil, err
	}
	p, err := m.Begin(ctx, m.afresh(seed), 0)
	if err != nil {
		return nil, err
	}
	n := len(f.matches)
	w := &followed{
		p:        p,
		observed: observed,
		of:       f.counted(),
		times:    times,
		before:   make([]uint64, n),
		means:    make([]float64, n),
	}
	if m.state != nil { // incidence counts from the state on
		for i, c := range w.of {
			if c.sinceBefore() {
				w.before[i] = c.inProcess(p)
			}
		}
	}
	return w, nil
}

// Step advances to the next time and returns the expected observation of each column.
func (w *followed) Step(ctx context.Context) ([]float64, error) {
	if len(w.times) == 0 {
		panic("population: Step after the last time")
	}
	if err := w.p.Advance(ctx, w.times[0]); err != nil {
		return nil, err
	}
	w.times = w.times[1:]
	for i, c := range w.of {
		if x, ok := c.level(w.p); ok {
			w.means[i] = w.observed[i].Observed * x
			continue
		}
		now := c.inProcess(w.p)
		w.means[i] = w.observed[i].Observed * float64(now-w.before[i])
		if c.sinceBefore() {
			w.before[i] = now
		}
	}
	return w.means, nil
}

// Fork returns a second run with the same past and another future; see [Process.Fork].
func (w *followed) Fork(seed uint64) (modelfit.Followed, error) {
	p, err := w.p.Fork(seed)
	if err != nil {
		return nil, err
	}
	fork := *w
	fork.p, fork.before, fork.means = p, append([]uint64(nil), w.before...), make([]float64, len(w.means))
	return &fork, nil
}

func (w *followed) Observations() []modelfit.Observation { return w.observed }
func (w *followed) Events() uint64                       { return w.p.Events() }
func (w *followed) Fingerprint() uint64                  { return w.p.r.Fingerprint() }
func (w *followed) Close()                               { w.p.Close() }
