package ensemble

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
)

// A State is the state of a job.
type State string

// The states of a job. A running job whose Updated is old has lost its coordinator; running the
// same job again continues it.
const (
	Running     State = "running"
	Interrupted State = "interrupted" // its coordinator was stopped
	Done        State = "done"
	Failed      State = "failed"
	Canceled    State = "cancelled"
)

// A Status is the status of a job, without its results.
type Status struct {
	Key        string    `json:"key"`
	Name       string    `json:"name,omitempty"`
	Kind       string    `json:"kind"`
	Version    string    `json:"version"`
	State      State     `json:"state"`
	Error      string    `json:"error,omitempty"` // if it failed
	Points     int       `json:"points"`
	PointsDone int       `json:"points_done"`
	Replicas   int       `json:"replicas"` // of all points, at most
	Merged     int       `json:"merged"`   // replicas
	Events     uint64    `json:"events"`
	Created    time.Time `json:"created"`
	Updated    time.Time `json:"updated"`

	// Owner is the coordinator that may write the status. Another one takes the job over by writing
	// its own name; the first notices that the revision has changed.
	Owner string `json:"owner"`
}

// Jobs returns the jobs of the hub, the oldest first.
func (c *Conn) Jobs(ctx context.Context) ([]Status, error) {
	if err := c.ensure(ctx); err != nil {
		return nil, err
	}
	keys, err := c.jobs.ListKeys(ctx)
	if err != nil {
		return nil, fmt.Errorf("ensemble: listing the jobs: %w", err)
	}
	defer keys.Stop()
	var all []Status
	for id := range keys.Keys() {
		s, _, err := c.status(ctx, id)
		if errors.Is(err, ErrNoJob) {
			continue // deleted concurrently
		}
		if err != nil {
			return nil, err
		}
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b Status) int { return a.Created.Compare(b.Created) })
	return all, nil
}

// Status returns the status of a job.
func (c *Conn) Status(ctx context.Context, id string) (Status, error) {
	if err := c.ensure(ctx); err != nil {
		return Status{}, err
	}
	s, _, err := c.status(ctx, id)
	if err != nil {
		return Status{}, err
	}
	return *s, nil
}

func (c *Conn) status(ctx context.Context, id string) (*Status, uint64, error) {
	if !isJob(id) {
		return nil, 0, fmt.Errorf("%w: %q", ErrNoJob, id)
	}
	entry, err := c.jobs.Get(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, fmt.Errorf("%w: %s", ErrNoJob, id)
	}
	if err != nil {
		return nil, 0, err
	}
	s := new(Status)
	if err := json.Unmarshal(entry.Value(), s); err != nil {
		return nil, 0, fmt.Errorf("ensemble: the state of job %s cannot be read: %w", id, err)
	}
	return s, entry.Revision(), nil
}

// change changes a job's status by compare-and-swap.
func (c *Conn) change(ctx context.Context, id string, f func(*Status) error) error {
	for {
		s, revision, err := c.status(ctx, id)
		if err != nil {
			return err
		}
		if err := f(s); err != nil {
			return err
		}
		s.Updated = time.Now().UTC()
		data, err := json.Marshal(s)
		if err != nil {
			return err
		}
		if _, err = c.jobs.Update(ctx, id, data, revision); !isStoredAlready(err) {
			return err
		}
	}
}

// Cancel stops a job: its coordinator ends, workers stop its replicas, and its tasks and results
// are removed. Running it again starts over.
func (c *Conn) Cancel(ctx context.Context, id string) error {
	if err := c.ensure(ctx); err != nil {
		return err
	}
	err := c.change(ctx, id, func(s *Status) error {
		if s.State == Done {
			return fmt.Errorf("ensemble: job %s is done; there is nothing to cancel", id)
		}
		s.State, s.Owner = Canceled, ""
		return nil
	})
	if err != nil {
		return err
	}
	return c.clear(ctx, id)
}

// Forget removes a job with its results. A running job is cancelled first.
func (c *Conn) Forget(ctx context.Context, id string) error {
	if err := c.ensure(ctx); err != nil {
		return err
	}
	s, _, err := c.status(ctx, id)
	if err != nil {
		return err
	}
	if s.State == Running || s.State == Interrupted {
		if err := c.Cancel(ctx, id); err != nil {
			return err
		}
	}
	return c.remove(ctx, id)
}

// ForgetBefore removes the jobs that were last used before a time, with their results, and returns
// their statuses. Running a job uses it, also if it is already done. The status of a running job is
// updated every second, so it is not removed. Times are by the clocks of the writers, which may
// differ: t should be some minutes ago.
func (c *Conn) ForgetBefore(ctx context.Context, t time.Time) (forgotten []Status, err error) {
	all, err := c.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	for _, old := range all {
		// A job that was used in the meantime is left alone. A coordinator that starts after this
		// finds a cancelled job, and starts over.
		used := errors.New("used")
		err := c.change(ctx, old.Key, func(s *Status) error {
			if !s.Updated.Before(t) {
				return used
			}
			s.State, s.Owner = Canceled, ""
			return nil
		})
		switch {
		case err == used, errors.Is(err, ErrNoJob):
			continue
		case err == nil:
			err = c.remove(ctx, old.Key)
		}
		if err != nil {
			return forgotten, err
		}
		forgotten = append(forgotten, old)
	}
	return forgotten, nil
}

