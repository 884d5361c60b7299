package page

import (
	"context"
	"slices"
	"time"

	"github.com/almanac-sim/almanac/page/internal/runs"
)

// Drawing is the dearest that the page does beside a run: a chart takes a millisecond or two of a
// core, and a run by windows that has all cores waits for the slowest of them in every window. So
// while work goes on
//
//   - what was drawn is drawn once for all who want the same, until something has changed, and for
//     drawShare times as long as it took;
//   - one draws at a time, and rests for drawShare times as long as that took. Whoever wants
//     another picture waits for its turn.
//
// What drawing takes is thereby at most 1/(1+drawShare) of a core, however many ask, and however
// large the charts are. Of work that is over everything is drawn at once.
const renderShare = 20

// A renderLimiter is what everything is drawn with that is of work that goes on. Whoever has it draws; it
// rests before the next has it.
type renderLimiter struct {
	token chan struct{} // has one in it while somebody has it

	// For who holds it:
	nextStart time.Time            // until when
	costs     map[string][]float64 // how many nanoseconds a byte of each of the last drawings took, by their kind
}

// keptCosts is how many of a kind are remembered.
const keptCosts = 8

func newRenderLimiter() *renderLimiter {
	return &renderLimiter{token: make(chan struct{}, 1), costs: map[string][]float64{}}
}

// acquire waits for the pen, until the context ends or over is closed: then nobody needs it.
func (p *renderLimiter) acquire(ctx context.Context, over <-chan struct{}) (taken bool, err error) {
	select {
	case <-over: // also if it lies there: whoever takes it lets others wait
		return false, nil
	default:
	}
	select {
	case p.token <- struct{}{}:
	case <-over:
		return false, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	rested := time.NewTimer(time.Until(p.nextStart))
	defer rested.Stop()
	select {
	case <-rested.C:
		return true, nil
	case <-over:
		err = nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	<-p.token
	return false, err
}

// release puts it back after drawing so many bytes for so long. On a busy machine that was also to wait
// for a core, for ten times as long as the drawing took of it; so twice of what the quickest of the
// last drawings of its kind took for a byte counts, if that is less. A byte of one kind takes many
// times as long as one of another.
func (p *renderLimiter) release(kind string, took time.Duration, size int) {
	if size > 0 {
		last := append(p.costs[kind], float64(took)/float64(size))
		last = last[max(0, len(last)-keptCosts):]
		p.costs[kind] = last
		took = min(took, time.Duration(2*slices.Min(last)*float64(size)))
	}
	p.nextStart = time.Now().Add(renderShare * took)
	<-p.token
}

// rendered is what a function draws of what there is to see of a run, with its size in bytes, or what
// it drew already for somebody who wanted the same. The kind, of which there are a few, is what it
// draws: a page, or a file of some form. What has been drawn costs nothing; otherwise it is drawn
// in turn, and with the pen if the run goes on. Whoever waits for that for long is told to come
// back.
func (s *Server) rendered(ctx context.Context, run *runs.Run, kind, key string, draw func(runs.View) (what any, size int,
	err error)) (what any, err error) {
	key = kind + " " + key
	if what, ok := run.Cached(key); ok {
		return what, nil
	}
	if err := s.acquire(ctx, run.Rendering); err != nil {
		return nil, err
	}
	defer func() { <-run.Rendering }()
	if what, ok := run.Cached(key); ok { // by who drew before
		return what, nil
	}
	if err := s.reserve(ctx); err != nil { // before the pen, which others wait for
		return nil, err
	}
	patient, cancel := s.waitContext(ctx)
	defer cancel()
	paced, err := s.renderer.acquire(patient, run.Over())
	if err != nil {
		return nil, err
	}
	took, size := time.Duration(0), 0
	if paced {
		defer func() { s.renderer.release(kind, took, size) }()
	}
	err = s.compute(ctx, func() (err error) {
		view, look := run.Sample()
		began := time.Now()
		defer func() { took = time.Since(began) }()
		if what, size, err = draw(view); err == nil {
			run.Store(key, runs.Rendering{Value: what, Bytes: size, Version: look, FreshUntil: time.Now().Add(renderShare * time.Since(began))})
		}
		return err
	})
	return what, err
}
