package syntax

import (
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

const (
	maxStates   = 10_000 // also the values of an attribute
	maxBranches = 250    // of a split
)

// Out takes the place of a state in to: out, which leaves the population.
const Out = "out"

// The keys that clocks may have, depending on where they stand.
var (
	raceKeys   = append([]string{"after", "rate", "to", "move", "name", "where"}, effectKeys...)
	splitKeys  = append([]string{"after", "rate", "to", "move", "name", "chance", "otherwise"}, effectKeys...)
	alwaysKeys = append([]string{"after", "rate", "to", "move", "name", "from", "chance", "where"}, effectKeys...)

	childKeys  = []string{"enter", "count", "with", "inherit"} // about the children of the individual
	effectKeys = append(slices.Clone(childKeys), "uses", "full", "queue", "source")
)

// A State is a state and its clocks: those of its race, and the branches of its split.
type State struct {
	Ref
	What        string // how messages name it
	Race, Split []Clock
	SplitBad    bool // not all branches could be read
}

// A Clock is a clock of a race, a branch of a split, or a clock of always.
type Clock struct {
	At        diag.Place
	What      string // how messages name it
	Rate      Value  // either Rate or After is given
	After     Value
	To        Ref
	Moves     []Move
	Uses      Uses // of a supply
	Name      string
	Chance    Value // of a branch, or that a clock of always takes effect; optional
	Otherwise bool
	ChanceBad bool  // otherwise is not true
	From      []Ref // always: it affects individuals in these states only
	Where     []Where
	Children  []Entry // who enters when it fires: one entry, or none
	Source    []SourceShare
}

// states reads the section states.
func (r *Reader) states(m *File, n *yaml.Node) {
	before := r.Count
	all := r.Pairs(n, "states", "{susceptible: {}, infectious: {}}")
	m.StatesBad = len(all) == 0
	if len(all) == 0 && r.Count == before {
		r.Fail(n, "states: expected at least one state, such as susceptible: {}")
	}
	if len(all) > maxStates {
		r.Fail(n, "states: %d states are more than the %d there can be", len(all), maxStates)
	}
	for i, p := range all {
		if i >= maxStates || !r.checkName(p.Key, "states", p.Name) {
			m.InvalidStates[p.Name] = true
			continue
		}
		s := State{Ref: Ref{Name: p.Name, At: r.Place(p.Key)}, What: "states: " + p.Name}
		if p.Value.Tag != "!!null" {
			r.stateClocks(&s, p.Value)
		}
		m.States = append(m.States, s)
	}
}

// stateClocks reads the clocks of a state.
func (r *Reader) stateClocks(s *State, n *yaml.Node) {
	what := s.What
	f := r.Fields(n, what, "{race: [{rate: 0.2 per day, to: recovered}]}", "race", "split")
	if f == nil {
		return
	}
	if c := f.Get("race"); c != nil {
		s.Race, _ = r.clocks(c, what+": race", raceKeys)
	}
	if c := f.Get("split"); c != nil {
		var ok bool
		s.Split, ok = r.clocks(c, what+": split", splitKeys)
		s.SplitBad = !ok
		if len(s.Split) > maxBranches {
			r.Fail(c, "%s: split: %d branches are more than the %d there can be", what, len(s.Split), maxBranches)
			s.SplitBad = true
		}
	}
}

// always reads the section always.
func (r *Reader) always(m *File, n *yaml.Node) { m.Always, _ = r.clocks(n, "always", alwaysKeys) }

// clocks reads a list of clocks that may have the given keys, and reports whether all could be
// read.
func (r *Reader) clocks(n *yaml.Node, what string, keys []string) ([]Clock, bool) {
	const example = "{after: 5 days, to: recovered}"
	var all []Clock
	before := r.Count
	for i, item := range r.Items(n, what, "[{rate: 0.2 per day, to: recovered}]") {
		f := r.Fields(item, what, example, keys...)
		if f == nil {
			continue
		}
		c := Clock{At: r.Place(f.Node), What: fmt.Sprintf("%s: clock %d", what, i+1)}
		if f.Get("name") != nil {
			c.Name = f.name()
			c.What = what + ": " + diag.Shorten(c.Name)
		}
		f.what = c.What
		rate, after := f.Get("rate"), f.Get("after")
		switch {
		case rate != nil && after != nil:
			r.Fail(f.Node, "%s: both rate and after; a clock has one of them", c.What)
			continue
		case rate != nil:
			c.Rate = f.Value("rate", quantity.Rate)
		case after != nil:
			c.After = f.Value("after", quantity.Duration)
		default:
			r.Fail(f.Node, "%s: when? Write rate: 0.2 per day or after: 5 days, for example", c.What)
			continue
		}
		c.Moves = f.moves("move")
		r.children(&c, f)
		if c.To = f.ref("to"); !c.To.Given() && f.Get("move") == nil && f.Get("enter") == nil {
			f.Need("to", "recovered")
			continue
		}
		c.From = f.refs("from")
		c.Where = f.where("where")
		c.Uses = f.uses()
		c.Source = f.source()
		c.Chance = f.Value("chance", quantity.Share)
		if otherwise := f.Get("otherwise"); otherwise != nil {
			c.Otherwise = otherwise.Value == "true"
			if !c.Otherwise {
				r.Fail(otherwise, "%s: otherwise: found %s, expected true", c.What, Describe(otherwise))
				c.ChanceBad = true
			} else if c.Chance.Given() {
				r.Fail(otherwise, "%s: both chance and otherwise; a branch has one of them", c.What)
			}
		}
		all = append(all, c)
	}
	return all, r.Count == before
}
