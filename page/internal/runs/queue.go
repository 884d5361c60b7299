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

// Work is something that takes long enough to be watched: a run of a model, a sweep, a process. It
// belongs to the server: whoever asked for it may leave and come back.
type Work struct {
	Title       string         // what it is, in a few words
	About       string         // with which values
	From        string         // the address of the page that it was asked for on
	Parent      string         // what that page is called, if not by the title
	Key         string         // tells what it is from all else, if it is not empty: who asks for the same again is led there
	Request     *study.Request // what is run, if it is a model
	Command     string         // the command line that gives the same
	ResultBytes uint64         // how many bytes its results take, about
	Model       bool           // it is a run of a model, which others can be compared with
	Memory      uint64         // how many bytes of memory it takes at most while it goes on, about
	// Fits is asked when its turn has come; an error means that there is not enough memory. If it
	// is nil, what it needs has to be free.
	CheckMemory func() error
	// Do does it, until the context ends, and tells how it goes. What it last told is the result,
	// also if there is an error.
	Do func(ctx context.Context, tell *Reporter) error
	// Sources are what it compares, if they are others' runs: each has its own command.
	Sources []Source
}

// A State is how far work has come.
type State string

// The states of work.
const (
	Waiting State = "waiting"
	Running State = "running"
	Done    State = "done"
	Stopped State = "stopped" // because somebody asked
	Failed  State = "failed"
)

// Over reports whether nothing more will happen.
func (s State) Over() bool { return s == Done || s == Stopped || s == Failed }

// A Run is work that was asked for.
type Run struct {
	ID string
	Work
	*live
	Asked time.Time

	queue  *Queue
	cancel context.CancelFunc // of the work; nil before it begins. The lock of the queue is for it
}

// Mark tells a run from one of the same number of a server that was there before.
func (r *Run) Mark() string { return strconv.FormatInt(r.Asked.UnixNano(), 36) }

// Queue is a queue of work with bounds: so much is done at once, so much waits, and so much of what
// is done is kept; the oldest is forgotten.
//
// Work begins in the order in which it was asked for. It begins beside other work if there is
// memory for all of it, whatever of that the other work has taken yet; if not, it waits until it is
// alone, and then has to fit by itself.
type Queue struct {
	limits     Limits
	log        *slog.Logger
	context    context.Context
	cancel     context.CancelFunc
	workers    sync.WaitGroup
	FreeMemory func() uint64 // how many bytes of memory there are now
	release    func()        // gives the system back what is no longer in use

	mu       sync.Mutex
	runs     []*Run // in the order in which they were asked for
	running  int
	last     int
	idleFree uint64 // that there was when nothing went on
}

// Limits bounds a queue.
type Limits struct {
	Running int           // runs at once
	Longest time.Duration // after which a run is stopped
	Waiting int           // runs that wait
	Kept    int           // finished runs
	Bytes   uint64        // of the results of finished runs
}

func New(l Limits, log *slog.Logger) *Queue {
	q := &Queue{limits: l, log: log, FreeMemory: func() uint64 { return memory.Free().Pages },
		release: debug.FreeOSMemory}
	q.context, q.cancel = context.WithCancel(context.Background())
	return q
}

// Start puts work into the queue. It is an error if too much waits already.
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
		return nil, httperr.Errorf(http.StatusTooManyRequests, "%d runs wait already; stop some of them, or come back when they "+
			"are done", waiting)
	}
	q.last++
	r := &Run{ID: strconv.Itoa(q.last), Work: w, live: newLive(q.log), Asked: time.Now(), queue: q}
	q.runs = append(q.runs, r)
	q.startNext()
	q.evict()
	return r, nil
}

// startNext begins what can begin. The lock is held.
func (q *Queue) startNext() {
	for _, r := range q.runs {
		if q.running >= q.limits.Running || q.context.Err() != nil {
			return
		}
		if r.State() != Waiting {
			continue
		}
		if !q.fits(r.Memory) {
			return // when one of those that go on has ended, it is looked at again
		}
		ctx, cancel := context.WithTimeout(q.context, q.limits.Longest)
		r.cancel = cancel
		q.running++
		r.begin()
		q.workers.Go(func() {
			defer cancel()
			q.finish(ctx, r, r.do(ctx))
			if r.Memory >= releaseAbove {
				q.release() // the next is judged by what is free
			}
			q.mu.Lock()
			defer q.mu.Unlock()
			q.running--
			q.startNext()
		})
	}
}

// releaseAbove is from how many bytes on memory is given back when work ends, and not when the
// collector gets to it: minutes may pass until then.
const releaseAbove = 64 << 20

// finish notes that work is over, and drops all of it but what it told. It still counts as running
// until its memory is given back.
func (q *Queue) finish(ctx context.Context, r *Run, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r.Do, r.CheckMemory = nil, nil // and what they hold
	switch {
	case err == nil:
		r.end(Done, "")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.end(Stopped, fmt.Sprintf("stopped after %s, the longest that is run here", Duration(q.limits.Longest.Seconds())))
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		r.end(Stopped, "stopped before its end")
	default:
		r.end(Failed, strings.TrimPrefix(err.Error(), "ensemble: "))
	}
	q.evict()
}

// fits reports whether work that needs so many bytes can begin beside what goes on. What goes on
// may not have taken yet what it needs, so that what is free now says little; it is subtracted from
// what was free when nothing went on. What is small beside what is free now need not wait for that
// sum, which is of what each takes at most. The lock is held.
func (q *Queue) fits(needs uint64) bool {
	free := q.FreeMemory()
	if q.running == 0 {
		q.idleFree = free
		return true // alone, and Fits says whether it can be
	}
	all := needs
	for _, r := range q.runs {
		if r.State() == Running {
			all = AddSaturating(all, r.Memory)
		}
	}
	return needs <= free/16 || needs <= free && all <= q.idleFree
}

// AddSaturating is a sum that does not begin anew where numbers end.
func AddSaturating(a, b uint64) uint64 {
	if a+b < a {
		return math.MaxUint64
	}
	return a + b
}

// do does the work.
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

// keptBytes is how many bytes a run takes that is over, about: its results, and what was made of them
// for those who looked. Of most work that is the same; a model's results are kept beside.
func (r *Run) keptBytes() uint64 {
	seen := uint64(r.size.Load())
	if r.Model {
		return AddSaturating(r.ResultBytes, seen)
	}
	return max(r.ResultBytes, seen)
}

// evict drops the oldest of what is done, until the rest is within bounds. The lock is held.
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

// Get is the run of a name.
func (q *Queue) Get(id string) (*Run, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range q.runs {
		if r.ID == id {
			return r, nil
		}
	}
	if n, err := strconv.Atoi(id); err == nil && n >= 1 && n <= q.last {
		return nil, httperr.Errorf(http.StatusGone, "run %s is forgotten: the last %d are kept, as far as there is room", id,
			q.limits.Kept)
	}
	return nil, httperr.Errorf(http.StatusNotFound, "there is no run %q", id)
}

// Find is the run of a key that is done, or will be; nil if there is none.
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

// List is all runs, the latest first.
func (q *Queue) List() []*Run {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := slices.Clone(q.runs)
	slices.Reverse(all)
	return all
}

// Ahead is how many wait before a run.
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

// Stop ends a run, or takes it from the queue. It may be called at any time.
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
		q.startNext() // those behind it may have waited for it alone
		q.evict()
	}
}

// Close stops everything and waits for it.
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

// A Source is what a comparison was made of: a run or a directory.
type Source struct {
	Name, Link, Command string
	Files               []figure.Download
}
