package program

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/portable"
	"github.com/almanac-sim/almanac/population/internal/law"
)

// A State has the clocks of the individuals in a state.
//
// All clocks with constant rates are one: the first of several exponential clocks to fire is
// exponential with the sum of their rates, and which one it is does not depend on when. An
// individual needs one draw for the time, and another one for the action once it happens.
//
// If a clock depends on attributes, By and Cells say so, and the table of an individual is that of
// its cell; of the table itself only Timers counts.
type State struct {
	Rate float64    // of all clocks with constant rates
	Mean float64    // 1/Rate, which saves a division for each draw
	Menu []MenuItem // their actions, by cumulative rate

	// Clocks that are drawn when an individual enters the state, and carried as timers: all clocks
	// of the race, and one branch of the split, which is drawn by its chance.
	Race   []Clock
	Split  []Clock
	Timers int // how many timers an individual carries: len(Race), and 1 if there is a split

	By    []CellAttribute // the attributes that the clocks depend on; nil if none
	Cells []*State        // by cell

	Varying []VaryingRate  // clocks with rates that change, besides those of the menu
	Chances *BranchChances // of the split, if they change with time; nil otherwise

	// Flags, computed by Phase.Mark.
	OnlyRates   bool // all clocks are on the menu, for all individuals alike
	Batchable   bool // there are no clocks but those of the menu and of Phase.Always
	MeetsAnyone bool // a contact with the whole population is on the menu, and no rate changes
}

// A MenuItem is a clock with a constant rate.
type MenuItem struct {
	sum  float64 // of the rates up to and including this one
	line int     // the number of the clock among those of the state in the file
	Do   Action
}

// Add puts a clock on the menu: the line of the state that has the given rate. A rate of 0 adds
// nothing.
func (t *State) Add(rate float64, line int, do Action) {
	if rate > 0 {
		t.Rate += rate
		t.Mean = 1 / t.Rate
		t.Menu = append(t.Menu, MenuItem{t.Rate, line, do})
	}
}

// Pick returns the action of the first item of the menu whose cumulative rate is above x, for x in
// [0, Rate). The menu must not be empty.
func (t *State) Pick(x float64) *Action {
	i, last := 0, len(t.Menu)-1
	for last-i > 16 { // halving, until a scan is as fast; most menus are shorter from the beginning
		if middle := (i + last) / 2; x >= t.Menu[middle].sum {
			i = middle + 1
		} else {
			last = middle
		}
	}
	for i < last && x >= t.Menu[i].sum {
		i++
	}
	return &t.Menu[i].Do
}

// A Clock is carried as a timer: one of a race, or a branch of a split.
type Clock struct {
	Law     law.Law
	Off     bool          // it does not run in this cell
	Varying []VaryingRate // instead of Law, if the rate changes: one entry
	UpTo    float64       // of a branch: the cumulative chance
	Do      Action
}

// BranchChances are the chances of the branches of a split, if they change with time. The branch
// Otherwise has what the others leave.
type BranchChances struct {
	Of        []*TimeVarying // by branch; nil for Otherwise
	Otherwise int
}

// BranchLogs appends to logs, for each branch of the split, the logarithm of its chance times the
// probability that its clock is still running at an age. These are the weights of the branches by
// Bayes' rule, for an individual that has been in the state for that long.
func (t *State) BranchLogs(age float64, logs []float64) []float64 {
	before := 0.0
	for k := range t.Split {
		upTo := min(1, t.Split[k].UpTo) // that of the last is +Inf
		logs = append(logs, portable.Log(upTo-before)+t.Split[k].Law.LogSurvival(age))
		before = upTo
	}
	return logs
}

// Each calls f with every action of the state, in all cells.
func (t *State) Each(f func(do *Action)) {
	var last *State
	for _, cell := range t.Cells {
		if cell != last {
			cell.Each(f)
			last = cell
		}
	}
	for i := range t.Menu {
		f(&t.Menu[i].Do)
	}
	for i := range t.Race {
		f(&t.Race[i].Do)
	}
	for i := range t.Split {
		f(&t.Split[i].Do)
	}
	for i := range t.Varying {
		f(&t.Varying[i].Do)
	}
}

// Remembers reports whether it makes a difference how long an individual has been in the state: a
// clock has a memory, or the branches of the split do not all have the same law.
func (t *State) Remembers() bool {
	if slices.ContainsFunc(t.Cells, (*State).Remembers) {
		return true
	}
	for k := range t.Race {
		if !t.Race[k].Law.Memoryless() {
			return true
		}
	}
	for k := range t.Split {
		if l := &t.Split[k].Law; !l.Memoryless() || !l.Same(&t.Split[0].Law) {
			return true
		}
	}
	return false
}

// Still reports whether no clock runs in the state, for any individual.
func (t *State) Still() bool {
	return t.Rate == 0 && t.Varying == nil && t.Timers == 0 && t.By == nil
}

// Equals reports whether all clocks of a state run alike by two of its tables, of two phases or two
// cells. It does not compare actions, which do not depend on either.
func (t *State) Equals(o *State) bool {
	if t.By != nil || o.By != nil {
		return slices.Equal(t.By, o.By) &&
			slices.EqualFunc(t.Cells, o.Cells, func(a, b *State) bool { return a == b || a.Equals(b) })
	}
	sameItem := func(a, b MenuItem) bool { return a.sum == b.sum && a.line == b.line }
	sameClock := func(a, b Clock) bool { return a.UpTo == b.UpTo && a.Equals(&b) }
	sameChances := t.Chances == o.Chances ||
		t.Chances != nil && o.Chances != nil && slices.Equal(t.Chances.Of, o.Chances.Of)
	return sameChances && SameVarying(t.Varying, o.Varying) && t.Rate == o.Rate &&
		slices.EqualFunc(t.Menu, o.Menu, sameItem) &&
		slices.EqualFunc(t.Race, o.Race, sameClock) && slices.EqualFunc(t.Split, o.Split, sameClock)
}

// Equals reports whether a clock runs alike by two tables.
func (c *Clock) Equals(o *Clock) bool {
	return c.Off == o.Off && SameVarying(c.Varying, o.Varying) && c.Law.Same(&o.Law)
}
