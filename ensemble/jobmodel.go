package ensemble

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
)

// A jobModel is a job's opened model, or the error of opening it.
type jobModel struct {
	job   string
	once  sync.Once
	spec  *spec
	model Model
	err   error
	log   func([]byte)
}

func (w *Worker) newJobModel(job string) *jobModel {
	return &jobModel{job: job, log: func(stack []byte) {
		w.log.Error("a model panicked", "job", job, "stack",
			string(stack))
	}}
}

// open opens the model of the spec.
func (m *jobModel) open(k Kind) {
	func() {
		defer recoverTo(m.log, &m.err)
		m.model, m.err = k.Open(m.spec.Job.Payload)
	}()
	if m.err == nil && m.model == nil {
		m.err = errors.New("the kind gives no model")
	}
	if m.err != nil {
		m.err = fmt.Errorf("the model cannot be opened: %w", m.err)
	}
}

// at returns the runner of a point.
func (m *jobModel) at(point int) (run Runner, err error) {
	defer recoverTo(m.log, &err)
	run, err = m.model.At(m.spec.Job.Points[point])
	if err == nil && run == nil {
		err = errors.New("the kind gives no runner")
	}
	return run, err
}

// maxModels is the number of models that a worker keeps open.
const maxModels = 4

// open opens a job's model, once. While the hub is away, it waits.
func (w *Worker) open(ctx context.Context, k Kind, job string) (*jobModel, error) {
	w.mu.Lock()
	i := slices.IndexFunc(w.models, func(m *jobModel) bool { return m.job == job })
	var m *jobModel
	if i >= 0 {
		m = w.models[i]
		w.models = slices.Delete(w.models, i, i+1)
	} else {
		m = w.newJobModel(job)
	}
	w.models = append(w.models, m) // in order of use
	if len(w.models) > maxModels {
		w.models = slices.Delete(w.models, 0, 1)
	}
	w.mu.Unlock()
	m.once.Do(func() {
		if m.spec, m.err = w.fetchSpec(ctx, job); m.err != nil {
			return
		}
		m.open(k)
	})
	if m.err != nil && m.spec == nil { // the spec could not be fetched: the next task tries again
		w.dropModel(job)
	}
	return m, m.err
}

func (w *Worker) dropModel(job string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.models = slices.DeleteFunc(w.models, func(m *jobModel) bool { return m.job == job })
}

func (w *Worker) fetchSpec(ctx context.Context, job string) (*spec, error) {
	for wait := (backoff{}); ; {
		attempt, cancel := w.c.attempt(ctx, 60*time.Second)
		s, err := w.c.load(attempt, job)
		cancel()
		if err == nil || !transient(err) {
			return s, err
		}
		if ctx.Err() == nil { // otherwise the task was cancelled
			w.log.Warn("a job could not be read yet", "job", job, "err", err)
		}
		if !wait.wait(ctx) {
			return nil, context.Cause(ctx)
		}
	}
}

// enter registers a task of a job, so that it is cancelled when the job ends, or at once if the job
// has ended.
func (w *Worker) enter(ctx context.Context, job string, cancel *context.CancelCauseFunc) (leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running[job] == nil {
		w.running[job] = map[*context.CancelCauseFunc]bool{}
	}
	w.running[job][cancel] = true
	if ended(w.states[job]) {
		// The job may have been restarted: its tasks can arrive before its status.
		w.mu.Unlock()
		look, done := w.c.attempt(ctx, 5*time.Second)
		s, _, err := w.c.status(look, job)
		done()
		if w.mu.Lock(); err == nil && !ended(s.State) {
			delete(w.states, job)
		} else if err == nil || errors.Is(err, ErrNoJob) {
			(*cancel)(errGone)
		}
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(w.running[job], cancel); len(w.running[job]) == 0 {
			delete(w.running, job)
		}
	}
}

func ended(s State) bool { return s == Done || s == Failed || s == Canceled }

// watchJobs follows the status of the jobs.
func (w *Worker) watchJobs(ctx context.Context) {
	for wait := (backoff{}); ; {
		err := w.c.Watch(ctx, func(s Status) error { w.noteStatus(s); return nil })
		if ctx.Err() != nil {
			return
		}
		w.log.Debug("watching the jobs", "err", err)
		if !wait.wait(ctx) {
			return
		}
	}
}

// noteStatus records a job's status: tasks of an ended job are cancelled, and a job of another
// version is refused, once.
func (w *Worker) noteStatus(s Status) {
	if k, ok := w.o.Registry.kind(s.Kind); ok && s.State == Running && k.version() != s.Version {
		w.refuse(s.Key, s.Version, k.version())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !ended(s.State) {
		delete(w.states, s.Key)
		return
	}
	delete(w.refused, s.Key)
	w.states[s.Key] = s.State
	for cancel := range w.running[s.Key] {
		(*cancel)(errGone)
	}
	w.models = slices.DeleteFunc(w.models, func(m *jobModel) bool { return m.job == s.Key })
}

func (w *Worker) refuse(job, theirs, ours string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, said := w.refused[job]; said {
		return
	}
	why := fmt.Sprintf("worker %s refuses job %s: the job is for %s; this worker is %s", w.o.Name, job, theirs, ours)
	w.refused[job] = why
	w.stats.Refused++
	w.log.Warn(why)
	w.notify()
}

func (w *Worker) heartbeat(ctx context.Context) {
	b := heartbeat{ID: w.id, Name: w.o.Name, Slots: w.o.Slots, Kinds: map[string]string{}}
	for _, k := range w.o.Registry.Kinds() {
		b.Kinds[k.Name] = k.version()
	}
	if sub, err := w.c.nc.Subscribe(wire.PingSubject, func(*nats.Msg) { w.notify() }); err == nil {
		defer func() { _ = sub.Unsubscribe() }()
	}
	tick := time.NewTicker(heartbeatInterval)
	defer tick.Stop()
	for {
		w.mu.Lock()
		b.Busy = w.stats.Busy
		b.Refused = map[string]string{}
		for job, why := range w.refused {
			b.Refused[job] = why
		}
		b.Trouble = w.trouble
		b.Leaves = ctx.Err() != nil
		w.mu.Unlock()
		if data, err := json.Marshal(b); err == nil {
			_ = w.c.nc.Publish(wire.HeartbeatSubject, data)
		}
		if b.Leaves {
			return
		}
		select {
		case <-ctx.Done():
		case <-w.changed:
		case <-tick.C:
		}
	}
}

// setTrouble records why results cannot be stored, for the next heartbeat; empty means that they
// can.
func (w *Worker) setTrouble(trouble string) {
	w.mu.Lock()
	changed := w.trouble != trouble
	w.trouble = trouble
	w.mu.Unlock()
	if changed {
		w.notify()
	}
}

// notify sends the next heartbeat at once.
func (w *Worker) notify() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}
