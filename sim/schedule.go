package sim

import "fmt"

// AtWork says what becomes of who is at work when there are fewer units than are in use, because a shift has ended or something broke.
// Of those who hold units the ones with the largest [Rank] have to stop, the latest first, until no more are in use than there
// are. Who stops gives all of its units back.
//
// Only [Resource.Work] and [Grant.Work] can be stopped and go on later, since only they know what is left. Who does anything else with
// its units, such as a [Process.Wait] in [Resource.Use], and events, which cannot be told, keep them as with Finish; but the units
// of any process can be taken away. Whose work ends at this very instant is done, and is not stopped.
type AtWork uint8

// What becomes of who is at work. Unless told, it is Finish when a shift ends, and Resume when something breaks.
const (
	Finish   AtWork = iota + 1 // it keeps its units until it releases them
	Resume                     // it stops, and what is left is done when there are units again: after the repair, or by the next shift
	Restart                    // it stops, and all of it is done anew when there are units again
	ThrowOut                   // it loses its units, and is interrupted with a [Preempted] as the cause
)

// A ShiftOption adjusts a timetable of a resource: an [AtWork], or [Staying].
type ShiftOption interface{ adjust(*schedule) }

func (w AtWork) adjust(sc *schedule) { sc.rule = w }

func (w AtWork) check(what string) {
	if w > ThrowOut {
		panic(fmt.Sprintf("sim: %s: AtWork(%d) is none of Finish, Resume, Restart and ThrowOut", what, w))
	}
}

// upkeep is what a resource has that has a timetable or breaks.
type upkeep struct {
	base        int          // units by the timetable, or by SetCapacity
	down        int          // of them, that are broken
	outages     []*Breakdown // of all units
	rule        AtWork       // when there were last made less
	why         string       // they were
	stopped     *Grant       // those that are to go on when there are units, by rank, and among equals the oldest first; linked by next
	schedule    *schedule
	breakdowns  int
	wearing     []*Breakdown // by use
	wornUpTo    float64      // when their use was last counted
	unitsInWear int          // since then
}

func (r *Resource) kept() *upkeep {
	if r.upkeep == nil {
		r.upkeep = &upkeep{base: r.capacity, rule: Finish}
	}
	return r.upkeep
}

// adapt makes the capacity what it should be. If that is less, the rule tells what becomes of who is at work.
func (r *Resource) adapt(rule AtWork, why string) {
	u := r.upkeep
	n := max(0, u.base-u.down)
	for _, d := range u.outages {
		n = 0
		d.down.Set(float64(u.base)) // which may have changed since
	}
	if r.most = max(u.base, r.most); n == r.capacity {
		return
	}
	if n < r.capacity {
		u.rule, u.why = rule, why
	}
	r.capacity = n
	r.total.Set(float64(n))
	if s := r.s; s.trace != nil {
		s.record(Record{Kind: TraceCapacity, What: fmt.Sprintf("%s: %d, in use %d", r.name, n, r.inUse)})
	}
	r.cutOff()
	r.serve()
}

// SetCapacity changes how many units there are. If more are in use than that, they stay so until they are released. A request
// in line for more than that waits until there are more again. If the resource has a timetable, it holds until that has a change,
// and if some units are broken, there are so many less.
func (r *Resource) SetCapacity(n int) {
	if n < 0 {
		panic(fmt.Sprintf("sim: resource %s needs a capacity that is not negative, not %d", r.name, n))
	}
	if r.upkeep != nil {
		r.upkeep.base = n
		r.adapt(Finish, "")
		return
	}
	r.capacity, r.most = n, max(n, r.most)
	r.total.Set(float64(n))
	r.serve()
}

// A schedule is a timetable that a resource follows.
type schedule struct {
	r     *Resource
	table Timetable
	rule  AtWork
	door  *Door // those inside are served before a shift ends
	event Event
	last  bool // nothing changes any more
}

// Schedule makes the capacity follow a timetable, from now on. It is an event at each change, of which one is pending. The resource
// has one timetable: another takes its place.
//
//	clerks.Schedule(sim.Weekly{Mon: day, Tue: day, Wed: day, Thu: day, Fri: day}, sim.Resume)
//
// An [AtWork] says what becomes of who is at work when a shift ends, and [Staying] puts the end off until those inside have been served.
// Who is in line stays there. Work that was stopped goes on before others of the same rank are served.
//
// A change is scheduled when the one before happens, so that it comes before most else of its instant. Cancelling the event ends it: the
// capacity stays as it is. Mind that timetables that come again have always something left to happen, so that [Simulation.Run] needs a
// time to end. If nothing changes any more, the event is the zero [Event]. Schedule panics if there is something wrong with the timetable.
func (r *Resource) Schedule(t Timetable, opts ...ShiftOption) Event {
	sc := &schedule{r: r, table: compiled(t), rule: Finish}
	for _, o := range opts {
		if o == nil {
			panic("sim: Schedule of " + r.name + ": an option is nil")
		}
		o.adjust(sc)
	}
	sc.rule.check("Schedule of " + r.name)
	if d := sc.door; d != nil && d.s != r.s {
		panic("sim: Schedule of " + r.name + ": the door " + d.name + " belongs to another simulation")
	}
	u := r.kept()
	if u.schedule != nil {
		u.schedule.event.Cancel()
		u.schedule.door = nil // it may be waited for there
	}
	u.schedule = sc
	r.most = max(r.most, sc.table.Most())
	sc.apply()
	if until, ok := sc.next(); ok {
		sc.event = r.s.recur(until, sc.next, sc.apply, []EventOption{Named("timetable of " + r.name)})
	}
	return sc.event
}

// apply makes the capacity that of the timetable.
func (sc *schedule) apply() {
	now := sc.r.s.now
	units, until := sc.table.At(now)
	if units < 0 || !(until > now) {
		panic(fmt.Sprintf("sim: the timetable of %s has %d units at %g, until %g; it must be 0 or more, until a later time", sc.r.name, units, now, until))
	}
	u := sc.r.upkeep
	if d := sc.door; units < u.base && d != nil && d.keepsOpen(sc) {
		return // when the last has left, it is looked at again
	}
	u.base = units
	sc.r.adapt(sc.rule, "the end of a shift")
}

// next tells when the capacity changes, if it does.
func (sc *schedule) next() (float64, bool) {
	now := sc.r.s.now
	_, until := sc.table.At(now)
	sc.last = !(until > now && until <= maxTime) // apply complains if it is not later
	return until, !sc.last
}

// cutOff has those stop, or lose their units, who hold more than there are.
func (r *Resource) cutOff() {
	u := r.upkeep
	if u.rule == Finish || r.inUse <= r.capacity {
		return
	}
	// Who loses units may stand in a line and leave it, even in that of this resource, where nobody is to be served meanwhile.
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
		if u.rule == ThrowOut {
			r.take(victim, nil, u.why)
		} else {
			r.suspend(victim)
		}
	}
	r.busy = false
}

// canStop reports whether a rule can make somebody stop who holds units.
func (g *Grant) canStop(rule AtWork) bool {
	p := g.p
	if p == nil {
		return false
	}
	works := p.works == g && (p.state == waiting || p == p.s.current) // it may be about to begin
	if works {
		at, due := p.s.dueAt(p.slot)
		works = !due || at > p.s.now
		if !works {
			return false // it is done
		}
	}
	return works || rule == ThrowOut
}
