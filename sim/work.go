package sim

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/sim/trace"
)

// A WorkRule says what becomes of work that loses its units: because a shift ends, a unit breaks,
// or a request preempts. Grants with the largest [Rank] lose their units first, and the latest
// among equals, until no more are in use than there are. A grant loses all of its units.
//
// Only [Resource.Work] and [Grant.Work] can be stopped and go on later, since only they know what
// is left. A process that holds units for anything else, such as a [Process.Wait] in
// [Resource.Use], and an event, keep them as with Finish until such work begins; but with Interrupt
// any process loses them. Work that ends at this very instant is done, and is not stopped: its
// process keeps the units for its turn, and loses them afterwards, with Interrupt, if it has not
// released them.
type WorkRule uint8

// The rules. The default is Finish at the end of a shift, and Resume at a breakdown.
const (
	Finish WorkRule = iota + 1 // it keeps its units until it releases them
	// it stops, and what is left is done when there are units again: after the repair, or by the
	// next shift
	Resume
	Restart   // it stops, and all of it is done anew when there are units again
	Interrupt // it loses its units, and is interrupted with a [Preempted] as the cause
)

func (w WorkRule) check(what string) {
	if w > Interrupt {
		panic(fmt.Sprintf("sim: %s: WorkRule(%d) is none of Finish, Resume, Restart and Interrupt", what, w))
	}
}

// Work waits for n units, works with them for a time d, and gives them back. It is [Resource.Use]
// with a wait of d, except that the work can be stopped by [Resource.Schedule], [Resource.Break]
// and a [Preempting] request, and go on later; see [WorkRule]. So d is the time that the work
// takes, not when it is over.
//
// The error is that of a failed request, or an *[Interrupted] if the process was interrupted, or
// lost its units, while it worked; [Remaining] returns how much is left. It panics if d is negative
// or not finite.
func (r *Resource) Work(p *Process, n int, d float64, opts ...RequestOption) error {
	g := r.spareGrant()
	if err := r.request(p, n, g, opts); err != nil {
		r.keep(g)
		return err
	}
	defer r.giveBack(g)
	return g.work(d)
}

// Work waits for a time d of work with the units. It is stopped while the units are not there; see
// [Resource.Work]. It returns an *[Interrupted] if the process is interrupted or the units are
// taken away: [Remaining] returns how much is left. If they had been taken away before, and the
// process was interrupted for it, it returns the *[Preempted] at once. A process that is
// interrupted while its work is stopped keeps its claim until it releases the grant, and may work
// on later.
//
// It panics if d is negative or not finite, and if the units have been released.
func (g *Grant) Work(d float64) error {
	err := g.work(d)
	if r := g.r; r.spares(g) {
		r.s.After(0, r.claim, Named("claim of "+r.name)) // unless the process releases them in this turn
	}
	return err
}

func (g *Grant) work(d float64) error {
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
		return &g.lost.Preempted // the process has got the interrupt before
	}
	if g.job == nil {
		g.job = new(job)
	}
	*g.job = job{d, d}
	p.ensureWaitState().works = g
	defer p.stopWorking()
	if r := g.r; r.queue.first != nil || r.inUse > r.capacity { // this work may have to stop at once
		r.claim()
	}
	if g.suspended {
		return p.pause(math.Inf(1), math.Inf(1), "Work") // until it goes on and is done
	}
	return p.pause(s.now+d, d, "Work")
}

func (p *Process) stopWorking() { p.works = nil }

// spares reports whether units of a grant were not taken because its work was to end now.
func (r *Resource) spares(g *Grant) bool {
	q, u := r.queue.first, r.availability
	return g.held && !g.suspended && (q != nil && q.preempt == Interrupt && q.rank < g.rank ||
		u != nil && u.rule == Interrupt && r.inUse > r.capacity)
}

// claim takes units that could not be taken before, because there are not so many, or for the queue.
func (r *Resource) claim() {
	r.cutOff()
	r.serve()
}

// A job is the work that is done with a grant.
type job struct {
	whole float64
	left  float64 // when it was stopped
}

// suspend stops the work that is done with a grant, and frees its units until it can go on.
func (r *Resource) suspend(g *Grant, rule WorkRule) {
	s, p := r.s, g.p
	if at, due := s.dueAt(p.slot); due {
		g.job.left = at - s.now
		s.unschedule(p.slot)
	}
	if rule == Restart {
		g.job.left = g.job.whole
	}
	r.drop(g)
	g.held, g.suspended = true, true
	link := &r.availability.suspended
	for *link != nil && ((*link).rank < g.rank || (*link).rank == g.rank && (*link).granted.before(g.granted)) {
		link = &(*link).next
	}
	g.next, *link = *link, g
	r.refused.stopped++
	if s.trace != nil {
		s.record(trace.Record{Kind: trace.Stop, Who: g.who(), What: fmt.Sprintf("%s: %g left", r.name, g.job.left)})
	}
}

// removeSuspended removes a grant from the suspended ones.
func (r *Resource) removeSuspended(g *Grant) {
	link := &r.availability.suspended
	for *link != g {
		link = &(*link).next
	}
	*link, g.next, g.suspended = g.next, nil, false
}

