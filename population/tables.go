package population

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/portable"
	"github.com/almanac-sim/almanac/internal/random"
)

// tables are what a run looks up: the model with all values worked out, as they are between two interventions. A state is
// a small number, and so is everything else.
type tables struct {
	states      []stateTable
	always      []alwaysTable
	immigration []arrivalTable
	contacts    []contactTable
	byGroup     bool          // something depends on attributes
	attributes  [][]float64   // the shares of each attribute's values, added up
	ages        *perCell[law] // of those who are there at the start
	limits      [][]limit     // of the interventions that wait, as the model lists those
	alike       bool          // the clocks of always are the same for everybody, and have a memory: see batch.go
}

// A stateTable is what can happen to an individual in a state.
//
// All that happens at a rate is one clock, whatever it is, with the rates added up: the first of several exponential clocks
// is exponential, and which it was is independent of when. So an individual in a state needs one draw for when, and
// another for what once it happens.
type stateTable struct {
	rate float64
	mean float64 // 1/rate: a division for each draw is worth saving
	menu []menuItem
	// The other clocks, each of which is drawn on entering the state and then carried along: those of the race, and the
	// branches of the split, of which one is drawn.
	race   []clockTable
	split  []clockTable
	timers int // how many are carried along
	// If what can happen depends on attributes: by which, and the table of each cell. All of the above but the last is then theirs.
	by    []cellBy
	cells []*stateTable
	// What happens at rates that change, beside the menu; and the chances of the branches, if they do.
	vary    []varying
	chances *branchChances
	// What is known of it beforehand; see mark.
	bare  bool // all that happens is on the menu, for everybody alike
	alike bool // there is nothing but the menu and the clocks of always
	meets bool // the menu, which is all that happens at a rate, has a contact with the whole population
}

// mark notes what is known of the tables of states beforehand, so that events need not find it out.
func (t *tables) mark() {
	var mark func(st *stateTable)
	mark = func(st *stateTable) {
		st.alike = st.timers == 0 && st.by == nil && st.vary == nil
		st.bare = len(t.always) == 0 && st.alike
		for i := range st.menu {
			do := &st.menu[i].do
			st.meets = st.meets || st.vary == nil && do.verb == doContact && t.contacts[do.contact].attribute < 0
		}
		for _, cell := range st.cells {
			mark(cell)
		}
	}
	for s := range t.states {
		mark(&t.states[s])
	}
	t.alike = true
	for k := range t.always {
		c := &t.always[k]
		t.alike = t.alike && c.by == nil && !c.off && !c.law.memoryless() // a timer without memory bears a mark (startTimer), which a batch does not set
	}
}

// branchChances are those of the branches of a split that change with time. One has what is left over.
type branchChances struct {
	of        []*course // nil for that one
	otherwise int
}

type menuItem struct {
	upTo float64 // the rates added up to and including this one
	line int     // which of the state's it is
	do   action
}

type clockTable struct {
	law  law
	off  bool      // it does not run for those of the cell
	vary []varying // in place of the law, if it is a rate that changes: one
	upTo float64   // split: the chances added up to and including this one
	do   action
}

// An alwaysTable is a clock of always with a memory, or one that strikes once.
type alwaysTable struct {
	law     law
	longest float64
	ends    bool // it takes everybody away, so that whoever is there has not heard it strike
	off     bool // it does not run for those of the cell
	do      action
	by      []cellBy // if it depends on attributes
	cells   []*alwaysTable
}

type arrivalTable struct {
	rate float64
	vary []varying // in place of the rate, if it changes: one
	in   entrance
	name int // to count it under, or −1
}

// An entrance is how somebody comes to be there.
type entrance struct {
	to    uint16        // the state
	into  *intoTable    // from which it is drawn, if it is not nil
	given []int32       // by attribute, the value or where it comes from; nil if all are drawn
	age   *perCell[law] // newly born if nil
	since *perCell[law] // how long it has been in the state; it enters it now if nil
}

// An intoTable has states and their shares.
type intoTable struct {
	states []uint16
	shares *perCell[intoShares]
}

// intoShares are the shares of states, added up; or, if they change with time, their courses, of which one is nil: that state has
// the rest.
type intoShares struct {
	sums    []float64
	courses []*course
}

