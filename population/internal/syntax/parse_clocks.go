package syntax

import (
	"fmt"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// maxStates bounds how many states there are, and values of an attribute.
const maxStates = 10_000

// Out is where those go who leave the population.
const Out = "out"

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

func (r *Reader) states(m *File, n *yaml.Node) {
	before := r.Found
	all := r.Pairs(n, "states", "{susceptible: {}, infectious: {}}")
	m.StatesBad = len(all) == 0
	if len(all) == 0 && r.Found == before {
		r.Fail(n, "states: expected at least one state, such as susceptible: {}")
	}
	if len(all) > maxStates {
		r.Fail(n, "states: %d states are more than the %d there can be", len(all), maxStates)
	}
	for i, p := range all {
		if i >= maxStates || !r.checkName(p.Key, "states", p.Name) {
			m.Refused[p.Name] = true
			continue
		}
		s := State{Ref: Ref{Name: p.Name, At: r.Place(p.Key)}}
		what := "states: " + p.Name
		if p.Value.Tag != "!!null" {
			if f := r.Fields(p.Value, what, "{race: [{rate: 0.2 per day, to: recovered}]}", "race", "split"); f != nil {
				if c := f.Get("race"); c != nil {
					s.Race, _ = r.clocks(c, what+": race", "after", "rate", "to", "name", "where")
				}
				if c := f.Get("split"); c != nil {
					var ok bool
					s.Split, ok = r.clocks(c, what+": split", "after", "rate", "to", "name", "chance", "otherwise")
					s.SplitBad = !ok
					if len(s.Split) > 250 {
						r.Fail(c, "%s: split: %d branches are more than the 250 there can be", what, len(s.Split))
						s.SplitBad = true
					}
				}
			}
		}
		m.States = append(m.States, s)
	}
}

// clocks reads a list of clocks that may have the given keys, and tells whether all of them could be read.
func (r *Reader) clocks(n *yaml.Node, what string, keys ...string) ([]Clock, bool) {
	const like = "{after: 5 days, to: recovered}"
	var all []Clock
	before := r.Found
	for i, item := range r.Items(n, what, "[{rate: 0.2 per day, to: recovered}]") {
		f := r.Fields(item, what, like, keys...)
		if f == nil {
			continue
		}
		c := Clock{At: r.Place(f.Node), What: fmt.Sprintf("%s: clock %d", what, i+1)}
		if f.Get("name") != nil {
			c.Name = f.name()
			c.What = what + ": " + diag.Echo(c.Name)
		}
		f.what = c.What
		rate, after := f.Get("rate"), f.Get("after")
		switch {
		case rate != nil && after != nil:
			r.Fail(f.Node, "%s: both rate and after; a clock has one of them", c.What)
			continue
		case rate != nil:
			c.Rate = f.Value("rate", KindRate)
		case after != nil:
			c.After = f.Value("after", KindDuration)
		default:
			r.Fail(f.Node, "%s: when? Write rate: 0.2 per day or after: 5 days, for example", c.What)
			continue
		}
		c.Moves = r.moves(f, "move")
		if c.To = f.ref("to"); !c.To.Given() && f.Get("move") == nil {
			f.Need("to", "recovered")
			continue
		}
		c.From = r.refs(f, "from")
		c.Where = r.where(f, "where")
		c.Chance = f.Value("chance", KindShare)
		if otherwise := f.Get("otherwise"); otherwise != nil {
			c.Otherwise = otherwise.Value == "true"
			if !c.Otherwise {
				r.Fail(otherwise, "%s: otherwise: found %s, expected true", c.What, Found(otherwise))
				c.ChanceBad = true
			} else if c.Chance.Given() {
				r.Fail(otherwise, "%s: both chance and otherwise; a branch has one of them", c.What)
			}
		}
		all = append(all, c)
	}
	return all, r.Found == before
}
