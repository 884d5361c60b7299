// Package runs executes long computations for the page and shows them to any number of viewers.
//
//	queue.go         work, its queue and its limits
//	live.go          progress and view of a run
//	subscription.go  events for viewers
//	renderings.go    cache of rendered charts of a run
package runs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/memory"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/study"
)

// Work is a long computation with a page of its own: a run of a model, a sweep, a process. It
// belongs to the server and not to the connection that requested it.
type Work struct {
	Title       string         // in a few words
	About       string         // the values it runs with
	From        string         // address of the page with its form
	Parent      string         // name of that page, if not Title
	Key         string         // identifies equal requests, which share one run; empty for none
	Request     *study.Request // for runs of models
	Command     string         // the equivalent command line
	ResultBytes uint64         // estimate, of the results
	Model       bool           // a run of a model, which can be compared with others
	Memory      uint64         // estimate of the peak, in bytes
	// CheckMemory is called just before Do. If it is nil, Memory bytes must be free.
	CheckMemory func() error
	// Do runs until the context ends. The last view that it reported is the result, also after an
	// error.
	Do func(ctx context.Context, report *Reporter) error
	// Sources are the runs and directories of a comparison.
	Sources []Source
}

// A State is a stage in the life of a run.
type State string

const (
	Waiting State = "waiting"
	Running State = "running"
	Done    State = "done"
	Stopped State = "stopped" // by a request
	Failed  State = "failed"
)

// Over reports whether the state is final.
func (s State) Over() bool { return s == Done || s == Stopped || s == Failed }

// A Run is work in a queue.
type Run struct {
	ID string
	Work
	*live
	Submitted time.Time

	queue  *Queue
	cancel context.CancelFunc // of the context of Do; nil before it starts. Guarded by the mutex of the queue
}

// Mark distinguishes a run from a run with the same ID of an earlier server process.
func (r *Run) Mark() string { return strconv.FormatInt(r.Submitted.UnixNano(), 36) }

// A Queue runs work in the order of requests, a few at a time, and keeps the latest results.
//
// Work starts beside other work if memory suffices for the declared peaks of all of it. Otherwise
// it waits until it is alone; then it must fit by itself.
type Queue struct {
	limits     Limits
	log        *slog.Logger
	context    context.Context
	cancel     context.CancelFunc
	workers    sync.WaitGroup
	FreeMemory func() uint64 // bytes; replaced by tests
	release    func()        // returns unused memory to the system

	mu       sync.Mutex
	runs     []*Run // in the order of requests
	running  int
	last     int
	idleFree uint64 // free memory when no run was active
}

// Limits are the bounds of a queue.
type Limits struct {
	Running int           // at once
	Timeout time.Duration // a run may take before it is stopped
	Waiting int           // in the queue
	Kept    int           // finished
	Bytes   uint64        // of all results that are kept
}

func New(l Limits, log *slog.Logger) *Queue {
	q := &Queue{limits: l, log: log, FreeMemory: func() uint64 { return memory.Free().Pages },
		release: debug.FreeOSMemory}
	q.context, q.cancel = context.WithCancel(context.Background())
	return q
}

// Start appends work to the queue, or fails if too much is waiting.
func (q *Queue) Start(w Work) (*Run, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := 0
	for _, r := range q.runs {
		if r.State() == Waiting {
			waiting++
		}
	}
	switch {
	case q.context.Err() != nil:
		return nil, httperr.Errorf(http.StatusServiceUnavailable, "the server is about to end")
	case waiting >= q.limits.Waiting:
		return nil, httperr.Errorf(http.StatusTooManyRequests,
			"%d runs wait already; stop some of them, or come back when they "+
				"are done", waiting)
	}
	q.last++
	r := &Run{ID: strconv.Itoa(q.last), Work: w, live: newLive(q.log), Submitted: time.Now(), queue: q}
	q.runs = append(q.runs, r)
	q.startNext()
	q.evict()
	return r, nil
}

// startNext starts waiting runs as far as the limits permit. The mutex is held.
func (q *Queue) startNext() {
	for _, r := range q.runs {
		if q.running >= q.limits.Running || q.context.Err() != nil {
			return
		}
		if r.State() != Waiting {
			continue
		}
		if !q.fits(r.Memory) {
			return // retried when a run ends
		}
		ctx, cancel := context.WithTimeout(q.context, q.limits.Timeout)
		r.cancel = cancel
		q.running++
		r.begin()
		q.workers.Go(func() {
			defer cancel()
			q.finish(ctx, r, r.do(ctx))
			if r.Memory >= releaseAbove {
				q.release() // before the memory check of the next
			}
			q.mu.Lock()
			defer q.mu.Unlock()
			q.running--
			q.startNext()
		})
	}
}

