package page

import (
	"context"
	"slices"
	"time"

	"github.com/almanac-sim/almanac/page/internal/runs"
)

// Rendering a chart takes 1 to 2 ms of a core, and a parallel run waits for its slowest core in
// every time window. So while a run goes on
//
//   - a rendering is shared by equal requests, until something has changed and until renderShare
//     times its duration has passed;
//   - one rendering is made at a time, and the next starts after a pause of renderShare times its
//     duration.
//
// So rendering takes at most 1/(1+renderShare) of a core, however many requests there are. Finished
// runs are rendered without limit.
const renderShare = 20

// A renderLimiter serialises renderings of active runs, with pauses.
type renderLimiter struct {
	token chan struct{} // holds an element while it is acquired
	share time.Duration // renderShare, except in some tests

	// For the holder of the token:
	nextStart time.Time
	costs     map[string][]float64 // ns per byte of the latest renderings, by kind
}

// keptCosts is the length of those lists.
const keptCosts = 8

func newRenderLimiter() *renderLimiter {
	return &renderLimiter{token: make(chan struct{}, 1), share: renderShare, costs: map[string][]float64{}}
}

// acquire waits for the token and the end of the pause. It returns false if over is closed: a
// finished run does not need the limiter.
func (p *renderLimiter) acquire(ctx context.Context, over <-chan struct{}) (taken bool, err error) {
	select {
	case <-over: // also if the token is free, so that others need not wait
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

// release sets the pause after a rendering. On a busy machine the duration includes waiting for a
// core, so at most twice the lowest recent cost per byte of this kind counts. Kinds differ in cost
// by large factors.
func (p *renderLimiter) release(kind string, took time.Duration, size int) {
	if size > 0 {
		last := append(p.costs[kind], float64(took)/float64(size))
		last = last[max(0, len(last)-keptCosts):]
		p.costs[kind] = last
		took = min(took, time.Duration(2*slices.Min(last)*float64(size)))
	}
	p.nextStart = time.Now().Add(p.share * took)
	<-p.token
}

// rendered returns draw(view) of a run, or a cached rendering with the same kind and key. The kind
// is a page or a file format. While the run goes on, the limiter applies.
func (s *Server) rendered(ctx context.Context, run *runs.Run, kind, key string,
	draw func(runs.View) (what any, size int, err error)) (what any, err error) {
	key = kind + " " + key
	if what, ok := run.Cached(key); ok {
		return what, nil
	}
	if err := s.acquire(ctx, run.Rendering); err != nil {
		return nil, err
	}
	defer func() { <-run.Rendering }()
	if what, ok := run.Cached(key); ok { // by the previous holder
		return what, nil
	}
	if err := s.reserve(ctx); err != nil { // before the limiter, so that its holder does not wait
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
			run.Store(key, runs.Rendering{Value: what, Bytes: size, Version: look,
				FreshUntil: time.Now().Add(s.renderer.share * time.Since(began))})
		}
		return err
	})
	return what, err
}
