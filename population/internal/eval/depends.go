package eval

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A Dependence is what a value depends on, whatever interventions set the parameters to.
type Dependence struct {
	Own, Met []int // attributes of the individual and of the individual met, ascending
	Time     bool  // it changes with time
	Counts   bool  // it changes with the number of individuals
	Since    bool  // it changes with a time since; Time is set too
	SinceMet bool  // it does with that of the individual met, or with a number of that
	Number   bool  // it differs with a number of the individual; Time is set too
}

// Fixed reports whether a value is the same for all individuals at all times.
func (d Dependence) Fixed() bool {
	return !d.Cells() && !d.Time && !d.Counts
}

// Cells reports whether a value depends on the individual or on the individual met.
func (d Dependence) Cells() bool { return len(d.Own)+len(d.Met) > 0 }

// add adds more dependences.
func (d *Dependence) add(more Dependence) {
	d.Own, d.Met = Union(d.Own, more.Own), Union(d.Met, more.Met)
	d.Time, d.Counts = d.Time || more.Time, d.Counts || more.Counts
	d.Since, d.SinceMet = d.Since || more.Since, d.SinceMet || more.SinceMet
	d.Number = d.Number || more.Number
}

// Dependence returns what a value depends on. A parameter that interventions set counts as all
// values it may have.
func (s Scope) Dependence(v syntax.Value) Dependence {
	key := v.Key()
	if key == nil {
		return Dependence{}
	}
	if d, ok := s.dependences[key]; ok {
		return d
	}
	d, _ := s.searchDependence(v, &dependenceSearch{index: map[string]int{}})
	s.dependences[key] = d
	return d
}

// A dependenceSearch visits parameters that refer to one another, each once. Interventions may make
// them refer to one another in a cycle, and all parameters of a cycle depend on the same; so it
// finds the strongly connected components, with the algorithm of Tarjan (SIAM J. Comput. 1, 1972).
type dependenceSearch struct {
	stack []string       // parameters whose component is not complete, in the order they were found
	index map[string]int // of each on the stack
}

// searchDependence returns what a value depends on, and the lowest index on the stack that it
// refers back to, whose own dependences are still to be added. If it refers back to none, that is
// the length of the stack before.
func (s Scope) searchDependence(v syntax.Value, g *dependenceSearch) (d Dependence, back int) {
	back = len(g.stack)
	add := func(part syntax.Value) {
		more, to := s.searchDependence(part, g)
		d.add(more)
		back = min(back, to)
	}
	if v.Name == "" {
		if v.Table != nil {
			if a := s.Attributes.Index(v.Table.By.Name); a >= 0 {
				if v.Table.Met {
					d.Met = []int{a}
				} else {
					d.Own = []int{a}
				}
			}
		}
		d.Time, d.Counts = v.TimeVarying != nil, v.CountDependent != nil
		if v.TimeVarying != nil && v.TimeVarying.Since != nil {
			d.Since, d.SinceMet = true, v.TimeVarying.Since.Met
		}
		if v.Expr != nil && v.Expr.HasNumber {
			d.Time, d.Number, d.SinceMet = true, true, v.Expr.OfMet
		}
		v.Each(add)
		return d, back
	}
	if d, ok := s.dependences[v.Name]; ok {
		return d, back
	}
	if at, ok := g.index[v.Name]; ok {
		return Dependence{}, at
	}
	at := len(g.stack)
	g.stack, g.index[v.Name] = append(g.stack, v.Name), at
	if p, ok := s.parameters[v.Name]; ok {
		add(p.Value)
	}
	for _, set := range s.Sets[v.Name] {
		add(set)
	}
	if back == at {
		for _, name := range g.stack[at:] {
			s.dependences[name] = d
			delete(g.index, name)
		}
		g.stack = g.stack[:at]
	}
	return d, back
}

// FirstThat returns the name, or the words, of the first value that a value is made of and that
// depends on something.
func (s Scope) FirstThat(v syntax.Value, is func(Dependence) bool) string {
	if v.Name != "" {
		return diag.Shorten(v.Name)
	}
	found := v.Text
	if v.TimeVarying != nil || v.CountDependent != nil {
		return found
	}
	done := false
	v.Each(func(part syntax.Value) {
		if !done && is(s.Dependence(part)) {
			found, done = s.FirstThat(part, is), true
		}
	})
	return found
}

// Union merges two lists of attributes, ascending.
func Union(a, b []int) []int {
	if len(b) == 0 {
		return a
	}
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}
