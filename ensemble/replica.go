package ensemble

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// replica runs one replica within its limits.
//
// The memory of a process cannot be attributed to the replicas that it runs at once. So when a
// limit is exceeded, all are stopped and run again, each alone; one that exceeds the limit alone
// has failed. A replica that kills its worker is found in the same way.
func (w *Worker) replica(ctx context.Context, run Runner, r Replica, limits Limits, alone bool, l *runLoop) (v Values,
	err error) {
	if !alone {
		w.gate.RLock()
		v, err = w.attempt(ctx, run, r, limits, l)
		w.gate.RUnlock()
	}
	if alone || errors.Is(err, errMemory) {
		w.gate.Lock()
		runtime.GC()
		v, err = w.attempt(ctx, run, r, limits, l)
		w.gate.Unlock()
	}
	switch {
	case errors.Is(err, errMemory):
		return Values{}, &replicaFailure{reason: "memory",
			text: fmt.Sprintf("it takes more than the %d bytes of memory that it may", limits.Memory)}
	case errors.Is(err, errTime):
		return Values{}, &replicaFailure{reason: "time",
			text: fmt.Sprintf("it takes longer than the %v that it may", limits.Time)}
	}
	return v, err
}

// A runLoop runs functions one after the other in its own goroutine. One goroutine for many
// replicas is cheaper than one for each, because its stack has already grown.
type runLoop struct{ calls chan func() }

func (l *runLoop) call(f func()) {
	if l.calls == nil {
		l.calls = make(chan func())
		go func(calls <-chan func()) {
			for f := range calls {
				f()
			}
		}(l.calls)
	}
	l.calls <- f
}

// release lets the goroutine end after its current function, which may never return. The next call
// starts another goroutine.
func (l *runLoop) release() {
	if l.calls != nil {
		close(l.calls)
		l.calls = nil
	}
}

// attempt runs a replica in another goroutine, so that it can be abandoned if it does not stop.
func (w *Worker) attempt(ctx context.Context, run Runner, r Replica, limits Limits, l *runLoop) (Values, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if limits.Time > 0 {
		timer := time.AfterFunc(limits.Time, func() { cancel(errTime) })
		defer timer.Stop()
	}
	if limits.Memory > 0 {
		defer w.memory.add(limits.Memory, func() { cancel(errMemory) })()
	}
	type answer struct {
		v   Values
		err error
	}
	answers := make(chan answer, 1)
	l.call(func() {
		a := answer{err: &replicaFailure{reason: "panic", text: "it ended its goroutine"}}
		defer func() { answers <- a }()
		defer recoverTo(func(stack []byte) { w.log.Error("a replica panicked", "replica", r.Number, "stack", string(stack)) },
			&a.err)
		v, err := run(ctx, r)
		a = answer{v, err}
	})
	select {
	case a := <-answers:
		if a.err != nil {
			l.release() // its goroutine may have ended
		}
		// A replica that finished without noticing the cancellation counts as within its limits.
		if cause := context.Cause(ctx); a.err != nil && cause != nil && !errors.As(a.err, new(*replicaFailure)) {
			return Values{}, cause
		}
		return a.v, a.err
	case <-ctx.Done():
	}
	defer l.release()
	select {
	case a := <-answers:
		if a.err == nil && !errors.Is(context.Cause(ctx), errTime) && !errors.Is(context.Cause(ctx), errMemory) {
			return a.v, nil
		}
	case <-time.After(w.o.grace):
		w.log.Warn("a replica does not stop, and is left to itself", "replica", r.Number)
	}
	return Values{}, context.Cause(ctx)
}

// A memoryWatch checks the memory in use periodically, if there are limits.
type memoryWatch struct {
	mu     sync.Mutex
	limits map[*memoryLimit]bool
	last   time.Time // of the last forced garbage collection
}

type memoryLimit struct {
	bytes    uint64
	exceeded func()
}

func (m *memoryWatch) add(bytes uint64, exceeded func()) (remove func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.limits == nil {
		m.limits = map[*memoryLimit]bool{}
	}
	l := &memoryLimit{bytes, exceeded}
	m.limits[l] = true
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.limits, l)
	}
}

func (m *memoryWatch) run(ctx context.Context) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			m.check()
		}
	}
}

// check calls exceeded for limits below the memory in use. Garbage does not count.
func (m *memoryWatch) check() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.limits) == 0 {
		return
	}
	used := inUse()
	for l := range m.limits {
		if used <= l.bytes {
			continue
		}
		if time.Since(m.last) > 200*time.Millisecond {
			runtime.GC()
			m.last = time.Now()
			used = inUse()
		}
		if used > l.bytes {
			l.exceeded()
		}
	}
}

// inUse is the size of the heap's objects in bytes.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
