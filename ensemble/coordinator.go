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
)

// A coordinator does a job: it reads the journal, hands out tasks, and writes the summaries of
// finished points into the journal. All that it knows is in the journal; if it dies, the next one
// reads it.
type coordinator struct {
	c   *Conn
	o   RunOptions
	log *slog.Logger

	id      string
	spec    *spec
	owner   string
	study   *study
	journal jetstream.Stream

	status   Status
	revision uint64
	trouble  string
	missing  time.Time // since when the server says that it has no journal
	wasDone  bool
	resumed  bool

	dead   dead
	parts  bytes.Buffer // of a point that is being read
	failed []uint64     // sequence numbers of stored failures, of the time before
	caught bool         // with the journal as it was when we began
	crew   crew

	sendingMu sync.Mutex
	sending   map[key]bool // tasks that the server has not yet said it has
}

func newCoordinator(c *Conn, s *spec, id string, o RunOptions) *coordinator {
	return &coordinator{c: c, o: o, log: o.Logger.With("job", id), id: id, spec: s, owner: nuid.Next(),
		study: newStudy(&s.Job, o), sending: map[key]bool{}}
}

func (r *coordinator) outcome() Outcome {
	if !r.caught {
		r.study.counts.Resumed = r.study.done // all there was, was there
	}
	o := r.study.outcome(r.id)
	o.Resumed, o.WasDone = r.resumed, r.wasDone
	return o
}

// begin stores the job, and makes us its owner.
func (r *coordinator) begin(ctx context.Context, data []byte) error {
	err := r.insist(ctx, func(ctx context.Context) error {
		_, err := r.c.models.GetInfo(ctx, r.id)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			_, err = r.c.models.PutBytes(ctx, r.id, data)
		}
		return err
	})
	if err != nil {
		return err
	}
	err = r.insist(ctx, func(ctx context.Context) error {
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
			Points:  len(r.spec.Job.Points), Replicas: r.study.total(), Owner: r.owner, PointsDone: s.PointsDone,
			Merged: s.Merged, Events: s.Events}
		if r.wasDone {
			s.State = Done
		}
		r.status, r.revision = *s, revision
		if err = r.write(ctx); errors.Is(err, ErrTakenOver) || errors.Is(err, ErrCanceled) {
			err = errAgain // someone wrote between our reading and our writing
		}
		return err
	})
	if err != nil {
		return err
	}
	return r.insist(ctx, func(ctx context.Context) (err error) {
		if r.journal, err = r.c.journal(ctx, r.id); err == nil {
			err = r.c.purgeTasks(ctx, r.id) // what is missing is handed out anew
		}
		return err
	})
}

var errAgain = errors.New("again")

// insist tries until it succeeds, or what is wrong will not go away by itself.
func (r *coordinator) insist(ctx context.Context, f func(context.Context) error) error {
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
		case noRoom(err):
			return fmt.Errorf("%w (%s: %w)", ErrNoRoom, r.c.where, err)
		case r.c.nc.IsClosed():
			return r.c.closed()
		case errors.Is(err, errAgain):
			continue
		case lost:
			return ErrLost
		case !transient(err):
			return err
		}
		r.log.Warn("the hub does not answer as it should", "hub", r.c.where, "err", err)
		if !wait.wait(ctx) {
			return context.Cause(ctx)
		}
	}
}

// write writes the job's state, if it is still ours.
func (r *coordinator) write(ctx context.Context) error {
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
	if !exists(err) {
		return err
	}
	// Someone else wrote it: we ourselves, if an answer was lost; who cancels it; who takes it over.
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
	return r.write(ctx)
}

// run is the life of a coordinator.
func (r *coordinator) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var helpers sync.WaitGroup
	defer helpers.Wait()
	defer cancel()

	messages := make(chan entry, 64)
	helpers.Go(func() { r.read(ctx, messages) })
	tasks := make(chan []piece)
	problems := make(chan error, 1)
	for range 8 {
		helpers.Go(func() { r.publish(ctx, tasks, problems) })
	}
	beats := make(chan *nats.Msg, 1024)
	if sub, err := r.c.nc.ChanSubscribe(beatSubject, beats); err == nil {
		defer func() { _ = sub.Unsubscribe() }()
		_ = r.c.nc.Publish(callSubject, nil)
	}
	advice := make(chan *nats.Msg, 64)
	if sub, err := r.c.nc.ChanSubscribe(maxDeliveries, advice); err == nil {
		defer func() { _ = sub.Unsubscribe() }()
	}
	tick := time.NewTicker(sayEvery)
	defer tick.Stop()
	var last, written, asked time.Time
	last, asked = time.Now(), time.Now()
	var next []piece
	for {
		if done, err := r.settle(ctx); done || err != nil {
			return err
		}
		if next == nil && r.caught && len(r.study.out) < r.window() {
			if next = r.study.next(); next != nil {
				r.send(key{next[0].Point, next[0].First}, true)
			}
		}
		var out chan<- []piece
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
			r.crew.hear(m.Data)
		case m := <-advice:
			r.giveUp(ctx, m.Data)
		case <-tick.C:
			r.say(time.Since(last))
			if time.Since(written) > time.Second {
				written = time.Now()
				if err := r.update(ctx); err != nil {
					return err
				}
			}
			if time.Since(asked) > 2*r.c.lease {
				asked = time.Now()
				r.search(ctx)
			}
		}
	}
}

