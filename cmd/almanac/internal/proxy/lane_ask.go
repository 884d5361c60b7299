package proxy

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/almanac-sim/almanac/capped/cappedhttp"
)

// lanePatience is how long a backend is waited for before the client is watched. A client that goes away is noticed so much later.
const lanePatience = 20 * time.Millisecond

var errGone = errors.New("proxy: the client has gone")

// answer has a request answered, and reports whether the connection can be used again.
func (c *laneConn) answer(r *plainRequest, s *settings) (more bool) {
	p := c.l.p
	status, broken := 0, true
	active := p.active.Add(1)
	defer func() {
		c.watch.stop()
		p.active.Add(-1)
		p.counts.status(status, broken)
	}()
	var err error
	if active > int64(s.maxRequests) {
		status, err = c.refusal(r, s, func(w http.ResponseWriter) {
			p.counts.crowded.Add(1)
			refuse(w, http.StatusServiceUnavailable)
		})
	} else {
		status, err = c.ask(r, s)
	}
	broken = err != nil
	return !broken && !p.draining.Load()
}

// ask tries backends.
func (c *laneConn) ask(r *plainRequest, s *settings) (status int, err error) {
	p := c.l.p
	birth := time.Now()
	slot, ok := p.transport.TryAcquire(birth)
	if !ok {
		slot, err = p.transport.Acquire(c.watch.start(), birth)
	}
	held := err == nil
	defer func() {
		if held { // there was a panic
			slot.End(cappedhttp.Cancelled, 0, nil)
		}
	}()
	stamp := ""
	if c.l.c.SendBirth {
		stamp = cappedhttp.FormatBirth(birth)
	}
	chunk := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(chunk)
	for try := 1; err == nil; try++ {
		u := slot.Backend()
		if u.Scheme != "http" || u.Path != "" { // it was added this moment
			held = false
			slot.End(cappedhttp.Unsent, 0, nil)
			err = http.ErrNotSupported
			break
		}
		c.out = r.appendTo(c.out[:0], c.peer, c.from, stamp)
		var b *back
		var n int
		if b, n, err = c.exchange(slot, chunk[:]); err == nil {
			a, plain := readPlainAnswer(chunk[:n], r.head, int(c.l.c.MaxHeader), c.out[:0])
			c.out = a.out
			if plain {
				slot.Begun(a.status)
				held = false
				slot.End(cappedhttp.Answered, a.status, nil)
				if c.watch.with(nil); a.closes || c.watch.left() {
					b.Close()
				} else {
					c.l.backs.put(b, time.Now())
				}
				c.watch.stop()
				if p.draining.Load() {
					c.out = slices.Insert(c.out, a.head, []byte("Connection: close\r\n")...)
				}
				return a.status, c.write(&pace{idle: s.clientIdle, rate: float64(s.minRate)}, c.out)
			}
			c.watch.start()
			c.watch.with(b)
			var res *http.Response
			var source *laneSource
			if res, source, err = c.strange(r, s, b, chunk[:n]); err == nil {
				held = false
				return c.pass(slot, r, s, b, res, source)
			}
			b.Close()
		}
		held = false
		switch {
		case err == errGone || c.watch.done != nil && c.watch.left():
			slot.End(cappedhttp.Cancelled, 0, nil)
			err = errGone
		case try < c.l.c.Tries:
			slot, err = slot.Again(c.watch.start(), err)
			held = err == nil
		default:
			slot.End(cappedhttp.Failed, 0, err)
		}
		if err != nil {
			break
		}
	}
	if err == errGone || c.watch.done != nil && c.watch.left() {
		p.counts.gone.Add(1)
		return 0, errGone
	}
	return c.refusal(r, s, func(w http.ResponseWriter) { cappedhttp.ErrorHandler(w, nil, err) })
}

// exchange sends what is in c.out to the backend of a slot and reads what comes first. If a connection that was used before is closed without an answer, the backend
// closed it for being idle; the request is one that may be sent again, and is, on a new one, as net/http does.
func (c *laneConn) exchange(slot cappedhttp.Slot, chunk []byte) (*back, int, error) {
	u := slot.Backend()
	c.tryEnd = time.Now().Add(c.l.c.TryTimeout)
	end := c.tryEnd
	if b := c.l.backs.get(u.Host); b != nil {
		n, err := c.over(b, chunk, end)
		if err == nil {
			return b, n, nil
		}
		b.Close()
		if err == cappedhttp.ErrTryTimeout || c.watch.done != nil && c.watch.left() {
			return nil, 0, err
		}
	}
	ctx, cancel := context.WithDeadline(c.watch.start(), end)
	b, err := c.l.backs.dial(ctx, u)
	cancel()
	if err != nil {
		if !time.Now().Before(end) {
			err = cappedhttp.ErrTryTimeout
		}
		return nil, 0, err
	}
	n, err := c.over(b, chunk, end)
	if err != nil {
		b.Close()
		return nil, 0, err
	}
	return b, n, nil
}

// over is one connection.
func (c *laneConn) over(b *back, chunk []byte, end time.Time) (int, error) {
	if c.watch.done != nil {
		c.watch.with(b)
		b.SetDeadline(end)
	} else {
		soon := time.Now().Add(lanePatience)
		if soon.After(end) {
			soon = end
		}
		b.SetDeadline(soon)
	}
	_, err := b.Write(c.out)
	n := 0
	if err == nil {
		n, err = b.Read(chunk)
		if errors.Is(err, os.ErrDeadlineExceeded) && time.Now().Before(end) {
			c.watch.start()
			c.watch.with(b)
			b.SetDeadline(end)
			n, err = b.Read(chunk)
		}
	}
	if n > 0 {
		return n, nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = cappedhttp.ErrTryTimeout
	}
	return 0, err
}
