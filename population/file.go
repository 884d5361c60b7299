package population

import (
	"fmt"
	"math"
	"slices"

	"go.yaml.in/yaml/v3"
)

// A file is a model as it is written: read and in order, but with names not looked up and values not worked out.
type file struct {
	path         string
	name, about  string
	unit         unit
	start, end   float64
	zero         calendarZero
	record       recordText
	size         int
	sizeAt       place
	sizeBad      bool
	most         int // how many may be alive at once
	mostBad      bool
	groups       []groupText // one, if there is a plain start
	grouped      bool        // they are written as groups
	startsAt     place
	startsBad    bool
	age          value // of those who are there at the start, if it is given
	parameters   []namedValue
	changed      map[string]bool // parameters that were asked to be another
	states       []stateText
	statesBad    bool            // none could be read
	refused      map[string]bool // names that states cannot have
	always       []clockText
	births       []entryText
	immigration  []entryText
	transmission []contactText
	plans        []planText
	scenarios    []scenarioText
	fit          *yaml.Node
	attributes   []attributeText
}

// stays tells whether the one who is met stays as it is.
func (f *file) stays(to toText) bool {
	return to.becomes.name == sameWord && !slices.ContainsFunc(f.states, func(s stateText) bool { return s.name == sameWord })
}

type namedValue struct {
	label named
	value
	node *yaml.Node // as it is written
}

// A name that refers to something, and where it stands.
type named struct {
	name string
	at   place
	bad  bool // it could not be read, and that has been said
}

// given tells whether there is one at all.
func (n named) given() bool { return n.at != place{} }

// A groupText is a part of those who are there at the start.
type groupText struct {
	at      place
	what    string
	isShare bool
	share   float64 // of the size
	count   int
	sizeAt  place // of the share or the count
	with    []moveText
	starts  []startShare
}

// A startShare is how many of a group begin in a state.
type startShare struct {
	state  named
	what   string
	count  int
	share  float64 // of the group, if it is a percentage
	by     value   // in place of both, if they are not written out
	byWhat byWhat  // which of the two that is
	rest   bool
	since  value // how long they have been in it, if that is said
	at     place // of the number
}

// byWhat is what a startShare that is not written out can be.
type byWhat uint8

const (
	byNothing byWhat = iota // it is written out
	byEither                // a percentage is a share, and a number a count
	byShare
	byCount
)

// An enterText is the state that somebody begins in, or the shares of several; the name is then empty.
type enterText struct {
	named
	into []enterShare
}

type enterShare struct {
	state named
	share value
	rest  bool
}

type stateText struct {
	named
	race, split []clockText
	splitBad    bool // not all branches could be read
}

type clockText struct {
	at        place
	what      string
	rate      value // one of the two is given
	after     value
	to        named
	moves     []moveText
	name      string
	chance    value // of the branch of a split, or that a clock of always takes effect, if it is given
	otherwise bool
	chanceBad bool    // something other than true for otherwise
	from      []named // always: only in these states
	where     []whereText
}

// A whereText is an attribute and the values that it may have.
type whereText struct {
	attribute named
	values    []named
}

// A moveText gives an attribute another value.
type moveText struct{ attribute, value named }

type entryText struct {
	what  string
	rate  value
	enter enterText
	from  []named // births: by individuals in these states alone
	where []whereText
	per   value // immigration: the rate is for so many individuals at the start, if it is given
	age   value // newly born if it is not given
	name  string

	inherit    []named // births: attributes of which a child has its parent's values
	inheritAll bool
	with       []moveText // immigration: the values of some attributes
}

type contactText struct {
	what      string
	from      []named
	rate      value
	chance    value // 1 if it is not given
	to        []toText
	self      named
	where     []whereText // who makes contacts
	whom      []whereText // who is affected
	by        named       // the attribute for mixing, if any
	matrix    [][]value
	matrixAt  place
	rowsAt    []place
	matrixBad bool
	name      string
}

type toText struct{ met, becomes named }

type planText struct {
	at       place
	what     string
	when     float64 // on the model's clock
	every    value   // once if it is not given
	interval float64 // what it is, in the unit of the model; 0 for once
	until    float64
	set      []namedValue
	who      []named
	everyone bool
	where    []whereText
	coverage value // all if it is not given
	to       named
	moves    []moveText
	enter    enterText
	with     []moveText // of those who enter
	count    int
	countBy  value // in place of the count, if it is not written out
	picks    bool  // so many of those whom it is about
	name     string

	waits      bool // for its conditions, all of which must be true
	conditions []conditionText
	again      bool // each time they become true
}

// A conditionText compares how many are in a state, or alive, with a limit.
type conditionText struct {
	of    named
	above bool // or below
	limit value
}

type attributeText struct {
	named
	values []named
	shares []value
	rest   int // which of them has what is left over; −1 if none
}

// startWords is when the model starts, for a message.
func (m *file) startWords() string {
	if m.zero.dated {
		return m.zero.words(m.start)
	}
	return fmt.Sprintf("%.12g %s", m.start, m.unit.of(m.start))
}

// wrongEnd says what is wrong with the end, if anything.
func (m *file) wrongEnd() string {
	switch span := m.end - m.start; {
	case !(m.end > m.start):
		return "not after"
	case math.IsInf(span, 0):
		return "too far from"
	case span/1e6 == 0:
		return "too near to"
	case m.zero.dated && m.end*m.unit.seconds/aDay > lastDay-m.zero.day:
		return "after the year 9999, too far from"
	}
	return ""
}

// words is a condition as it is written.
func (c *conditionText) words() string {
	if c.above {
		return c.of.name + " above " + c.limit.text
	}
	return c.of.name + " below " + c.limit.text
}

// A scenarioText gives parameters other values, under a name.
type scenarioText struct {
	label named
	set   []namedValue
}

func (f *file) scenarioNames() []string {
	var names []string
	for _, s := range f.scenarios {
		names = append(names, s.label.name)
	}
	return names
}

func (f *file) parameterNames() []string {
	var names []string
	for _, p := range f.parameters {
		names = append(names, p.label.name)
	}
	return names
}

func (f *file) hasParameter(name string) bool { return slices.Contains(f.parameterNames(), name) }
