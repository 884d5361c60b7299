package ensemble

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
)

// A coordinator runs a job: it reads the journal, hands out tasks, and writes the summaries of
// finished points to the journal. All its state is in the journal, so another coordinator can
// continue.
type coordinator struct {
	c   *Conn
	o   RunOptions
	log *slog.Logger

	id        string
	spec      *spec
	owner     string
	scheduler *scheduler
	journal   jetstream.Stream

	status       Status
	revision     uint64
	trouble      string
	missingSince time.Time // when the server first reported that it has no journal
	wasDone      bool
	resumed      bool

	purgeable   purgeList
	parts       bytes.Buffer // of the point that is being read
	oldFailures []uint64     // sequence numbers of failures stored before we started
	replayed    bool         // the journal has been read up to where it was when we started
	workers     workerSet

	sendingMu sync.Mutex
	sending   map[wire.Key]bool // tasks that the server has not acknowledged
}

func newCoordinator(c *Conn, s *spec, id string, o RunOptions) *coordinator {
	return &coordinator{c: c, o: o, log: o.Logger.With("job", id), id: id, spec: s, owner: nuid.Next(),
		scheduler: newScheduler(&s.Job, o), sending: map[wire.Key]bool{}}
}

func (r *coordinator) outcome() Outcome {
	if !r.replayed {
		r.scheduler.counts.Resumed = r.scheduler.merged // everything was read from the journal
	}
	o := r.scheduler.outcome(r.id)
	o.Resumed, o.WasDone = r.resumed, r.wasDone
	return o
}

// claim stores the job, and makes this coordinator its owner.
func (r *coordinator) claim(ctx context.Context, data []byte) error {
	err := r.retry(ctx, func(ctx context.Context) error {
		_, err := r.c.models.GetInfo(ctx, r.id)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			_, err = r.c.models.PutBytes(ctx, r.id, data)
		}
		return err
	})
	if err != nil {
		return err
	}
	err = r.retry(ctx, func(ctx context.Context) error {
		s, revision, err := r.c.status(ctx, r.id)
		switch {
		case errors.Is(err, ErrNoJob):
			s, revision = &Status{Created: time.Now().UTC()}, 0
		case err != nil:
			return err
		}
		r.wasDone, r.resumed = s.State == Done, revision > 0 && s.State != Canceled
		*s = Status{Key: r.id, Name: r.spec.Job.Name, Kind: r.spec.Job.Kind, Version: r.spec.Version, State: Running,
			Created: s.Created,
			Points:  len(r.spec.Job.Points), Replicas: r.scheduler.total(), Owner: r.owner, PointsDone: s.PointsDone,
			Merged: s.Merged, Events: s.Events}
		if r.wasDone {
			s.State = Done
		}
		r.status, r.revision = *s, revision
		if err = r.writeStatus(ctx); errors.Is(err, ErrTakenOver) || errors.Is(err, ErrCanceled) {
			err = errRetry // another process wrote in between
		}
		return err
	})
	if err != nil {
		return err
	}
	return r.retry(ctx, func(ctx context.Context) (err error) {
		if r.journal, err = r.c.journal(ctx, r.id); err == nil {
			err = r.c.purgeTasks(ctx, r.id) // missing replicas are handed out again
		}
		return err
	})
}

var errRetry = errors.New("again")

// retry calls f until it succeeds or fails with an error that is not transient.
func (r *coordinator) retry(ctx context.Context, f func(context.Context) error) error {
	var since time.Time
	for wait := (backoff{}); ; {
		attempt, cancel := r.c.attempt(ctx, 5*time.Second)
		err := f(attempt)
		lost := errors.Is(err, jetstream.ErrNoStreamResponse) && r.lost(attempt, &since)
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case isFull(err):
			return fmt.Errorf("%w (%s: %w)", ErrNoRoom, r.c.address, err)
		case r.c.nc.IsClosed():
			return r.c.closedError()
		case errors.Is(err, errRetry):
			continue
		case lost:
			return ErrLost
		case !transient(err):
			return err
		}
		r.log.Warn("the hub does not answer as it should", "hub", r.c.address, "err", err)
		if !wait.wait(ctx) {
			return context.Cause(ctx)
		}
	}
}

