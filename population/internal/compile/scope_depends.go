package compile

import (
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A dependence is what a value depends on beside the parameters, whatever interventions make of those.
type dependence struct {
	Own, Met []int // the attributes by which it is read, of the individual itself and of the one who is met, ascending
	Time     bool  // it changes with time
	Counts   bool  // it changes with how many there are
}

// Fixed tells whether a value is the same for everybody at all times.
func (d dependence) Fixed() bool {
	return !d.Cells() && !d.Time && !d.Counts
}

// Cells tells whether it depends on the individual, or on the one who is met.
func (d dependence) Cells() bool { return len(d.Own)+len(d.Met) > 0 }

// add makes a value depend on more.
func (d *dependence) add(more dependence) {
	d.Own, d.Met = union(d.Own, more.Own), union(d.Met, more.Met)
	d.Time, d.Counts = d.Time || more.Time, d.Counts || more.Counts
}

// Depends says what a value depends on. A parameter that interventions set is taken for all that they set it to.
func (s Scope) Depends(v syntax.Value) dependence {
	key := v.Key()
	if key == nil {
		return dependence{}
	}
	if d, ok := s.dependences[key]; ok {
		return d
	}
	d, _ := s.searchDependence(v, &dependenceSearch{index: map[string]int{}})
	s.dependences[key] = d
	return d
}

// A dependenceSearch goes through parameters that stand in one another, each of them once. Interventions may set them to one another in a ring, and
// all in a ring depend on the same; so it looks for the strongly connected components, as Tarjan does (SIAM J. Comput. 1, 1972).
type dependenceSearch struct {
	stack []string       // the parameters whose component is not complete, in the order in which they were found
	index map[string]int // of each among them
}

// searchDependence says what a value depends on, and the first of the open parameters that it leads back to: what that one depends on is still to be
// added. Where there is none, that is the number of those open before.
func (s Scope) searchDependence(v syntax.Value, g *dependenceSearch) (d dependence, back int) {
	back = len(g.stack)
	add := func(part syntax.Value) {
		more, to := s.searchDependence(part, g)
		d.add(more)
		back = min(back, to)
	}
	if v.Name == "" {
		if v.Table != nil {
			if a := s.attributes.Index(v.Table.By.Name); a >= 0 {
				if v.Table.Met {
					d.Met = []int{a}
				} else {
					d.Own = []int{a}
				}
			}
		}
		d.Time, d.Counts = v.TimeVarying != nil, v.CountDependent != nil
		v.Each(add)
		return d, back
	}
	if d, ok := s.dependences[v.Name]; ok {
		return d, back
	}
	if at, ok := g.index[v.Name]; ok {
		return dependence{}, at
	}
	at := len(g.stack)
	g.stack, g.index[v.Name] = append(g.stack, v.Name), at
	if p, ok := s.parameters[v.Name]; ok {
		add(p.Value)
	}
	for _, set := range s.sets[v.Name] {
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
