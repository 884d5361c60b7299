package syntax

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// A File is a model as it is written: read and in order, but with names not looked up and values not worked out.
type File struct {
	Path          string
	Name, About   string
	Unit          Unit
	Start, End    float64
	Zero          Epoch
	Record        Record
	Size          int
	SizeAt        diag.Place
	SizeBad       bool
	Most          int // how many may be alive at once
	MostBad       bool
	Groups        []StartGroup // one, if there is a plain start
	Grouped       bool         // they are written as groups
	StartsAt      diag.Place
	StartsBad     bool
	Age           Value // of those who are there at the start, if it is given
	Parameters    []NamedValue
	Changed       map[string]bool // parameters that were asked to be another
	States        []State
	StatesBad     bool            // none could be read
	Refused       map[string]bool // names that states cannot have
	Always        []Clock
	Births        []Entry
	Immigration   []Entry
	Transmission  []Contact
	Interventions []Intervention
	Scenarios     []Scenario
	Fit           *yaml.Node
	Attributes    []Attribute
}

// Stays tells whether the one who is met stays as it is.
func (f *File) Stays(to ContactEffect) bool {
	return to.Becomes.Name == sameWord && !slices.ContainsFunc(f.States, func(s State) bool { return s.Name == sameWord })
}

type NamedValue struct {
	Label Ref
	Value
	Node *yaml.Node // as it is written
}

// A name that refers to something, and where it stands.
type Ref struct {
	Name string
	At   diag.Place
	Bad  bool // it could not be read, and that has been said
}

// Given tells whether there is one at all.
func (n Ref) Given() bool { return n.At != diag.Place{} }

// A StartGroup is a part of those who are there at the start.
type StartGroup struct {
	At      diag.Place
	What    string
	IsShare bool
	Share   float64 // of the size
	Count   int
	SizeAt  diag.Place // of the share or the count
	With    []Move
	Starts  []StartShare
}

// A StartShare is how many of a group begin in a state.
type StartShare struct {
	State  Ref
	What   string
	Count  int
	Share  float64   // of the group, if it is a percentage
	By     Value     // in place of both, if they are not written out
	ByWhat ShareKind // which of the two that is
	Rest   bool
	Since  Value      // how long they have been in it, if that is said
	At     diag.Place // of the number
}

// ShareKind is what a startShare that is not written out can be.
type ShareKind uint8

const (
	ShareWritten ShareKind = iota // it is written out
	ShareOrCount                  // a percentage is a share, and a number a count
	ShareGiven
	CountGiven
)

// An Enter is the state that somebody begins in, or the shares of several; the name is then empty.
type Enter struct {
	Ref
	Into []EnterShare
}

type EnterShare struct {
	State Ref
	Share Value
	Rest  bool
}

type State struct {
	Ref
	Race, Split []Clock
	SplitBad    bool // not all branches could be read
}

type Clock struct {
	At        diag.Place
	What      string
	Rate      Value // one of the two is given
	After     Value
	To        Ref
	Moves     []Move
	Name      string
	Chance    Value // of the branch of a split, or that a clock of always takes effect, if it is given
	Otherwise bool
	ChanceBad bool  // something other than true for otherwise
	From      []Ref // always: only in these states
	Where     []Where
}

// A Where is an attribute and the values that it may have.
type Where struct {
	Attribute Ref
	Values    []Ref
}

// A Move gives an attribute another value.
type Move struct{ Attribute, Value Ref }

type Entry struct {
	What  string
	Rate  Value
	Enter Enter
	From  []Ref // births: by individuals in these states alone
	Where []Where
	Per   Value // immigration: the rate is for so many individuals at the start, if it is given
	Age   Value // newly born if it is not given
	Name  string

	Inherit    []Ref // births: attributes of which a child has its parent's values
	InheritAll bool
	With       []Move // immigration: the values of some attributes
}

type Contact struct {
	What      string
	From      []Ref
	Rate      Value
	Chance    Value // 1 if it is not given
	To        []ContactEffect
	Self      Ref
	Where     []Where // who makes contacts
	Whom      []Where // who is affected
	By        Ref     // the attribute for mixing, if any
	Matrix    [][]Value
	MatrixAt  diag.Place
	RowsAt    []diag.Place
	MatrixBad bool
	Name      string
}

type ContactEffect struct{ Met, Becomes Ref }

type Intervention struct {
	At       diag.Place
	What     string
	When     float64 // on the model's clock
	Every    Value   // once if it is not given
	Interval float64 // what it is, in the unit of the model; 0 for once
	Until    float64
	Set      []NamedValue
	Who      []Ref
	Everyone bool
	Where    []Where
	Coverage Value // all if it is not given
	To       Ref
	Moves    []Move
	Enter    Enter
	With     []Move // of those who enter
	Count    int
	CountBy  Value // in place of the count, if it is not written out
	Picks    bool  // so many of those whom it is about
	Name     string

	Waits      bool // for its conditions, all of which must be true
	Conditions []Condition
	Again      bool // each time they become true
}

// A Condition compares how many are in a state, or alive, with a limit.
type Condition struct {
	Of    Ref
	Above bool // or below
	Limit Value
}

type Attribute struct {
	Ref
	Values []Ref
	Shares []Value
	Rest   int // which of them has what is left over; −1 if none
}

// StartWords is when the model starts, for a message.
func (m *File) StartWords() string {
	if m.Zero.Dated {
		return m.Zero.words(m.Start)
	}
	return fmt.Sprintf("%.12g %s", m.Start, m.Unit.Of(m.Start))
}

// wrongEnd says what is wrong with the end, if anything.
func (m *File) wrongEnd() string {
	switch span := m.End - m.Start; {
	case !(m.End > m.Start):
		return "not after"
	case math.IsInf(span, 0):
		return "too far from"
	case span/1e6 == 0:
		return "too near to"
	case m.Zero.Dated && m.End*m.Unit.Seconds/ADay > LastDay-m.Zero.day:
		return "after the year 9999, too far from"
	}
	return ""
}

// Words is a condition as it is written.
func (c *Condition) Words() string {
	if c.Above {
		return c.Of.Name + " above " + c.Limit.Text
	}
	return c.Of.Name + " below " + c.Limit.Text
}

// A Scenario gives parameters other values, under a name.
type Scenario struct {
	Label Ref
	Set   []NamedValue
}

func (f *File) ScenarioNames() []string {
	var names []string
	for _, s := range f.Scenarios {
		names = append(names, s.Label.Name)
	}
	return names
}

func (f *File) ParameterNames() []string {
	var names []string
	for _, p := range f.Parameters {
		names = append(names, p.Label.Name)
	}
	return names
}

func (f *File) HasParameter(name string) bool { return slices.Contains(f.ParameterNames(), name) }