// remove removes everything of a job.
func (c *Conn) remove(ctx context.Context, id string) error {
	if err := c.clear(ctx, id); err != nil {
		return err
	}
	if err := c.models.Delete(ctx, id); err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return err
	}
	return c.jobs.Purge(ctx, id)
}

// clear removes a job's tasks and results.
func (c *Conn) clear(ctx context.Context, id string) error {
	if err := c.purgeTasks(ctx, id); err != nil {
		return err
	}
	if err := c.js.DeleteStream(ctx, wire.JournalName(id)); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	return nil
}

func (c *Conn) purgeTasks(ctx context.Context, id string) error {
	tasks, err := c.js.Stream(ctx, wire.TasksStream)
	if err != nil {
		return err
	}
	return tasks.Purge(ctx, jetstream.WithPurgeSubject(wire.JobTasks(id)))
}

// Load returns a stored job, so that it can be run again.
func (c *Conn) Load(ctx context.Context, id string) (Job, error) {
	if err := c.ensure(ctx); err != nil {
		return Job{}, err
	}
	s, err := c.load(ctx, id)
	if err != nil {
		return Job{}, err
	}
	return s.Job, nil
}

func (c *Conn) load(ctx context.Context, id string) (*spec, error) {
	if !isJob(id) {
		return nil, fmt.Errorf("%w: %q", ErrNoJob, id)
	}
	info, err := c.models.GetInfo(ctx, id)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, fmt.Errorf("%w: %s", ErrNoJob, id)
	}
	if err != nil {
		return nil, err
	}
	if info.Size > maxSpec {
		return nil, fmt.Errorf("ensemble: job %s has %d bytes; %d are the most", id, info.Size, maxSpec)
	}
	data, err := c.object(ctx, id)
	if err != nil {
		return nil, err
	}
	s, err := decodeSpec(data)
	if err != nil {
		return nil, fmt.Errorf("ensemble: job %s cannot be read: %w", id, err)
	}
	return s, nil
}

// object reads a job's bytes, whose digest is checked. The client must not see ctx end while it
// reads: its cancellation would wait, until the deadline, for a lock that the reader holds. So it
// reads in another goroutine, which is abandoned when ctx ends.
func (c *Conn) object(ctx context.Context, id string) ([]byte, error) {
	type answer struct {
		data []byte
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		reading, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		data, err := c.models.GetBytes(reading, id)
		done <- answer{data, err}
	}()
	select {
	case a := <-done:
		return a.data, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Watch calls f with the status of every job, and again whenever one changes, until ctx is done or
// f returns an error.
func (c *Conn) Watch(ctx context.Context, f func(Status) error) error {
	if err := c.ensure(ctx); err != nil {
		return err
	}
	w, err := c.jobs.WatchAll(ctx)
	if err != nil {
		return fmt.Errorf("ensemble: watching the jobs: %w", err)
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case entry, ok := <-w.Updates():
			if !ok {
				return errors.New("ensemble: the connection to the hub has ended")
			}
			if entry == nil || entry.Operation() != jetstream.KeyValuePut {
				continue
			}
			var s Status
			if json.Unmarshal(entry.Value(), &s) != nil {
				continue // of another version
			}
			if err := f(s); err != nil {
				return err
			}
		}
	}
}

// Results calls f with the finished points of a job, in order, whether or not the job is done. They
// can be read any number of times, until the job is removed.
func (c *Conn) Results(ctx context.Context, id string, f func(PointResult) error) error {
	if err := c.ensure(ctx); err != nil {
		return err
	}
	if _, _, err := c.status(ctx, id); err != nil {
		return err
	}
	stream, err := c.js.Stream(ctx, wire.JournalName(id))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil // cancelled: there are no results
	}
	if err != nil {
		return err
	}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		FilterSubjects:    []string{wire.JobPoints(id)},
		InactiveThreshold: time.Minute})
	if err != nil {
		return fmt.Errorf("ensemble: reading the results of job %s: %w", id, err)
	}
	info, err := consumer.Info(ctx)
	if err != nil {
		return err
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(64))
	if err != nil {
		return err
	}
	defer messages.Stop()
	var parts bytes.Buffer
	for left := info.NumPending; left > 0; left-- {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return fmt.Errorf("ensemble: reading the results of job %s: %w", id, err)
		}
		numbers, err := wire.SubjectNumbers(msg.Subject(), 3)
		if err != nil {
			return err
		}
		if parts.Write(msg.Data()); numbers[1] < numbers[2]-1 {
			continue
		}
		p, err := decodePoint(parts.Bytes())
		if err != nil {
			return fmt.Errorf("ensemble: point %d of job %s cannot be read: %w", numbers[0], id, err)
		}
		parts.Reset()
		if err := f(p); err != nil {
			return err
		}
	}
	return nil
}
