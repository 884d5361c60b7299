package ensemble

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
)

// An entry is a message of the journal. One without a subject marks the end of the journal so far.
type entry struct {
	subject string
	data    []byte
	seq     uint64
}

// read reads the journal from its beginning, each message once and in order, across losses of the
// connection or the server.
func (r *coordinator) read(ctx context.Context, to chan<- entry) {
	var last uint64
	for wait := (backoff{}); ctx.Err() == nil; {
		before := last
		err := r.readFrom(ctx, &last, to)
		if ctx.Err() != nil {
			return
		}
		r.log.Debug("reading the journal", "from", last, "err", err)
		if last > before {
			wait = backoff{}
		}
		wait.wait(ctx)
	}
}

// readFrom reads on after the last message, and returns when messages may have been missed.
func (r *coordinator) readFrom(ctx context.Context, last *uint64, to chan<- entry) error {
	setup, cancel := r.c.attempt(ctx, 5*time.Second)
	defer cancel()
	consumer, err := r.c.js.CreateConsumer(setup, wire.JournalName(r.id), jetstream.ConsumerConfig{
		Name: "coordinator-" + nuid.Next(), DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: *last + 1,
		FilterSubjects: []string{wire.JobResults(r.id), wire.JobPoints(r.id)},
		AckPolicy:      jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1, InactiveThreshold: time.Minute,
	})
	if err != nil {
		return err
	}
	defer func() { // the server would remove it later
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if r.c.nc.IsConnected() {
			_ = r.c.js.DeleteConsumer(ctx, wire.JournalName(r.id), consumer.CachedInfo().Name)
		}
	}()
	messages, err := consumer.Messages(jetstream.PullMaxMessages(64), jetstream.PullHeartbeat(time.Second),
		jetstream.PullExpiry(10*time.Second))
	if err != nil {
		return err
	}
	defer messages.Stop()
	// A restarted server has forgotten the consumer. End with the connection instead of waiting for
	// a heartbeat to be missed.
	reading, stop := r.c.attempt(ctx, 24*time.Hour)
	defer stop()
	send := func(e entry) bool {
		select {
		case to <- e:
			return true
		case <-ctx.Done():
			return false
		}
	}
	if consumer.CachedInfo().NumPending == 0 && !send(entry{}) {
		return nil
	}
	for n := uint64(1); ; n++ {
		msg, err := messages.Next(jetstream.NextContext(reading))
		if err != nil {
			return err
		}
		meta, err := msg.Metadata()
		if err != nil {
			return err
		}
		if meta.Sequence.Consumer != n {
			return fmt.Errorf("message %d came instead of %d", meta.Sequence.Consumer, n)
		}
		if !send(entry{msg.Subject(), msg.Data(), meta.Sequence.Stream}) {
			return nil
		}
		*last = meta.Sequence.Stream
		if meta.NumPending == 0 && !send(entry{}) {
			return nil
		}
	}
}

// take processes an entry of the journal.
func (r *coordinator) take(ctx context.Context, e entry) error {
	switch {
	case e.subject == "":
		return r.finishReplay(ctx)
	case strings.HasPrefix(e.subject, "almanac.point."):
		return r.takePoint(e)
	}
	numbers, err := wire.SubjectNumbers(e.subject, 2)
	if err != nil {
		return err
	}
	res, err := wire.DecodeResult(e.data)
	if err != nil {
		return fmt.Errorf("ensemble: a result of job %s cannot be read: %w", r.id, err)
	}
	if res.Version != r.spec.Version {
		return fmt.Errorf("ensemble: job %s is for %s; worker %s stored a result of %s", r.id, r.spec.Version, res.Worker,
			res.Version)
	}
	if !r.replayed && res.Failure != nil { // it will be tried again
		r.oldFailures = append(r.oldFailures, e.seq)
		res.Failure = nil
	}
	point := numbers[0]
	for _, p := range res.Pieces {
		point = max(point, p.Point)
	}
	r.purgeable.add(e.seq, point)
	r.scheduler.add(wire.Key{Point: numbers[0], First: numbers[1]}, res)
	return nil
}

