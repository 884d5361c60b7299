package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/almanac-sim/almanac/sim/trace"
)

// A ShiftOption adjusts a timetable of a resource: an [WorkRule], or [UntilEmpty].
type ShiftOption interface{ adjust(*schedule) }

func (w WorkRule) adjust(sc *schedule) { sc.rule = w }

// A schedule is a timetable that a resource follows.
type schedule struct {
	r     *Resource
	table Timetable
	rule  WorkRule
	gate  *Gate // those inside are served before a shift ends
	event Event
	last  bool // nothing changes any more
}

// Schedule makes the capacity follow a timetable, from now on. It is an event at each change, of
// which one is pending. The resource has one timetable: another takes its place.
//
//	clerks.Schedule(sim.Weekly{Mon: day, Tue: day, Wed: day, Thu: day, Fri: day}, sim.Resume)
//
// An [WorkRule] says what becomes of who is at work when a shift ends, and [UntilEmpty] puts the
// end off until those inside have been served. Who is in line stays there. Work that was stopped
// goes on before others of the same rank are served.
//
// A change is scheduled when the one before happens, so that it comes before most else of its
// instant. Cancelling the event ends it: the capacity stays as it is. Mind that timetables that
// come again have always something left to happen, so that [Simulation.Run] needs a time to end. If
// nothing changes any more, the event is the zero [Event]. Schedule panics if there is something
// wrong with the timetable.
func (r *Resource) Schedule(t Timetable, opts ...ShiftOption) Event {
	sc := &schedule{r: r, table: compiled(t), rule: Finish}
	for _, o := range opts {
		if o == nil {
			panic("sim: Schedule of " + r.name + ": an option is nil")
		}
		o.adjust(sc)
	}
	sc.rule.check("Schedule of " + r.name)
	if d := sc.gate; d != nil && d.s != r.s {
		panic("sim: Schedule of " + r.name + ": the door " + d.name + " belongs to another simulation")
	}
	u := r.ensureAvailability()
	if u.schedule != nil {
		u.schedule.event.Cancel()
		u.schedule.gate = nil // it may be waited for there
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
	u := sc.r.availability
	if d := sc.gate; units < u.base && d != nil && d.keepsOpen(sc) {
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

// upkeep is what a resource has that has a timetable or breaks.
type availability struct {
	base        int          // units by the timetable, or by SetCapacity
	down        int          // of them, that are broken
	outages     []*Breakdown // of all units
	rule        WorkRule     // when there were last made less
	why         string       // they were
	stopped     *Grant       // those that are to go on when there are units, by rank, and among equals the oldest first; linked by next
	schedule    *schedule
	breakdowns  int
	byUse       []*Breakdown // by use
	countedUpTo float64      // when their use was last counted
	unitsInUse  int          // since then
}

func (r *Resource) ensureAvailability() *availability {
	if r.availability == nil {
		r.availability = &availability{base: r.capacity, rule: Finish}
	}
	return r.availability
}

// adapt makes the capacity what it should be. If that is less, the rule tells what becomes of who
// is at work.
func (r *Resource) adapt(rule WorkRule, why string) {
	u := r.availability
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
		s.record(trace.Record{Kind: trace.Capacity, What: fmt.Sprintf("%s: %d, in use %d", r.name, n, r.inUse)})
	}
	r.cutOff()
	r.serve()
}

// A Timetable tells how many units there are at a time, and until when: see [Resource.Schedule].
// [Daily], [Weekly], [Dated] and [Except] are timetables; others can be written.
type Timetable interface {
	// At is how many units there are at a time, and until when, which is later, and +∞ if that does
	// not change any more. It may be sooner than the number changes.
	At(t float64) (units int, until float64)
	// Most is the largest number that there ever are.
	Most() int
}

// A Shift is units that are there from one time to another: at From they are, and at To they are
// not any more.
type Shift struct {
	From, To float64
	Units    int
}

// Daily is a [Timetable] of one day, again and again.
//
//	sim.Daily{Shifts: []sim.Shift{{From: 8, To: 12, Units: 2}, {From: 13, To: 17, Units: 3}}}
//
// Shifts are told in the time of the clock since the day began, in any order, and must not overlap.
// One that ends after the day does, such as from 22 to 30, goes on into the next.
type Daily struct {
	Shifts    []Shift
	Otherwise int     // how many units there are outside the shifts
	Day       float64 // how long a day is, by the clock; 24 if it is 0
	Begins    float64 // when a day begins, by the clock
}

// Weekly is a [Timetable] of one week, again and again, with the shifts of each day as [Daily] has
// them. Time 0 is the beginning of a Monday unless Begins says otherwise.
type Weekly struct {
	Mon, Tue, Wed, Thu, Fri, Sat, Sun []Shift

	Otherwise int     // how many units there are outside the shifts
	Day       float64 // how long a day is, by the clock; 24 if it is 0
	Begins    float64 // when a Monday begins, by the clock
}

// Dated is a [Timetable] of shifts at times of the clock that do not come again. They are in any
// order, and must not overlap.
type Dated struct {
	Shifts    []Shift
	Otherwise int // how many units there are outside the shifts
}

// Except is a [Timetable] that is another one but for some times: holidays, a fair, a strike. Those
// are in any order, and must not overlap.
type Except struct {
	Of    Timetable
	Times []Shift
}

// defaultDay is how long a day is that is not told: clocks mostly go in hours.
const defaultDay = 24

// Check is an error that says what is wrong with the timetable, if anything is.
func (d Daily) Check() error { return second(d.compile()) }

// Check is an error that says what is wrong with the timetable, if anything is.
func (w Weekly) Check() error { return second(w.compile()) }

// Check is an error that says what is wrong with the timetable, if anything is.
func (d Dated) Check() error { return second(d.compile()) }

// Check is an error that says what is wrong with the timetable, if anything is.
func (e Except) Check() error { return second(e.compile()) }

func second(_ Timetable, err error) error { return err }

// At is how many units there are at a time, and until when. It panics if the timetable is wrong, as
// the other methods do.
func (d Daily) At(t float64) (units int, until float64) { return compiled(d).At(t) }

// At is how many units there are at a time, and until when. It panics if the timetable is wrong, as
// the other methods do.
func (w Weekly) At(t float64) (units int, until float64) { return compiled(w).At(t) }

// At is how many units there are at a time, and until when. It panics if the timetable is wrong, as
// the other methods do.
func (d Dated) At(t float64) (units int, until float64) { return compiled(d).At(t) }

// At is how many units there are at a time, and until when. It panics if the timetable is wrong, as
// the other methods do.
func (e Except) At(t float64) (units int, until float64) { return compiled(e).At(t) }

// Most is the largest number of units that there ever are.
func (d Daily) Most() int { return compiled(d).Most() }

// Most is the largest number of units that there ever are.
func (w Weekly) Most() int { return compiled(w).Most() }

// Most is the largest number of units that there ever are.
func (d Dated) Most() int { return compiled(d).Most() }

// Most is the largest number of units that there ever are.
func (e Except) Most() int { return compiled(e).Most() }

// A compiler is a timetable as people write it, of which one is made that can be asked quickly.
type compiler interface {
	compile() (Timetable, error)
}

// compiled is a timetable that has been looked through, and panics if something is wrong with it.
func compiled(t Timetable) Timetable {
	if t == nil {
		panic("sim: a timetable is needed, not nil")
	}
	c, ok := t.(compiler)
	if !ok {
		return t
	}
	t, err := c.compile()
	if err != nil {
		panic(err.Error())
	}
	return t
}

func (d Daily) compile() (Timetable, error) {
	return repeating("Daily", [][]Shift{d.Shifts}, d.Otherwise, d.Day, d.Begins)
}

func (w Weekly) compile() (Timetable, error) {
	return repeating("Weekly", [][]Shift{w.Mon, w.Tue, w.Wed, w.Thu, w.Fri, w.Sat, w.Sun}, w.Otherwise, w.Day, w.Begins)
}

// repeating is the timetable of some days that come again and again.
func repeating(kind string, days [][]Shift, otherwise int, day, begins float64) (Timetable, error) {
	if day == 0 {
		day = defaultDay
	}
	if !(day > 0 && finite(day) && finite(begins)) {
		return nil, fmt.Errorf("sim: %s: a day of %g that begins at %g; it must be above 0 and finite, and begin at a finite time", kind, day, begins)
	}
	period := float64(day * float64(len(days)))
	var all []Shift
	for i, shifts := range days {
		for _, x := range shifts {
			if !(x.From >= 0 && x.From < day && x.To <= x.From+period) {
				return nil, fmt.Errorf("sim: %s: a shift from %g to %g; it must begin in a day of %g, and not last longer than %g", kind, x.From, x.To, day, period)
			}
			offset := float64(float64(i) * day)
			all = append(all, Shift{offset + x.From, offset + x.To, x.Units})
		}
	}
	if err := arrange(kind, all, otherwise); err != nil {
		return nil, err
	}
	if last := all[len(all)-1]; last.To > period { // it goes on in the next period
		if last.To-period > all[0].From {
			return nil, fmt.Errorf("sim: %s: the shift from %g to %g and that from %g to %g of the next overlap", kind, last.From, last.To, all[0].From, all[0].To)
		}
		all[len(all)-1].To = period
		all = append([]Shift{{0, last.To - period, last.Units}}, all...)
	}
	p := pieces{begins: begins, period: period}
	p.add(0, otherwise)
	p.lay(all, otherwise)
	if n := len(p.from); n > 1 && p.from[n-1] == period {
		p.from, p.units = p.from[:n-1], p.units[:n-1]
	}
	return &p, nil
}

func (d Dated) compile() (Timetable, error) {
	shifts := slices.Clone(d.Shifts)
	if err := arrange("Dated", shifts, d.Otherwise); err != nil {
		return nil, err
	}
	p := pieces{period: math.Inf(1)}
	p.add(math.Inf(-1), d.Otherwise)
	p.lay(shifts, d.Otherwise)
	return &p, nil
}

// arrange puts shifts in order, and is an error if they are not possible.
func arrange(kind string, shifts []Shift, otherwise int) error {
	if len(shifts) == 0 {
		return fmt.Errorf("sim: %s: there is no shift; there must be at least one", kind)
	}
	if otherwise < 0 {
		return fmt.Errorf("sim: %s: %d units outside the shifts; there must be 0 or more", kind, otherwise)
	}
	for _, x := range shifts {
		switch {
		case !(x.From < x.To) || !finite(x.From) || !finite(x.To):
			return fmt.Errorf("sim: %s: a shift from %g to %g; both must be finite, and the end after the beginning", kind, x.From, x.To)
		case x.Units < 0:
			return fmt.Errorf("sim: %s: the shift from %g to %g has %d units; there must be 0 or more", kind, x.From, x.To, x.Units)
		}
	}
	slices.SortFunc(shifts, func(a, b Shift) int { return cmp.Compare(a.From, b.From) })
	for i := range shifts[1:] {
		if a, b := shifts[i], shifts[i+1]; a.To > b.From {
			return fmt.Errorf("sim: %s: the shifts from %g to %g and from %g to %g overlap", kind, a.From, a.To, b.From, b.To)
		}
	}
	return nil
}

// pieces are numbers of units from given times on, which may come again and again.
type pieces struct {
	from   []float64 // since the period began, or by the clock if there is none
	units  []int
	begins float64
	period float64 // +∞ if they do not come again
}

// lay adds shifts that are in order, and what is between them.
func (p *pieces) lay(shifts []Shift, otherwise int) {
	for _, x := range shifts {
		p.add(x.From, x.Units)
		p.add(x.To, otherwise)
	}
}

// add adds a piece behind the others. It takes the place of the last if that has no length, and is
// none if nothing changes.
func (p *pieces) add(from float64, units int) {
	if n := len(p.from) - 1; n >= 0 && p.from[n] == from {
		p.from, p.units = p.from[:n], p.units[:n]
	}
	if n := len(p.units) - 1; n < 0 || p.units[n] != units {
		p.from, p.units = append(p.from, from), append(p.units, units)
	}
}

// Most is the largest number of units.
func (p *pieces) Most() int { return slices.Max(p.units) }

// start is when a piece begins in the k-th period. It is always computed in the same way, so that
// what is asked of at the end of a piece is the next one, whatever the rounding.
func (p *pieces) start(k float64, i int) float64 {
	if math.IsInf(p.period, 1) {
		return p.from[i]
	}
	return p.begins + float64(k*p.period) + p.from[i]
}

// At is how many units there are at a time, and until when.
func (p *pieces) At(t float64) (units int, until float64) {
	k := 0.0
	if !math.IsInf(p.period, 1) {
		k = math.Floor((t - p.begins) / p.period)
		if p.start(k, 0) > t { // the quotient was rounded up
			k--
		} else if p.start(k+1, 0) <= t {
			k++
		}
	}
	i := max(0, sort.Search(len(p.from), func(i int) bool { return p.start(k, i) > t })-1)
	units = p.units[i]
	for range 2 * len(p.from) {
		if i++; i == len(p.from) {
			if math.IsInf(p.period, 1) {
				break
			}
			i, k = 0, k+1
		}
		if until := p.start(k, i); p.units[i] != units && until > t {
			return units, until
		}
	}
	return units, math.Inf(1) // nothing changes, or not by so little as a time that large can tell
}

// exceptions are Except, looked through.
type exceptions struct {
	of    Timetable
	times []Shift
}

func (e Except) compile() (Timetable, error) {
	if e.Of == nil {
		return nil, fmt.Errorf("sim: Except: a timetable is needed, not nil")
	}
	of := e.Of
	if c, ok := of.(compiler); ok {
		var err error
		if of, err = c.compile(); err != nil {
			return nil, err
		}
	}
	times := slices.Clone(e.Times)
	if err := arrange("Except", times, 0); err != nil {
		return nil, err
	}
	return &exceptions{of, times}, nil
}

// Most is the largest number of units.
func (e *exceptions) Most() int {
	most := e.of.Most()
	for _, x := range e.times {
		most = max(most, x.Units)
	}
	return most
}

// At is how many units there are at a time, and until when.
func (e *exceptions) At(t float64) (units int, until float64) {
	i := sort.Search(len(e.times), func(i int) bool { return e.times[i].To > t })
	if i < len(e.times) && e.times[i].From <= t {
		return e.times[i].Units, e.times[i].To
	}
	units, until = e.of.At(t)
	if i < len(e.times) {
		until = min(until, e.times[i].From)
	}
	return units, until
}
