package ensemble

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// What is on the server, by name.
const (
	tasksStream  = "ALMANAC_TASKS"
	jobsBucket   = "ALMANAC_JOBS"
	modelsBucket = "ALMANAC_MODELS"

	beatSubject = "almanac.worker" // workers say that they are there
	callSubject = "almanac.call"   // coordinators ask who is there
)

func journalName(job string) string { return "ALMANAC_R_" + job }

// Subjects. A task's has the version, so that a worker is never handed what it would have to
// refuse; tasks and results have their keys.
func taskSubject(tag, job string, k key) string {
	return "almanac.task." + tag + "." + job + "." + strconv.Itoa(k.point) + "." + strconv.Itoa(k.first)
}
func tagTasks(tag string) string { return "almanac.task." + tag + ".>" }
func jobTasks(job string) string { return "almanac.task.*." + job + ".>" }

func resultSubject(job string, k key) string {
	return "almanac.result." + job + "." + strconv.Itoa(k.point) + "." + strconv.Itoa(k.first)
}
func jobResults(job string) string { return "almanac.result." + job + ".>" }

// pointSubject is where a part of a point's result is stored.
func pointSubject(job string, point, part, parts int) string {
	return fmt.Sprintf("almanac.point.%s.%d.%d.%d", job, point, part, parts)
}
func jobPoints(job string) string { return "almanac.point." + job + ".>" }

// trySubject is where workers note that they try a task of which others may have died.
func trySubject(job string, k key) string {
	return "almanac.try." + job + "." + strconv.Itoa(k.point) + "." + strconv.Itoa(k.first)
}
func jobTries(job string) string { return "almanac.try." + job + ".>" }

// subjectNumbers are the last n tokens of a subject, which must be numbers.
func subjectNumbers(subject string, n int) ([]int, error) {
	tokens := strings.Split(subject, ".")
	if len(tokens) < n {
		return nil, fmt.Errorf("ensemble: a message on %q", subject)
	}
	numbers := make([]int, n)
	for i, token := range tokens[len(tokens)-n:] {
		x, err := strconv.Atoi(token)
		if err != nil || x < 0 {
			return nil, fmt.Errorf("ensemble: a message on %q", subject)
		}
		numbers[i] = x
	}
	return numbers, nil
}

// isJob reports whether a text can be a job's key, so that it can be part of a subject.
func isJob(id string) bool { return isName(id) && len(id) == 32 }

// prepare makes what all jobs share, if it is not there.
func (c *Conn) prepare(ctx context.Context) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.prepared {
		return nil
	}
	_, err = c.stream(ctx, jetstream.StreamConfig{
		Name: tasksStream, Subjects: []string{"almanac.task.>"}, Description: "tasks of almanac's jobs",
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Replicas: c.copies, Duplicates: 2 * time.Minute,
	})
	if err != nil {
		return fmt.Errorf("ensemble: making the stream of tasks: %w", err)
	}
	models, err := c.js.ObjectStore(ctx, modelsBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		models, err = c.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: modelsBucket,
			Storage: jetstream.FileStorage, Replicas: c.copies})
	}
	if err != nil {
		return fmt.Errorf("ensemble: making the store of models: %w", err)
	}
	jobs, err := c.js.KeyValue(ctx, jobsBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		jobs, err = c.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: jobsBucket, History: 1,
			Storage: jetstream.FileStorage, Replicas: c.copies})
	}
	if err != nil {
		return fmt.Errorf("ensemble: making the store of jobs: %w", err)
	}
	if c.jobs == nil { // otherwise it is in use, and goes by the name
		c.jobs, c.models = jobs, models
	}
	c.prepared = true
	return nil
}

// stream finds a stream, or makes it.
func (c *Conn) stream(ctx context.Context, config jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := c.js.Stream(ctx, config.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = c.js.CreateStream(ctx, config)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // by someone else, just now
			s, err = c.js.Stream(ctx, config.Name)
		}
	}
	return s, err
}

// journal finds a job's journal, or makes it.
func (c *Conn) journal(ctx context.Context, job string) (jetstream.Stream, error) {
	return c.stream(ctx, jetstream.StreamConfig{
		Name: journalName(job), Subjects: []string{jobResults(job), jobPoints(job), jobTries(job)},
		Description: "results of almanac's job " + job,
		Storage:     jetstream.FileStorage, Compression: jetstream.S2Compression, Replicas: c.copies,
	})
}

// exists reports whether an error says that a message was not stored because its subject already
// had one: a key is stored once.
func exists(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode ==
		jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// A backoff is how long to wait before trying again: longer each time, up to five seconds.
type backoff struct{ next time.Duration }

// wait waits, and reports whether ctx is still alive.
func (b *backoff) wait(ctx context.Context) bool {
	b.next = min(max(2*b.next, 50*time.Millisecond), 5*time.Second)
	timer := time.NewTimer(b.next)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