// draw takes a state by the shares at a time.
func (s *intoShares) draw(own *random.Stream, t float64) int {
	u := own.Float64()
	if s.courses == nil {
		return among(s.sums, u)
	}
	rest := 0
	for k, c := range s.courses {
		if c == nil {
			rest = k
		} else if u -= c.chance(t); u < 0 {
			return k
		}
	}
	return rest
}

// each calls back with every state that one may begin in.
func (e *entrance) each(f func(state uint16)) {
	if e.into == nil {
		f(e.to)
		return
	}
	for _, s := range e.into.states {
		f(s)
	}
}

// A contactTable is what a contact does.
type contactTable struct {
	chance    float64
	odds      *odds       // in place of the chance, if it is not the same for all
	becomes   []uint16    // of someone met in a state; same if unaffected
	self      uint16      // what becomes of the one who makes it, if it takes effect; same for nothing
	whom      []condition // who is affected
	special   bool        // there is more to it than a chance and what becomes of the one who is met
	attribute int         // for mixing; −1 for the whole population
	rows      [][]float64
}

type verb uint8

const (
	doMove verb = iota
	doContact
	doBirth
)

// An action is what a clock does when it strikes.
type action struct {
	verb    verb
	to      uint16    // the state to move to; nobody for leaving, same for staying
	contact int       // the contact's table
	in      *entrance // of a child
	name    int       // the name to count it under, or −1
	chance  float64
	odds    *odds    // in place of the chance, if it is not the same for all
	from    stateSet // only from these states, if not nil
	moves   []move
}

type move struct {
	attribute uint8
	value     uint16
}

// A stateSet tells of each state whether it is one of some; nil stands for all.
type stateSet []bool

const (
	nobody uint16 = math.MaxUint16     // the state of an id that is free; as a goal, leaving the population
	same   uint16 = math.MaxUint16 - 1 // as a goal, the state that one is in
	asIs   uint16 = math.MaxUint16 - 2 // what becomes of someone who is met and stays as it is, while the contact takes effect
)

// pick is the first item of a menu up to x.
func (t *stateTable) pick(x float64) *action {
	i, last := 0, len(t.menu)-1
	for last-i > 16 { // long menus are rare
		if middle := (i + last) / 2; x >= t.menu[middle].upTo {
			i = middle + 1
		} else {
			last = middle
		}
	}
	for i < last && x >= t.menu[i].upTo {
		i++
	}
	return &t.menu[i].do
}

// add puts something that happens at a rate, a line of the state, on the menu.
func (t *stateTable) add(rate float64, line int, do action) {
	if rate > 0 {
		t.rate += rate
		t.mean = 1 / t.rate
		t.menu = append(t.menu, menuItem{t.rate, line, do})
	}
}

// A plan is an intervention at its time.
type plan struct {
	*deed
	clock float64 // when, on the model's clock, as it is written
	at    float64 // since the start
}

// A deed is what an intervention does, whenever it does it.
type deed struct {
	what   string // how messages speak of it
	again  bool   // each time its condition becomes true
	picks  bool   // so many of those whom it is about
	enters bool   // it lets some in
	who    stateSet
	where  []condition
	do     action
	turns  map[*tables]*turn // by the tables that hold before
}

// A turn is a deed with all values worked out, as the parameters are once it is done.
type turn struct {
	to       *tables           // from then on; the same as before if it sets nothing
	coverage *perCell[*course] // nil for all
	in       *entrance         // of those who are let in, if any
	count    int               // of those who are let in, or who are picked
}

// A limit is what a number of individuals is compared with.
type limit struct {
	state  int // −1 for all of the living
	above  bool
	share  bool // of the living
	number float64
}

// A varying is something that happens at a rate that changes.
type varying struct {
	course *course
	factor float64 // that the rate is multiplied by
	what   string  // for the message if it is above its most
	line   int     // which of the state's it is
	do     action
}

// sameVarying tells whether two lists are the same. Equal courses are one.
func sameVarying(a, b []varying) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].course != b[i].course || a[i].factor != b[i].factor || a[i].line != b[i].line {
			return false
		}
	}
	return true
}

