package sim

import (
	"fmt"
	"math"
)

// Work waits for n units, works with them for a time d, and gives them back. It is [Resource.Use] with a wait of d, but for when there are
// fewer units meanwhile, by [Resource.Schedule] or [Resource.Break]: then the work may stop, and go on later ([AtWork]). So d is the
// time that the work takes, and not that by which it is over.
//
// The error is what a failed request returns, or an *[Interrupted] if the process was interrupted, or lost its units, while it worked;
// [Remaining] tells how much is left then. It panics if d is negative or not finite.
func (r *Resource) Work(p *Process, n int, d float64, opts ...RequestOption) error {
	g := r.spareGrant()
	if err := r.request(p, n, g, opts); err != nil {
		r.keep(g)
		return err
	}
	defer r.giveBack(g)
	return g.Work(d)
}

// Work is a wait of d by the process that holds the units, which is stopped while they are not there; see [Resource.Work]. It returns
// an *[Interrupted] if the process is interrupted or the units are taken away: [Remaining] tells how much is left. If they had been taken away
// before, and the process knows, it returns the [Preempted] at once. Interrupted while it is stopped, the process still has its claim
// until it is released, and may work on later.
//
// It panics if d is negative or not finite, and if the units have been released.
func (g *Grant) Work(d float64) error {
	p, s := g.p, g.r.s
	s.checkTurn(p, "Work")
	if !(d >= 0 && s.now+d <= maxTime) {
		panic(fmt.Sprintf("sim: Work(%g) of process %s: the time must be finite, and not negative", d, p.name))
	}
	if !g.held && g.lost == nil {
		panic("sim: process " + p.name + " would work with units of " + g.r.name + " that it has released")
	}
	if len(p.interrupts) > 0 {
		return p.interruption(d)
	}
	if !g.held {
		return g.lost.Preempted // it has been told before
	}
	if g.job == nil {
		g.job = new(job)
	}
	*g.job = job{d, d}
	p.own().works = g
	defer p.stopWorking()
	if r := g.r; r.upkeep != nil && r.inUse > r.capacity { // who begins to work may be one of those who have to stop
		r.cutOff()
		r.serve()
	}
	if g.stopped {
		return p.pause(math.Inf(1), math.Inf(1), "Work") // until it goes on and is done
	}
	return p.pause(s.now+d, d, "Work")
}

func (p *Process) stopWorking() { p.works = nil }

// A job is the work that is done with a grant.
type job struct {
	whole float64
	left  float64 // when it was stopped
}

// suspend stops the work that is done with a grant, and gives its units back until it can go on.
func (r *Resource) suspend(g *Grant) {
	s, p := r.s, g.p
	if at, due := s.dueAt(p.slot); due {
		g.job.left = at - s.now
		s.unschedule(p.slot)
	}
	if r.upkeep.rule == Restart {
		g.job.left = g.job.whole
	}
	r.drop(g)
	g.held, g.stopped = true, true
	link := &r.upkeep.stopped
	for *link != nil && ((*link).rank < g.rank || (*link).rank == g.rank && (*link).since < g.since) {
		link = &(*link).next
	}
	g.next, *link = *link, g
	r.refused.stopped++
	if s.trace != nil {
		s.record(Record{Kind: TraceStop, Who: g.who(), What: fmt.Sprintf("%s: %g left", r.name, g.job.left)})
	}
}

// unstop takes a grant out of those that are stopped.
func (r *Resource) unstop(g *Grant) {
	link := &r.upkeep.stopped
	for *link != g {
		link = &(*link).next
	}
	*link, g.next, g.stopped = g.next, nil, false
}

// goOn gives a grant its units again, and lets the work that is done with it go on.
func (r *Resource) goOn(g *Grant) {
	s := r.s
	r.unstop(g)
	before := r.last // it keeps its place in the order in which units were granted
	for before != nil && before.since > g.since {
		before = before.prev
	}
	if g.prev, g.next = before, r.first; before != nil {
		g.next = before.next
		before.next = g
	} else {
		r.first = g
	}
	if g.next != nil {
		g.next.prev = g
	} else {
		r.last = g
	}
	r.inUse += g.n
	r.usage.set(float64(r.inUse), s.now)
	r.upkeep.wear(r)
	if r.holdings != nil {
		r.holdings.goOn(g)
	}
	if s.trace != nil {
		s.record(Record{Kind: TraceGoOn, Who: g.who(), What: fmt.Sprintf("%s: %g left", r.name, g.job.left)})
	}
	g.wait()
}

// wait lets the time pass that is left of the work, if the process is at it: the units are there again, or somebody else has released them,
// and it is as any wait.
func (g *Grant) wait() {
	if p := g.p; p.works == g && p.state == waiting {
		p.s.schedule(p.slot, p.s.now+g.job.left)
	}
}

// stops reports whether there is work that was stopped and goes before a request of a rank.
func (u *upkeep) stops(rank int) bool { return u.stopped != nil && u.stopped.rank <= rank }

// Stopped is how often work was stopped because a shift ended or something broke.
func (r *Resource) Stopped() int { return r.refused.stopped }

// Stopped reports whether the work that is done with the units is stopped: they are held, but not in use.
func (g *Grant) Stopped() bool { return g.stopped }
