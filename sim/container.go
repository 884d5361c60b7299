package sim

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/sim/trace"
)

// Container holds an amount of something that is not counted in things: fuel, water, money.
//
// Requests to get are served by [Rank], and equal ranks first come, first served; so are requests
// to put. A request is never overtaken by a smaller one behind it in the same queue. If both queues
// can be served, getters go first.
//
// Amounts are floating-point numbers, so sums of fractions are rounded: ten times a tenth is a
// little less than one. Choose the unit such that amounts are whole where that matters.
type Container struct {
	exchange
	capacity float64
	amount   float64
}

// NewContainer returns a container with an initial amount. With a capacity of [Unlimited] it is
// never full. It panics if the capacity is not above 0, or the initial amount not between 0 and the
// capacity.
//
// Without a name its statistics are not in the [Report], and it can be collected as garbage. With
// one it stays as long as the simulation.
func NewContainer(s *Simulation, name string, capacity, initial float64, opts ...StatOption) *Container {
	called := orElse(name, "a container")
	if capacity >= Unlimited {
		capacity = math.Inf(1)
	}
	if !(capacity > 0) {
		panic(fmt.Sprintf("sim: %s needs a capacity above 0, not %g; with Unlimited it is never full", called,
			capacity))
	}
	if !(initial >= 0 && initial <= capacity && initial <= maxTime) {
		panic(fmt.Sprintf("sim: %s with %g in a capacity of %g: there must be at least 0 and at most the capacity",
			called, initial, capacity))
	}
	c := &Container{capacity: capacity, amount: initial}
	c.exchange.init(s, called, initial, c)
	c.waits.quantiles = newSketch(opts)
	register(s, name, c)
	return c
}

// Get takes an amount out, and waits until there is so much. It returns an error as
// [Resource.Request] does.
func (c *Container) Get(p *Process, amount float64, opts ...RequestOption) error {
	return c.request(p, &c.getters, "Get", amount, opts)
}

// Put puts an amount in, and waits until there is room for all of it. It returns an error as
// [Resource.Request] does.
func (c *Container) Put(p *Process, amount float64, opts ...RequestOption) error {
	return c.request(p, &c.putters, "Put", amount, opts)
}

func (c *Container) request(p *Process, l *queue, call string, amount float64, opts []RequestOption) error {
	c.s.checkTurn(p, call)
	c.checkAmount(call, amount)
	c.s.countStep()
	t := requestOptionsOf(l, opts)
	return l.request(p, c.s.newRequest(&t, amount), &t)
}

// TryGet takes an amount out if it is there and no get request is waiting, and reports false
// otherwise.
func (c *Container) TryGet(amount float64) bool {
	c.checkAmount("TryGet", amount)
	c.s.countStep()
	if c.getters.first != nil || !c.take(amount, c.s.who()) {
		return false
	}
	c.waits.Add(0)
	c.serve()
	return true
}

// TryPut puts an amount in if there is room and no put request is waiting, and reports false
// otherwise.
func (c *Container) TryPut(amount float64) bool {
	c.checkAmount("TryPut", amount)
	c.s.countStep()
	if c.putters.first != nil || !c.fill(amount, c.s.who()) {
		return false
	}
	c.serve()
	return true
}

func (c *Container) checkAmount(call string, amount float64) {
	if !(amount >= 0 && amount <= c.capacity && amount <= maxTime) {
		panic(fmt.Sprintf("sim: %s of %g at %s, which has a capacity of %g, is not possible", call, amount, c.name,
			c.capacity))
	}
}

func (c *Container) take(amount float64, who string) bool {
	if amount > c.amount {
		return false
	}
	c.change(-amount, "get", who)
	return true
}

func (c *Container) fill(amount float64, who string) bool {
	if c.amount+amount > c.capacity {
		return false
	}
	c.change(amount, "put", who)
	return true
}

func (c *Container) change(by float64, what, who string) {
	c.amount += by
	c.contents.Set(c.amount)
	if c.s.trace != nil {
		c.s.record(trace.Record{Kind: trace.Grant, Who: who, What: fmt.Sprintf("%s: %s %g, now %g", c.name, what,
			math.Abs(by), c.amount)})
	}
}

// serve serves both queues while the first request of one of them can be granted.
func (c *Container) serve() {
	for {
		if r := c.getters.first; r != nil && c.take(r.amount, r.who()) {
			c.waits.Add(c.s.now - r.since)
			r.serve()
		} else if r := c.putters.first; r != nil && c.fill(r.amount, r.who()) {
			r.serve()
		} else {
			return
		}
	}
}

func (c *Container) atOnce(l *queue, r *request, who string) bool {
	switch {
	case !l.ahead(r.rank):
		return false
	case l == &c.putters && !c.fill(r.amount, who), l == &c.getters && !c.take(r.amount, who):
		return false
	case l == &c.getters:
		c.waits.Add(0)
	}
	c.serve()
	return true
}

func (c *Container) label(l *queue, amount float64) string {
	if l == &c.getters {
		return fmt.Sprintf("%g from %s", amount, c.name)
	}
	return fmt.Sprintf("room for %g in %s", amount, c.name)
}

// Capacity is how much the container can hold, +∞ if there is no limit.
func (c *Container) Capacity() float64 { return c.capacity }

// Amount is how much is in the container.
func (c *Container) Amount() float64 { return c.amount }

// Contents is the amount in the container, over time.
func (c *Container) Contents() *TimeWeighted { return &c.contents }

// NewGetRequest returns a request of process p to get an amount that can be waited for together
// with other things; see [Request].
func (c *Container) NewGetRequest(p *Process, amount float64, opts ...RankOption) *Request {
	return c.newRequest(p, &c.getters, amount, "NewGetRequest", opts)
}

// NewPutRequest returns a request of process p to put an amount that can be waited for together
// with other things; see [Request].
func (c *Container) NewPutRequest(p *Process, amount float64, opts ...RankOption) *Request {
	return c.newRequest(p, &c.putters, amount, "NewPutRequest", opts)
}

func (c *Container) newRequest(p *Process, l *queue, amount float64, call string, opts []RankOption) *Request {
	c.checkAmount(call, amount)
	a := new(Request)
	a.set(p, l, amount, call, rankOptionsOf(l, opts))
	return a
}

// GetThen is [Container.Get] without a process: f is called as an event of its own, with nil when
// the amount was taken out, and with an error as Get returns it when the request was given up.
func (c *Container) GetThen(amount float64, f func(error), opts ...RequestOption) Ticket {
	return c.then(&c.getters, "GetThen", amount, f, opts)
}

// PutThen is [Container.Put] without a process: f is called as an event of its own, with nil when
// the amount was put in, and with an error as Put returns it when the request was given up.
func (c *Container) PutThen(amount float64, f func(error), opts ...RequestOption) Ticket {
	return c.then(&c.putters, "PutThen", amount, f, opts)
}

func (c *Container) then(l *queue, call string, amount float64, f func(error), opts []RequestOption) Ticket {
	c.checkAmount(call, amount)
	t := requestOptionsOf(l, opts)
	return l.requestThen(c.s.newRequest(&t, amount), &t, f)
}
