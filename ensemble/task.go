package ensemble

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
	"github.com/almanac-sim/almanac/internal/panics"
)

// handle runs a task, stores the result, and only then acknowledges it.
func (w *Worker) handle(work context.Context, k Kind, version string, msg jetstream.Msg) {
	var t wire.Task
	meta, err := msg.Metadata()
	if err == nil {
		err = json.Unmarshal(msg.Data(), &t)
	}
	if err == nil {
		err = t.Check()
	}
	if err == nil && !isJob(t.Job) {
		err = errors.New("a task of no job")
	}
	if err != nil {
		w.log.Error("a task that cannot be read", "err", err)
		_ = msg.Term()
		return
	}
	if t.Version != version {
		w.refuse(t.Job, t.Version, version)
		_ = msg.NakWithDelay(w.c.lease)
		return
	}
	ctx, cancel := context.WithCancelCause(work)
	defer cancel(nil)
	defer w.enter(ctx, t.Job, &cancel)()

	k0 := t.Key()
	if meta.NumDelivered > 1 {
		w.count(func(s *WorkerStats) { s.Redelivered++ })
		if w.isStored(ctx, t.Job, k0) {
			w.count(func(s *WorkerStats) { s.Duplicates++ })
			_ = msg.Ack()
			return
		}
	}
	r, err := w.do(ctx, k, &t, meta.NumDelivered)
	switch {
	case errors.Is(err, ErrNoJob) || errors.Is(context.Cause(ctx), errGone):
		_ = msg.Ack() // the job has ended
		return
	case err != nil || r == nil:
		w.log.Info("a task is given back", "job", t.Job, "err", err)
		_ = msg.NakWithDelay(50 * time.Millisecond)
		return
	}
	r.Version, r.Worker, r.Delivered = version, w.o.Name, meta.NumDelivered
	// Storing continues for the drain time of a stopping worker. If the result is not stored,
	// another worker gets the task.
	if w.store(work, t.Job, k0, r) {
		_ = msg.Ack()
	}
}

// do runs a task. It returns nil if there is nothing to store, and an error if another worker
// should try.
func (w *Worker) do(ctx context.Context, k Kind, t *wire.Task, delivered uint64) (*wire.Result, error) {
	alone := delivered > maxShared
	if alone {
		switch tries, err := w.countAttempt(ctx, t.Job, t.Key()); {
		case err != nil:
			return nil, err
		case tries > w.o.Tries:
			b := &batch{w: w, r: &wire.Result{}}
			b.fail(t.Pieces[0].Point, t.Pieces[0].First, &replicaFailure{reason: "died", text: fmt.Sprintf(
				"%d workers that ran it, and nothing else, were not heard of again: is it short of memory?", w.o.Tries)})
			return b.r, nil
		}
	}
	m, err := w.open(ctx, k, t.Job)
	if ctx.Err() != nil || m.spec == nil {
		return nil, err
	}
	b := &batch{w: w, ctx: ctx, model: m, alone: alone}
	return b.do(t.Pieces, t.Cut), nil
}

// A batch runs tasks of a job, one after the other.
type batch struct {
	w     *Worker
	ctx   context.Context
	model *jobModel
	alone bool // run one replica and nothing beside it, because workers may have died of this task

	r     *wire.Result
	begun time.Time
	cut   time.Duration
	bytes int // of the result
	n     int // replicas

	point  int // of runner
	runner Runner
	loop   runLoop // runs the replicas
}

// do runs a task. It returns nil if there is nothing to store.
func (b *batch) do(pieces []wire.Piece, cut time.Duration) *wire.Result {
	b.r, b.begun, b.cut, b.bytes, b.n = &wire.Result{}, time.Now(), cut, 0, 0
	if b.model.err != nil {
		b.fail(pieces[0].Point, pieces[0].First, b.model.err)
		return b.r
	}
	defer b.loop.release()
	for _, p := range pieces {
		if !b.run(p) {
			break
		}
	}
	b.r.Took = time.Since(b.begun)
	if len(b.r.Pieces) == 0 && b.r.Failure == nil {
		return nil
	}
	return b.r
}

