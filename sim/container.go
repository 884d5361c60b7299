package sim

import (
	"fmt"
	"math"
)

// Container holds an amount of something that is not counted in things: fuel, water, money.
//
// Those who want to take out are served by [Rank], and among equals first come, first served; so are those who want to put in.
// Nobody is overtaken by a smaller request that stands behind in the same line. When both lines can go on, who takes out
// goes first.
//
// Amounts are floating-point numbers, so that sums of fractions are rounded: ten times a tenth is a little less than one.
// Choose the unit such that amounts are whole where that matters.
type Container struct {
	s        *Simulation
	name     string
	capacity float64
	amount   float64
	getters  line
	putters  line
	contents Level
	waits    Tally
	refused  counters
}

// NewContainer makes a container with something in it. A capacity of 0 or +∞ means that there is no limit.
//
// Without a name its statistics are not in the [Report], and it goes when nobody holds it. With one it stays as long as the
// simulation: what is made in numbers and dropped again should have none.
func NewContainer(s *Simulation, name string, capacity, initial float64) *Container {
	if capacity == 0 {
		capacity = math.Inf(1)
	}
	if !(capacity > 0) || !(initial >= 0 && initial <= capacity && initial <= maxTime) {
		panic(fmt.Sprintf("sim: container %s with %g in a capacity of %g: there must be at least 0 and at most the capacity",
			name, initial, capacity))
	}
	called := orElse(name, "a container")
	c := &Container{s: s, name: called, capacity: capacity, amount: initial, contents: s.level(initial)}
	c.getters = line{s: s, name: called, queue: s.level(0), refused: &c.refused, left: c.settle}
	c.putters = line{s: s, name: called, queue: s.level(0), refused: &c.refused, left: c.settle}
	register(s, name, c)
	return c
}

// Get takes an amount out, and waits until there is so much. It returns an error as [Resource.Request] does.
func (c *Container) Get(p *Process, amount float64, opts ...RequestOption) error {
	c.s.checkTurn(p, "Get")
	c.checkAmount("Get", amount)
	c.s.step()
	return c.wait(p, &c.getters, amount, opts)
}

// Put puts an amount in, and waits until there is room for all of it. It returns an error as [Resource.Request] does.
func (c *Container) Put(p *Process, amount float64, opts ...RequestOption) error {
	c.s.checkTurn(p, "Put")
	c.checkAmount("Put", amount)
	c.s.step()
	return c.wait(p, &c.putters, amount, opts)
}

// TryGet takes an amount out if it is there and nobody waits for it, and reports false otherwise.
func (c *Container) TryGet(amount float64) bool {
	c.checkAmount("TryGet", amount)
	c.s.step()
	if c.getters.first != nil || !c.take(amount, c.s.who()) {
		return false
	}
	c.waits.Add(0)
	c.settle()
	return true
}

// TryPut puts an amount in if there is room and nobody waits for it, and reports false otherwise.
func (c *Container) TryPut(amount float64) bool {
	c.checkAmount("TryPut", amount)
	c.s.step()
	if c.putters.first != nil || !c.fill(amount, c.s.who()) {
		return false
	}
	c.settle()
	return true
}

func (c *Container) checkAmount(call string, amount float64) {
	if !(amount >= 0 && amount <= c.capacity && amount <= maxTime) {
		panic(fmt.Sprintf("sim: %s of %g at %s, which has a capacity of %g, is not possible", call, amount, c.name, c.capacity))
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
		c.s.record(Record{Kind: TraceGrant, Who: who, What: fmt.Sprintf("%s: %s %g, now %g", c.name, what, math.Abs(by), c.amount)})
	}
}

// settle serves both lines as long as the first of one of them can be served.
func (c *Container) settle() {
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

// wait makes a process wait in one of the lines, unless it need not.
func (c *Container) wait(p *Process, l *line, amount float64, opts []RequestOption) error {
	t := termsOf(opts)
	if err := l.overtaken(&t, p.name); err != nil {
		return err
	}
	if c.atOnce(l, t.rank, amount, p.name) {
		t.unneeded()
		return nil
	}
	if err := l.balks(&t, p.name); err != nil {
		return err
	}
	r := c.s.newRequest(&t, amount)
	err := l.wait(p, r, &t)
	c.s.free(r)
	return err
}

// atOnce serves a newcomer to one of the lines, if that is possible without waiting.
func (c *Container) atOnce(l *line, rank int, amount float64, who string) bool {
	switch {
	case !l.ahead(rank):
		return false
	case l == &c.putters && !c.fill(amount, who), l == &c.getters && !c.take(amount, who):
		return false
	case l == &c.getters:
		c.waits.Add(0)
	}
	c.settle()
	return true
}

// Name is what the container was called when it was made, or "a container".
func (c *Container) Name() string { return c.name }

// Capacity is how much the container can hold, +∞ if there is no limit.
func (c *Container) Capacity() float64 { return c.capacity }

// Amount is how much is in the container.
func (c *Container) Amount() float64 { return c.amount }

// Level is how much is in the container, over time.
func (c *Container) Level() *Level { return &c.contents }

// Getting is how many wait to take something out.
func (c *Container) Getting() int { return c.getters.length }

// Putting is how many wait to put something in.
func (c *Container) Putting() int { return c.putters.length }

// Getters is how many wait to take something out, over time.
func (c *Container) Getters() *Level { return &c.getters.queue }

// Putters is how many wait to put something in, over time.
func (c *Container) Putters() *Level { return &c.putters.queue }

// Waits is how long those waited who took something out, those who did not have to among them.
func (c *Container) Waits() *Tally { return &c.waits }

// Balked is how many requests were given up because the line was too long.
func (c *Container) Balked() int { return c.refused.balked }

// Reneged is how many requests were given up because their patience ran out.
func (c *Container) Reneged() int { return c.refused.reneged }

// Withdrawn is how many requests were given up because something else happened first; see [Resource.Withdrawn].
func (c *Container) Withdrawn() int { return c.refused.withdrawn }