// writeStatus writes the job's status, if this coordinator still owns the job.
func (r *coordinator) writeStatus(ctx context.Context) error {
	r.status.Updated = time.Now().UTC()
	data, err := json.Marshal(r.status)
	if err != nil {
		return err
	}
	var revision uint64
	if r.revision == 0 {
		revision, err = r.c.jobs.Create(ctx, r.id, data)
	} else {
		revision, err = r.c.jobs.Update(ctx, r.id, data, r.revision)
	}
	if err == nil {
		r.revision = revision
		return nil
	}
	if !isStoredAlready(err) {
		return err
	}
	// The revision has changed: our own write, if its response was lost; a cancellation; a takeover.
	s, revision, err := r.c.status(ctx, r.id)
	switch {
	case errors.Is(err, ErrNoJob):
		return ErrCanceled
	case err != nil:
		return err
	case s.State == Canceled && r.revision > 0 && s.Owner == "":
		return ErrCanceled
	case s.Owner != r.owner:
		return ErrTakenOver
	}
	r.revision = revision
	return r.writeStatus(ctx)
}

// run runs the job until all points are finished.
func (r *coordinator) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var helpers sync.WaitGroup
	defer helpers.Wait()
	defer cancel()

	messages := make(chan entry, 64)
	helpers.Go(func() { r.read(ctx, messages) })
	tasks := make(chan []wire.Piece)
	problems := make(chan error, 1)
	for range 8 {
		helpers.Go(func() { r.publish(ctx, tasks, problems) })
	}
	beats := make(chan *nats.Msg, 1024)
	if sub, err := r.c.nc.ChanSubscribe(wire.HeartbeatSubject, beats); err == nil {
		defer func() { _ = sub.Unsubscribe() }()
		_ = r.c.nc.Publish(wire.PingSubject, nil)
	}
	advice := make(chan *nats.Msg, 64)
	if sub, err := r.c.nc.ChanSubscribe(wire.MaxDeliveries, advice); err == nil {
		defer func() { _ = sub.Unsubscribe() }()
	}
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	var last, written, asked time.Time
	last, asked = time.Now(), time.Now()
	var next []wire.Piece
	for {
		if done, err := r.settle(ctx); done || err != nil {
			return err
		}
		if ctx.Err() != nil { // before the journal's messages, of which there may be many
			return context.Cause(ctx)
		}
		if next == nil && r.replayed && len(r.scheduler.outstanding) < r.window() {
			if next = r.scheduler.next(); next != nil {
				r.setSending(wire.KeyOf(next), true)
			}
		}
		var out chan<- []wire.Piece
		if next != nil {
			out = tasks
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-problems:
			return err
		case out <- next:
			next = nil
		case e := <-messages:
			last, asked = time.Now(), time.Now()
			if err := r.take(ctx, e); err != nil {
				return err
			}
		case m := <-beats:
			r.workers.update(m.Data)
		case m := <-advice:
			r.abandon(ctx, m.Data)
		case <-tick.C:
			r.report(time.Since(last))
			if time.Since(written) > time.Second {
				written = time.Now()
				if err := r.update(ctx); err != nil {
					return err
				}
			}
			if time.Since(asked) > 2*r.c.lease {
				asked = time.Now()
				r.findLost(ctx)
			}
		}
	}
}

// settle emits finished points, and reports whether the job is done.
func (r *coordinator) settle(ctx context.Context) (done bool, err error) {
	done, err = r.scheduler.emitReady(func(p PointResult) error { return r.storePoint(ctx, p) })
	if err == nil && r.replayed {
		err = r.scheduler.failure()
	}
	return done, err
}

// maxPart is the largest part of a point's summary in one message, in bytes.
const maxPart = 512 << 10

// storePoint writes a point's summary to the journal, each part once.
func (r *coordinator) storePoint(ctx context.Context, p PointResult) error {
	data, err := p.encode()
	if err != nil {
		return err
	}
	parts := (len(data) + maxPart - 1) / maxPart
	for i := range parts {
		part := data[i*maxPart : min((i+1)*maxPart, len(data))]
		err := r.retry(ctx, func(ctx context.Context) error {
			_, err := r.c.js.Publish(ctx, wire.PointSubject(r.id, p.Index, i, parts), part,
				jetstream.WithExpectLastSequencePerSubject(0), jetstream.WithRetryAttempts(0))
			if isStoredAlready(err) {
				return nil
			}
			return err
		})
		if err != nil {
			return r.goneError(ctx, err)
		}
	}
	return nil
}

// goneError replaces an error of writing the journal: if the journal is gone, the job was
// cancelled.
func (r *coordinator) goneError(ctx context.Context, err error) error {
	if s, _, serr := r.c.status(ctx, r.id); errors.Is(serr, ErrNoJob) || serr == nil && s.State == Canceled {
		return ErrCanceled
	}
	return err
}

