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

// RequestThen requests n units from an event, without a process, and has f called with them as an event of its own when they are granted.
// If the request is given up instead ([Patience], [AtMost], [Until]), f is called with nil, and if it is cancelled, never.
func (r *Resource) RequestThen(n int, f func(*Grant), opts ...RequestOption) Ticket {
	r.checkUnits(n)
	t := r.terms
	t.apply(opts)
	g := &Grant{r: r, n: n, rank: t.rank}
	q := r.s.newRequest(&t, float64(n))
	q.grant = g
	return r.line.requestThen(q, &t, func(err error) {
		if err != nil {
			g = nil
		}
		f(g)
	})
}

// GetThen is [Container.Get] without a process: f is called as an event of its own when the amount was taken out, with nil, or when
// the request was given up, with an error as Get returns it.
func (c *Container) GetThen(amount float64, f func(error), opts ...RequestOption) Ticket {
	return c.then(&c.getters, "GetThen", amount, f, opts)
}

// PutThen is [Container.Put] without a process: f is called as an event of its own when the amount was put in, with nil, or when the
// request was given up, with an error as Put returns it.
func (c *Container) PutThen(amount float64, f func(error), opts ...RequestOption) Ticket {
	return c.then(&c.putters, "PutThen", amount, f, opts)
}

func (c *Container) then(l *line, call string, amount float64, f func(error), opts []RequestOption) Ticket {
	c.checkAmount(call, amount)
	t := termsOf(opts)
	return l.requestThen(c.s.newRequest(&t, amount), &t, f)
}

// GetThen is [Store.Get] without a process: f is called as an event of its own with the thing, or with an error as Get returns it.
func (st *Store[T]) GetThen(f func(T, error), opts ...RequestOption) Ticket {
	return st.GetWhereThen(nil, f, opts...)
}

// GetWhereThen is [Store.GetThen] for the oldest of those things that are wanted; see [Store.GetWhere].
func (st *Store[T]) GetWhereThen(wanted func(T) bool, f func(T, error), opts ...RequestOption) Ticket {
	o := &order[T]{where: wanted}
	return st.then(&st.getters, o, func(err error) { f(o.v, err) }, opts)
}

// PutThen is [Store.Put] without a process: f is called as an event of its own when v was put in, with nil, or when the request was
// given up, with an error as Put returns it.
func (st *Store[T]) PutThen(v T, f func(error), opts ...RequestOption) Ticket {
	return st.then(&st.putters, &order[T]{v: v}, f, opts)
}

func (st *Store[T]) then(l *line, o *order[T], f func(error), opts []RequestOption) Ticket {
	t := termsOf(opts)
	r := st.s.newRequest(&t, 1)
	r.order = o
	return l.requestThen(r, &t, f)
}

// requestThen has a request by an event served at once, or lets it wait in the line. What it is told is called as an event of its own.
func (l *line) requestThen(r *request, t *terms, told func(error)) Ticket {
	waits, err := l.ask(r, t, l.s.who())
	if !waits {
		l.s.free(r)
		l.s.After(0, func() { told(err) })
		return Ticket{}
	}
	r.by = call(told)
	return l.enlist(r, t)
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
	l, told := r.line, r.by.(call)
	r.withdraw()
	r.done(l.s)
	l.gaveUp(elapsed, "")
	l.s.serveLeft()
	told(ErrReneged)
}

// notify gives a request by an event up when that has happened which it was to last until.
func (r *request) notify(*subscription) {
	l, told := r.line, r.by.(call)
	l.s.After(0, func() { told(ErrOvertaken) })
	r.withdraw()
	r.done(l.s)
	l.gaveUp(overtaken, "")
}

// A call is what an event wants to be called when its request is granted, with nil, or given up.
type call func(error)

func (f call) served(s *Simulation, r *request) {
	r.done(s)
	s.After(0, func() { f(nil) })
}

func (call) who() string { return "" }
