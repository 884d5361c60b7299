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
	key := v.key()
	if key == nil {
		return dependence{}
	}
	if d, ok := s.known[key]; ok {
		return d
	}
	var d dependence
	s.gather(v, &d, map[string]bool{})
	slices.Sort(d.own)
	slices.Sort(d.met)
	d.own, d.met = slices.Compact(d.own), slices.Compact(d.met)
	s.known[key] = d
	return d
}

// key tells values apart, by their names or by where they stand. It is nil for a quantity, which is always the same.
func (v *value) key() any {
	switch {
	case v.name != "":
		return v.name
	case v.law != nil:
		return v.law
	case v.table != nil:
		return v.table
	case v.expr != nil:
		return v.expr
	case v.course != nil:
		return v.course
	case v.count != nil:
		return v.count
	}
	return nil
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
	return (s.own != nil || s.other != nil) && s.depends(value{law: l}).cells()
}