// run runs a piece, and reports whether to continue with the next.
func (b *batch) run(p wire.Piece) bool {
	if p.Point >= len(b.model.spec.Job.Points) {
		return b.fail(p.Point, p.First, errors.New("there is no such point"))
	}
	for i := range p.Count {
		if b.n > 0 && (b.alone || time.Since(b.begun) >= b.cut || b.w.stop.Load() || b.bytes >= maxResultBytes) {
			return false
		}
		if b.runner == nil || b.point != p.Point {
			var err error
			if b.runner, err = b.model.at(p.Point); err != nil {
				return b.fail(p.Point, p.First+i, err)
			}
			b.point = p.Point
		}
		r := NewReplica(b.model.spec.Job.Seed, p.First+i)
		v, err := b.w.replica(b.ctx, b.runner, r, b.model.spec.Job.Limits, b.alone, &b.loop)
		if b.ctx.Err() != nil {
			return false
		}
		if err == nil {
			err = checkValues(v)
		}
		if err == nil && !b.add(p.Point, r.Number, v) {
			err = errors.New("it gives other outputs than the replicas before it")
		}
		if err != nil {
			return b.fail(p.Point, r.Number, err)
		}
	}
	return true
}

// add adds a replica's values to the result. It reports whether they have the same names as the
// replica before in the same piece.
func (b *batch) add(point, number int, v Values) bool {
	r := b.r
	if n := len(r.Pieces); n == 0 || r.Pieces[n-1].Point != point || r.Pieces[n-1].First+r.Pieces[n-1].Count != number {
		list := 0
		for list < len(r.Names) && !r.IsList(list, v.Names, len(v.Series)) {
			list++
		}
		if list == len(r.Names) {
			r.Names, r.Series = append(r.Names, slices.Clone(v.Names)), append(r.Series, len(v.Series))
			for _, name := range v.Names {
				b.bytes += len(name) + 3
			}
		}
		r.Pieces, r.Lists = append(r.Pieces, wire.Piece{Point: point, First: number}), append(r.Lists, list)
	} else if !r.IsList(r.Lists[n-1], v.Names, len(v.Series)) {
		return false
	}
	r.Pieces[len(r.Pieces)-1].Count++
	r.Numbers = append(append(append(r.Numbers, float64(v.Events)), v.Numbers...), v.Series...)
	b.bytes += 8*(1+len(v.Numbers)+len(v.Series)) + len(v.Data)
	r.AddData(v.Data)
	b.n++
	b.w.count(func(s *WorkerStats) { s.Replicas++; s.Events += v.Events })
	return true
}

func (b *batch) fail(point, replica int, err error) bool {
	failed := &replicaFailure{reason: "error"}
	errors.As(err, &failed)
	b.r.Failure = &wire.Failure{Point: point, Replica: replica, Reason: failed.reason, Text: shorten(err.Error()),
		Stack: shorten(failed.stack)}
	b.w.count(func(s *WorkerStats) { s.Failures++ })
	return false
}

// checkValues returns an error if values cannot be summarised.
func checkValues(v Values) error {
	if len(v.Names) != len(v.Numbers) {
		return fmt.Errorf("it gives %d numbers and %d names", len(v.Numbers), len(v.Names))
	}
	if n := len(v.Names) + len(v.Series); len(v.Names) == 0 || n > MaxOutputs {
		return fmt.Errorf("it gives %d numbers; from 1 to %d are possible", n, MaxOutputs)
	}
	bytes := 0
	for i, x := range v.Numbers {
		if math.Abs(x) > wire.MaxNumber {
			return fmt.Errorf("its %q is %g, which is no number to calculate with", v.Names[i], x)
		}
		bytes += len(v.Names[i])
	}
	for _, x := range v.Series {
		if math.Abs(x) > wire.MaxNumber {
			return fmt.Errorf("a number of its series is %g, which is no number to calculate with", x)
		}
	}
	if bytes > maxNames {
		return fmt.Errorf("the names of its outputs have %d bytes; %d are the most", bytes, maxNames)
	}
	if len(v.Data) > MaxData {
		return fmt.Errorf("its data has %d bytes; %d are the most", len(v.Data), MaxData)
	}
	if v.Events > 1<<53 {
		return fmt.Errorf("it counts %d events; 2⁵³ are the most", v.Events)
	}
	return nil
}

