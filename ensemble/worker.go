package ensemble

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
)

// WorkerOptions say how a worker works.
type WorkerOptions struct {
	Registry *Registry     // what it can run; the default one if nil
	Slots    int           // tasks at once; one for each processor if 0
	Name     string        // for people; host and process if empty
	Drain    time.Duration // how long a replica may go on when the worker is told to stop; 20 s if 0
	// how often a replica may take a worker down that runs nothing else, before the job fails; 3 if 0
	Tries  int
	Logger *slog.Logger // silent if nil

	onFull func(error)   // is told when the hub has no room, if there is one
	grace  time.Duration // how long a replica may take to stop when it is told to, before it is left to itself; 2 s if 0
}

// A Worker takes tasks from a hub, runs them, and stores their results.
type Worker struct {
	c      *Conn
	o      WorkerOptions
	log    *slog.Logger
	id     string
	memory memoryWatch
	stop   atomic.Bool // draining: no replica is begun

	slots chan struct{}
	gate  sync.RWMutex // held for reading by replicas, for writing by one that has to be alone

	mu      sync.Mutex
	states  map[string]State
	running map[string]map[*context.CancelCauseFunc]bool // of each job's tasks
	models  []*jobModel
	refused map[string]string // job → why
	trouble string            // why results cannot be stored
	changed chan struct{}     // there is something to tell
	stats   WorkerStats
}

// WorkerStats count what a worker did.
type WorkerStats struct {
	Tasks       uint64 // begun
	Redelivered uint64 // of them, those that another had been given before
	Replicas    uint64 // run
	Events      uint64 // of those replicas
	Stored      uint64 // results stored
	Duplicates  uint64 // results that were there already
	Failures    uint64 // replicas that failed
	Refused     uint64 // jobs of another version
	Busy        int    // slots in use
	Slots       int
}

// Why tasks end before their time.
var (
	errStopping = errors.New("the worker was told to stop")
	errGone     = errors.New("the job has ended")
	errTime     = errors.New("time")
	errMemory   = errors.New("memory")
)

// NewWorker makes a worker, which does nothing before Serve.
func NewWorker(c *Conn, o WorkerOptions) *Worker {
	if o.Registry == nil {
		o.Registry = Default()
	}
	if o.Slots <= 0 {
		o.Slots = runtime.GOMAXPROCS(0)
	}
	if o.Name == "" {
		host, _ := os.Hostname()
		o.Name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	if o.Drain == 0 {
		o.Drain = 20 * time.Second
	}
	if o.Tries == 0 {
		o.Tries = 3
	}
	if o.grace == 0 {
		o.grace = 2 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	w := &Worker{c: c, o: o, log: o.Logger.With("worker", o.Name), id: nuid.Next(), slots: make(chan struct{}, o.Slots),
		states: map[string]State{}, running: map[string]map[*context.CancelCauseFunc]bool{}, refused: map[string]string{},
		changed: make(chan struct{}, 1)}
	w.stats.Slots = o.Slots
	return w
}

// Serve is a worker from its beginning to its end; see [Worker.Serve].
func Serve(ctx context.Context, c *Conn, o WorkerOptions) error { return NewWorker(c, o).Serve(ctx) }

// Serve works until ctx is done, or the hub no longer accepts the worker. When ctx is done, it
// begins no further replica, stores what it has, gives back what it has not begun, and returns nil.
// While the hub is away, it waits.
func (w *Worker) Serve(ctx context.Context) error {
	kinds := w.o.Registry.Kinds()
	if len(kinds) == 0 {
		return errors.New("ensemble: a worker that can run nothing: no kind is registered")
	}
	if err := w.c.ensure(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	// Replicas live on when ctx is done, for as long as they may.
	work, cancelWork := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancelWork(errStopping)
	var helpers, tasks sync.WaitGroup
	side, stopSide := context.WithCancel(context.WithoutCancel(ctx))
	helpers.Go(func() { w.watchJobs(side) })
	helpers.Go(func() { w.heartbeat(side) })
	helpers.Go(func() { w.memory.run(side) })
	fetching, stopFetching := context.WithCancel(ctx)
	var fetchers sync.WaitGroup
	for _, k := range kinds {
		fetchers.Go(func() { w.fetch(fetching, work, k, &tasks) })
	}

	lost := w.waitForEnd(ctx)
	w.stop.Store(true)
	stopFetching()
	fetchers.Wait()
	timer := time.AfterFunc(w.o.Drain, func() { cancelWork(errStopping) })
	tasks.Wait()
	timer.Stop()
	stopSide()
	helpers.Wait()
	if lost {
		return w.c.closedError()
	}
	return nil
}

// waitForEnd waits for ctx, or for the end of the connection, which does not come by itself unless
// the hub refuses our credentials.
func (w *Worker) waitForEnd(ctx context.Context) (lost bool) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
			if w.c.nc.IsClosed() {
				return true
			}
		}
	}
}

