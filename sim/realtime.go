package sim

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

// RealTime ties the clock to the wall clock: speed is how much simulated time passes in a second.
// With 1 the unit of simulated time is a second; with 60 an hour of seconds passes in a minute.
//
// [Simulation.Run] and [Simulation.RunUntil] then sleep until an event is due. The time between two
// runs does not count. If the model takes longer than the time it simulates, nothing is skipped:
// events are late until the clock has caught up, and [Simulation.Lag] returns by how much.
// [Simulation.Step] does not sleep. Other goroutines can schedule events by [Simulation.Inject].
func RealTime(speed float64) Option {
	if !(speed > 0) || math.IsInf(speed, 1) {
		panic(fmt.Sprintf("sim: RealTime(%g): the speed must be positive and finite", speed))
	}
	return optionFunc(func(s *Simulation) {
		s.speed, s.inbox = speed, &inbox{full: make(chan struct{}, 1)}
	})
}

// Lag is how late the last event of a simulation in real time was.
func (s *Simulation) Lag() time.Duration { return time.Duration(s.lag * float64(time.Second)) }

// runReal is run for a simulation in real time.
func (s *Simulation) runReal(ctx context.Context, limit float64) (idle bool, err error) {
	began, origin := time.Now(), s.now
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		s.credit = batch
		if s.cutShort != nil {
			if s.proceed(); s.stopped {
				return false, nil
			}
			continue
		}
		// What was injected comes at the time of the wall's clock, unless that is past the end of
		// the run.
		s.receive(min(limit, origin+float64(time.Since(began).Seconds()*s.speed)))
		at, ok := s.Peek()
		if last := !ok || at > limit; last {
			if math.IsInf(limit, 1) {
				return true, nil
			}
			at, ok = limit, false
		}
		woken, err := s.sleep(ctx, timer, began, (at-origin)/s.speed)
		if err != nil {
			return false, err
		}
		if woken {
			continue
		}
		if !ok {
			return true, nil
		}
		id, _ := s.next(limit)
		s.dispatch(id)
		if s.stopped {
			return false, nil
		}
	}
}

// sleep waits until so many seconds have passed since began, or until something is injected.
func (s *Simulation) sleep(ctx context.Context, timer *time.Timer, began time.Time, seconds float64) (woken bool,
	err error) {
	// A duration holds 292 years; what is further away is approached in steps.
	const most = float64(math.MaxInt64 / 2)
	for {
		// The conversion keeps the compiler from fusing the product with the difference, which it
		// does on some machines only: it would wake a nanosecond late.
		left := min(float64(seconds*float64(time.Second))-float64(time.Since(began)), most)
		s.lag = max(0, -left) / float64(time.Second)
		if left <= 0 {
			return false, nil
		}
		timer.Reset(time.Duration(math.Ceil(left)))
		select {
		case <-timer.C:
		case <-s.inbox.full:
			return true, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// An inbox holds the calls that other goroutines inject into a simulation in real time.
type inbox struct {
	mu     sync.Mutex
	calls  []func()
	closed bool
	full   chan struct{} // has a token if there are calls
}

// Inject schedules a call of f as an event of the simulation, from any goroutine: a button was
// pressed, a packet came in. It is for simulations in [RealTime], and panics otherwise. The event's
// time is that of the wall clock when the run receives it; if the model is late, what is due until
// then comes first. Calls of one goroutine keep their order.
//
// Between two runs, injected calls wait for the next one. Inject reports false, and f is not
// called, if the simulation is closed; if it is closed later, f may never be called. Run returns
// when its time has come, or no event is left, even if something might yet be injected: a run that
// waits for the outside world needs an end that is far away, such as [math.MaxFloat64].
//
// It is the only method that other goroutines may call while the simulation runs.
func (s *Simulation) Inject(f func()) bool {
	b := s.inbox
	if b == nil {
		panic("sim: Inject needs a simulation in real time; make it with RealTime")
	}
	needFunction(f)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.calls = append(b.calls, f)
	select {
	case b.full <- struct{}{}:
	default: // there is one
	}
	return true
}

// take empties the inbox.
func (b *inbox) take() []func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	calls := b.calls
	b.calls = nil
	select {
	case <-b.full:
	default:
	}
	return calls
}

// close rejects further calls.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls, b.closed = nil, true
}

// receive schedules the injected calls for time t of the wall clock, but not before now.
func (s *Simulation) receive(t float64) {
	for _, f := range s.inbox.take() {
		s.add(max(s.now, t), f, once, nil)
	}
}
