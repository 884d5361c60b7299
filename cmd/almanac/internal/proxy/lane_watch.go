package proxy

import (
	"context"
	"sync"
	"time"
)

// A watch sees whether a client goes away while it is waited for something else, by reading from it. It costs a goroutine, so that it begins only when something takes longer.
type watch struct {
	c      *laneConn
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // nil if it is not on
	one    [1]byte
	n      int

	mu    sync.Mutex
	stops bool
	gone  bool
	back  *back // is closed if the client goes
}

// start returns a context that ends when the client goes away.
func (w *watch) start() context.Context {
	if w.done != nil {
		return w.ctx
	}
	w.ctx, w.cancel = context.WithCancel(w.c.l.ctx)
	w.done, w.stops, w.gone, w.n = make(chan struct{}), false, false, 0
	if len(w.c.in) == cap(w.c.in) { // nowhere to put what comes
		close(w.done)
		return w.ctx
	}
	w.c.SetReadDeadline(time.Time{})
	go func() {
		defer close(w.done)
		n, err := w.c.Read(w.one[:])
		w.mu.Lock()
		defer w.mu.Unlock()
		w.n = n
		if err != nil && !w.stops {
			w.gone = true
			w.cancel()
			if w.back != nil {
				w.back.Close()
			}
		}
	}()
	return w.ctx
}

// with says which connection to a backend is to be closed.
func (w *watch) with(b *back) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.back = b
	if w.gone && b != nil {
		b.Close()
	}
}

// left reports whether the client has gone.
func (w *watch) left() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gone
}

// stop ends it.
func (w *watch) stop() {
	if w.done == nil {
		return
	}
	w.mu.Lock()
	w.stops, w.back = true, nil
	w.mu.Unlock()
	w.c.SetReadDeadline(time.Unix(1, 0))
	<-w.done
	w.done = nil
	w.cancel()
	w.c.in = append(w.c.in, w.one[:w.n]...)
}
