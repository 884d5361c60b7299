package sim

import (
	"errors"
	"testing"

	"github.com/almanac-sim/almanac/sim/trace"
)

// Of any of two requests that could both be granted, the first is, and the other one is not even
// made: nobody loses units to it.
func TestAnyOfAsksNoMoreThanNeeded(t *testing.T) {
	s := New()
	defer s.Close()
	free, taken := NewResource(s, "free", 1), NewResource(s, "taken", 1)
	holder := s.Go("holder", func(p *Process) {
		if err := taken.Use(p, 1, func() error { return p.Wait(5) }, Rank(9)); err != nil {
			t.Error(err)
		}
	})
	s.GoAt(1, "requester", func(p *Process) {
		a, b := free.NewRequest(p, 1), taken.NewRequest(p, 1, Preempting(Interrupt))
		first := AnyOf(a, b)
		if err := p.WaitFor(first); err != nil || first.First() != Waitable(a) || a.Grant() == nil || b.Grant() != nil ||
			p.Now() != 1 {
			t.Errorf("%v at %g", err, p.Now())
		}
	})
	run(t, s)
	if !holder.Happened() || taken.Preempted() != 0 || taken.Waits().N() != 1 || free.InUse() != 1 || taken.Withdrawn() !=
		0 {
		t.Errorf("%d were preempted, %d granted", taken.Preempted(), taken.Waits().N())
	}
}

// A wait that was not successful leaves no units behind, and what it waited for has not happened;
// it can be waited for again.
func TestAskingAgain(t *testing.T) {
	s := New()
	defer s.Close()
	desk, counter := NewResource(s, "desk", 1), NewResource(s, "counter", 1)
	held, _ := counter.TryRequest(1)
	s.Go("requester", func(p *Process) {
		a, b := desk.NewRequest(p, 1), counter.NewRequest(p, 1)
		any := AnyOf(a)
		both := AllOf(any, b)
		s.After(1, func() {
			if !any.Happened() || desk.InUse() != 1 {
				t.Error("the desk is free, and not granted")
			}
		})
		if happened, err := p.WaitForWithin(both, 2); happened || err != nil || desk.InUse() != 0 || any.Happened() ||
			a.Happened() {
			t.Errorf("%t, %v, and %d in use", happened, err, desk.InUse())
		}
		if counter.Reneged() != 1 || counter.Waiting() != 0 {
			t.Errorf("%d have reneged, %d wait", counter.Reneged(), counter.Waiting())
		}
		held.Release()
		if happened, err := p.WaitForWithin(both, 0); !happened || err != nil || desk.InUse()+counter.InUse() != 2 {
			t.Errorf("%t, %v, and %d in use", happened, err, desk.InUse()+counter.InUse())
		}
		a.Grant().Release()
		if err := p.WaitFor(both); err != nil || !a.Happened() || desk.InUse() != 0 {
			t.Error("what has happened has not happened for good")
		}
	})
	run(t, s)
}

// Who is interrupted between the grant and its turn has not been granted anything, however it
// made its request.
func TestInterruptTiesWithRequest(t *testing.T) {
	s := New()
	defer s.Close()
	desk, bell := NewResource(s, "desk", 1), s.Signal("bell")
	held, _ := desk.TryRequest(1)
	p := s.Go("requester", func(p *Process) {
		a := desk.NewRequest(p, 1)
		err := p.WaitFor(AnyOf(a, bell))
		if i, ok := errors.AsType[*Interrupted](err); !ok || i.Cause != "now" || a.Happened() || p.Now() != 1 {
			t.Errorf("%v at %g", err, p.Now())
		}
		if err := p.Wait(1); err != nil {
			t.Errorf("an interrupt is told twice: %v", err)
		}
		err = p.WaitFor(AnyOf(a, bell)) // the bell rings first, and is not undone
		if err != nil || a.Happened() || !bell.Happened() {
			t.Error(err)
		}
		if i, ok := errors.AsType[*Interrupted](p.Wait(3)); !ok || i.Remaining != 3 {
			t.Error("an interrupt is lost")
		}
	})
	var next *Grant
	s.Go("next", func(p *Process) { next, _ = desk.Request(p, 1) })
	s.At(1, func() {
		held.Release()
		p.Interrupt("now")
	})
	s.At(5, func() {
		bell.Trigger()
		p.Interrupt("later")
		next.Release()
	})
	run(t, s)
	if next == nil || next.Since() != 1 || desk.Withdrawn() != 1 || s.Processes() != 0 {
		t.Errorf("%v, %d withdrawn", next, desk.Withdrawn())
	}
}

