package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/format"
)

// A hub is a hub of studies that is watched: the one that the server was told, and no other. One
// goroutine asks it what it has, at most once a second, and only while somebody looks; all who look
// share what it found. A hub that is away is tried again while somebody looks, and what was last
// known stays.
type hub struct {
	dial   func(context.Context) (*ensemble.Conn, error)
	log    *slog.Logger
	cancel context.CancelFunc
	done   chan struct{}
	wake   chan struct{} // somebody looks again

	mu     sync.Mutex
	looked time.Time // somebody did
	unsure time.Time // when it was last not known whether workers could be heard
	heard  time.Time // when they were heard for the first time
	state  hubState
}

// A hubState is what is known of a hub.
type hubState struct {
	Where   string            `json:"hub"` // without secrets; empty before it was reached
	Lost    string            `json:"lost,omitempty"`
	Asked   time.Time         `json:"asked"` // when it last answered
	Jobs    []ensemble.Status `json:"jobs"`  // the latest first
	Workers []ensemble.Member `json:"workers"`
	Unheard string            `json:"unheard,omitempty"` // why it is not known who works
	News    []hubNews         `json:"news"`              // the latest first
}

// A hubNews is something that happened: a worker that came or went.
type hubNews struct {
	When time.Time `json:"when"`
	Text string    `json:"text"`
}

// How a hub is watched.
const (
	hubPause  = time.Second      // between two questions, at least
	hubIdle   = 15 * time.Second // nobody has looked for so long: nothing is asked
	hubAnswer = 5 * time.Second  // that it may take to answer
	hubSettle = 10 * time.Second // until all workers that are there have been heard, which say so more often
	mostJobs  = 200              // that are shown
	mostNews  = 50
)

// dialling is how a hub is reached.
func dialling(o ensemble.ConnectOptions) func(context.Context) (*ensemble.Conn, error) {
	o.Wait = 0
	return func(ctx context.Context) (*ensemble.Conn, error) { return ensemble.Connect(ctx, o) }
}