// releaseAbove is the size of a run in bytes above which its memory is returned to the system at
// once. The runtime would take minutes.
const releaseAbove = 64 << 20

// finish records the end of a run and drops everything but its last view. The run counts as active
// until its memory is released.
func (q *Queue) finish(ctx context.Context, r *Run, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r.Do, r.CheckMemory = nil, nil // release what they capture
	switch {
	case err == nil:
		r.end(Done, "")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.end(Stopped, fmt.Sprintf("stopped after %s, the longest that is run here", Duration(q.limits.Timeout.Seconds())))
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		r.end(Stopped, "stopped before its end")
	default:
		r.end(Failed, strings.TrimPrefix(err.Error(), "ensemble: "))
	}
	q.evict()
}

// fits reports whether a run of the given peak can start beside the active ones. Those may not have
// allocated their peaks yet, so the sum of all peaks is compared with the memory that was free when
// no run was active. A run below 1/16 of the free memory always starts. The mutex is held.
func (q *Queue) fits(needs uint64) bool {
	free := q.FreeMemory()
	if q.running == 0 {
		q.idleFree = free
		return true // CheckMemory decides
	}
	all := needs
	for _, r := range q.runs {
		if r.State() == Running {
			all = AddSaturating(all, r.Memory)
		}
	}
	return needs <= free/16 || needs <= free && all <= q.idleFree
}

// AddSaturating adds without overflow.
func AddSaturating(a, b uint64) uint64 {
	if a+b < a {
		return math.MaxUint64
	}
	return a + b
}

// do calls Do and turns a panic into an error.
func (r *Run) do(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.queue.log.Error("a run failed", "title", r.Title, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("the work failed: %v", p)
		}
	}()
	if r.CheckMemory != nil {
		if err := r.CheckMemory(); err != nil {
			return err
		}
	} else if free := r.queue.FreeMemory(); r.Memory > free {
		return fmt.Errorf("it may take up to %s of memory, and there are %s", format.Bytes(r.Memory), format.Bytes(free))
	}
	return r.Do(ctx, &Reporter{r.live, "/runs/" + r.ID})
}

// keptBytes estimates the memory of a finished run: its results and its last view. For work other
// than models the view is the result.
func (r *Run) keptBytes() uint64 {
	seen := uint64(r.size.Load())
	if r.Model {
		return AddSaturating(r.ResultBytes, seen)
	}
	return max(r.ResultBytes, seen)
}

// evict drops the oldest finished runs beyond the limits; one is always kept. The mutex is held.
func (q *Queue) evict() {
	kept, bytes := 0, uint64(0)
	var all []*Run
	for _, r := range slices.Backward(q.runs) {
		if r.State().Over() {
			kept++
			bytes += r.keptBytes()
			if kept > 1 && (kept > q.limits.Kept || bytes > q.limits.Bytes) {
				continue
			}
		}
		all = append(all, r)
	}
	slices.Reverse(all)
	q.runs = all
}

// Get returns a run by its ID.
func (q *Queue) Get(id string) (*Run, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range q.runs {
		if r.ID == id {
			return r, nil
		}
	}
	if n, err := strconv.Atoi(id); err == nil && n >= 1 && n <= q.last {
		return nil, httperr.Errorf(http.StatusGone, "run %s is forgotten: the last %d are kept, as far as there is room",
			id, q.limits.Kept)
	}
	return nil, httperr.NotFound("there is no run %q", id)
}

// Find returns the latest run of a key that has not failed, or nil.
func (q *Queue) Find(key string) *Run {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range slices.Backward(q.runs) {
		if s := r.State(); r.Key == key && key != "" && s != Stopped && s != Failed {
			return r
		}
	}
	return nil
}

// List returns all runs, latest first.
func (q *Queue) List() []*Run {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := slices.Clone(q.runs)
	slices.Reverse(all)
	return all
}

// Ahead counts the runs that wait before r.
func (q *Queue) Ahead(r *Run) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for _, other := range q.runs {
		if other == r {
			break
		}
		if other.State() == Waiting {
			n++
		}
	}
	return n
}

// Stop ends a run or removes it from the queue.
func (r *Run) Stop() {
	q := r.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case r.cancel != nil:
		r.cancel()
	case r.State() == Waiting:
		r.end(Stopped, "stopped before it began")
		r.Do, r.CheckMemory = nil, nil
		q.startNext() // r may have blocked them
		q.evict()
	}
}

// Close stops all runs and waits for them.
func (q *Queue) Close() {
	q.mu.Lock()
	q.cancel()
	for _, r := range q.runs {
		if r.State() == Waiting {
			r.end(Stopped, "the server ended")
		}
	}
	q.mu.Unlock()
	q.workers.Wait()
}

// A Source is a run or a directory that is compared.
type Source struct {
	Name, Link, Command string
	Files               []figure.Download
}