// What is given back has not happened for any condition, also for one that was looked at before.
func TestConditionForgetsWhatIsGivenBack(t *testing.T) {
	s := New()
	defer s.Close()
	desk, bell := NewResource(s, "desk", 1), s.Signal("bell")
	held, _ := desk.TryRequest(1)
	var other *Condition
	p := s.Go("requester", func(p *Process) {
		a := desk.NewRequest(p, 1)
		other = AnyOf(AllOf(a), bell)
		if err := p.WaitFor(AnyOf(a, bell)); err == nil || a.Happened() || other.Happened() || other.First() != nil {
			t.Errorf("%v, and a condition of it has happened: %t", err, other.Happened())
		}
	})
	s.At(1, func() {
		held.Release()
		if !other.Happened() {
			t.Error("the request was granted")
		}
		p.Interrupt("now")
	})
	run(t, s)
}

// A request may lead, by way of others who leave their queues, to a loss of what the requester
// itself holds: then it does not begin to wait.
func TestRequestCostsTheRequester(t *testing.T) {
	s := New()
	defer s.Close()
	x, y, z := NewResource(s, "x", 2), NewResource(s, "y", 1), NewResource(s, "z", 1)
	_, _ = z.TryRequest(1)
	_, _ = x.TryRequest(1)
	var told error
	s.Go("requester", func(p *Process) {
		_, _ = x.Request(p, 1, Rank(5))
		_ = p.Wait(1)
		both := AllOf(y.NewRequest(p, 1, Preempting(Interrupt)), z.NewRequest(p, 1))
		told = p.WaitFor(both)
		if y.InUse() != 0 || z.Waiting() != 0 || p.Now() != 1 {
			t.Errorf("at %g, %d of y are in use, %d wait for z", p.Now(), y.InUse(), z.Waiting())
		}
	})
	s.Go("blocks", func(p *Process) {
		_, _ = y.Request(p, 1, Rank(9))
		_, _ = x.Request(p, 2) // cannot be served, and those behind wait
	})
	s.GoAt(0.5, "takes", func(p *Process) { _, _ = x.Request(p, 1, Rank(1), Preempting(Interrupt)) })
	run(t, s)
	if lost, ok := errors.AsType[*Preempted](told); !ok || lost.Resource != x {
		t.Errorf("the requester was told %v", told)
	}
}

// A signal that ends several waits at once lets nobody be served who is about to leave.
func TestNobodyIsServedWhoIsLeaving(t *testing.T) {
	s := New()
	defer s.Close()
	seats, soldOut := NewResource(s, "seats", 3), s.Signal("sold out")
	_, _ = seats.TryRequest(2)
	for _, n := range []int{2, 1, 1} { // the first holds up the others, who would fit
		s.Go("customer", func(p *Process) {
			seat := seats.NewRequest(p, n)
			if err := p.WaitFor(AnyOf(seat, soldOut)); err != nil || seat.Happened() {
				t.Errorf("%v: %d seats were granted", err, n)
			}
		})
	}
	s.At(1, soldOut.Trigger)
	run(t, s)
	if seats.Waits().N() != 1 || seats.Withdrawn() != 3 || seats.InUse() != 2 || s.Now() != 1 {
		t.Errorf("%d granted, %d withdrawn", seats.Waits().N(), seats.Withdrawn())
	}
}