// each calls f with all that can happen in a state.
func (t *stateTable) each(f func(do *action)) {
	var last *stateTable
	for _, cell := range t.cells {
		if cell != last {
			cell.each(f)
			last = cell
		}
	}
	for i := range t.menu {
		f(&t.menu[i].do)
	}
	for i := range t.race {
		f(&t.race[i].do)
	}
	for i := range t.split {
		f(&t.split[i].do)
	}
	for i := range t.vary {
		f(&t.vary[i].do)
	}
}

// equals tells whether two tables of the same state are the same.
func (t *stateTable) equals(o *stateTable) bool {
	if t.by != nil || o.by != nil {
		return slices.Equal(t.by, o.by) && slices.EqualFunc(t.cells, o.cells, func(a, b *stateTable) bool { return a == b || a.equals(b) })
	}
	sameClock := func(a, b clockTable) bool { return a.upTo == b.upTo && a.equals(&b) }
	sameChances := t.chances == o.chances || t.chances != nil && o.chances != nil && slices.Equal(t.chances.of, o.chances.of)
	return sameChances && sameVarying(t.vary, o.vary) && t.rate == o.rate && slices.EqualFunc(t.menu, o.menu, func(a, b menuItem) bool { return a.upTo == b.upTo && a.line == b.line }) &&
		slices.EqualFunc(t.race, o.race, sameClock) && slices.EqualFunc(t.split, o.split, sameClock)
}

// equals tells whether a clock runs alike by two tables.
func (c *clockTable) equals(o *clockTable) bool {
	return c.off == o.off && sameVarying(c.vary, o.vary) && c.law.same(&o.law)
}

// equals tells whether a clock of always runs alike by two tables.
func (c *alwaysTable) equals(o *alwaysTable) bool {
	if c.by != nil || o.by != nil {
		return slices.Equal(c.by, o.by) && slices.EqualFunc(c.cells, o.cells, func(a, b *alwaysTable) bool { return a == b || a.equals(b) })
	}
	return c.off == o.off && c.law.same(&o.law)
}

// Where the value of an attribute comes from, for somebody who enters; from 0 on it is the value itself.
const (
	drawnValue     = -1
	inheritedValue = -2
)

// of is where the value of an attribute comes from, or the value.
func (e *entrance) of(attribute int) int32 {
	if e.given == nil {
		return drawnValue
	}
	return e.given[attribute]
}

// branchLogs adds the logarithms of what the branches of a split weigh after a time to a list: their chances times the probabilities that their clocks
// are still running.
func (t *stateTable) branchLogs(age float64, logs []float64) []float64 {
	before := 0.0
	for k := range t.split {
		upTo := min(1, t.split[k].upTo) // which is infinite for the last
		logs = append(logs, portable.Log(upTo-before)+t.split[k].law.logSurvival(age))
		before = upTo
	}
	return logs
}

// remembers tells whether how long one has been in the state makes a difference: whether a clock has a memory, or the branch does.
func (t *stateTable) remembers() bool {
	if slices.ContainsFunc(t.cells, (*stateTable).remembers) {
		return true
	}
	for k := range t.race {
		if !t.race[k].law.memoryless() {
			return true
		}
	}
	for k := range t.split {
		if l := &t.split[k].law; !l.memoryless() || !l.same(&t.split[0].law) {
			return true
		}
	}
	return false
}

// still tells whether no clock runs in a state, for anybody.
func (t *stateTable) still() bool {
	return t.rate == 0 && t.vary == nil && t.timers == 0 && t.by == nil
}

// left is how long a clock of always still runs for someone of the given age. If it ends every life, it has not struck
// yet, or there would be nobody; else it may have struck in the past, and never will again.
func (c *alwaysTable) left(s *random.Stream, age float64) (left float64, struck bool) {
	switch {
	case c.ends:
		return max(0, c.law.drawBeyond(s, age)-age), false
	case age == 0:
		return c.law.draw(s), false
	case age >= c.longest:
		return math.Inf(1), true
	}
	if x := c.law.draw(s) - age; x > 0 {
		return x, false
	}
	return math.Inf(1), true
}

// about tells whether an intervention does something with individuals.
func (d *deed) about() bool { return d.do.to != same || len(d.do.moves) > 0 || d.enters }
