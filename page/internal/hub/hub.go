// Package hub watches a hub of studies for the page.
package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/ensemble"
)

// A Watcher observes one hub. While pages are requested, one goroutine polls the hub at most once a
// second, and all requests share the result. If the hub is unreachable, it reconnects and keeps the
// last state.
type Watcher struct {
	dial   func(context.Context) (*ensemble.Conn, error)
	log    *slog.Logger
	cancel context.CancelFunc
	done   chan struct{}
	wake   chan struct{} // signals a request

	mu          sync.Mutex
	lastRequest time.Time
	lastUnsure  time.Time // when it was last unknown whether workers could be heard
	firstHeard  time.Time // when workers were first heard
	state       State
}

// A State is what is known about a hub.
type State struct {
	Where   string            `json:"hub"` // address without credentials; empty before the first connection
	Lost    string            `json:"lost,omitempty"`
	Asked   time.Time         `json:"asked"` // time of the last response
	Jobs    []ensemble.Status `json:"jobs"`  // latest first
	Workers []ensemble.Member `json:"workers"`
	Unheard string            `json:"unheard,omitempty"` // why the workers are unknown
	News    []News            `json:"news"`              // latest first
}

// News is the arrival or departure of a worker.
type News struct {
	When time.Time `json:"when"`
	Text string    `json:"text"`
}

const (
	interval   = time.Second      // between polls, at least
	idleAfter  = 15 * time.Second // without requests, polling stops
	timeout    = 5 * time.Second  // of a poll
	settleTime = 10 * time.Second // by then, all live workers have sent a heartbeat
	maxJobs    = 200
	maxNews    = 50
)

// Dialer returns a function that connects to a hub once, without waiting for it.
func Dialer(o ensemble.ConnectOptions) func(context.Context) (*ensemble.Conn, error) {
	o.Wait = 0
	return func(ctx context.Context) (*ensemble.Conn, error) { return ensemble.Connect(ctx, o) }
}

func New(dial func(context.Context) (*ensemble.Conn, error), log *slog.Logger) *Watcher {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Watcher{dial: dial, log: log, cancel: cancel, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	go func() {
		defer close(h.done)
		h.watch(ctx)
	}()
	return h
}

// pause waits for d, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
}

// Close stops the goroutine.
func (h *Watcher) Close() {
	h.cancel()
	<-h.done
}

// State returns the current state and keeps the polling alive.
func (h *Watcher) State() State {
	h.mu.Lock()
	h.lastRequest = time.Now()
	s := h.state
	s.Jobs, s.Workers, s.News = slices.Clone(s.Jobs), slices.Clone(s.Workers), slices.Clone(s.News)
	if s.Unheard != "" {
		s.Workers = nil
	}
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
	return s
}

// waitWanted blocks while there are no requests. It reports false if the context ends.
func (h *Watcher) waitWanted(ctx context.Context) bool {
	for ctx.Err() == nil {
		h.mu.Lock()
		idle := time.Since(h.lastRequest) > idleAfter
		h.mu.Unlock()
		if !idle {
			return true
		}
		select {
		case <-h.wake:
		case <-ctx.Done():
		}
	}
	return false
}

// watch connects and polls until the context ends.
func (h *Watcher) watch(ctx context.Context) {
	for h.waitWanted(ctx) {
		try, cancel := context.WithTimeout(ctx, timeout)
		conn, err := h.dial(try)
		cancel()
		if err != nil {
			h.unreachable(err)
			pause(ctx, 2*interval)
			continue
		}
		h.poll(ctx, conn)
		conn.Close()
	}
}

// poll polls a connected hub and listens to its workers.
func (h *Watcher) poll(ctx context.Context, conn *ensemble.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	var listening sync.WaitGroup
	listening.Go(func() {
		for h.waitWanted(ctx) {
			if err := conn.Workers(ctx, h.updateWorkers); ctx.Err() == nil {
				h.log.Warn("the workers of the hub are not heard", "error", err)
				h.workersUnknown(err)
				pause(ctx, 2*interval)
			}
		}
	})
	defer func() { cancel(); listening.Wait() }()
	for h.waitWanted(ctx) {
		began := time.Now()
		try, end := context.WithTimeout(ctx, timeout)
		jobs, err := conn.Jobs(try)
		end()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil: // the client reconnects by itself
			h.unreachable(err)
		default:
			slices.Reverse(jobs)
			h.update(conn.Address(), jobs)
		}
		// A hub with many jobs is slow to list them.
		pause(ctx, max(interval, 10*time.Since(began)))
	}
}

func (h *Watcher) update(where string, jobs []ensemble.Status) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.Where, h.state.Lost, h.state.Asked, h.state.Jobs = where, "", time.Now(), jobs[:min(len(jobs), maxJobs)]
}

// unreachable records that the hub does not respond.
func (h *Watcher) unreachable(err error) {
	text := strings.TrimPrefix(err.Error(), "ensemble: ")
	if errors.Is(err, context.DeadlineExceeded) {
		text = fmt.Sprintf("it has not answered for %v", timeout)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.Lost = text
}

// workersUnknown records that workers cannot be heard. The last known workers are kept, so that
// they do not arrive again.
func (h *Watcher) workersUnknown(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.Unheard, h.lastUnsure = strings.TrimPrefix(err.Error(), "ensemble: "), time.Now()
}

// updateWorkers records arrivals and departures. While our own link is down, or no page is
// requested, silence means nothing. For settleTime after that, workers that are not heard yet count
// as present, and those heard are not reported as new arrivals, since they may have been there
// before.
func (h *Watcher) updateWorkers(now []ensemble.Member) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Lost != "" || time.Since(h.lastRequest) > idleAfter {
		h.lastUnsure = time.Now()
		return
	}
	if time.Since(h.lastUnsure) < settleTime {
		for _, w := range h.state.Workers {
			if !slices.ContainsFunc(now, func(o ensemble.Member) bool { return o.ID == w.ID }) {
				now = append(now, w)
			}
		}
	}
	missing := func(from, in []ensemble.Member, text string) {
		for _, w := range from {
			if !slices.ContainsFunc(in, func(o ensemble.Member) bool { return o.ID == w.ID }) {
				h.state.News = slices.Insert(h.state.News, 0, News{time.Now(), w.Name + " " + text})
			}
		}
	}
	missing(h.state.Workers, now, "went")
	came := "came"
	if h.firstHeard.IsZero() {
		h.firstHeard = time.Now()
	}
	if time.Since(h.firstHeard) < settleTime || time.Since(h.lastUnsure) < settleTime {
		came = "was heard for the first time"
	}
	missing(now, h.state.Workers, came)
	h.state.News = h.state.News[:min(len(h.state.News), maxNews)]
	h.state.Workers, h.state.Unheard = now, ""
}
