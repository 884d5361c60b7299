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

// A requestBody is the body of a request over all its attempts. A RoundTripper closes the body that
// it is given, even if it has not read any of it; so every attempt gets a view, and the body itself
// is kept until no other attempt needs it.
type requestBody struct {
	req    *http.Request
	sought atomic.Bool // an attempt has asked for a connection

	mu      sync.Mutex
	source  io.ReadCloser // what the last view reads
	current *bodyView
	reads   bool // the source was read from
	reading bool // a Read is in progress: the client is awaited
	buffer  []byte
	err     error // of the source, but for io.EOF
	final   bool  // there are no more attempts
}

var errStale = errors.New("dispatchhttp: this attempt is over")

func (b *requestBody) empty() bool { return b.req.Body == nil || b.req.Body == http.NoBody }

// next returns the body for another attempt.
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
			return nil, fmt.Errorf("dispatchhttp: the body for another attempt: %w", err)
		}
		b.source.Close()
		b.source, b.reads = again, false
	}
	b.current = &bodyView{b: b, ctx: ctx}
	return b.current, nil
}

// begun reports whether any of the body was read. If not, the current view is detached from it.
func (b *requestBody) begun() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.reads {
		b.current = nil
	}
	return b.reads
}

// replayable reports whether the body can be sent again from its beginning.
func (b *requestBody) replayable() bool {
	return b.empty() || b.req.GetBody != nil || !b.begun()
}

// expire is called when a backend has been silent for too long, before the attempt is cancelled: if a
// Read waits for the client, the body is what is late, and it counts as broken off.
func (b *requestBody) expire() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reading {
		b.err = errStale
	}
}

// closeSource closes a body without blocking. Close of a server's request waits for a Read in
// progress, which waits for the client.
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

// finish is called after the last attempt. The body is closed when its view is, or at once if it
// failed.
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

// A bodyView is a requestBody as seen by one attempt.
type bodyView struct {
	b      *requestBody
	ctx    context.Context // of the attempt
	closed bool
}

// Read waits for the client no longer than the attempt lasts. http.Transport returns only after its
// Read of the body has, and so would hold a slot for a silent client; therefore another goroutine
// reads from the client. A body with GetBody is in memory, and is read directly.
func (v *bodyView) Read(p []byte) (int, error) {
	b := v.b
	b.mu.Lock()
	if b.current != v {
		b.mu.Unlock()
		return 0, errStale
	}
	b.reads = true
	source := b.source
	if b.req.GetBody != nil {
		b.mu.Unlock()
		n, err := source.Read(p)
		v.note(err)
		return n, err
	}
	if b.reading {
		b.mu.Unlock()
		return 0, errStale
	}
	b.reading = true
	if b.buffer == nil {
		b.buffer = make([]byte, 32<<10) // the size that io.Copy uses
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
		v.note(err)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return copy(p, buffer[:r.n]), r.err
	case <-v.ctx.Done():
		return 0, v.ctx.Err()
	}
}

// note records the end of a Read of the source.
func (v *bodyView) note(err error) {
	b := v.b
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading = false
	if err != nil && err != io.EOF && b.current == v && !v.closed { // a body that was closed early is not broken
		b.err = err
	}
}

func (v *bodyView) Close() error {
	b := v.b
	b.mu.Lock()
	v.closed = true
	pass := b.final && b.current == v
	source := b.source
	b.mu.Unlock()
	if pass {
		return source.Close()
	}
	return nil
}

// A cancelBody cancels the context of an attempt when it is closed.
type cancelBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *cancelBody) Close() error {
	err := b.ReadCloser.Close()
	b.cancel()
	return err
}

// A responseBody releases a slot when it is read to its end, breaks off, or is closed.
type responseBody struct {
	*cancelBody
	once sync.Once
	end  func(error)

	sent   *requestBody  // that of the request
	idle   time.Duration // how long a Read may take; 0 means no limit
	timer  *time.Timer   // cancels the attempt
	silent atomic.Bool   // the timer has fired
}

func (b *responseBody) Read(p []byte) (int, error) {
	switch {
	case b.idle == 0:
	case b.timer == nil:
		b.timer = time.AfterFunc(b.idle, func() {
			b.silent.Store(true)
			b.sent.expire()
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

// An upgradedBody is a connection that has switched protocols. It holds its slot until it is
// closed.
type upgradedBody struct {
	io.ReadWriteCloser
	cancel context.CancelFunc
	once   sync.Once
	end    func(error)
	idle   time.Duration // how long both directions may be silent; 0 means no limit
	timer  *time.Timer   // closes the connection
}

func newUpgradedBody(
	rw io.ReadWriteCloser, cancel context.CancelFunc, end func(error), idle time.Duration,
) *upgradedBody {
	b := &upgradedBody{ReadWriteCloser: rw, cancel: cancel, end: end, idle: idle}
	if idle > 0 {
		b.timer = time.AfterFunc(idle, func() { b.shut() })
	}
	return b
}

// stir resets the timer after a transfer.
func (b *upgradedBody) stir(n int) {
	if b.timer != nil && n > 0 && b.timer.Stop() { // unless it has fired
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

// CloseWrite closes one direction; ReverseProxy calls it.
func (b *upgradedBody) CloseWrite() error {
	if w, ok := b.ReadWriteCloser.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return fmt.Errorf("dispatchhttp: close one direction: %w", errors.ErrUnsupported)
}
