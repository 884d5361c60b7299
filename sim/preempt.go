package sim

import "fmt"

// Preempted is the cause of the interrupt that a process gets when units are taken from it.
//
// If the interrupt has not ended a wait when what was lost is released, by whomever, or [Resource.Use] tells of the loss, it never
// will: it does not end a wait that has nothing to do with the resource.
type Preempted struct {
	By       *Process // who got them; nil if no process did
	Why      string   // why, if nobody got them: the end of a shift, or a breakdown
	Since    float64  // when they had been granted
	Resource *Resource
}

// Error says what was taken away and by whom.
func (p Preempted) Error() string {
	by := "an event"
	if p.By != nil {
		by = p.By.name
	} else if p.Why != "" {
		by = p.Why
	}
	return fmt.Sprintf("sim: %s, held since %g, was taken away by %s", p.Resource.name, p.Since, by)
}

// Preempted tells whether and how the units of the grant were taken away.
func (g *Grant) Preempted() (Preempted, bool) {
	if g.lost == nil {
		return Preempted{}, false
	}
	return g.lost.Preempted, true
}

// preempt takes units from those who have them on a larger rank, until there are enough for g. It takes nothing and reports
// false if that cannot be.
func (r *Resource) preempt(g *Grant) bool {
	lacking := g.n - r.free()
	available := 0
	for h := r.first; h != nil && available < lacking; h = h.next {
		if h.givesWay(g) {
			available += h.n
		}
	}
	if available < lacking {
		return false
	}
	// Who loses units may stand in a line and leave it, even in that of this resource, where nobody is to be served meanwhile.
	r.busy = true
	for g.n > r.free() {
		var victim *Grant
		for h := r.last; h != nil; h = h.prev { // from the latest, which goes first among equals
			if h.givesWay(g) && (victim == nil || h.rank > victim.rank) {
				victim = h
			}
		}
		r.take(victim, g.p, "")
	}
	r.busy = false
	return true
}

// givesWay tells whether the units of h may be taken for g.
func (h *Grant) givesWay(g *Grant) bool { return h.rank > g.rank && h.p != nil && h.p != g.p }

// take takes away the units of victim for a process, or for nobody.
func (r *Resource) take(victim *Grant, by *Process, why string) {
	victim.lost = &loss{Preempted: Preempted{By: by, Why: why, Since: victim.since, Resource: r}}
	r.drop(victim)
	r.refused.preempted++
	if r.s.trace != nil {
		who := why
		if by != nil {
			who = by.name
		}
		r.s.record(Record{Kind: TracePreempt, Who: who, What: fmt.Sprintf("%s: %d from %s", r.name, victim.n, victim.who())})
	}
	victim.lost.notice = victim.p.interrupt(victim.lost.Preempted)
}
