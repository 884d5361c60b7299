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

// WorkerOptions configure a worker.
type WorkerOptions struct {
	Registry *Registry     // kinds it can run; nil means the default registry
	Slots    int           // tasks at once; 0 means one for each processor
	Name     string        // shown to users; empty means host and process ID
	Drain    time.Duration // how long replicas may continue when the worker stops; 0 means 20 s
	// how many workers may die of a replica that runs alone before the job fails; 0 means 3
	Tries  int
	Logger *slog.Logger // silent if nil

	onFull func(error)   // called when the hub's store is full; may be nil
	grace  time.Duration // how long to wait for a cancelled replica before abandoning it; 0 means 2 s
}

// A Worker takes tasks from a hub, runs them, and stores their results.
type Worker struct {
	c      *Conn
	o      WorkerOptions
	log    *slog.Logger
	id     string
	memory memoryWatch
	stop   atomic.Bool // draining: start no replica

	slots chan struct{}
	gate  sync.RWMutex // read-locked by replicas, write-locked by one that runs alone

	mu      sync.Mutex
	states  map[string]State
	running map[string]map[*context.CancelCauseFunc]bool // by job: its tasks
	models  []*jobModel
	refused map[string]string // by job: the reason
	trouble string            // why results cannot be stored
	changed chan struct{}     // wakes the heartbeat
	stats   WorkerStats
}

// WorkerStats are a worker's counters.
type WorkerStats struct {
	Tasks       uint64 // started
	Redelivered uint64 // of these, those delivered before
	Replicas    uint64 // run
	Events      uint64 // of those replicas
	Stored      uint64 // results stored
	Duplicates  uint64 // results that were stored already
	Failures    uint64 // replicas that failed
	Refused     uint64 // jobs of another version
	Busy        int    // slots in use
	Slots       int
}

// Causes of the cancellation of tasks.
var (
	errStopping = errors.New("the worker was told to stop")
	errGone     = errors.New("the job has ended")
	errTime     = errors.New("time")
	errMemory   = errors.New("memory")
)

// NewWorker returns a worker; call [Worker.Serve] to start it.
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

// Serve runs a new worker; see [Worker.Serve].
func Serve(ctx context.Context, c *Conn, o WorkerOptions) error { return NewWorker(c, o).Serve(ctx) }

// Serve takes tasks until ctx is done, or the hub no longer accepts the worker. When ctx is done,
// it starts no further replica, stores its results, returns tasks that have not started, and
// returns nil. While the hub is away, it waits.
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
	// Replicas continue for the drain time after ctx is done.
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
	stopFetching()
	fetchers.Wait()
	// The hub must have seen that we fetch no more before tasks are cut short: it would deliver what
	// is left of them to us, and nobody would run that before the lease expires.
	flushing, cancelFlush := context.WithTimeout(work, time.Second)
	_ = w.c.nc.FlushWithContext(flushing)
	cancelFlush()
	w.stop.Store(true)
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

// waitForEnd waits for ctx, or for the end of the connection, which only ends by itself if the hub
// refuses our credentials.
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

// fetch takes tasks of one kind, one ahead of the slots, so that the next is there when a slot
// becomes free.
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
			consumer = nil // it may have been deleted
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

// next waits for a message; it returns nil if there is none. A message that the hub sends while this
// ends is not lost, which would leave it with nobody until its lease expires: the subscription is
// drained.
func (w *Worker) next(ctx context.Context, consumer jetstream.Consumer) (jetstream.Msg, error) {
	wait, cancel := w.c.attempt(ctx, 15*time.Second)
	defer cancel()
	// StopAfter is what is asked for; the other number is room for heartbeats.
	messages, err := consumer.Messages(jetstream.StopAfter(1), jetstream.PullMaxMessages(16),
		jetstream.PullHeartbeat(time.Second))
	if err != nil {
		return nil, err
	}
	defer messages.Stop()
	msg, err := messages.Next(jetstream.NextContext(wait))
	if err != nil && w.c.nc.IsConnected() {
		messages.Drain()
		if late, none := messages.Next(jetstream.NextMaxWait(time.Second)); none == nil {
			return late, nil
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	return msg, err
}

// consumer is the consumer that all workers of a version share.
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

// maxDeliver is how often a task is delivered before the server gives up. Workers that run its
// replicas alone find a deadly one long before.
const maxDeliver = 50

// extendLease extends the lease of a task until release is called. The duration of the lease is
// that of the shared consumer.
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
				_ = msg.InProgress() // if this fails, the lease may expire and another worker run the task, too
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

// Stats returns the worker's counters.
func (w *Worker) Stats() WorkerStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stats
}

// shorten bounds the length of texts that come from models.
func shorten(text string) string {
	const most = 4096
	if text = strings.TrimSpace(text); len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + " …"
	}
	return text
}
