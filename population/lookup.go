package population

import "slices"

// state looks a state up; out is one if it may be.
func (c *compiler) state(n named, what string, orOut bool) uint16 {
	if n.bad || c.f.statesBad || c.f.refused[n.name] && n.name != Out || n.name == Out && orOut {
		return nobody
	}
	if i, ok := c.states[n.name]; ok {
		return i
	}
	if n.name == Out {
		c.add(n.at, "%s: expected a state; out is for leaving the population", what)
		return nobody
	}
	c.add(n.at, "%s: %s", what, unknown("state", n.name, func() []string {
		if orOut {
			return append(slices.Clone(c.m.states), Out)
		}
		return c.m.states
	}))
	return nobody
}

// set looks several states up; none at all means all, for which nil stands.
func (c *compiler) set(names []named, what string) stateSet {
	if len(names) == 0 {
		return nil
	}
	s := make(stateSet, len(c.m.states))
	for _, n := range names {
		if i := c.state(n, what, false); i != nobody {
			s[i] = true
		}
	}
	return s
}

// moves looks attributes and their values up.
func (c *compiler) moves(texts []moveText, what string) []move {
	var all []move
	for _, t := range texts {
		a := c.attribute(t.attribute, what)
		if a < 0 || t.value.bad {
			continue
		}
		v := slices.Index(c.m.attributes[a].values, t.value.name)
		if v < 0 {
			c.add(t.value.at, "%s: %s", what, unknown("value of "+t.attribute.name, t.value.name, func() []string { return c.m.attributes[a].values }))
			continue
		}
		all = append(all, move{uint8(a), uint16(v)})
	}
	return all
}

// conditions looks attributes and the values that they may have up.
func (c *compiler) conditions(texts []whereText, what string) []condition {
	if len(texts) == 0 {
		return nil
	}
	if all, ok := c.wheres[&texts[0]]; ok {
		return all
	}
	var all []condition
	for _, t := range texts {
		a := c.attribute(t.attribute, what)
		if a < 0 {
			continue
		}
		values := c.m.attributes[a].values
		is := make([]bool, len(values))
		for _, n := range t.values {
			if n.bad {
				continue
			}
			if v := slices.Index(values, n.name); v >= 0 {
				is[v] = true
			} else {
				c.add(n.at, "%s: %s", what, unknown("value of "+t.attribute.name, n.name, func() []string { return values }))
			}
		}
		all = append(all, condition{a, is})
	}
	c.wheres[&texts[0]] = all
	return all
}

func (c *compiler) attribute(n named, what string) int {
	i := c.m.attributes.index(n.name)
	if i < 0 {
		c.add(n.at, "%s: %s", what, unknown("attribute", n.name, c.m.attributes.names))
	}
	return i
}

// nameAll numbers the names in the order in which results list them, whatever is compiled first: that of the file's sections.
func (c *compiler) nameAll() {
	clocks := func(all []clockText) {
		for i := range all {
			c.name(all[i].name)
		}
	}
	for i := range c.f.states {
		clocks(c.f.states[i].race)
		clocks(c.f.states[i].split)
	}
	clocks(c.f.always)
	for i := range c.f.births {
		c.name(c.f.births[i].name)
	}
	for i := range c.f.transmission {
		c.name(c.f.transmission[i].name)
	}
	for i := range c.f.immigration {
		c.name(c.f.immigration[i].name)
	}
}

// name is the number of a name under which something is counted.
func (c *compiler) name(name string) int {
	if name == "" {
		return -1
	}
	i, ok := c.names[name]
	if !ok {
		i = len(c.m.names)
		c.names[name] = i
		c.m.names = append(c.m.names, name)
	}
	return i
}
