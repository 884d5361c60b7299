package sim

import "sync"

// An inbox is what other goroutines want to happen in a simulation in real time.
type inbox struct {
	mu     sync.Mutex
	calls  []func()
	closed bool
	full   chan struct{} // has a token if there are calls
}

// Inject has f called as an event of the simulation, from any goroutine: a button was pressed, a packet came in. It is for simulations
// in [RealTime], and panics otherwise. The event's time is what the wall's clock says when the run gets it; if the model is
// behind, what is due until then comes first. Calls of one goroutine come in their order.
//
// Between two runs, what was injected waits for the next one. It reports false, and f is not called, if the simulation is closed; if it
// is closed later, f may never be called. Run returns when its time has come, or nothing is left to happen, even if something might
// yet be injected: a run that waits for the world has an end that is far away, such as [math.MaxFloat64].
//
// Of a simulation that is not closed it is the only method that other goroutines may call while it runs.
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

// close lets nothing more in.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls, b.closed = nil, true
}

// receive schedules what was injected for what the wall's clock says, which is t, or the end of the run if that is before.
func (s *Simulation) receive(t float64) {
	for _, f := range s.inbox.take() {
		s.add(max(s.now, t), f, once, nil)
	}
}
