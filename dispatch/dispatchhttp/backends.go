package dispatchhttp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/dispatch"
)

// normal is a backend's URL with a path that has no / at its end.
func normalize(u *url.URL) (*url.URL, error) {
	switch {
	case u == nil:
		return nil, fmt.Errorf("dispatchhttp: a backend is nil, and must be a URL like http://127.0.0.1:8080")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Opaque != "":
		return nil, fmt.Errorf("dispatchhttp: backend %q must begin with http:// or https:// and have a host, like http://127.0.0.1:8080", u.Redacted())
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, fmt.Errorf("dispatchhttp: backend %q must have a scheme, a host and perhaps a path, and nothing else", u.Redacted())
	}
	n := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimRight(u.Path, "/")}
	if u.RawPath != "" {
		n.RawPath = strings.TrimRight(u.RawPath, "/")
	}
	return n, nil
}

// find is a backend that there is, or was and still has something in flight. It is found again when it is added, so that it never has more than c.
func (d *scheduler) find(u *url.URL) *server {
	i := slices.IndexFunc(d.servers, func(s *server) bool { return *s.url == *u })
	if i < 0 {
		return nil
	}
	return d.servers[i]
}

// Add adds a backend, which takes the oldest requests that wait at once. It returns an error if there is one with this URL, or if it is not a URL
// for a backend.
func (t *Transport) Add(backend *url.URL) error {
	u, err := normalize(backend)
	if err != nil {
		return err
	}
	d := t.scheduler
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.find(u); s != nil && !s.removed {
		return fmt.Errorf("dispatchhttp: backend %q is there already", u)
	}
	d.add(u)
	d.fillSlots()
	return nil
}

// add adds a server that there is not. What follows must settle.
func (d *scheduler) add(u *url.URL) *server {
	var s *server
	if u != nil {
		s = d.find(u)
	}
	if s == nil {
		s = &server{url: u}
		s.bin.Of = s
		d.servers = append(d.servers, s)
	}
	s.removed, s.ejected, s.halfOpen, s.probing = false, false, false, false
	d.update(s)
	if d.check != nil {
		d.arm(s, d.interval)
	}
	return s
}

// Remove gives a backend no more requests; those in flight come to their end. It reports whether there was one with this URL.
func (t *Transport) Remove(backend *url.URL) bool {
	u, err := normalize(backend)
	if err != nil {
		return false
	}
	d := t.scheduler
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.find(u)
	if s == nil || s.removed {
		return false
	}
	d.remove(s)
	return true
}

func (d *scheduler) remove(s *server) {
	s.removed = true
	d.disarm(s)
	d.update(s)
	if s.inFlight == 0 {
		d.forget(s)
	}
}

// Set says which backends there are, all at once: those that are not among them are removed, new ones are added, and the others are as they were. If
// one is wrong or there twice it returns an error, and nothing has changed.
func (t *Transport) Set(backends []*url.URL) error {
	var all []*url.URL
	seen := map[url.URL]bool{}
	for _, b := range backends {
		u, err := normalize(b)
		if err != nil {
			return err
		}
		if seen[*u] {
			return fmt.Errorf("dispatchhttp: backend %q is there twice", u)
		}
		seen[*u] = true
		all = append(all, u)
	}
	d := t.scheduler
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range slices.Clone(d.servers) {
		if !s.removed && !seen[*s.url] {
			d.remove(s)
		}
	}
	for _, u := range all {
		if s := d.find(u); s == nil || s.removed {
			d.add(u)
		}
	}
	d.fillSlots()
	return nil
}

// check asks a backend how it is.
func (t *Transport) check(ctx context.Context, backend *url.URL) error {
	ctx, cancel := context.WithTimeout(ctx, min(t.o.checkInterval, checkTimeout))
	defer cancel()
	asked := &http.Request{Method: http.MethodGet, URL: locate(backend, t.o.checkPath, backend.Host), Header: http.Header{}}
	req := asked.WithContext(ctx)
	res, err := t.base.RoundTrip(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	io.CopyN(io.Discard, res.Body, 64<<10) // so that the connection can be used again
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return fmt.Errorf("dispatchhttp: the answer is %s, and must be 2xx", res.Status)
	}
	return nil
}

// Stats is what has happened so far, and what is now, all at one moment.
func (t *Transport) Stats() Stats { return t.scheduler.stats() }

// CloseIdleConnections does so with those of the [Base], if it can; [http.Client.CloseIdleConnections] calls it.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// Close takes no more requests, waits until those that wait or are in flight have come to their end, and ends all checks and, unless there is a [Base],
// idle connections. If ctx ends first, requests that wait get [dispatch.ErrClosed], those in flight go on, and its error is returned.
func (t *Transport) Close(ctx context.Context) error {
	d := t.scheduler
	d.mu.Lock()
	d.closed = true
	d.signalDrained()
	d.mu.Unlock()
	var err error
	select {
	case <-d.drained:
	case <-ctx.Done():
		err = ctx.Err()
	}
	d.end()
	if t.ownBase {
		t.CloseIdleConnections()
	}
	return err
}

// end turns away those who wait, and has nobody looked after any more.
func (d *scheduler) end() {
	d.mu.Lock()
	d.ended = true
	for d.waiting.Len > 0 {
		w := d.waiting.Head
		d.waiting.Remove(w)
		w.Value.err = dispatch.ErrClosed
		d.total.Closed++
		w.Value.ready <- struct{}{}
	}
	for _, s := range d.servers {
		d.disarm(s)
	}
	d.signalDrained()
	d.mu.Unlock()
	d.cancel()
	d.checks.Wait()
}
