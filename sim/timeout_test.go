package sim

import "testing"

// What nobody waits for any more is not pending: neither the limits of waits that ended otherwise, nor those of waits that did not
// begin since something had happened, nor those of requests.
func TestTimeoutsGo(t *testing.T) {
	s := New()
	defer s.Close()
	desk, done := NewResource(s, "desk", 1), s.Signal("done")
	done.Trigger()
	const n = 1000
	s.Go("p", func(p *Process) {
		for range n {
			g := s.Signal("g")
			s.After(1, g.Trigger)
			_ = p.WaitFor(AnyOf(g, s.Timeout(1e9), AllOf(s.Timeout(1e8), s.Timeout(1e7))))
			_ = p.WaitFor(AnyOf(done, s.Timeout(1e9)))
			_ = desk.Use(p, 1, func() {}, Until(s.Timeout(1e9)))
			p.Interrupt("at the next wait")
			_ = p.WaitFor(AnyOf(s.Signal("never"), s.Timeout(1e9)))
			s.Timeout(1e9).Trigger()
			s.Timeout(1e9).Cancel()
		}
		if s.Pending() != 0 {
			t.Errorf("%d are pending", s.Pending())
		}
	})
	run(t, s)
	if s.Now() != n || len(s.slots) > 10 {
		t.Errorf("it ended at %g, with %d slots", s.Now(), len(s.slots))
	}
}

// A timeout that was left happens at its time all the same, and in its place among others.
func TestTimeoutIsLeft(t *testing.T) {
	s := New()
	defer s.Close()
	s.Go("p", func(p *Process) {
		limit, later := s.Timeout(5), s.Timeout(9)
		signal := s.Signal("signal")
		s.At(7, signal.Trigger)
		if happened, _ := p.WaitForWithin(AnyOf(limit, later), 2); happened || s.Pending() != 1 {
			t.Errorf("%t, and %d are pending", happened, s.Pending())
		}
		_ = p.Wait(3)
		if !limit.Happened() || limit.Cancel() || limit.TryTrigger() {
			t.Error("its time has come, and it has not happened")
		}
		_ = p.WaitFor(signal)
		all := AllOf(signal, limit, later)
		if all.First() != limit || AnyOf(signal, limit).First() != limit {
			t.Error("what came first came later")
		}
		if err := p.WaitFor(all); err != nil || p.Now() != 9 {
			t.Errorf("%v at %g", err, p.Now())
		}
		void := s.Timeout(1)
		if !void.Cancel() || void.Cancel() || signal.Cancel() || s.Signal("plain").Cancel() {
			t.Error("it can be cancelled twice, or without a time")
		}
		if happened, _ := p.WaitForWithin(void, 3); happened || p.Now() != 12 {
			t.Errorf("it was cancelled and happened by %g", p.Now())
		}
	})
	run(t, s)
}

// A ticket is valid while the request is in line, and never names another.
func TestTickets(t *testing.T) {
	s := New()
	defer s.Close()
	desk := NewResource(s, "desk", 1)
	g, _ := desk.TryRequest(1)
	var tickets []Ticket
	calls := 0
	for range 3 {
		tickets = append(tickets, desk.RequestThen(1, func(g *Grant) { calls++; g.Release() }, Patience(100), Until(s.Timeout(50))))
	}
	if !tickets[1].Cancel() || tickets[1].Cancel() || tickets[1].Waiting() || desk.Waiting() != 2 {
		t.Errorf("%d wait", desk.Waiting())
	}
	again := desk.RequestThen(1, func(*Grant) { t.Error("it was cancelled") }) // in the memory of the one before
	if tickets[1].Cancel() || !again.Cancel() {
		t.Error("a ticket names another request")
	}
	s.At(1, func() {
		g.Release()
		if tickets[0].Cancel() {
			t.Error("it was granted, and cancelled")
		}
	})
	run(t, s)
	if calls != 2 || s.Now() != 1 || desk.InUse() != 0 || desk.Withdrawn() != 2 || (Ticket{}).Cancel() {
		t.Errorf("%d calls by %g, %d in use, %d withdrawn", calls, s.Now(), desk.InUse(), desk.Withdrawn())
	}
}