// countAttempt records that this worker runs a task alone, and returns how often that was recorded.
// The number of deliveries would not do: a task delivered to a worker that dies need not have been
// started.
func (w *Worker) countAttempt(ctx context.Context, job string, k wire.Key) (int, error) {
	ctx, cancel := w.c.attempt(ctx, 5*time.Second)
	defer cancel()
	if _, err := w.c.js.Publish(ctx, wire.TrySubject(job, k), []byte(w.o.Name)); err != nil {
		return 0, err
	}
	journal, err := w.c.js.Stream(ctx, wire.JournalName(job))
	if err != nil {
		return 0, err
	}
	info, err := journal.Info(ctx, jetstream.WithSubjectFilter(wire.TrySubject(job, k)))
	if err != nil {
		return 0, err
	}
	return int(info.State.Subjects[wire.TrySubject(job, k)]), nil
}

// isStored reports whether a result is stored already: a worker may have died after storing it.
func (w *Worker) isStored(ctx context.Context, job string, k wire.Key) bool {
	ctx, cancel := w.c.attempt(ctx, 5*time.Second)
	defer cancel()
	journal, err := w.c.js.Stream(ctx, wire.JournalName(job))
	if err == nil {
		_, err = journal.GetLastMsgForSubject(ctx, wire.ResultSubject(job, k))
	}
	return err == nil
}

// store stores a result under its key, once: if there is one already, it is equal, or one is a
// prefix of the other. It retries until the result is stored, the job is gone, or ctx is done, and
// reports whether the task is settled.
func (w *Worker) store(ctx context.Context, job string, k wire.Key, r *wire.Result) bool {
	data, err := r.Encode()
	if err != nil {
		w.log.Error("a result that cannot be stored", "job", job, "err", err)
		return false
	}
	for wait := (backoff{}); ; {
		attempt, cancel := w.c.attempt(ctx, 5*time.Second)
		_, err := w.c.js.Publish(attempt, wire.ResultSubject(job, k), data, jetstream.WithExpectLastSequencePerSubject(0),
			jetstream.WithRetryAttempts(0))
		if err != nil && !isStoredAlready(err) {
			if _, gone := w.c.js.Stream(attempt, wire.JournalName(job)); errors.Is(gone, jetstream.ErrStreamNotFound) {
				cancel()
				return true // cancelled, or finished
			}
		}
		cancel()
		switch {
		case err == nil:
			w.count(func(s *WorkerStats) { s.Stored++ })
			w.setTrouble("")
			return true
		case isStoredAlready(err):
			w.count(func(s *WorkerStats) { s.Duplicates++ })
			w.setTrouble("")
			return true
		case isFull(err) && w.o.onFull != nil:
			w.o.onFull(err)
		}
		w.setTrouble("results cannot be stored: " + err.Error())
		w.log.Warn("a result could not be stored yet", "job", job, "err", err)
		if !wait.wait(ctx) {
			return false
		}
	}
}

// A replicaFailure is a failure other than an error that the model returned.
type replicaFailure struct{ reason, text, stack string }

func (f *replicaFailure) Error() string { return f.text }

// recoverTo turns a panic into an error.
func recoverTo(log func(stack []byte), err *error) {
	if value := recover(); value != nil {
		p := panics.Caught(value)
		log(p.Stack)
		*err = &replicaFailure{"panic", fmt.Sprintf("panic: %v", p.Value), string(p.Stack)}
	}
}
