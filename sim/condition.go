package sim

import (
	"math"
	"strings"
)

// A Condition is made of other things that happen: it happens with the last of them ([AllOf]) or with the first ([AnyOf]). It
// is a [Waitable] itself, so that conditions can be made of conditions.
//
// It happens at the same moment as what makes it happen, without an event of its own. It watches the others only while
// somebody waits for it, so that conditions that are no longer of interest cost nothing. Asking it costs a look at each of
// the others.
type Condition struct {
	s       *Simulation // nil if it is made of nothing
	of      []Waitable
	any     bool
	asks    bool           // there is a request among them
	as      moment         // that of whichever of the others, if known
	subs    []subscription // to the others, while somebody waits
	left    int            // how many of the others must still happen, while somebody waits
	placing bool           // it subscribes to the others, some of which may happen thereby
	waiters subscribers
}

// AllOf is the condition that all of the given have happened. Without any, it has happened from the beginning.
func AllOf(ws ...Waitable) *Condition { return newCondition(ws, false) }

// AnyOf is the condition that at least one of the given has happened. It panics if none is given, since it would never happen.
func AnyOf(ws ...Waitable) *Condition {
	if len(ws) == 0 {
		panic("sim: AnyOf needs at least one thing that may happen")
	}
	return newCondition(ws, true)
}

func newCondition(ws []Waitable, any bool) *Condition {
	c := &Condition{of: append([]Waitable(nil), ws...), any: any}
	for _, w := range ws {
		if w == nil {
			panic("sim: a condition of nil")
		}
		if s := w.owner(); s != nil && c.s != nil && s != c.s {
			panic("sim: a condition of " + c.of[0].label() + " and " + w.label() + ", which belongs to another simulation")
		} else if s != nil {
			c.s = s
		}
		c.asks = c.asks || w.asker() != nil
	}
	c.waiters.of = c
	if len(ws) == 0 {
		c.as = moment{math.Inf(-1), beginning}
	}
	return c
}

// Happened tells whether it has happened.
func (c *Condition) Happened() bool { return c.moment().valid() }

// First is, of the things that the condition is made of, the one that happened first, or nil if none has. For AnyOf, it is
// what made it happen.
func (c *Condition) First() Waitable {
	var first Waitable
	var least moment
	for _, w := range c.of {
		if as := w.moment(); as.valid() && (first == nil || as.before(least)) {
			first, least = w, as
		}
	}
	return first
}

// All lists those of the things that the condition is made of which have happened, in the order in which they were given.
func (c *Condition) All() []Waitable {
	var all []Waitable
	for _, w := range c.of {
		if w.Happened() {
			all = append(all, w)
		}
	}
	return all
}

func (c *Condition) moment() moment {
	if c.as.valid() {
		return c.as
	}
	var as moment
	for _, w := range c.of {
		one := w.moment()
		switch {
		case c.any && one.valid() && (!as.valid() || one.before(as)), !c.any && one.valid() && (!as.valid() || as.before(one)):
			as = one
		case !c.any && !one.valid():
			return one
		}
	}
	c.as = as
	return as
}

func (c *Condition) subscribe(sub *subscription) {
	c.waiters.add(sub)
	if c.waiters.first == sub {
		c.watch()
	}
}

// watch subscribes to the others that have not happened. A request among them may be granted at once, and then any is enough.
func (c *Condition) watch() {
	if c.subs == nil {
		c.subs = make([]subscription, len(c.of))
	}
	c.left, c.placing = len(c.of), true
	for i, w := range c.of {
		if w.Happened() {
			c.left--
		} else {
			c.subs[i].who = c
			w.subscribe(&c.subs[i])
		}
		if c.complete() {
			break
		}
	}
	if c.placing = false; c.complete() {
		c.happen()
	}
}

// complete tells whether enough of the others have happened.
func (c *Condition) complete() bool { return c.left == 0 || c.any && c.left < len(c.of) }

// forsake takes the subscriptions back.
func (c *Condition) forsake() {
	for i := range c.subs {
		c.subs[i].leave()
	}
}

// notify is called when one of the others has happened.
func (c *Condition) notify(*subscription) {
	if c.left--; !c.placing && c.complete() {
		c.happen()
	}
}

func (c *Condition) happen() {
	c.forsake()
	c.waiters.fire(c.s)
}

func (c *Condition) owner() *Simulation { return c.s }

func (c *Condition) label() string {
	var labels []string
	for _, w := range c.of {
		labels = append(labels, w.label())
	}
	if c.any {
		return "any of (" + strings.Join(labels, ", ") + ")"
	}
	return "all of (" + strings.Join(labels, ", ") + ")"
}