// resumeWork gives a grant its units again, and lets its work go on.
func (r *Resource) resumeWork(g *Grant) {
	s := r.s
	r.removeSuspended(g)
	before := r.last // it keeps its place in the order in which units were granted
	for before != nil && g.granted.before(before.granted) {
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
	r.availability.countUse(r)
	if r.holdings != nil {
		r.holdings.resumed(g)
	}
	if s.trace != nil {
		s.record(trace.Record{Kind: trace.GoOn, Who: g.who(), What: fmt.Sprintf("%s: %g left", r.name, g.job.left)})
	}
	g.wait()
}

// wait schedules the end of the work, if the process is waiting for it. Work that would end after
// the largest time never ends.
func (g *Grant) wait() {
	if p := g.p; p.works == g && p.state == waiting && g.ends() <= maxTime {
		p.s.schedule(p.slot, g.ends())
	}
}

// ends returns when the work ends that is done with the grant, or is about to begin.
func (g *Grant) ends() float64 {
	if at, due := g.p.s.dueAt(g.p.slot); due {
		return at
	}
	return g.p.s.now + g.job.left
}

// blocks reports whether there is suspended work that goes before a request of a rank.
func (u *availability) blocks(rank int) bool { return u.suspended != nil && u.suspended.rank <= rank }

// Stopped counts how often work was stopped, because a shift ended, a unit broke or a request
// preempted it.
func (r *Resource) Stopped() int { return r.refused.stopped }

// Suspended reports whether the work with the units is stopped: they are held, but not in use.
func (g *Grant) Suspended() bool { return g.suspended }

// Preempted is the cause of the interrupt that a process gets when units are taken from it.
//
// If that interrupt has not ended a wait by the time the lost grant is released, or [Resource.Use]
// has returned the loss, it is dropped: it does not end a wait that has nothing to do with the
// resource.
type Preempted struct {
	By       *Process // the process that got them, or nil
	Why      string   // the reason if no process got them: the end of a shift, or a breakdown
	Since    float64  // when they had been granted
	Resource *Resource
}

// Error says what was taken away and by what.
func (p *Preempted) Error() string {
	by := "an event"
	if p.By != nil {
		by = p.By.name
	} else if p.Why != "" {
		by = p.Why
	}
	return fmt.Sprintf("sim: %s, held since %g, was taken away by %s", p.Resource.name, p.Since, by)
}

// Lost returns how the units were taken away, or nil if they were not.
func (g *Grant) Lost() *Preempted {
	if g.lost == nil {
		return nil
	}
	return &g.lost.Preempted
}

// preempt takes units from grants of a larger rank, by the rule of request q, until there are
// enough for it. It takes nothing and reports false if there would not be enough, or if the request
// does not preempt.
func (r *Resource) preempt(q *request) bool {
	rule, g := q.preempt, q.grant
	if rule <= Finish {
		return false
	}
	lacking := g.n - r.free()
	available := 0
	for h := r.first; h != nil && available < lacking; h = h.next {
		if h.givesWay(g, rule) {
			available += h.n
		}
	}
	if available < lacking {
		return false
	}
	// A process that loses units may leave a queue, even that of this resource. Nothing is granted
	// meanwhile.
	r.busy = true
	for g.n > r.free() {
		var victim *Grant
		for h := r.last; h != nil; h = h.prev { // from the latest, which goes first among equals
			if h.givesWay(g, rule) && (victim == nil || h.rank > victim.rank) {
				victim = h
			}
		}
		if rule == Interrupt {
			r.take(victim, g.p, "")
			continue
		}
		r.refused.preempted++
		if r.s.trace != nil {
			r.tracePreempt(victim, g.who())
		}
		r.ensureAvailability()
		r.suspend(victim, rule)
	}
	r.busy = false
	return true
}

// givesWay reports whether the units of h may be taken for g by a rule.
func (h *Grant) givesWay(g *Grant, rule WorkRule) bool {
	return h.rank > g.rank && h.p != g.p && h.canStop(rule)
}

func (r *Resource) tracePreempt(victim *Grant, by string) {
	r.s.record(trace.Record{Kind: trace.Preempt, Who: by, What: fmt.Sprintf("%s: %d from %s", r.name, victim.n,
		victim.who())})
}

// take takes away the units of victim for a process, or for none.
func (r *Resource) take(victim *Grant, by *Process, why string) {
	victim.lost = &loss{Preempted: Preempted{By: by, Why: why, Since: victim.granted.time, Resource: r}}
	r.drop(victim)
	r.refused.preempted++
	if r.s.trace != nil {
		who := why
		if by != nil {
			who = by.traced()
		}
		r.tracePreempt(victim, who)
	}
	victim.lost.notice = victim.p.interrupt(&victim.lost.Preempted)
}

// cutOff stops work, or takes units away, until no more are in use than there are.
func (r *Resource) cutOff() {
	u := r.availability
	if u == nil || u.rule == Finish || r.inUse <= r.capacity {
		return
	}
	// A process that loses units may leave a queue, even that of this resource. Nothing is granted
	// meanwhile.
	r.busy = true
	for r.inUse > r.capacity {
		var victim *Grant
		for h := r.last; h != nil; h = h.prev { // from the latest, which goes first among equals
			if h.canStop(u.rule) && (victim == nil || h.rank > victim.rank) {
				victim = h
			}
		}
		if victim == nil {
			break
		}
		if u.rule == Interrupt {
			r.take(victim, nil, u.why)
		} else {
			r.suspend(victim, u.rule)
		}
	}
	r.busy = false
}

// canStop reports whether a rule can take the units of a grant, by stopping the work or from its
// process. It cannot if the work ends now.
func (g *Grant) canStop(rule WorkRule) bool {
	p := g.p
	if p == nil {
		return false
	}
	if p.works == g && (p.state == waiting || p == p.s.current) { // it may be about to begin
		return g.ends() > p.s.now
	}
	return rule == Interrupt
}
