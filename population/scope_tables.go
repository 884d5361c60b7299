package population

// unset stands in a cell for an attribute that nothing is known of.
const unset = ^uint16(0)

// A tableIndex is a table with its names looked up.
type tableIndex struct {
	attribute int
	entries   []int // by the attribute's values
	bad       bool  // something is wrong with it, and that has been said
}

// index looks the names of a table up, once for all times.
func (s scope) index(t *tableValue, what string) *tableIndex {
	if x, ok := s.indexes[t]; ok {
		return x
	}
	x := &tableIndex{attribute: s.attributes.index(t.by.name)}
	s.indexes[t] = x
	if x.attribute < 0 {
		s.add(t.by.at, "%s: by: %s", what, unknown("attribute", t.by.name, s.attributes.names))
		x.bad = true
		return x
	}
	values := s.attributes[x.attribute].values
	number := make(map[string]int, len(values))
	x.entries = make([]int, len(values))
	for i, name := range values {
		number[name], x.entries[i] = i, -1
	}
	other := -1
	for k := range t.entries {
		e := &t.entries[k]
		i, ok := number[e.of.name]
		switch {
		case ok:
			x.entries[i] = k
		case !e.other:
			s.add(e.of.at, "%s: %s", what, unknown("value of "+t.by.name, e.of.name, func() []string { return values }))
			x.bad = true
		}
		if e.other {
			other = k
		}
	}
	var without []string
	for i, k := range x.entries {
		if k < 0 {
			x.entries[i] = other
			without = append(without, values[i])
		}
	}
	if other < 0 && len(without) > 0 && !x.bad {
		s.add(t.by.at, "%s: there is nothing for %s %s; write %s: and what holds for it, or other: for all that are not named", what, t.by.name, some(without), echo(without[0]))
		x.bad = true
	}
	if !x.bad {
		x.bad = s.mixed(t, what)
	}
	return x
}

// mixed tells whether a table has things of different kinds, and says so. What is worked out by an expression is looked at where it is used.
func (s scope) mixed(t *tableValue, what string) bool {
	first := -1
	sort := func(v value) kind {
		v, _, _ = s.follow(v, what)
		switch {
		case v.law != nil:
			return aDuration // which may stand for a distribution
		case !v.plain():
			return aValue
		case v.quantity.kind == aShare:
			return aNumber
		}
		return v.quantity.kind
	}
	for i := range t.entries {
		k := sort(t.entries[i].value)
		if k == aValue {
			continue
		}
		if first < 0 {
			first = i
		}
		if a, b := t.entries[first], t.entries[i]; k != sort(a.value) {
			s.broken(b.value.at, []value{a.value, b.value}, "%s: %s is %s, and %s is %s; expected the same kind of value for all", what,
				echo(a.of.name), s.written(a.value), echo(b.of.name), s.written(b.value))
			return true
		}
	}
	return false
}

// in is the scope of an individual whose attributes have the given values, by their numbers; unset for one that is not known.
func (s scope) in(cell []uint16) scope {
	s.own = cell
	return s
}

// met is the scope in which someone with the given values of the attributes is met.
func (s scope) met(cell []uint16) scope {
	s.other = cell
	return s
}

// entry is what a table has for the individual of the scope.
func (s scope) entry(v value, what string) (value, bool) {
	t := v.table
	cell := s.own
	if t.met {
		cell = s.other
	}
	if cell == nil {
		s.nobodyThere(v, what)
		return value{}, false
	}
	x := s.index(t, what)
	if x.bad {
		return value{}, false
	}
	i := cell[x.attribute]
	if i == unset {
		s.nobodyThere(v, what)
		return value{}, false
	}
	e := &t.entries[x.entries[i]]
	found := e.value
	found.cell = v.cell + " for " + t.whose() + " " + s.attributes[x.attribute].values[i]
	return found, true
}

// nobodyThere says that there is nobody for whom a table could be read.
func (s scope) nobodyThere(v value, what string) {
	if s.attributes != nil && s.index(v.table, what).bad {
		return // something else has been said of it
	}
	if v.table.met {
		s.complain(v, v.at, "%s: a table of: met is read for the one who is met; only the chance of a transmission can be", what)
		return
	}
	s.complain(v, v.at, "%s: a table by %s is read for an individual, and there is none here; expected one value for all", what, echo(v.table.by.name))
}
