package page

import (
	"context"
	"slices"
	"time"
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
const drawShare = 20

// mostDrawn is how many bytes of pictures are kept of a run.
const mostDrawn = 1 << 20

// A drawing is something that was drawn.
type drawing struct {
	what any
	size int       // in bytes, about, with its key
	look int       // of which look at the work it is
	good time.Time // until when it is good enough for work that has gone on since
}

// A pen is what everything is drawn with that is of work that goes on. Whoever has it draws; it
// rests before the next has it.
type pen struct {
	held chan struct{} // has one in it while somebody has it

	// For who holds it:
	rest time.Time            // until when
	each map[string][]float64 // how many nanoseconds a byte of each of the last drawings took, by their kind
}

// lastDrawings is how many of a kind are remembered.
const lastDrawings = 8

func newPen() *pen { return &pen{held: make(chan struct{}, 1), each: map[string][]float64{}} }

// take waits for the pen, until the context ends or over is closed: then nobody needs it.
func (p *pen) take(ctx context.Context, over <-chan struct{}) (taken bool, err error) {
	select {
	case <-over: // also if it lies there: whoever takes it lets others wait
		return false, nil
	default:
	}
	select {
	case p.held <- struct{}{}:
	case <-over:
		return false, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	rested := time.NewTimer(time.Until(p.rest))
	defer rested.Stop()
	select {
	case <-rested.C:
		return true, nil
	case <-over:
		err = nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	<-p.held
	return false, err
}

// put puts it back after drawing so many bytes for so long. On a busy machine that was also to wait
// for a core, for ten times as long as the drawing took of it; so twice of what the quickest of the
// last drawings of its kind took for a byte counts, if that is less. A byte of one kind takes many
// times as long as one of another.
func (p *pen) put(kind string, took time.Duration, size int) {
	if size > 0 {
		last := append(p.each[kind], float64(took)/float64(size))
		last = last[max(0, len(last)-lastDrawings):]
		p.each[kind] = last
		took = min(took, time.Duration(2*slices.Min(last)*float64(size)))
	}
	p.rest = time.Now().Add(drawShare * took)
	<-p.held
}

// kept is what was drawn by a key already, if it still shows what there is to see.
func (l *live) kept(key string) (any, bool) {
	l.looking.Lock()
	defer l.looking.Unlock()
	l.viewNow()
	d, ok := l.drawn[key]
	if !ok || d.look != l.looks && (l.final || !time.Now().Before(d.good)) {
		return nil, false
	}
	return d.what, true
}

// keep keeps what was drawn of a look.
func (l *live) keep(key string, d drawing) {
	l.looking.Lock()
	defer l.looking.Unlock()
	if d.size += len(key); d.size > mostDrawn {
		return
	}
	l.drawnBytes -= l.drawn[key].size
	delete(l.drawn, key)
	if l.drawn == nil || l.drawnBytes+d.size > mostDrawn { // it begins anew, since nobody knows which will be wanted again
		l.drawn, l.drawnBytes = map[string]drawing{}, 0
	}
	l.drawn[key] = d
	l.drawnBytes += d.size
}

// drawn is what a function draws of what there is to see of a run, with its size in bytes, or what
// it drew already for somebody who wanted the same. The kind, of which there are a few, is what it
// draws: a page, or a file of some form. What has been drawn costs nothing; otherwise it is drawn
// in turn, and with the pen if the run goes on. Whoever waits for that for long is told to come
// back.
func (s *Server) drawn(ctx context.Context, run *Run, kind, key string, draw func(View) (what any, size int,
	err error)) (what any, err error) {
	key = kind + " " + key
	if what, ok := run.kept(key); ok {
		return what, nil
	}
	if err := s.enter(ctx, run.drawing); err != nil {
		return nil, err
	}
	defer func() { <-run.drawing }()
	if what, ok := run.kept(key); ok { // by who drew before
		return what, nil
	}
	if err := s.place(ctx); err != nil { // before the pen, which others wait for
		return nil, err
	}
	patient, cancel := s.patience(ctx)
	defer cancel()
	paced, err := s.pen.take(patient, run.Over())
	if err != nil {
		return nil, err
	}
	took, size := time.Duration(0), 0
	if paced {
		defer func() { s.pen.put(kind, took, size) }()
	}
	err = s.inTurn(ctx, func() (err error) {
		view, look := run.viewAndLook()
		began := time.Now()
		defer func() { took = time.Since(began) }()
		if what, size, err = draw(view); err == nil {
			run.keep(key, drawing{what, size, look, time.Now().Add(drawShare * time.Since(began))})
		}
		return err
	})
	return what, err
}
