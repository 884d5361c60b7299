package population

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
	d, _ := s.gather(v, &gathering{place: map[string]int{}})
	s.known[key] = d
	return d
}

// A gathering goes through parameters that stand in one another, each of them once. Interventions may set them to one another in a ring, and
// all in a ring depend on the same; so it looks for the strongly connected components, as Tarjan does (SIAM J. Comput. 1, 1972).
type gathering struct {
	open  []string       // the parameters whose component is not complete, in the order in which they were found
	place map[string]int // of each among them
}

// gather says what a value depends on, and the first of the open parameters that it leads back to: what that one depends on is still to be
// added. Where there is none, that is the number of those open before.
func (s scope) gather(v value, g *gathering) (d dependence, back int) {
	back = len(g.open)
	add := func(part value) {
		more, to := s.gather(part, g)
		d.add(more)
		back = min(back, to)
	}
	if v.name == "" {
		if v.table != nil {
			if a := s.attributes.index(v.table.by.name); a >= 0 {
				if v.table.met {
					d.met = []int{a}
				} else {
					d.own = []int{a}
				}
			}
		}
		d.time, d.counts = v.course != nil, v.count != nil
		v.each(add)
		return d, back
	}
	if d, ok := s.known[v.name]; ok {
		return d, back
	}
	if at, ok := g.place[v.name]; ok {
		return dependence{}, at
	}
	at := len(g.open)
	g.open, g.place[v.name] = append(g.open, v.name), at
	if p, ok := s.parameters[v.name]; ok {
		add(p.value)
	}
	for _, set := range s.sets[v.name] {
		add(set)
	}
	if back == at {
		for _, name := range g.open[at:] {
			s.known[name] = d
			delete(g.place, name)
		}
		g.open = g.open[:at]
	}
	return d, back
}

// add makes a value depend on more.
func (d *dependence) add(more dependence) {
	d.own, d.met = union(d.own, more.own), union(d.met, more.met)
	d.time, d.counts = d.time || more.time, d.counts || more.counts
}

// varies tells whether a distribution depends on the individual, so that it must be worked out for each cell.
func (s scope) varies(l *lawValue) bool {
	return (s.own != nil || s.other != nil) && s.depends(value{law: l}).cells()
}
