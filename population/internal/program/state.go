package program

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/detmath"
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
	TotalRate float64    // of all clocks with constant rates
	MeanWait  float64    // 1/Rate, which saves a division for each draw
	Rates     []RateItem // their actions, by cumulative rate

	// Clocks that are drawn when an individual enters the state, and carried as timers: all clocks
	// of the race, and one branch of the split, which is drawn by its chance.
	Race   []Clock
	Split  []Clock
	Timers int // how many timers an individual carries: len(Race), and 1 if there is a split

	By    []CellAttribute // the attributes that the clocks depend on; nil if none
	Cells []*State        // by cell

	Varying []VaryingRate  // clocks with rates that change, besides those in Rates
	Chances *BranchChances // of the split, if they change with time; nil otherwise

	// Flags, computed by Phase.SetFlags.
	OnlyRates      bool    // Rates has all clocks, and they are the same for all individuals
	Batchable      bool    // there are no clocks but those in Rates and in Phase.Always
	Meets          bool    // Rates has a contact
	VaryingContact *Action // the last contact in Varying; nil if there is none
}

// A RateItem is a clock with a constant rate.
type RateItem struct {
	sum  float64 // of the rates up to and including this one
	line int     // the number of the clock among those of the state in the file
	Do   Action
}

// AddRate adds a clock to Rates: line is its number among the state's clocks, which only Equal
// uses. A rate of 0 adds nothing.
func (t *State) AddRate(rate float64, line int, do Action) {
	if rate > 0 {
		t.TotalRate += rate
		t.MeanWait = 1 / t.TotalRate
		t.Rates = append(t.Rates, RateItem{t.TotalRate, line, do})
	}
}

// PickByRate returns the action of the first of Rates whose cumulative rate is above x, for x in
// [0, TotalRate). Rates must not be empty.
func (t *State) PickByRate(x float64) *Action {
	i, last := 0, len(t.Rates)-1
	for last-i > 16 { // halving, until a scan is as fast; most menus are shorter from the beginning
		if middle := (i + last) / 2; x >= t.Rates[middle].sum {
			i = middle + 1
		} else {
			last = middle
		}
	}
	for i < last && x >= t.Rates[i].sum {
		i++
	}
	return &t.Rates[i].Do
}

// PickFew is PickByRate for tables that depend on attributes or machines. Which of several clocks
// is next cannot be predicted, so a few rates are compared without branches: 11 ns in place of 34
// among three equal rates on a busy machine (BenchmarkPick).
func (t *State) PickFew(x float64) *Action {
	if len(t.Rates) > fewRates {
		return t.PickByRate(x)
	}
	i := 0
	for k := range t.Rates[:len(t.Rates)-1] {
		above := 0 // no branch: the compiler sets it from the comparison
		if x >= t.Rates[k].sum {
			above = 1
		}
		i += above
	}
	return &t.Rates[i].Do
}

// fewRates is the number of rates up to which PickFew is faster.
const fewRates = 8

// A Clock is carried as a timer: one of a race, or a branch of a split.
type Clock struct {
	Law              law.Law
	Off              bool          // it does not run in this cell
	Varying          []VaryingRate // instead of Law, if the rate changes: one entry
	CumulativeChance float64       // of a branch: the cumulative chance
	Do               Action
}

// BranchChances are the chances of the branches of a split, if they change with time. The branch
// Otherwise has what the others leave.
type BranchChances struct {
	ByBranch  []*TimeVarying // by branch; nil for Otherwise
	Otherwise int
}

// BranchLogWeights appends to logs, for each branch of the split, the logarithm of its chance times
// the probability that its clock is still running at an age. These are the weights of the branches
// by Bayes' rule, for an individual that has been in the state for that long.
func (t *State) BranchLogWeights(age float64, logs []float64) []float64 {
	before := 0.0
	for k := range t.Split {
		upTo := min(1, t.Split[k].CumulativeChance) // that of the last is +Inf
		logs = append(logs, detmath.Log(upTo-before)+t.Split[k].Law.LogSurvival(age))
		before = upTo
	}
	return logs
}

// EachAction calls f with every action of the state, in all cells.
func (t *State) EachAction(f func(do *Action)) {
	var last *State
	for _, cell := range t.Cells {
		if cell != last {
			cell.EachAction(f)
			last = cell
		}
	}
	for i := range t.Rates {
		f(&t.Rates[i].Do)
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

// HasMemory reports whether it makes a difference how long an individual has been in the state: a
// clock has a memory, or the branches of the split do not all have the same law.
func (t *State) HasMemory() bool {
	if slices.ContainsFunc(t.Cells, (*State).HasMemory) {
		return true
	}
	for k := range t.Race {
		if !t.Race[k].Law.Memoryless() {
			return true
		}
	}
	for k := range t.Split {
		if l := &t.Split[k].Law; !l.Memoryless() || !l.Equal(&t.Split[0].Law) {
			return true
		}
	}
	return false
}

// PersonalCounts reports whether a rate depends on counts and differs between individuals of a
// cell.
func (t *State) PersonalCounts() bool {
	return slices.ContainsFunc(t.Cells, (*State).PersonalCounts) ||
		slices.ContainsFunc(t.Varying, func(v VaryingRate) bool { return v.Rate.ByCounts && v.Rate.Personal })
}

// Inert reports whether no clock runs in the state, for any individual.
func (t *State) Inert() bool {
	return t.TotalRate == 0 && t.Varying == nil && t.Timers == 0 && t.By == nil
}

// Equal reports whether all clocks of a state run alike by two of its tables, of two phases or two
// cells. It does not compare actions, which do not depend on either.
func (t *State) Equal(o *State) bool {
	if t.By != nil || o.By != nil {
		return slices.Equal(t.By, o.By) &&
			slices.EqualFunc(t.Cells, o.Cells, func(a, b *State) bool { return a == b || a.Equal(b) })
	}
	sameItem := func(a, b RateItem) bool { return a.sum == b.sum && a.line == b.line }
	sameClock := func(a, b Clock) bool { return a.CumulativeChance == b.CumulativeChance && a.Equal(&b) }
	sameChances := t.Chances == o.Chances ||
		t.Chances != nil && o.Chances != nil && slices.Equal(t.Chances.ByBranch, o.Chances.ByBranch)
	return sameChances && EqualRates(t.Varying, o.Varying) && t.TotalRate == o.TotalRate &&
		slices.EqualFunc(t.Rates, o.Rates, sameItem) &&
		slices.EqualFunc(t.Race, o.Race, sameClock) && slices.EqualFunc(t.Split, o.Split, sameClock)
}

// Key is the same for equal tables of cells, and seldom for others.
func (t *State) Key() uint64 {
	key := uint64(len(t.Varying))
	add := func(x uint64) { key = (key ^ x) * 0x9e3779b97f4a7c15; key ^= key >> 29 }
	for _, r := range t.Rates {
		add(math.Float64bits(r.sum))
		add(uint64(r.line))
	}
	for _, clocks := range [][]Clock{t.Race, t.Split} {
		for i := range clocks {
			add(math.Float64bits(clocks[i].CumulativeChance))
			if clocks[i].Off {
				add(uint64(i))
			}
		}
	}
	return key
}

// Equal reports whether a clock runs alike by two tables.
func (c *Clock) Equal(o *Clock) bool {
	return c.Off == o.Off && EqualRates(c.Varying, o.Varying) && c.Law.Equal(&o.Law)
}