// finish writes the final status of the job, if possible, and cleans up.
func (r *coordinator) finish(ctx context.Context, err error) error {
	var failed *ReplicaError
	switch {
	case err == nil:
		r.status.State = Done
	case errors.Is(err, ErrCanceled), errors.Is(err, ErrTakenOver), errors.Is(err, ErrLost):
		return err
	case errors.As(err, &failed):
		r.status.State, r.status.Error = Failed, err.Error()
	default:
		r.status.State = Interrupted
	}
	r.fillStatus()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	var werr error
	if err == nil {
		werr = r.retry(ctx, r.writeStatus) // the job is done only once this is stored
	} else if r.c.nc.IsConnected() {
		_ = r.writeStatus(ctx)
	}
	if r.status.State != Interrupted && werr == nil {
		_ = r.c.purgeTasks(ctx, r.id)
		if !r.spec.Job.Keep {
			_ = r.journal.Purge(ctx, jetstream.WithPurgeSubject(wire.JobResults(r.id)))
		}
		_ = r.journal.Purge(ctx, jetstream.WithPurgeSubject(wire.JobTries(r.id)))
	}
	if errors.Is(werr, ErrTakenOver) || errors.Is(werr, context.DeadlineExceeded) {
		werr = nil // all points were emitted, and are in the journal
	}
	return errors.Join(err, werr)
}

func (r *coordinator) fillStatus() {
	r.status.PointsDone, r.status.Merged, r.status.Events = r.scheduler.emitted(), r.scheduler.merged, r.scheduler.events
}

// update writes the progress of the job, and purges results that are no longer needed.
func (r *coordinator) update(ctx context.Context) error {
	attempt, cancel := r.c.attempt(ctx, 2*time.Second)
	defer cancel()
	if r.status.State != Running || !r.replayed {
		if r.lost(attempt, &r.missingSince) {
			return ErrLost
		}
		return nil
	}
	r.fillStatus()
	err := r.writeStatus(attempt)
	r.trouble = ""
	switch {
	case errors.Is(err, ErrCanceled), errors.Is(err, ErrTakenOver):
		return err
	case isFull(err):
		return fmt.Errorf("%w (%s: %w)", ErrNoRoom, r.c.address, err)
	case r.c.nc.IsClosed():
		return r.c.closedError()
	case err != nil:
		r.trouble = "the hub at " + r.c.address + " does not answer"
		ask, done := r.c.attempt(ctx, 2*time.Second) // the other may have expired
		defer done()
		if r.lost(ask, &r.missingSince) {
			return ErrLost
		}
		return nil
	}
	r.missingSince = time.Time{}
	if seq := r.purgeable.upTo(r.scheduler.low); seq > 0 && !r.spec.Job.Keep {
		_ = r.journal.Purge(attempt, jetstream.WithPurgeSubject(wire.JobResults(r.id)), jetstream.WithPurgeSequence(seq+1))
	}
	return nil
}

// window is the largest number of outstanding tasks: three for each slot, as far as their results
// fit into memory.
func (r *coordinator) window() int {
	if r.o.Window > 0 {
		return r.o.Window
	}
	_, slots, _ := r.workers.forJob(r.spec, r.id)
	n := min(max(3*slots, 8), 8192)
	const memory = 128 << 20
	each := 8 * (r.scheduler.outputs + 1) * r.scheduler.size()
	return max(min(n, memory/each), 2)
}

// report calls Progress.
func (r *coordinator) report(quiet time.Duration) {
	workers, slots, refused := r.workers.forJob(r.spec, r.id)
	p := r.scheduler.progress(r.id, workers, slots)
	if r.o.Progress == nil {
		return
	}
	p.Resumed, p.Trouble, p.Refused = r.resumed, r.trouble, refused
	for _, m := range r.workers.members {
		if p.Trouble == "" && m.Trouble != "" {
			p.Trouble = "worker " + m.Name + ": " + m.Trouble
		}
	}
	if p.Trouble == "" && p.Workers == 0 && quiet > 2*heartbeatInterval {
		p.Trouble = "there are no workers"
	}
	r.o.Progress(p)
}

// Run runs a job on the hub's workers, those that are connected and those that connect later; see
// [Executor].
func (c *Conn) Run(ctx context.Context, job Job, o RunOptions) (Outcome, error) {
	s, data, id, err := o.prepare(job, time.Second)
	if err != nil {
		return Outcome{}, err
	}
	if err := c.ensure(ctx); err != nil {
		return Outcome{}, err
	}
	r := newCoordinator(c, s, id, o)
	if err := r.claim(ctx, data); err != nil {
		return r.outcome(), err
	}
	err = r.run(ctx)
	return r.outcome(), r.finish(ctx, err)
}
