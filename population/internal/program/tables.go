package program

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/portable"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/lookup"
)

// Phase are what a run looks up: the model with all values worked out, as they are between two interventions. A state is
// a small number, and so is everything else.
type Phase struct {
	States      []State
	Always      []Lifelong
	Immigration []Immigration
	Contacts    []Contact
	ByGroup     bool             // something depends on attributes
	Attributes  [][]float64      // the shares of each attribute's values, added up
	Ages        *ByCell[law.Law] // of those who are there at the start
	Thresholds  [][]Threshold    // of the interventions that wait, as the model lists those
	Batchable   bool             // the clocks of always are the same for everybody, and have a memory: see batch.go
}

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

// Mark notes what is known of the tables of states beforehand, so that events need not find it out.
func (t *Phase) Mark() {
	var mark func(st *State)
	mark = func(st *State) {
		st.Batchable = st.Timers == 0 && st.By == nil && st.Varying == nil
		st.OnlyRates = len(t.Always) == 0 && st.Batchable
		for i := range st.Menu {
			do := &st.Menu[i].Do
			st.MeetsAnyone = st.MeetsAnyone || st.Varying == nil && do.Verb == DoContact && t.Contacts[do.Contact].Attribute < 0
		}
		for _, cell := range st.Cells {
			mark(cell)
		}
	}
	for s := range t.States {
		mark(&t.States[s])
	}
	t.Batchable = true
	for k := range t.Always {
		c := &t.Always[k]
		t.Batchable = t.Batchable && c.By == nil && !c.Off && !c.Law.Memoryless() // a timer without memory bears a mark (startTimer), which a batch does not set
	}
}

// BranchChances are those of the branches of a split that change with time. One has what is left over.
type BranchChances struct {
	Of        []*TimeVarying // nil for that one
	Otherwise int
}

type MenuItem struct {
	upTo float64 // the rates added up to and including this one
	line int     // which of the state's it is
	Do   Action
}

type Clock struct {
	Law     law.Law
	Off     bool          // it does not run for those of the cell
	Varying []VaryingRate // in place of the law, if it is a rate that changes: one
	UpTo    float64       // split: the chances added up to and including this one
	Do      Action
}

// An Lifelong is a clock of always with a memory, or one that strikes once.
type Lifelong struct {
	Law     law.Law
	Longest float64
	Ends    bool // it takes everybody away, so that whoever is there has not heard it strike
	Off     bool // it does not run for those of the cell
	Do      Action
	By      []CellAttribute // if it depends on attributes
	Cells   []*Lifelong
}

type Immigration struct {
	Rate    float64
	Varying []VaryingRate // in place of the rate, if it changes: one
	In      Entry
	Name    int // to count it under, or −1
}

// An Entry is how somebody comes to be there.
type Entry struct {
	To    uint16           // the state
	Into  *EntryStates     // from which it is drawn, if it is not nil
	Given []int32          // by attribute, the value or where it comes from; nil if all are drawn
	Age   *ByCell[law.Law] // newly born if nil
	Since *ByCell[law.Law] // how long it has been in the state; it enters it now if nil
}

// An EntryStates has states and their shares.
type EntryStates struct {
	States []uint16
	Shares *ByCell[EntryShares]
}

// EntryShares are the shares of states, added up; or, if they change with time, their courses, of which one is nil: that state has
// the rest.
type EntryShares struct {
	Sums    []float64
	Courses []*TimeVarying
}

// Draw takes a state by the shares at a time.
func (s *EntryShares) Draw(own *random.Stream, t float64) int {
	u := own.Float64()
	if s.Courses == nil {
		return lookup.Among(s.Sums, u)
	}
	rest := 0
	for k, c := range s.Courses {
		if c == nil {
			rest = k
		} else if u -= c.Chance(t); u < 0 {
			return k
		}
	}
	return rest
}

// Each calls back with every state that one may begin in.
func (e *Entry) Each(f func(state uint16)) {
	if e.Into == nil {
		f(e.To)
		return
	}
	for _, s := range e.Into.States {
		f(s)
	}
}

// A Contact is what a contact does.
type Contact struct {
	Chance    float64
	Chances   *Chances    // in place of the chance, if it is not the same for all
	Becomes   []uint16    // of someone met in a state; same if unaffected
	Self      uint16      // what becomes of the one who makes it, if it takes effect; same for nothing
	Whom      []Condition // who is affected
	Special   bool        // there is more to it than a chance and what becomes of the one who is met
	Attribute int         // for mixing; −1 for the whole population
	Rows      [][]float64
}

type verb uint8

const (
	DoMove verb = iota
	DoContact
	DoBirth
)

// An Action is what a clock does when it strikes.
type Action struct {
	Verb    verb
	To      uint16 // the state to move to; nobody for leaving, same for staying
	Contact int    // the contact's table
	In      *Entry // of a child
	Name    int    // the name to count it under, or −1
	Chance  float64
	Chances *Chances // in place of the chance, if it is not the same for all
	From    StateSet // only from these states, if not nil
	Moves   []Move
}

type Move struct {
	Attribute uint8
	Value     uint16
}

// A StateSet tells of each state whether it is one of some; nil stands for all.
type StateSet []bool

