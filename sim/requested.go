package sim

import "fmt"

// A GrantRequest is a [Request] for units of a resource.
type GrantRequest struct {
	Request
	r     *Resource
	n     int
	grant *Grant
}

// Requested is a request of process p for n units that can be waited for together with other things; see [Request]. The process holds
// the units until the grant is released. It panics as [Resource.Request] does.
func (r *Resource) Requested(p *Process, n int, opts ...RequestOption) *GrantRequest {
	r.checkUnits(n)
	a := &GrantRequest{r: r, n: n}
	t := r.terms
	t.apply(opts)
	a.set(p, &r.line, a, "Requested", t)
	return a
}

// Grant is what the process holds, or nil as long as it was not granted.
func (a *GrantRequest) Grant() *Grant {
	if !a.Happened() {
		return nil
	}
	return a.grant
}

func (a *GrantRequest) place() {
	a.grant = &Grant{r: a.r, p: a.p, n: a.n, rank: a.terms.rank}
	a.join(float64(a.n), a.grant, nil)
	a.r.serve()
}

func (a *GrantRequest) giveBack() bool { return a.grant.giveBack() }

func (a *GrantRequest) label() string { return fmt.Sprintf("%d of %s", a.n, a.r.name) }

// An ItemRequest is a [Request] for a thing from a store.
type ItemRequest[T any] struct {
	Request
	st    *Store[T]
	order order[T]
}

// GetRequested is a request of process p for the oldest thing in the store that can be waited for together with other things; see
// [Request].
func (st *Store[T]) GetRequested(p *Process, opts ...RequestOption) *ItemRequest[T] {
	return st.GetWhereRequested(p, nil, opts...)
}

// GetWhereRequested is [Store.GetRequested] for the oldest of those things that are wanted; see [Store.GetWhere].
func (st *Store[T]) GetWhereRequested(p *Process, wanted func(T) bool, opts ...RequestOption) *ItemRequest[T] {
	a := &ItemRequest[T]{st: st, order: order[T]{where: wanted}}
	a.set(p, &st.getters, a, "GetRequested", termsOf(opts))
	return a
}

// Item is the thing that was taken out, and false as long as none was.
func (a *ItemRequest[T]) Item() (T, bool) { return a.order.v, a.Happened() }

func (a *ItemRequest[T]) place() {
	if v, ok := a.st.get(a.order.where, a.p.name); ok {
		a.order.v = v
		a.happen()
		return
	}
	a.join(1, nil, &a.order)
}

func (a *ItemRequest[T]) giveBack() bool { return false }

func (a *ItemRequest[T]) label() string { return "a thing from " + a.st.name }

// A putRequest is a request for room in a store.
type putRequest[T any] struct {
	Request
	st    *Store[T]
	order order[T]
}

// PutRequested is a request of process p to put v into the store that can be waited for together with other things; see [Request].
// When it has happened v is in the store, or somebody has got it.
func (st *Store[T]) PutRequested(p *Process, v T, opts ...RequestOption) *Request {
	a := &putRequest[T]{st: st, order: order[T]{v: v}}
	a.set(p, &st.putters, a, "PutRequested", termsOf(opts))
	return &a.Request
}

func (a *putRequest[T]) place() {
	if a.st.put(a.order.v, a.p.name) {
		a.happen()
		return
	}
	a.join(1, nil, &a.order)
}

func (a *putRequest[T]) giveBack() bool { return false }

func (a *putRequest[T]) label() string { return "room in " + a.st.name }

// An amountRequest is one to a container.
type amountRequest struct {
	Request
	c      *Container
	amount float64
}

// GetRequested is a request of process p to take an amount out that can be waited for together with other things; see [Request].
func (c *Container) GetRequested(p *Process, amount float64, opts ...RequestOption) *Request {
	return c.requested(p, &c.getters, amount, "GetRequested", opts)
}

// PutRequested is a request of process p to put an amount in that can be waited for together with other things; see [Request].
func (c *Container) PutRequested(p *Process, amount float64, opts ...RequestOption) *Request {
	return c.requested(p, &c.putters, amount, "PutRequested", opts)
}

func (c *Container) requested(p *Process, l *line, amount float64, call string, opts []RequestOption) *Request {
	c.checkAmount(call, amount)
	a := &amountRequest{c: c, amount: amount}
	a.set(p, l, a, call, termsOf(opts))
	return &a.Request
}

func (a *amountRequest) place() {
	a.join(a.amount, nil, nil)
	a.c.settle()
}

func (a *amountRequest) giveBack() bool { return false }

func (a *amountRequest) label() string {
	if a.line == &a.c.getters {
		return fmt.Sprintf("%g from %s", a.amount, a.c.name)
	}
	return fmt.Sprintf("room for %g in %s", a.amount, a.c.name)
}