func TestUntil(t *testing.T) {
	s := New()
	defer s.Close()
	desk, closed := NewResource(s, "desk", 1), s.Signal("closed")
	store, tank := NewStore[int](s, "store", 1), NewContainer(s, "tank", 2, 1)
	store.TryPut(1)
	overtaken := 0
	expect := func(name string, f func(p *Process) error) {
		s.Go(name, func(p *Process) {
			if err := f(p); err != ErrWithdrawn || p.Now() != 5 {
				t.Errorf("%s: %v at %g", name, err, p.Now())
			}
			if err := f(p); err != ErrWithdrawn { // it is too late, also for what could be had
				t.Errorf("%s, later: %v", name, err)
			}
			overtaken++
		})
	}
	g, _ := desk.TryRequest(1)
	expect("Use", func(p *Process) error {
		return desk.Use(p, 1, func() error { return nil }, Until(closed),
			Patience(9))
	})
	expect("Put", func(p *Process) error { return store.Put(p, 2, Until(closed)) })
	expect("Get", func(p *Process) error {
		_, err := store.GetWhere(p, func(int) bool { return false }, Until(closed))
		return err
	})
	expect("tank.Get", func(p *Process) error { return tank.Get(p, 2, Until(closed)) })
	expect("tank.Put", func(p *Process) error { return tank.Put(p, 2, Until(AnyOf(closed, s.Timeout(100)))) })
	s.At(5, closed.Trigger)
	s.At(5, g.Release)
	s.Go("in time", func(p *Process) {
		if err := NewResource(s, "", 1).Use(p, 1, func() error { return nil }, Until(AnyOf(closed, s.Timeout(1e9)))); err !=
			nil {
			t.Error(err)
		}
	})
	run(t, s)
	if overtaken != 5 || desk.Withdrawn() != 2 || store.Withdrawn() != 4 || tank.Withdrawn() != 4 || s.Now() != 5 {
		t.Errorf("%d were overtaken; %d, %d and %d withdrawn, at %g", overtaken, desk.Withdrawn(), store.Withdrawn(),
			tank.Withdrawn(), s.Now())
	}
	if row, ok := s.Report().Row("desk withdrawn"); !ok || row.N != 2 {
		t.Errorf("the report has %v", row)
	}
}

func TestAskingIsRefused(t *testing.T) {
	s, other := New(), New()
	defer s.Close()
	defer other.Close()
	desk, tank := NewResource(s, "desk", 1), NewContainer(s, "tank", 2, 0)
	p := s.Go("p", func(p *Process) { _ = p.Wait(1) })
	q := s.Go("q", func(q *Process) {
		wantPanic(t, "a request of process p: 1 of desk",
			func() { _ = q.WaitFor(AnyOf(desk.NewRequest(p, 1), s.Timeout(1))) })
	})
	theirs := other.Go("theirs", func(*Process) {})
	wantPanic(t, "another simulation", func() { desk.NewRequest(theirs, 1) })
	wantPanic(t, "not nil", func() { desk.NewRequest(nil, 1) })
	wantPanic(t, "can never be granted", func() { desk.NewRequest(p, 2) })
	wantPanic(t, "not possible", func() { tank.NewGetRequest(p, 3) })
	wantPanic(t, "there is a request in it", func() { Until(AnyOf(tank.NewPutRequest(p, 1))) })
	wantPanic(t, "Until(nil)", func() { Until(nil) })
	wantPanic(t, "which belongs to another simulation", func() { desk.RequestThen(1, nil, Until(other.Signal("theirs"))) })
	wantPanic(t, "RunUntil", func() { _ = s.RunUntil(background, desk.NewRequest(p, 1)) })
	run(t, s)
	if !q.Happened() || desk.InUse() != 0 {
		t.Error("something was granted")
	}
}