// fetch takes tasks of one kind, one ahead of the slots, so that the next is there when one becomes
// free.
func (w *Worker) fetch(ctx, work context.Context, k Kind, tasks *sync.WaitGroup) {
	version := k.version()
	var consumer jetstream.Consumer
	for wait := (backoff{}); ctx.Err() == nil; {
		var msg jetstream.Msg
		var err error
		if consumer == nil {
			consumer, err = w.consumer(ctx, version)
		}
		if err == nil {
			msg, err = w.next(ctx, consumer)
		}
		switch {
		case ctx.Err() != nil && msg == nil:
			return
		case err != nil:
			consumer = nil // it may be gone
			w.log.Debug("no tasks", "err", err)
			wait.wait(ctx)
			continue
		}
		if wait = (backoff{}); msg == nil {
			continue
		}
		lease := w.extendLease(msg, consumer.CachedInfo().Config.AckWait)
		select {
		case <-ctx.Done():
			lease()
			_ = msg.Nak()
			return
		case w.slots <- struct{}{}:
		}
		w.count(func(s *WorkerStats) { s.Tasks++; s.Busy++ })
		tasks.Go(func() {
			defer func() {
				lease()
				w.count(func(s *WorkerStats) { s.Busy-- })
				<-w.slots
			}()
			w.handle(work, k, version, msg)
		})
	}
}

// next waits for a message; there may be none.
func (w *Worker) next(ctx context.Context, consumer jetstream.Consumer) (jetstream.Msg, error) {
	wait, cancel := w.c.attempt(ctx, 15*time.Second)
	defer cancel()
	batch, err := consumer.Fetch(1, jetstream.FetchContext(wait), jetstream.FetchHeartbeat(time.Second))
	if err != nil {
		return nil, err
	}
	for msg := range batch.Messages() {
		return msg, nil
	}
	if err := batch.Error(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	return nil, nil
}

// consumer is what all workers of a version share: who asks gets the next task.
func (w *Worker) consumer(ctx context.Context, version string) (jetstream.Consumer, error) {
	ctx, cancel := w.c.attempt(ctx, 5*time.Second)
	defer cancel()
	name := "workers-" + versionTag(version)
	consumer, err := w.c.js.Consumer(ctx, wire.TasksStream, name)
	if !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return consumer, err
	}
	return w.c.js.CreateConsumer(ctx, wire.TasksStream, jetstream.ConsumerConfig{
		Durable: name, Description: version, FilterSubject: wire.TagTasks(versionTag(version)),
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: w.c.lease, MaxAckPending: 1 << 16,
		MaxDeliver: maxDeliver,
		MaxWaiting: 1 << 14, InactiveThreshold: 24 * time.Hour, Replicas: w.c.copies,
	})
}

// maxDeliver is how often a task is delivered before its coordinator is told that it will not be
// delivered again. Workers that find out what is wrong with it have done so long before.
const maxDeliver = 50

// extendLease extends the lease of a task until the function it returns is called. How long it is, the
// first worker of the version has said.
func (w *Worker) extendLease(msg jetstream.Msg, lease time.Duration) (release func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(max(lease/3, time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				_ = msg.InProgress() // if the hub is away, the lease may run out, and someone else does the task, too
			}
		}
	})
	return sync.OnceFunc(func() { close(done); wg.Wait() })
}

func (w *Worker) count(f func(*WorkerStats)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(&w.stats)
}

// Stats are what the worker did so far.
func (w *Worker) Stats() WorkerStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stats
}

// shorten keeps texts that come from models within bounds.
func shorten(text string) string {
	const most = 4096
	if text = strings.TrimSpace(text); len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + " …"
	}
	return text
}
