package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/almanac-sim/almanac/sim/trace"
)

// A ShiftOption adjusts a timetable of a resource: a [WorkRule], or [UntilEmpty].
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

// Schedule makes the capacity follow a timetable from now on. There is one pending event, for the
// next change. A resource has one timetable: a new one replaces it.
//
//	clerks.Schedule(sim.Weekly{Mon: day, Tue: day, Wed: day, Thu: day, Fri: day}, sim.Resume)
//
// A [WorkRule] says what becomes of work at the end of a shift, and [UntilEmpty] delays the end
// until the last visitor has left. Waiting requests stay in the queue. Suspended work goes on
// before requests of the same rank are served.
//
// A change is scheduled when the previous one happens, so it comes before most other events of its
// instant. Canceling the event ends the schedule: the capacity stays as it is. A periodic timetable
// always has a pending event, so [Simulation.Run] needs a time to end. If nothing changes any more,
// the event is the zero [Event]. Schedule panics if the timetable is invalid.
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
		panic("sim: Schedule of " + r.name + ": " + d.name + " belongs to another simulation")
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

// apply sets the capacity of the timetable.
func (sc *schedule) apply() {
	now := sc.r.s.now
	units, until := sc.table.At(now)
	if units < 0 || !(until > now) {
		panic(fmt.Sprintf("sim: the timetable of %s has %d units at %g, until %g; it must be 0 or more, until a later time",
			sc.r.name, units, now, until))
	}
	u := sc.r.availability
	if d := sc.gate; units < u.base && d != nil && d.keepsOpen(sc) {
		return // when the last has left, it is looked at again
	}
	u.base = units
	sc.r.adapt(sc.rule, "the end of a shift")
}

// next returns when the capacity changes, if it does.
func (sc *schedule) next() (float64, bool) {
	now := sc.r.s.now
	_, until := sc.table.At(now)
	sc.last = !(until > now && until <= maxTime) // apply complains if it is not later
	return until, !sc.last
}

// availability is the state of a resource that has a timetable, breaks, or has suspended work.
type availability struct {
	base    int          // units by the timetable, or by SetCapacity
	down    int          // of them, that are broken
	outages []*Breakdown // of all units
	rule    WorkRule     // when there were last made less
	why     string       // they were
	// those that are to go on when there are units, by rank, and among equals the oldest first;
	// linked by next
	suspended   *Grant
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

// adapt sets the capacity that timetable and breakdowns give. If it is less than before, the rule
// says what becomes of work.
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

// A Timetable says how many units there are at a time, and until when: see [Resource.Schedule].
// [Daily], [Weekly], [Dated] and [Except] are timetables; others can be written.
type Timetable interface {
	// At is how many units there are at a time, and until when, which is later, and +∞ if that does
	// not change any more. It may be sooner than the number changes.
	At(t float64) (units int, until float64)
	// Most is the largest number that there ever are.
	Most() int
}

// A Shift is a number of units from one time to another: they are there at From, and no longer at
// To.
type Shift struct {
	From, To float64
	Units    int
}

// Daily is a [Timetable] that repeats one day.
//
//	sim.Daily{Shifts: []sim.Shift{{From: 8, To: 12, Units: 2}, {From: 13, To: 17, Units: 3}}}
//
// The times of shifts are since the beginning of the day. Shifts are in any order, and must not
// overlap. One that ends after the day does, such as from 22 to 30, goes on into the next.
type Daily struct {
	Shifts    []Shift
	Otherwise int     // how many units there are outside the shifts
	Day       float64 // how long a day is, by the clock; 24 if it is 0
	Begins    float64 // when a day begins, by the clock
}

// Weekly is a [Timetable] that repeats one week, with the shifts of each day as in [Daily]. Time 0
// is the beginning of a Monday unless Begins says otherwise.
type Weekly struct {
	Mon, Tue, Wed, Thu, Fri, Sat, Sun []Shift

	Otherwise int     // how many units there are outside the shifts
	Day       float64 // how long a day is, by the clock; 24 if it is 0
	Begins    float64 // when a Monday begins, by the clock
}

// Dated is a [Timetable] of shifts at times of the clock, which do not repeat. They are in any
// order, and must not overlap.
type Dated struct {
	Shifts    []Shift
	Otherwise int // how many units there are outside the shifts
}

// Except is a [Timetable] that differs from another one at some times: holidays, a fair, a strike.
// Those are in any order, and must not overlap.
type Except struct {
	Of    Timetable
	Times []Shift
}

// defaultDay is the default length of a day: clocks mostly count hours.
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

// A compiler is a timetable as users write it, which is compiled into one that answers quickly.
type compiler interface {
	compile() (Timetable, error)
}

// compiled returns a compiled timetable, and panics if it is invalid.
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

// repeating returns the timetable that repeats some days.
func repeating(kind string, days [][]Shift, otherwise int, day, begins float64) (Timetable, error) {
	if day == 0 {
		day = defaultDay
	}
	if !(day > 0 && finite(day) && finite(begins)) {
		return nil, fmt.Errorf("sim: %s: a day of %g that begins at %g; it must be above 0 and finite, and begin at a "+
			"finite time", kind, day, begins)
	}
	period := float64(day * float64(len(days)))
	var all []Shift
	for i, shifts := range days {
		for _, x := range shifts {
			if !(x.From >= 0 && x.From < day && x.To <= x.From+period) {
				return nil, fmt.Errorf("sim: %s: a shift from %g to %g; it must begin in a day of %g, and not last longer than %g",
					kind, x.From, x.To, day, period)
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
			return nil, fmt.Errorf("sim: %s: the shift from %g to %g and that from %g to %g of the next overlap", kind,
				last.From, last.To, all[0].From, all[0].To)
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

// arrange sorts shifts, and returns an error if they are invalid.
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
			return fmt.Errorf("sim: %s: a shift from %g to %g; both must be finite, and the end after the beginning", kind,
				x.From, x.To)
		case x.Units < 0:
			return fmt.Errorf("sim: %s: the shift from %g to %g has %d units; there must be 0 or more", kind, x.From, x.To,
				x.Units)
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

// pieces are numbers of units from given times on, which may repeat.
type pieces struct {
	from   []float64 // since the period began, or by the clock if there is none
	units  []int
	begins float64
	period float64 // +∞ if they do not come again
}

// lay adds sorted shifts, and what is between them.
func (p *pieces) lay(shifts []Shift, otherwise int) {
	for _, x := range shifts {
		p.add(x.From, x.Units)
		p.add(x.To, otherwise)
	}
}

// add adds a piece behind the others. It replaces the last one if that has no length, and does
// nothing if the number does not change.
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

// start returns when a piece begins in the k-th period. It is always computed in the same way, so
// that the end of a piece is exactly the beginning of the next, whatever the rounding.
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

// exceptions is a compiled Except.
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