// A resource at which all preempt, but one who does not want to.
func TestPreemptingOnce(t *testing.T) {
	s := New()
	defer s.Close()
	computer := NewResource(s, "computer", 1, Preempting(Interrupt))
	var order []string
	use := func(at float64, name string, rank int, opts ...RequestOption) {
		s.GoAt(at, name, func(p *Process) {
			err := computer.Use(p, 1, func() error { return p.Wait(10) }, append(opts, Rank(rank))...)
			if order = append(order, name); (err != nil) != (name == "backup") {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	use(0, "backup", 3)
	use(1, "job", 2)
	use(2, "polite", 1, Preempting(Finish))
	run(t, s)
	if len(order) != 3 || order[0] != "backup" || order[1] != "job" || computer.Preempted() != 1 {
		t.Errorf("%v", order)
	}
}

// Nothing can be taken away from a store or a container, so that their requests refuse the option.
func TestPreemptingIsForResources(t *testing.T) {
	s := New()
	defer s.Close()
	shelf, tank := NewStore[int](s, "shelf", 1), NewContainer(s, "tank", 5, 1)
	const refused = "it is for resources"
	for _, rule := range []WorkRule{Finish, Resume, Restart, Interrupt} {
		o := Preempting(rule)
		s.Go("p", func(p *Process) {
			wantPanic(t, "to shelf: "+refused, func() { _ = shelf.Put(p, 1, o) })
			wantPanic(t, "to shelf: "+refused, func() { _, _ = shelf.Get(p, Rank(1), o) })
			wantPanic(t, "to shelf: "+refused, func() { _, _ = shelf.GetWhere(p, nil, o) })
			wantPanic(t, "to shelf: "+refused, func() { shelf.NewGetRequest(p, o) })
			wantPanic(t, "to shelf: "+refused, func() { shelf.NewPutRequest(p, 1, o) })
			wantPanic(t, "to tank: "+refused, func() { _ = tank.Put(p, 1, o) })
			wantPanic(t, "to tank: "+refused, func() { _ = tank.Get(p, 1, o) })
			wantPanic(t, "to tank: "+refused, func() { tank.NewGetRequest(p, 1, o) })
			wantPanic(t, "to tank: "+refused, func() { tank.NewPutRequest(p, 1, o) })
		})
		wantPanic(t, "to shelf: "+refused, func() { shelf.GetThen(func(int, error) {}, o) })
		wantPanic(t, "to shelf: "+refused, func() { shelf.PutThen(1, func(error) {}, o) })
		wantPanic(t, "to tank: "+refused, func() { tank.GetThen(1, func(error) {}, o) })
		wantPanic(t, "to tank: "+refused, func() { tank.PutThen(1, func(error) {}, o) })
	}
	run(t, s)
	if shelf.Len() != 0 || tank.Amount() != 1 || shelf.Getting()+shelf.Putting()+tank.Getting()+tank.Putting() != 0 {
		t.Error("something was requested")
	}
}

// A process may be thrown out of a wait after it has joined a queue, here by its trace, recover
// from that and end. It has left the queue then, and the next process that waits with the same
// request object is not woken in its place.
func TestThrownOutOfAWait(t *testing.T) {
	noLeak(t)
	s := New(TraceTo(func(r trace.Record) {
		if r.Kind == trace.Wait && r.Who == "thrown" {
			panic("the trace is full")
		}
	}))
	desk := NewResource(s, "desk", 1)
	s.Go("first", func(p *Process) { _ = desk.Use(p, 1, func() error { return p.Wait(2) }) })
	s.Go("thrown", func(p *Process) {
		defer func() { _ = recover() }()
		_ = p.WaitFor(desk.NewRequest(p, 1))
	})
	never := s.Signal("never")
	s.GoAt(1, "heir", func(p *Process) {
		if happened, err := p.WaitForWithin(never, 5); happened || err != nil || p.Now() != 6 {
			t.Errorf("woken at %g: %v, %v", p.Now(), happened, err)
		}
	})
	served := 0.0
	s.GoAt(1, "next", func(p *Process) { _ = desk.Use(p, 1, func() error { served = p.Now(); return nil }) })
	run(t, s)
	if served != 2 {
		t.Errorf("the next was served at %g, want 2", served)
	}
}

// Options are values on the caller's stack: a request that waits allocates nothing, whatever its
// options.
func TestRequestOptionsAllocateNothing(t *testing.T) {
	s := New()
	defer s.Close()
	desk, never := NewResource(s, "desk", 1), s.Signal("never")
	rank, patience := 1000, 123.5
	for range 2 {
		s.Go("customer", func(p *Process) {
			for desk.Work(p, 1, 1, Rank(rank), Patience(patience), AtMost(rank), Until(never)) == nil {
			}
		})
	}
	if err := s.Run(background, 1000); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(10, func() { _ = s.Run(background, s.Now()+100) }); n > 0 {
		t.Errorf("100 requests allocate %v times", n)
	}
}
