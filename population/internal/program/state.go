package program

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/portable"
	"github.com/almanac-sim/almanac/population/internal/law"
)

// A State is what can happen to an individual in a state.
//
// All that happens at a rate is one clock, whatever it is, with the rates added up: the first of several exponential clocks
// is exponential, and which it was is independent of when. So an individual in a state needs one draw for when, and
// another for what once it happens.
type State struct {
	Rate float64
	Mean float64 // 1/rate: a division for each draw is worth saving
	Menu []MenuItem
	// The other clocks, each of which is drawn on entering the state and then carried along: those of the race, and the
	// branches of the split, of which one is drawn.
	Race   []Clock
	Split  []Clock
	Timers int // how many are carried along
	// If what can happen depends on attributes: by which, and the table of each cell. All of the above but the last is then theirs.
	By    []CellAttribute
	Cells []*State
	// What happens at rates that change, beside the menu; and the chances of the branches, if they do.
	Varying []VaryingRate
	Chances *BranchChances
	// What is known of it beforehand; see mark.
	OnlyRates   bool // all that happens is on the menu, for everybody alike
	Batchable   bool // there is nothing but the menu and the clocks of always
	MeetsAnyone bool // the menu, which is all that happens at a rate, has a contact with the whole population
}

// Add puts something that happens at a rate, a line of the state, on the menu.
func (t *State) Add(rate float64, line int, do Action) {
	if rate > 0 {
		t.Rate += rate
		t.Mean = 1 / t.Rate
		t.Menu = append(t.Menu, MenuItem{t.Rate, line, do})
	}
}

type MenuItem struct {
	sum  float64 // the rates added up to and including this one
	line int     // which of the state's it is
	Do   Action
}

// Pick is the first item of a menu up to x.
func (t *State) Pick(x float64) *Action {
	i, last := 0, len(t.Menu)-1
	for last-i > 16 { // long menus are rare
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

type Clock struct {
	Law     law.Law
	Off     bool          // it does not run for those of the cell
	Varying []VaryingRate // in place of the law, if it is a rate that changes: one
	UpTo    float64       // split: the chances added up to and including this one
	Do      Action
}

// BranchChances are those of the branches of a split that change with time. One has what is left over.
type BranchChances struct {
	Of        []*TimeVarying // nil for that one
	Otherwise int
}

// BranchLogs adds the logarithms of what the branches of a split weigh after a time to a list: their chances times the probabilities that their clocks
// are still running.
func (t *State) BranchLogs(age float64, logs []float64) []float64 {
	before := 0.0
	for k := range t.Split {
		upTo := min(1, t.Split[k].UpTo) // which is infinite for the last
		logs = append(logs, portable.Log(upTo-before)+t.Split[k].Law.LogSurvival(age))
		before = upTo
	}
	return logs
}

// Each calls f with all that can happen in a state.
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

// Remembers tells whether how long one has been in the state makes a difference: whether a clock has a memory, or the branch does.
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

// Still tells whether no clock runs in a state, for anybody.
func (t *State) Still() bool {
	return t.Rate == 0 && t.Varying == nil && t.Timers == 0 && t.By == nil
}

// Equals tells whether two tables of the same state are the same.
func (t *State) Equals(o *State) bool {
	if t.By != nil || o.By != nil {
		return slices.Equal(t.By, o.By) && slices.EqualFunc(t.Cells, o.Cells, func(a, b *State) bool { return a == b || a.Equals(b) })
	}
	sameClock := func(a, b Clock) bool { return a.UpTo == b.UpTo && a.Equals(&b) }
	sameChances := t.Chances == o.Chances || t.Chances != nil && o.Chances != nil && slices.Equal(t.Chances.Of, o.Chances.Of)
	return sameChances && SameVarying(t.Varying, o.Varying) && t.Rate == o.Rate && slices.EqualFunc(t.Menu, o.Menu, func(a, b MenuItem) bool { return a.sum == b.sum && a.line == b.line }) &&
		slices.EqualFunc(t.Race, o.Race, sameClock) && slices.EqualFunc(t.Split, o.Split, sameClock)
}

// Equals tells whether a clock runs alike by two tables.
func (c *Clock) Equals(o *Clock) bool {
	return c.Off == o.Off && SameVarying(c.Varying, o.Varying) && c.Law.Same(&o.Law)
}
