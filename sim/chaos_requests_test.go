package sim

import (
	"errors"
	"fmt"
	"slices"
)

// request is something to ask for, of any kind.
func (c *chaos) request(p *Process) (Waitable, *Request) {
	opts := []RankOption{Rank(c.random.IntN(5) - 2)}
	if c.random.IntN(2) == 0 {
		opts = append(opts, Preempting(Resume+WorkRule(c.random.IntN(3))))
	}
	switch c.random.IntN(8) {
	case 0:
		a := c.store.NewGetWhereRequest(p, func(x int) bool { return x%3 > 0 }, opts[0])
		return a, &a.Request
	case 1:
		a := c.store.NewPutRequest(p, c.acts, opts[0])
		return a, a
	case 2:
		a := c.tank.NewGetRequest(p, float64(c.random.IntN(3)), opts[0])
		return a, a
	case 3:
		a := c.tank.NewPutRequest(p, float64(c.random.IntN(3)), opts[0])
		return a, a
	}
	a := pick(c, c.rooms).NewRequest(p, 1, opts...)
	return a, a
}

// condition returns a condition with requests in it, some of them more than once.
func (c *chaos) condition(p *Process, depth int, requests *[]*Request) Waitable {
	k := c.random.IntN(8)
	switch {
	case k < 4 && depth > 0:
		of := make([]Waitable, 1+c.random.IntN(3))
		for i := range of {
			of[i] = c.condition(p, depth-1, requests)
		}
		if c.random.IntN(2) == 0 {
			of = append(of, of[0])
		}
		if k%2 == 0 {
			return AnyOf(of...)
		}
		return AllOf(of...)
	case k == 4 && depth < 3:
		return c.waitable()
	}
	w, a := c.request(p)
	*requests = append(*requests, a)
	return w
}

// ask waits for several things at once, and looks at what has come of it.
func (c *chaos) ask(p *Process) error {
	var requests []*Request
	w := c.condition(p, 3, &requests)
	c.requests = append(c.requests, requests...)
	var err error
	happened := true
	if c.random.IntN(2) == 0 {
		err = p.WaitFor(w)
	} else {
		happened, err = p.WaitForWithin(w, c.soon())
	}
	c.requests = slices.DeleteFunc(c.requests, func(a *Request) bool { return a.p == p })
	success := happened && err == nil
	if success && !w.Happened() { // otherwise it may have happened since, at this instant
		c.t.Errorf("%s has waited for what has not happened", p)
	}
	for _, a := range requests {
		switch {
		case a.q != nil || a.waiters.first != nil || a.as.valid() != a.seen:
			c.t.Errorf("after the wait of %s, a request is in line: %t, granted: %t, and told: %t", p, a.q != nil, a.as.valid(),
				a.seen)
		case a.of == nil:
		case a.Happened() && !success:
			c.t.Errorf("%s holds units after a wait that was not successful", p)
		case a.Happened():
			c.grants = append(c.grants, a.grant)
		case a.grant != nil && a.grant.held:
			c.t.Errorf("%s holds units that it does not know of", p)
		case a.grant != nil && a.grant.granted.time > 0:
			c.back++
		}
	}
	return err
}

// actOnRequests does something to requests by events, or makes one.
func (c *chaos) actOnRequests(who string) {
	then := func(what string) func(error) {
		return func(err error) { c.note(who, what, err); c.act("then") }
	}
	switch c.random.IntN(8) {
	case 0, 1, 2:
		if len(c.tickets) > 0 {
			ticket := pick(c, c.tickets)
			waits := ticket.Queued()
			if waits != ticket.Cancel() || ticket.Queued() {
				c.t.Error("a ticket could not be cancelled, or could not be cancelled only once")
			}
			c.note(who, "gives up ", waits)
		}
	case 3:
		if len(c.timeouts) > 0 {
			c.note(who, "cancel timeout ", pick(c, c.timeouts).Cancel())
		}
	case 4:
		c.tickets = append(c.tickets, c.store.PutThen(c.acts, then("put "), c.storeOptions()...))
	case 5:
		c.tickets = append(c.tickets, c.store.GetThen(func(x int, err error) { then("got ")(err) }, c.storeOptions()...))
	case 6:
		c.tickets = append(c.tickets, c.tank.PutThen(1, then("fill "), c.storeOptions()...))
	case 7:
		c.tickets = append(c.tickets, c.tank.GetThen(1, then("drain "), c.storeOptions()...))
	}
}

// checkRequests lists what must hold of requests between two events.
func (c *chaos) checkRequests() error {
	var errs []error
	for _, a := range c.requests {
		p := a.p
		asks := p.awaits != nil && p.awaits.requester() != nil && p.state != ended
		switch {
		case a.q != nil && (a.q.queue != a.queue || a.q.receiver != receiver(a) || !asks || p.state != waiting ||
			a.waiters.first == nil):
			errs = append(errs, fmt.Errorf("%s has a request in line, and %s", p, p.Status()))
		case a.q == nil && a.waiters.first != nil:
			errs = append(errs, fmt.Errorf("a request of %s is waited for, and not in line", p))
		case a.as.valid() && !a.seen && !(asks && (p.state == waiting || p.state == waking && p.why == happened)):
			errs = append(errs, fmt.Errorf("%s was granted something, does not know of it, and %s", p, p.Status()))
		case a.left && !(asks && p.state == waiting): // where another part of the condition has yet to come
			errs = append(errs, fmt.Errorf("a request of %s has left its line, and was not counted", p))
		}
	}
	if c.s.firing != 0 || len(c.s.left) != 0 {
		errs = append(errs, fmt.Errorf("%d queues are not served, at depth %d", len(c.s.left), c.s.firing))
	}
	for _, g := range c.timeouts {
		if g.Happened() && g.timeout().event.Pending() {
			errs = append(errs, errors.New("a timeout is pending that has happened"))
		}
	}
	return errors.Join(errs...)
}

// kept is all that was kept of the past, in words, which is within its bounds.
func (c *chaos) kept() string {
	courses, observations, holdings := c.s.AllTimeSeries(), c.s.AllObservations(), c.s.AllHoldings()
	for _, x := range courses {
		if len(x.Points) > 40 {
			c.t.Errorf("%s: %d points", x.Name, len(x.Points))
		}
	}
	for _, r := range c.rooms {
		if over, _ := r.Holdings(); len(over) > 40+r.capacity+r.most {
			c.t.Errorf("%s: %d holdings", r.name, len(over))
		}
	}
	return fmt.Sprint(courses, observations, holdings)
}
