package ensemble

import (
	"context"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
)

// InMemory runs jobs in this process and stores nothing: an interrupted job starts over. It has the
// least overhead, for jobs that take seconds, and for tests. The zero value is ready.
type InMemory struct {
	Slots int // replicas at once; 0 means one for each processor
}

// Run runs a job; see [Executor]. When it returns, no replica of the job is running, except those
// that ignore their context.
func (e InMemory) Run(ctx context.Context, job Job, o RunOptions) (Outcome, error) {
	s, _, id, err := o.prepare(job, 5*time.Millisecond)
	if err != nil {
		return Outcome{}, err
	}
	w := NewWorker(nil, WorkerOptions{Registry: o.Registry, Slots: e.Slots, Logger: o.Logger})
	m := w.newJobModel(id)
	m.spec = s
	k, _ := o.Registry.kind(job.Kind)
	m.open(k)

	// The scheduler is that of a coordinator, and tasks run as in a worker; channels replace the
	// hub.
	scheduler := newScheduler(&s.Job, o)
	working, cancel := context.WithCancel(ctx)
	var slots sync.WaitGroup
	defer slots.Wait()
	defer cancel()
	type answer struct {
		Key wire.Key
		r   *wire.Result
	}
	window := 2 * w.o.Slots
	if o.Window > 0 {
		window = o.Window
	}
	tasks, answers := make(chan []wire.Piece, window), make(chan answer)
	for range w.o.Slots {
		slots.Go(func() {
			b := &batch{w: w, ctx: working, model: m}
			for {
				select {
				case <-working.Done():
					return
				case pieces := <-tasks:
					r := b.do(pieces, 2*o.TaskTime)
					if r == nil {
						return
					}
					select {
					case answers <- answer{wire.KeyOf(pieces), r}:
					case <-working.Done():
					}
				}
			}
		})
	}
	slots.Go(func() { w.memory.run(working) })
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	for {
		done, err := scheduler.emitReady(func(PointResult) error { return nil })
		if err == nil {
			err = scheduler.failure()
		}
		if err == nil && !done && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if done || err != nil {
			return scheduler.outcome(id), err
		}
		for len(scheduler.outstanding) < window {
			next := scheduler.next()
			if next == nil {
				break
			}
			tasks <- next
		}
		select {
		case <-ctx.Done():
		case a := <-answers:
			scheduler.add(a.Key, a.r)
		case <-tick.C:
			if p := scheduler.progress(id, 1, w.o.Slots); o.Progress != nil {
				o.Progress(p)
			}
		}
	}
}
