package sim

// A Ticket names a request that was made by an event: it was made by one of the methods whose names end in Then. It is a small value
// that can be copied and compared. It stays valid while the request is in line, and is refused afterwards: it never touches another
// request. The zero Ticket names none.
type Ticket struct {
	r      *request
	number uint64
}

// Waiting tells whether the request is still in line.
func (t Ticket) Waiting() bool { return t.r != nil && t.r.number == t.number }

// Cancel gives the request up. Its function is not called. It reports false if the request has left the line already: then the
// function has been called, or will be at this instant.
func (t Ticket) Cancel() bool {
	if !t.Waiting() {
		return false
	}
	l := t.r.line
	t.r.withdraw()
	t.r.done(l.s)
	l.gaveUp(overtaken, "")
	l.s.serveLeft()
	return true
}

// RequestThen asks for n units on behalf of nobody, and has f called with them as an event of its own when they are granted.
// If the request is given up instead ([Patience], [AtMost], [Until]), f is called with nil, and if it is cancelled, never.
func (r *Resource) RequestThen(n int, f func(*Grant), opts ...RequestOption) Ticket {
	r.checkUnits(n)
	s, t := r.s, r.terms
	t.apply(opts)
	g := &Grant{r: r, n: n, rank: t.rank}
	switch {
	case t.until != nil && r.line.overtaken(&t, s.who()) != nil:
		s.After(0, func() { f(nil) })
	case r.line.ahead(t.rank) && r.obtain(g, t.preempting):
		t.unneeded()
		s.After(0, func() { f(g) })
	case r.line.balks(&t, s.who()) != nil:
		s.After(0, func() { f(nil) })
	default:
		q := s.newRequest(&t, float64(n))
		q.grant, q.by = g, grantCall(f)
		return r.line.enlist(q, &t)
	}
	return Ticket{}
}

// GetThen is [Container.Get] on behalf of nobody: f is called as an event of its own when the amount was taken out, with nil, or when
// the request was given up, with an error as Get returns it.
func (c *Container) GetThen(amount float64, f func(error), opts ...RequestOption) Ticket {
	return c.then(&c.getters, "GetThen", amount, f, opts)
}

// PutThen is [Container.Put] on behalf of nobody: f is called as an event of its own when the amount was put in, with nil, or when the
// request was given up, with an error as Put returns it.
func (c *Container) PutThen(amount float64, f func(error), opts ...RequestOption) Ticket {
	return c.then(&c.putters, "PutThen", amount, f, opts)
}

func (c *Container) then(l *line, call string, amount float64, f func(error), opts []RequestOption) Ticket {
	c.checkAmount(call, amount)
	s, t := c.s, termsOf(opts)
	err := l.overtaken(&t, s.who())
	if err == nil && c.atOnce(l, t.rank, amount, s.who()) {
		t.unneeded()
	} else if err == nil {
		if err = l.balks(&t, s.who()); err == nil {
			r := s.newRequest(&t, amount)
			r.by = errorCall(f)
			return l.enlist(r, &t)
		}
	}
	s.After(0, func() { f(err) })
	return Ticket{}
}

// GetThen is [Store.Get] on behalf of nobody: f is called as an event of its own with the thing, or with an error as Get returns it.
func (st *Store[T]) GetThen(f func(T, error), opts ...RequestOption) Ticket {
	return st.GetWhereThen(nil, f, opts...)
}

// GetWhereThen is [Store.GetThen] for the oldest of those things that are wanted; see [Store.GetWhere].
func (st *Store[T]) GetWhereThen(wanted func(T) bool, f func(T, error), opts ...RequestOption) Ticket {
	s, t := st.s, termsOf(opts)
	var v T
	err := st.getters.overtaken(&t, s.who())
	if err == nil {
		var ok bool
		if v, ok = st.get(wanted, s.who()); ok {
			t.unneeded()
		} else if err = st.getters.balks(&t, s.who()); err == nil {
			r := s.newRequest(&t, 1)
			r.order, r.by = &order[T]{where: wanted}, itemCall[T](f)
			return st.getters.enlist(r, &t)
		}
	}
	s.After(0, func() { f(v, err) })
	return Ticket{}
}

// PutThen is [Store.Put] on behalf of nobody: f is called as an event of its own when v was put in, with nil, or when the request was
// given up, with an error as Put returns it.
func (st *Store[T]) PutThen(v T, f func(error), opts ...RequestOption) Ticket {
	s, t := st.s, termsOf(opts)
	err := st.putters.overtaken(&t, s.who())
	if err == nil {
		if st.put(v, s.who()) {
			t.unneeded()
		} else if err = st.putters.balks(&t, s.who()); err == nil {
			r := s.newRequest(&t, 1)
			r.order, r.by = &order[T]{v: v}, errorCall(f)
			return st.putters.enlist(r, &t)
		}
	}
	s.After(0, func() { f(err) })
	return Ticket{}
}

// enlist lets a request by an event wait in the line.
func (l *line) enlist(r *request, t *terms) Ticket {
	s := l.s
	if s.trace != nil {
		s.record(Record{Kind: TraceRequest, Who: s.who(), What: l.name})
	}
	l.join(r)
	r.number = s.number()
	if !t.limited() {
		return Ticket{r, r.number}
	}
	r.limits = new(limits)
	if at := s.now + t.patience; at <= maxTime {
		r.limits.patience = s.At(at, r.expire)
	}
	if t.until != nil {
		r.limits.until.who = r
		t.until.subscribe(&r.limits.until)
	}
	return Ticket{r, r.number}
}

// limits are what may end a request by an event before it is served.
type limits struct {
	patience Event
	until    subscription
}

// done gives a request by an event back, which has left its line.
func (r *request) done(s *Simulation) {
	if r.limits != nil {
		r.limits.patience.Cancel()
		r.limits.until.leave()
	}
	s.free(r)
}

// expire gives a request by an event up when its patience has run out.
func (r *request) expire() {
	l, refuse := r.line, r.by.(call).refusal(ErrReneged)
	r.withdraw()
	r.done(l.s)
	l.gaveUp(elapsed, "")
	l.s.serveLeft()
	refuse()
}

// notify gives a request by an event up when that has happened which it was to last until.
func (r *request) notify(*subscription) {
	l := r.line
	l.s.After(0, r.by.(call).refusal(ErrOvertaken))
	r.withdraw()
	r.done(l.s)
	l.gaveUp(overtaken, "")
}

// A call is what an event wants to be called when its request is granted, or given up.
type call interface {
	taker
	refusal(err error) func()
}

type (
	grantCall       func(*Grant)
	errorCall       func(error)
	itemCall[T any] func(T, error)
)

func (f grantCall) served(s *Simulation, r *request) {
	g := r.grant
	r.done(s)
	s.After(0, func() { f(g) })
}

func (f errorCall) served(s *Simulation, r *request) {
	r.done(s)
	s.After(0, func() { f(nil) })
}

func (f itemCall[T]) served(s *Simulation, r *request) {
	v := r.order.(*order[T]).v
	r.done(s)
	s.After(0, func() { f(v, nil) })
}

func (f grantCall) refusal(error) func()     { return func() { f(nil) } }
func (f errorCall) refusal(err error) func() { return func() { f(err) } }
func (f itemCall[T]) refusal(err error) func() {
	return func() {
		var none T
		f(none, err)
	}
}

func (grantCall) who() string   { return "" }
func (errorCall) who() string   { return "" }
func (itemCall[T]) who() string { return "" }