const (
	Nobody    uint16 = math.MaxUint16     // the state of an id that is free; as a goal, leaving the population
	SameState uint16 = math.MaxUint16 - 1 // as a goal, the state that one is in
	Unchanged uint16 = math.MaxUint16 - 2 // what becomes of someone who is met and stays as it is, while the contact takes effect
)

// Pick is the first item of a menu up to x.
func (t *State) Pick(x float64) *Action {
	i, last := 0, len(t.Menu)-1
	for last-i > 16 { // long menus are rare
		if middle := (i + last) / 2; x >= t.Menu[middle].upTo {
			i = middle + 1
		} else {
			last = middle
		}
	}
	for i < last && x >= t.Menu[i].upTo {
		i++
	}
	return &t.Menu[i].Do
}

// Add puts something that happens at a rate, a line of the state, on the menu.
func (t *State) Add(rate float64, line int, do Action) {
	if rate > 0 {
		t.Rate += rate
		t.Mean = 1 / t.Rate
		t.Menu = append(t.Menu, MenuItem{t.Rate, line, do})
	}
}

// A Scheduled is an intervention at its time.
type Scheduled struct {
	*Intervention
	Clock float64 // when, on the model's clock, as it is written
	At    float64 // since the start
}

// A Intervention is what an intervention does, whenever it does it.
type Intervention struct {
	What    string // how messages speak of it
	Again   bool   // each time its condition becomes true
	Picks   bool   // so many of those whom it is about
	Enters  bool   // it lets some in
	Who     StateSet
	Where   []Condition
	Do      Action
	Effects map[*Phase]*Effect // by the tables that hold before
}

// A Effect is a deed with all values worked out, as the parameters are once it is done.
type Effect struct {
	To       *Phase                // from then on; the same as before if it sets nothing
	Coverage *ByCell[*TimeVarying] // nil for all
	In       *Entry                // of those who are let in, if any
	Count    int                   // of those who are let in, or who are picked
}

// A Threshold is what a number of individuals is compared with.
type Threshold struct {
	State  int // −1 for all of the living
	Above  bool
	Share  bool // of the living
	Number float64
}

// A VaryingRate is something that happens at a rate that changes.
type VaryingRate struct {
	Rate   *TimeVarying
	Factor float64 // that the rate is multiplied by
	What   string  // for the message if it is above its most
	Line   int     // which of the state's it is
	Do     Action
}

// SameVarying tells whether two lists are the same. Equal courses are one.
func SameVarying(a, b []VaryingRate) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Rate != b[i].Rate || a[i].Factor != b[i].Factor || a[i].Line != b[i].Line {
			return false
		}
	}
	return true
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

// Equals tells whether two tables of the same state are the same.
func (t *State) Equals(o *State) bool {
	if t.By != nil || o.By != nil {
		return slices.Equal(t.By, o.By) && slices.EqualFunc(t.Cells, o.Cells, func(a, b *State) bool { return a == b || a.Equals(b) })
	}
	sameClock := func(a, b Clock) bool { return a.UpTo == b.UpTo && a.Equals(&b) }
	sameChances := t.Chances == o.Chances || t.Chances != nil && o.Chances != nil && slices.Equal(t.Chances.Of, o.Chances.Of)
	return sameChances && SameVarying(t.Varying, o.Varying) && t.Rate == o.Rate && slices.EqualFunc(t.Menu, o.Menu, func(a, b MenuItem) bool { return a.upTo == b.upTo && a.line == b.line }) &&
		slices.EqualFunc(t.Race, o.Race, sameClock) && slices.EqualFunc(t.Split, o.Split, sameClock)
}

// Equals tells whether a clock runs alike by two tables.
func (c *Clock) Equals(o *Clock) bool {
	return c.Off == o.Off && SameVarying(c.Varying, o.Varying) && c.Law.Same(&o.Law)
}

// Equals tells whether a clock of always runs alike by two tables.
func (c *Lifelong) Equals(o *Lifelong) bool {
	if c.By != nil || o.By != nil {
		return slices.Equal(c.By, o.By) && slices.EqualFunc(c.Cells, o.Cells, func(a, b *Lifelong) bool { return a == b || a.Equals(b) })
	}
	return c.Off == o.Off && c.Law.Same(&o.Law)
}

// Where the value of an attribute comes from, for somebody who enters; from 0 on it is the value itself.
const (
	Drawn     = -1
	Inherited = -2
)

// Of is where the value of an attribute comes from, or the value.
func (e *Entry) Of(attribute int) int32 {
	if e.Given == nil {
		return Drawn
	}
	return e.Given[attribute]
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

// Left is how long a clock of always still runs for someone of the given age. If it ends every life, it has not struck
// yet, or there would be nobody; else it may have struck in the past, and never will again.
func (c *Lifelong) Left(s *random.Stream, age float64) (left float64, struck bool) {
	switch {
	case c.Ends:
		return max(0, c.Law.DrawBeyond(s, age)-age), false
	case age == 0:
		return c.Law.Draw(s), false
	case age >= c.Longest:
		return math.Inf(1), true
	}
	if x := c.Law.Draw(s) - age; x > 0 {
		return x, false
	}
	return math.Inf(1), true
}

// About tells whether an intervention does something with individuals.
func (d *Intervention) About() bool { return d.Do.To != SameState || len(d.Do.Moves) > 0 || d.Enters }
