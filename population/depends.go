package population

import "slices"

// A dependence is what a value depends on beside the parameters, whatever interventions make of those.
type dependence struct {
	own, met []int // the attributes by which it is read, of the individual itself and of the one who is met, ascending
	time     bool  // it changes with time
	counts   bool  // it changes with how many there are
}

// fixed tells whether a value is the same for everybody at all times.
func (d dependence) fixed() bool {
	return !d.cells() && !d.time && !d.counts
}

// cells tells whether it depends on the individual, or on the one who is met.
func (d dependence) cells() bool { return len(d.own)+len(d.met) > 0 }

// depends says what a value depends on. A parameter that interventions set is taken for all that they set it to.
func (s scope) depends(v value) dependence {
	var d dependence
	if v.name == "" && v.plain() {
		return d
	}
	s.gather(v, &d, map[string]bool{})
	slices.Sort(d.own)
	slices.Sort(d.met)
	d.own, d.met = slices.Compact(d.own), slices.Compact(d.met)
	return d
}

// gather adds what a value depends on. The names seen need not be looked at again.
func (s scope) gather(v value, d *dependence, seen map[string]bool) {
	if v.name != "" {
		if seen[v.name] {
			return
		}
		seen[v.name] = true
		if p, ok := s.parameters[v.name]; ok {
			s.gather(p.value, d, seen)
		}
		for _, set := range s.sets[v.name] {
			s.gather(set, d, seen)
		}
		return
	}
	if v.table != nil {
		if a := slices.IndexFunc(s.attributes, func(a attribute) bool { return a.name == v.table.by.name }); a >= 0 {
			if v.table.met {
				d.met = append(d.met, a)
			} else {
				d.own = append(d.own, a)
			}
		}
	}
	d.time = d.time || v.course != nil
	d.counts = d.counts || v.count != nil
	v.each(func(part value) { s.gather(part, d, seen) })
}

// varies tells whether a distribution depends on the individual, so that it must be worked out for each cell.
func (s scope) varies(l *lawValue) bool {
	if s.own == nil && s.other == nil {
		return false // there is but one
	}
	varies, ok := s.varying[l]
	if !ok {
		varies = s.depends(value{law: l}).cells()
		s.varying[l] = varies
	}
	return varies
}
