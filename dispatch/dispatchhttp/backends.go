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

// normalize checks the URL of a backend, and removes slashes at the end of its path.
func normalize(u *url.URL) (*url.URL, error) {
	switch {
	case u == nil:
		return nil, fmt.Errorf("dispatchhttp: a backend is nil, and must be a URL like http://127.0.0.1:8080")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Opaque != "":
		return nil, fmt.Errorf("dispatchhttp: backend %q must begin with http:// or https:// and have a host, "+
			"like http://127.0.0.1:8080", u.Redacted())
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, fmt.Errorf("dispatchhttp: backend %q must have a scheme, a host and perhaps a path, and nothing else",
			u.Redacted())
	}
	n := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimRight(u.Path, "/")}
	if u.RawPath != "" {
		n.RawPath = strings.TrimRight(u.RawPath, "/")
	}
	return n, nil
}

// find returns the backend with a URL, or nil. A removed one with requests in flight is found too,
// so that it never has more than c if it is added again.
func (s *scheduler) find(u *url.URL) *backend {
	i := slices.IndexFunc(s.backends, func(b *backend) bool { return *b.url == *u })
	if i < 0 {
		return nil
	}
	return s.backends[i]
}

// Add adds a backend, which takes the oldest waiting requests at once. It returns an error if the
// URL is not valid for a backend, or if there is one with this URL.
func (t *Transport) Add(backend *url.URL) error {
	u, err := normalize(backend)
	if err != nil {
		return err
	}
	s := t.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.find(u); b != nil && !b.removed {
		return fmt.Errorf("dispatchhttp: backend %q is there already", u)
	}
	s.add(u)
	s.fillSlots()
	return nil
}

// add adds a backend that does not exist or was removed. The caller must call fillSlots.
func (s *scheduler) add(u *url.URL) *backend {
	var b *backend
	if u != nil {
		b = s.find(u)
	}
	if b == nil {
		b = &backend{url: u}
		b.bin.Of = b
		s.backends = append(s.backends, b)
	}
	b.removed = false
	b.capacity = s.capacityOf(u)
	b.checksPassed, b.checksFailed = 0, 0
	b.health.Reset()
	s.update(b)
	if s.check != nil {
		b.health.Arm(s.interval, s.timerOf(b))
	}
	return b
}

// capacityOf returns the capacity of the backend with a URL, which is nil in a Limiter.
func (s *scheduler) capacityOf(u *url.URL) int {
	if u != nil {
		if c, ok := s.capacities[u.String()]; ok {
			return c
		}
	}
	return s.capacity
}

// Remove removes a backend, and reports whether there was one with this URL. Requests in flight are
// not interrupted.
func (t *Transport) Remove(backend *url.URL) bool {
	u, err := normalize(backend)
	if err != nil {
		return false
	}
	s := t.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.find(u)
	if b == nil || b.removed {
		return false
	}
	s.remove(b)
	return true
}

func (s *scheduler) remove(b *backend) {
	b.removed = true
	b.health.Disarm()
	s.update(b)
	if b.inFlight == 0 {
		s.forget(b)
	}
}

// Ejected reports whether a backend is ejected; false for a URL that is that of none.
func (t *Transport) Ejected(backend *url.URL) bool {
	u, err := normalize(backend)
	if err != nil {
		return false
	}
	s := t.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.find(u)
	return b != nil && !b.removed && b.health.Ejected()
}

// Set replaces the list of backends: those that are not in it are removed, new ones are added, and
// the others keep their state. If a URL is not valid or occurs twice it returns an error and
// changes nothing.
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
	s := t.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range slices.Clone(s.backends) {
		if !b.removed && !seen[*b.url] {
			s.remove(b)
		}
	}
	for _, u := range all {
		if b := s.find(u); b == nil || b.removed {
			s.add(u)
		}
	}
	s.fillSlots()
	return nil
}

// check runs a health check.
func (t *Transport) check(ctx context.Context, backend *url.URL) error {
	o := t.options.Load()
	switch {
	case o.check != nil:
		return o.check(ctx, backend)
	case o.checkPath == nil:
		return nil // Configure has ended the checks in the meantime
	}
	ctx, cancel := context.WithTimeout(ctx, min(o.checkInterval, checkTimeout))
	defer cancel()
	req := (&http.Request{
		Method: http.MethodGet,
		URL:    locate(backend, o.checkPath, backend.Host),
		Header: http.Header{},
	}).WithContext(ctx)
	res, err := t.base.RoundTrip(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	io.CopyN(io.Discard, res.Body, 64<<10) // so that the connection can be reused
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return fmt.Errorf("dispatchhttp: the status of the check is %s, and must be 2xx", res.Status)
	}
	return nil
}

// Stats returns the counts so far and the current state, all of one moment.
func (t *Transport) Stats() Stats { return t.scheduler.stats() }

// CloseIdleConnections closes the idle connections of the [Base], if it has such a method.
// [http.Client.CloseIdleConnections] calls it.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// Close stops the intake, waits until all requests have ended, and stops health checks and, unless
// there is a [Base], closes idle connections. If ctx ends first Close returns its error: waiting
// requests get [dispatch.ErrClosed], and those in flight are not interrupted.
func (t *Transport) Close(ctx context.Context) error {
	s := t.scheduler
	s.mu.Lock()
	s.closed = true
	s.signalDrained()
	s.mu.Unlock()
	var err error
	select {
	case <-s.drained:
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.end()
	if t.ownBase {
		t.CloseIdleConnections()
	}
	return err
}

// end refuses waiting requests, and stops all timers and checks.
func (s *scheduler) end() {
	s.mu.Lock()
	s.ended = true
	for s.waiting.Len > 0 {
		w := s.waiting.Head
		s.waiting.Remove(w)
		w.Value.err = dispatch.ErrClosed
		s.total.Closed++
		w.Value.ready <- struct{}{}
	}
	for _, b := range s.backends {
		b.health.Disarm()
	}
	s.signalDrained()
	s.mu.Unlock()
	s.cancel()
	s.checks.Wait()
}
