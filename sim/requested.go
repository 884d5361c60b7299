package sim

// A GrantRequest is a [Request] for units of a resource.
type GrantRequest struct{ Request }

// Requested is a request of process p for n units that can be waited for together with other things; see [Request]. The process holds
// the units until the grant is released. It panics as [Resource.Request] does.
func (r *Resource) Requested(p *Process, n int, opts ...RequestOption) *GrantRequest {
	r.checkUnits(n)
	a := &GrantRequest{Request{of: r}}
	t := r.terms
	t.apply(opts)
	a.set(p, &r.line, float64(n), "Requested", t)
	return a
}

// Grant is what the process holds, or nil as long as it was not granted.
func (a *GrantRequest) Grant() *Grant {
	if !a.Happened() {
		return nil
	}
	return a.grant
}

// An ItemRequest is a [Request] for a thing from a store.
type ItemRequest[T any] struct{ Request }

// GetRequested is a request of process p for the oldest thing in the store that can be waited for together with other things; see
// [Request].
func (st *Store[T]) GetRequested(p *Process, opts ...RequestOption) *ItemRequest[T] {
	return st.GetWhereRequested(p, nil, opts...)
}

// GetWhereRequested is [Store.GetRequested] for the oldest of those things that are wanted; see [Store.GetWhere].
func (st *Store[T]) GetWhereRequested(p *Process, wanted func(T) bool, opts ...RequestOption) *ItemRequest[T] {
	a := &ItemRequest[T]{Request{order: &order[T]{where: wanted}}}
	a.set(p, &st.getters, 1, "GetRequested", termsOf(opts))
	return a
}

// Item is the thing that was taken out, and false as long as none was.
func (a *ItemRequest[T]) Item() (T, bool) { return a.order.(*order[T]).v, a.Happened() }

// PutRequested is a request of process p to put v into the store that can be waited for together with other things; see [Request].
// When it has happened v is in the store, or somebody has got it.
func (st *Store[T]) PutRequested(p *Process, v T, opts ...RequestOption) *Request {
	a := &Request{order: &order[T]{v: v}}
	a.set(p, &st.putters, 1, "PutRequested", termsOf(opts))
	return a
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
	a := new(Request)
	a.set(p, l, amount, call, termsOf(opts))
	return a
}