func newHub(dial func(context.Context) (*ensemble.Conn, error), log *slog.Logger) *hub {
	ctx, cancel := context.WithCancel(context.Background())
	h := &hub{dial: dial, log: log, cancel: cancel, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	go func() {
		defer close(h.done)
		h.watch(ctx)
	}()
	return h
}

// close ends the watch.
func (h *hub) close() {
	h.cancel()
	<-h.done
}

// look is what is known, for somebody who wants to know.
func (h *hub) look() hubState {
	h.mu.Lock()
	h.looked = time.Now()
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

// wanted waits until somebody looks, or has just done so. It reports false if the context ends
// before.
func (h *hub) wanted(ctx context.Context) bool {
	for ctx.Err() == nil {
		h.mu.Lock()
		idle := time.Since(h.looked) > hubIdle
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
func (h *hub) watch(ctx context.Context) {
	for h.wanted(ctx) {
		try, cancel := context.WithTimeout(ctx, hubAnswer)
		conn, err := h.dial(try)
		cancel()
		if err != nil {
			h.lost(err)
			sleep(ctx, 2*hubPause)
			continue
		}
		h.with(ctx, conn)
		conn.Close()
	}
}

// with asks a hub until the context ends.
func (h *hub) with(ctx context.Context, conn *ensemble.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	var listening sync.WaitGroup
	listening.Go(func() {
		for h.wanted(ctx) {
			if err := conn.Workers(ctx, h.hear); ctx.Err() == nil {
				h.log.Warn("the workers of the hub are not heard", "error", err)
				h.unheard(err)
				sleep(ctx, 2*hubPause)
			}
		}
	})
	defer func() { cancel(); listening.Wait() }()
	for h.wanted(ctx) {
		began := time.Now()
		try, end := context.WithTimeout(ctx, hubAnswer)
		jobs, err := conn.Jobs(try)
		end()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil: // the connection comes back by itself
			h.lost(err)
		default:
			slices.Reverse(jobs)
			h.answered(conn.Where(), jobs)
		}
		// A hub with many jobs takes its time to list them; it is asked the less often.
		sleep(ctx, max(hubPause, 10*time.Since(began)))
	}
}

// answered notes what the hub has.
func (h *hub) answered(where string, jobs []ensemble.Status) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.Where, h.state.Lost, h.state.Asked, h.state.Jobs = where, "", time.Now(), jobs[:min(len(jobs), mostJobs)]
}

// lost notes that the hub does not answer.
func (h *hub) lost(err error) {
	text := strings.TrimPrefix(err.Error(), "ensemble: ")
	if errors.Is(err, context.DeadlineExceeded) {
		text = fmt.Sprintf("it has not answered for %v", hubAnswer)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.Lost = text
}

// unheard notes that it is not known who works. Who was last heard of stays, so that nobody seems
// to come when the others are heard again.
func (h *hub) unheard(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.Unheard, h.unsure = strings.TrimPrefix(err.Error(), "ensemble: "), time.Now()
}

// hear takes who is there, and notes who came and who went. If our own link is down nobody is
// heard, and nobody went; nobody knows whether it is while the hub is not asked. When it is up
// again it takes a while until all are heard, and those who are not yet are taken to be there. Who
// is heard in that while, or in that after we first listened, is not said to have come.
func (h *hub) hear(now []ensemble.Member) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Lost != "" || time.Since(h.looked) > hubIdle {
		h.unsure = time.Now()
		return
	}
	if time.Since(h.unsure) < hubSettle {
		for _, w := range h.state.Workers {
			if !slices.ContainsFunc(now, func(o ensemble.Member) bool { return o.ID == w.ID }) {
				now = append(now, w)
			}
		}
	}
	missing := func(from, in []ensemble.Member, text string) {
		for _, w := range from {
			if !slices.ContainsFunc(in, func(o ensemble.Member) bool { return o.ID == w.ID }) {
				h.state.News = slices.Insert(h.state.News, 0, hubNews{time.Now(), w.Name + " " + text})
			}
		}
	}
	missing(h.state.Workers, now, "went")
	came := "came"
	if h.heard.IsZero() {
		h.heard = time.Now()
	}
	// it may have been there before anybody listened
	if time.Since(h.heard) < hubSettle || time.Since(h.unsure) < hubSettle {
		came = "was heard for the first time"
	}
	missing(now, h.state.Workers, came)
	h.state.News = h.state.News[:min(len(h.state.News), mostNews)]
	h.state.Workers, h.state.Unheard = now, ""
}

// The hub: studies that go on there, how far they are, and who works on them.

// A hubJob is a study in the list.
type hubJob struct {
	ensemble.Status
	Fraction float64
	Short    string // of its key
	Quiet    bool   // it is said to run, and nobody has said so lately
}

func (s *Server) hubPage(w http.ResponseWriter, r *http.Request) error {
	if s.hub == nil {
		return problemf(http.StatusNotFound, "no hub is watched; almanac serve --hub nats://HOST:4222 names one")
	}
	state := s.hub.look()
	var jobs []hubJob
	for _, j := range state.Jobs {
		one := hubJob{Status: j, Short: j.Key[:min(len(j.Key), 12)], Quiet: j.State == ensemble.Running &&
			time.Since(j.Updated) > time.Minute}
		if j.Replicas > 0 {
			one.Fraction = float64(j.Merged) / float64(j.Replicas)
		}
		if j.State == ensemble.Done {
			one.Fraction = 1
		}
		jobs = append(jobs, one)
	}
	slots, busy := 0, 0
	for _, m := range state.Workers {
		slots, busy = slots+m.Slots, busy+m.Busy
	}
	command := "almanac jobs watch"
	if state.Where != "" {
		command += " --hub " + format.Word(state.Where)
	}
	s.render(w, r, http.StatusOK, "hub", "studies", map[string]any{"Title": "The hub", "Hub": state, "Jobs": jobs,
		"Slots": slots, "Busy": busy, "Command": command})
	return nil
}

// hubJSON is what is known of the hub, for programs.
func (s *Server) hubJSON(w http.ResponseWriter, r *http.Request) error {
	if s.hub == nil {
		return problemf(http.StatusNotFound, "no hub is watched")
	}
	asFile(w, "hub.json")
	return json.NewEncoder(w).Encode(s.hub.look())
}
