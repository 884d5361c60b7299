package dispatchhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A requestBody is the body of a request over all its tries. What sends a request closes its body, also if it never got to read it; so it is given
// an attempt, and the body itself is kept until it is known that no other try needs it.
type requestBody struct {
	req    *http.Request
	sought atomic.Bool // a connection, by any try

	mu      sync.Mutex
	source  io.ReadCloser // what the last attempt reads
	current *bodyView
	reads   bool // source was read from
	reading bool // somebody is at it, and waits for the client
	buffer  []byte
	err     error // of the source, but for io.EOF
	final   bool  // no more attempts
}

var errStale = errors.New("dispatchhttp: this try is over")

func (b *requestBody) empty() bool { return b.req.Body == nil || b.req.Body == http.NoBody }

// next is the body for another try.
func (b *requestBody) next(ctx context.Context) (io.ReadCloser, error) {
	if b.empty() {
		return b.req.Body, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.source == nil:
		b.source = b.req.Body
	case b.reads:
		again, err := b.req.GetBody()
		if err != nil {
			b.err = err
			return nil, fmt.Errorf("dispatchhttp: the body for another try: %w", err)
		}
		b.source.Close()
		b.source, b.reads = again, false
	}
	b.current = &bodyView{b: b, ctx: ctx}
	return b.current, nil
}

// begun reports whether any of the body was asked for. If not, the attempt will not get any of it from now on.
func (b *requestBody) begun() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.reads {
		b.current = nil
	}
	return b.reads
}

// replayable reports whether the body can be sent once more from its beginning.
func (b *requestBody) replayable() bool {
	return b.empty() || b.req.GetBody != nil || !b.begun()
}

// awaited reports whether the client is waited for, to send more of its body.
func (b *requestBody) awaited() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reading
}

// closeSource closes a body. That of a server's request waits until what is being read has come, which is for the client to send; it is not waited for.
func closeSource(source io.Closer, reading bool) {
	if reading {
		go source.Close()
	} else {
		source.Close()
	}
}

// broken reports whether the body could not be read to its end.
func (b *requestBody) broken() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err != nil
}

// finish says that there are no more tries. The body is closed when the last attempt is, or at once if it failed.
func (b *requestBody) finish(failed bool) {
	if b.empty() {
		return
	}
	b.mu.Lock()
	b.final = true
	source := b.source
	if source == nil {
		source = b.req.Body
	}
	closes, reading := failed || b.current == nil || b.current.closed, b.reading
	b.mu.Unlock()
	if closes {
		closeSource(source, reading)
	}
}

// An attempt is a requestBody as one try sees it.
type bodyView struct {
	b      *requestBody
	ctx    context.Context // of the try
	closed bool
}

// Read waits for the client no longer than the try lasts. http.Transport returns only when its reader has, and would hold a slot for a client that is
// silent; so what may be silent is read by a goroutine beside. What GetBody can give again is in memory, and is read as it is.
func (a *bodyView) Read(p []byte) (int, error) {
	b := a.b
	b.mu.Lock()
	if b.current != a {
		b.mu.Unlock()
		return 0, errStale
	}
	b.reads = true
	source := b.source
	if b.req.GetBody != nil {
		b.mu.Unlock()
		n, err := source.Read(p)
		a.note(err)
		return n, err
	}
	if b.reading {
		b.mu.Unlock()
		return 0, errStale
	}
	b.reading = true
	if b.buffer == nil {
		b.buffer = make([]byte, 32<<10) // as much as io.Copy asks for
	}
	buffer := b.buffer[:min(len(p), len(b.buffer))]
	b.mu.Unlock()
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := source.Read(buffer)
		a.note(err)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return copy(p, buffer[:r.n]), r.err
	case <-a.ctx.Done():
		return 0, a.ctx.Err()
	}
}

// note says that the source has been read from.
func (a *bodyView) note(err error) {
	b := a.b
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading = false
	if err != nil && err != io.EOF && b.current == a && !a.closed { // a body that was closed in the middle is not broken
		b.err = err
	}
}

func (a *bodyView) Close() error {
	b := a.b
	b.mu.Lock()
	a.closed = true
	pass := b.final && b.current == a
	source := b.source
	b.mu.Unlock()
	if pass {
		return source.Close()
	}
	return nil
}

// A cancelBody ends the context of a try when it is closed.
type cancelBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *cancelBody) Close() error {
	err := b.ReadCloser.Close()
	b.cancel()
	return err
}

// An answerBody gives back a slot when it was read to its end, breaks off, or is closed.
type responseBody struct {
	*cancelBody
	once sync.Once
	end  func(error)

	idle   time.Duration // how long a Read may take; 0 for any time
	timer  *time.Timer   // ends the try
	silent atomic.Bool   // and has done so
}

func (b *responseBody) Read(p []byte) (int, error) {
	switch {
	case b.idle == 0:
	case b.timer == nil:
		b.timer = time.AfterFunc(b.idle, func() {
			b.silent.Store(true)
			b.cancel()
		})
	default:
		b.timer.Reset(b.idle)
	}
	n, err := b.cancelBody.Read(p)
	if b.timer != nil {
		b.timer.Stop()
	}
	if err != nil {
		if err != io.EOF && b.silent.Load() {
			err = ErrResponseIdle
		}
		b.once.Do(func() { b.end(err) })
	}
	return n, err
}

func (b *responseBody) Close() error {
	err := b.cancelBody.Close()
	b.once.Do(func() { b.end(nil) })
	return err
}

// An upgradedBody is a connection that speaks something else by now, in both directions, and has its slot until it is closed.
type upgradedBody struct {
	io.ReadWriteCloser
	cancel context.CancelFunc
	once   sync.Once
	end    func(error)
	idle   time.Duration // how long both directions may be silent; 0 for any time
	timer  *time.Timer   // closes it
}

func newUpgradedBody(rw io.ReadWriteCloser, cancel context.CancelFunc, end func(error), idle time.Duration) *upgradedBody {
	b := &upgradedBody{ReadWriteCloser: rw, cancel: cancel, end: end, idle: idle}
	if idle > 0 {
		b.timer = time.AfterFunc(idle, func() { b.shut() })
	}
	return b
}

// stir says that something has passed.
func (b *upgradedBody) stir(n int) {
	if b.timer != nil && n > 0 && b.timer.Stop() { // unless it is being closed
		b.timer.Reset(b.idle)
	}
}

func (b *upgradedBody) Read(p []byte) (int, error) {
	n, err := b.ReadWriteCloser.Read(p)
	b.stir(n)
	return n, err
}

func (b *upgradedBody) Write(p []byte) (int, error) {
	n, err := b.ReadWriteCloser.Write(p)
	b.stir(n)
	return n, err
}

func (b *upgradedBody) Close() error {
	if b.timer != nil {
		b.timer.Stop()
	}
	return b.shut()
}

func (b *upgradedBody) shut() error {
	err := b.ReadWriteCloser.Close()
	b.once.Do(func() {
		b.cancel()
		b.end(nil)
	})
	return err
}

// CloseWrite ends one direction, as ReverseProxy does.
func (b *upgradedBody) CloseWrite() error {
	if w, ok := b.ReadWriteCloser.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return fmt.Errorf("dispatchhttp: to close one direction: %w", errors.ErrUnsupported)
}