// finishReplay is called when the journal has been read as it was when we started.
func (r *coordinator) finishReplay(ctx context.Context) error {
	if r.replayed {
		return nil
	}
	// Old failures occupy their keys; delete them, so that new results can be stored there.
	for _, seq := range r.oldFailures {
		err := r.retry(ctx, func(ctx context.Context) error {
			if err := r.journal.DeleteMsg(ctx, seq); !errors.Is(err, jetstream.ErrMsgNotFound) {
				return err
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if r.wasDone && !r.scheduler.finished() { // its journal is incomplete
		r.wasDone, r.status.State = false, Running
		if err := r.retry(ctx, r.writeStatus); err != nil {
			return err
		}
	}
	r.replayed = true
	r.scheduler.counts.Resumed = r.scheduler.merged
	return nil
}

// takePoint processes the summary of a point: of an earlier or concurrent coordinator, or our own.
func (r *coordinator) takePoint(e entry) error {
	numbers, err := wire.SubjectNumbers(e.subject, 3)
	if err != nil {
		return err
	}
	point, part, parts := numbers[0], numbers[1], numbers[2]
	if point != r.scheduler.low {
		return nil // already emitted
	}
	if part == 0 {
		r.parts.Reset()
	}
	r.parts.Write(e.data)
	if part != parts-1 {
		return nil
	}
	p, err := decodePoint(r.parts.Bytes())
	if err != nil {
		return fmt.Errorf("ensemble: point %d of job %s cannot be read: %w", point, r.id, err)
	}
	r.parts.Reset()
	r.scheduler.skipStored(p)
	return r.scheduler.emit(p)
}

// publish hands out tasks.
func (r *coordinator) publish(ctx context.Context, tasks <-chan []wire.Piece, problems chan<- error) {
	tag := versionTag(r.spec.Version)
	for {
		var pieces []wire.Piece
		select {
		case <-ctx.Done():
			return
		case pieces = <-tasks:
		}
		t := wire.Task{Job: r.id, Version: r.spec.Version, Pieces: pieces, Cut: 2 * r.o.TaskTime}
		data, err := json.Marshal(t)
		id := nuid.Next() // so that the server recognises a repeated attempt
		if err == nil {
			err = r.retry(ctx, func(ctx context.Context) error {
				_, err := r.c.js.Publish(ctx, wire.TaskSubject(tag, r.id, t.Key()), data, jetstream.WithMsgID(id),
					jetstream.WithRetryAttempts(0))
				return err
			})
		}
		if err != nil {
			select {
			case problems <- err:
			default:
			}
			return
		}
		r.setSending(t.Key(), false)
	}
}

// setSending marks a task as being sent to the server, or as acknowledged.
func (r *coordinator) setSending(k wire.Key, way bool) {
	r.sendingMu.Lock()
	defer r.sendingMu.Unlock()
	if way {
		r.sending[k] = true
	} else {
		delete(r.sending, k)
	}
}

// isSending reports whether a task is being sent to the server.
func (r *coordinator) isSending(k wire.Key) bool {
	r.sendingMu.Lock()
	defer r.sendingMu.Unlock()
	return r.sending[k]
}

// abandon fails a task that the server will not deliver again, if it is of this job.
func (r *coordinator) abandon(ctx context.Context, data []byte) {
	var advice struct {
		Sequence   uint64 `json:"stream_seq"`
		Deliveries int    `json:"deliveries"`
	}
	if json.Unmarshal(data, &advice) != nil {
		return
	}
	ctx, cancel := r.c.attempt(ctx, 5*time.Second)
	defer cancel()
	stream, err := r.c.js.Stream(ctx, wire.TasksStream)
	if err != nil {
		return
	}
	msg, err := stream.GetMsg(ctx, advice.Sequence)
	var t wire.Task
	if err != nil || json.Unmarshal(msg.Data, &t) != nil || t.Check() != nil || t.Job != r.id {
		return
	}
	r.scheduler.add(t.Key(), &wire.Result{Failure: &wire.Failure{Point: t.Key().Point, Replica: t.Key().First,
		Reason: "died",
		Text:   fmt.Sprintf("its task was delivered %d times, and no worker answered", advice.Deliveries)}})
}

// findLost looks for outstanding tasks that are neither queued nor have a result: a server may have
// lost what it had not yet written. They are handed out again.
func (r *coordinator) findLost(ctx context.Context) {
	ctx, cancel := r.c.attempt(ctx, 10*time.Second)
	defer cancel()
	stream, err := r.c.js.Stream(ctx, wire.TasksStream)
	if err != nil {
		return
	}
	sending := map[wire.Key]bool{} // snapshot before asking the server
	for k := range r.scheduler.outstanding {
		sending[k] = r.isSending(k)
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(wire.JobTasks(r.id)))
	if err != nil {
		return
	}
	tag := versionTag(r.spec.Version)
	for k := range r.scheduler.outstanding {
		if sending[k] {
			continue
		}
		if _, waiting := info.State.Subjects[wire.TaskSubject(tag, r.id, k)]; waiting {
			continue
		}
		msg, err := r.journal.GetLastMsgForSubject(ctx, wire.ResultSubject(r.id, k))
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			r.log.Warn("a task was lost, and is handed out again", "point", k.Point, "replica", k.First)
			r.scheduler.taskLost(k)
		case err == nil: // it had a result before it was handed out
			if res, err := wire.DecodeResult(msg.Data); err == nil {
				r.scheduler.add(k, res)
			}
		}
	}
}

// lost reports whether the server has said for some time that it does not have the job's journal,
// as if its store were empty. A server that is starting, or has no leader, does not say so for
// long. since is when it first said so.
func (r *coordinator) lost(ctx context.Context, since *time.Time) bool {
	if r.journal == nil {
		return false // not created yet
	}
	if _, err := r.c.js.Stream(ctx, wire.JournalName(r.id)); !errors.Is(err, jetstream.ErrStreamNotFound) {
		*since = time.Time{}
		return false
	}
	if since.IsZero() {
		*since = time.Now()
	}
	if time.Since(*since) <= r.c.startup {
		return false
	}
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.prepared = false // the shared streams are gone, too
	return true
}

// A purgeList records which results are no longer needed: those of finished points. Sequence
// numbers are added in order.
type purgeList struct {
	entries []struct {
		seq   uint64
		point int // the last point of the result
	}
	last uint64
}

func (d *purgeList) add(seq uint64, point int) {
	d.entries = append(d.entries, struct {
		seq   uint64
		point int
	}{seq, point})
}

// upTo returns the sequence number up to which nothing is needed when points before low are
// finished; 0 if there is nothing new.
func (d *purgeList) upTo(low int) uint64 {
	n := 0
	for n < len(d.entries) && d.entries[n].point < low {
		n++
	}
	if n == 0 {
		return 0
	}
	d.last = d.entries[n-1].seq
	d.entries = d.entries[n:]
	return d.last
}
