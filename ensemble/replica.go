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
// What a process has in memory cannot be divided among the replicas that it runs at once. So when a
// limit is exceeded, they are all stopped and run once more, each alone; one that exceeds it alone
// has exceeded it. In the same way it is found out of which replica workers die.
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
		return Values{}, &replicaFailure{"memory", fmt.Sprintf("it takes more than the %d bytes of memory that it may",
			limits.Memory)}
	case errors.Is(err, errTime):
		return Values{}, &replicaFailure{"time", fmt.Sprintf("it takes longer than the %v that it may", limits.Time)}
	}
	return v, err
}

// A runLoop runs functions one after the other in a goroutine of its own. That of many replicas costs
// less than one for each: its stack has grown already.
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

// release lets the goroutine end when it has done what it is at, which may be never. The next call
// has another one.
func (l *runLoop) release() {
	if l.calls != nil {
		close(l.calls)
		l.calls = nil
	}
}

// attempt runs a replica in another goroutine, so that it can be left behind if it does not stop.
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
		a := answer{err: &replicaFailure{"panic", "it ended its goroutine"}}
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
		// A replica that came to its end before it looked at ctx has kept its limits well enough,
		// unless it says otherwise.
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

// A memoryWatch looks every now and then at how much memory is in use, if anybody asked for a
// limit.
type memoryWatch struct {
	mu     sync.Mutex
	limits map[*memoryLimit]bool
	last   time.Time // of the last collection that was forced
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

// check tells those whose limit is exceeded. What is only waiting to be collected does not count.
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

// inUse is how many bytes the objects of this process take.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
