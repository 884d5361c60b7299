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

// A Watcher is a hub of studies that is watched: the one that the server was told, and no other. One
// goroutine asks it what it has, at most once a second, and only while somebody looks; all who look
// share what it found. A hub that is away is tried again while somebody looks, and what was last
// known stays.
type Watcher struct {
	dial   func(context.Context) (*ensemble.Conn, error)
	log    *slog.Logger
	cancel context.CancelFunc
	done   chan struct{}
	wake   chan struct{} // somebody looks again

	mu          sync.Mutex
	lastRequest time.Time // somebody did
	lastUnsure  time.Time // when it was last not known whether workers could be heard
	firstHeard  time.Time // when they were heard for the first time
	state       State
}

// A State is what is known of a hub.
type State struct {
	Where   string            `json:"hub"` // without secrets; empty before it was reached
	Lost    string            `json:"lost,omitempty"`
	Asked   time.Time         `json:"asked"` // when it last answered
	Jobs    []ensemble.Status `json:"jobs"`  // the latest first
	Workers []ensemble.Member `json:"workers"`
	Unheard string            `json:"unheard,omitempty"` // why it is not known who works
	News    []News            `json:"news"`              // the latest first
}

// A News is something that happened: a worker that came or went.
type News struct {
	When time.Time `json:"when"`
	Text string    `json:"text"`
}

// How a hub is watched.
const (
	interval   = time.Second      // between two questions, at least
	idleAfter  = 15 * time.Second // nobody has looked for so long: nothing is asked
	timeout    = 5 * time.Second  // that it may take to answer
	settleTime = 10 * time.Second // until all workers that are there have been heard, which say so more often
	maxJobs    = 200              // that are shown
	maxNews    = 50
)

// Dialer is how a hub is reached.
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

// Close ends the watch.
func (h *Watcher) Close() {
	h.cancel()
	<-h.done
}

// State is what is known, for somebody who wants to know.
func (h *Watcher) State() State {
	h.mu.Lock()
	h.lastRequest = time.Now()
	s := h.state
	s.Jobs, s.Workers, s.News = slices.Clone(s.Jobs), slices.Clone(s.Workers), slices.Clone(s.News)
	if s.Unheard != "" {
		s.Workers = nil // nobody knows
	}
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
	return s
}

// waitWanted waits until somebody looks, or has just done so. It reports false if the context ends
// before.
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

// watch connects, as often as it must, and asks.
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

// poll asks a hub until the context ends.
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
		case err != nil: // the connection comes back by itself
			h.unreachable(err)
		default:
			slices.Reverse(jobs)
			h.update(conn.Where(), jobs)
		}
		// A hub with many jobs takes its time to list them; it is asked the less often.
		pause(ctx, max(interval, 10*time.Since(began)))
	}
}

// update notes what the hub has.
func (h *Watcher) update(where string, jobs []ensemble.Status) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.Where, h.state.Lost, h.state.Asked, h.state.Jobs = where, "", time.Now(), jobs[:min(len(jobs), maxJobs)]
}

// unreachable notes that the hub does not answer.
func (h *Watcher) unreachable(err error) {
	text := strings.TrimPrefix(err.Error(), "ensemble: ")
	if errors.Is(err, context.DeadlineExceeded) {
		text = fmt.Sprintf("it has not answered for %v", timeout)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.Lost = text
}

// workersUnknown notes that it is not known who works. Who was last heard of stays, so that nobody seems
// to come when the others are heard again.
func (h *Watcher) workersUnknown(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.Unheard, h.lastUnsure = strings.TrimPrefix(err.Error(), "ensemble: "), time.Now()
}

// updateWorkers takes who is there, and notes who came and who went. If our own link is down nobody is
// heard, and nobody went; nobody knows whether it is while the hub is not asked. When it is up
// again it takes a while until all are heard, and those who are not yet are taken to be there. Who
// is heard in that while, or in that after we first listened, is not said to have come.
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
	// it may have been there before anybody listened
	if time.Since(h.firstHeard) < settleTime || time.Since(h.lastUnsure) < settleTime {
		came = "was heard for the first time"
	}
	missing(now, h.state.Workers, came)
	h.state.News = h.state.News[:min(len(h.state.News), maxNews)]
	h.state.Workers, h.state.Unheard = now, ""
}

// The hub: studies that go on there, how far they are, and who works on them.