// settle gives out what is finished, and reports whether all is.
func (r *coordinator) settle(ctx context.Context) (done bool, err error) {
	done, err = r.study.settle(func(p PointResult) error { return r.storePoint(ctx, p) })
	if err == nil && r.caught {
		err = r.study.failure()
	}
	return done, err
}

// maxPart is how many bytes of a point's result go into one message.
const maxPart = 512 << 10

// storePoint writes a point's result into the journal, each part once.
func (r *coordinator) storePoint(ctx context.Context, p PointResult) error {
	data, err := p.encode()
	if err != nil {
		return err
	}
	parts := (len(data) + maxPart - 1) / maxPart
	for i := range parts {
		part := data[i*maxPart : min((i+1)*maxPart, len(data))]
		err := r.insist(ctx, func(ctx context.Context) error {
			_, err := r.c.js.Publish(ctx, pointSubject(r.id, p.Index, i, parts), part,
				jetstream.WithExpectLastSequencePerSubject(0), jetstream.WithRetryAttempts(0))
			if exists(err) {
				return nil
			}
			return err
		})
		if err != nil {
			return r.whyGone(ctx, err)
		}
	}
	return nil
}

// whyGone says what a failure to write the journal means: if it is gone, the job was cancelled.
func (r *coordinator) whyGone(ctx context.Context, err error) error {
	if s, _, serr := r.c.status(ctx, r.id); errors.Is(serr, ErrNoJob) || serr == nil && s.State == Canceled {
		return ErrCanceled
	}
	return err
}

// end says in the job's state what became of it, as far as that can be done now.
func (r *coordinator) end(ctx context.Context, err error) error {
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
	r.fill()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	var werr error
	if err == nil {
		werr = r.insist(ctx, r.write) // it is done only when that is known
	} else if r.c.nc.IsConnected() {
		_ = r.write(ctx)
	}
	if r.status.State != Interrupted && werr == nil {
		_ = r.c.purgeTasks(ctx, r.id)
		if !r.spec.Job.Keep {
			_ = r.journal.Purge(ctx, jetstream.WithPurgeSubject(jobResults(r.id)))
		}
		_ = r.journal.Purge(ctx, jetstream.WithPurgeSubject(jobTries(r.id)))
	}
	if errors.Is(werr, ErrTakenOver) || errors.Is(werr, context.DeadlineExceeded) {
		werr = nil // all points were given out; the next one who asks finds them in the journal
	}
	return errors.Join(err, werr)
}

func (r *coordinator) fill() {
	r.status.PointsDone, r.status.Merged, r.status.Events = r.study.given(), r.study.done, r.study.events
}

// update writes how far the job is, and removes from the journal what is no longer needed.
func (r *coordinator) update(ctx context.Context) error {
	attempt, cancel := r.c.attempt(ctx, 2*time.Second)
	defer cancel()
	if r.status.State != Running || !r.caught {
		if r.lost(attempt, &r.missing) {
			return ErrLost
		}
		return nil
	}
	r.fill()
	err := r.write(attempt)
	r.trouble = ""
	switch {
	case errors.Is(err, ErrCanceled), errors.Is(err, ErrTakenOver):
		return err
	case noRoom(err):
		return fmt.Errorf("%w (%s: %w)", ErrNoRoom, r.c.where, err)
	case r.c.nc.IsClosed():
		return r.c.closed()
	case err != nil:
		r.trouble = "the hub at " + r.c.where + " does not answer"
		ask, done := r.c.attempt(ctx, 2*time.Second) // the other may be used up
		defer done()
		if r.lost(ask, &r.missing) {
			return ErrLost
		}
		return nil
	}
	r.missing = time.Time{}
	if seq := r.dead.upTo(r.study.low); seq > 0 && !r.spec.Job.Keep {
		_ = r.journal.Purge(attempt, jetstream.WithPurgeSubject(jobResults(r.id)), jetstream.WithPurgeSequence(seq+1))
	}
	return nil
}
