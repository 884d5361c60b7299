package population

// enumerate lists the flows that are possible.
func (c *compiler) enumerate() {
	n := len(c.m.states)
	possible := make([][]bool, n+entrances)
	c.m.flowOf = make([]int32, 256*(n+entrances))
	for i := range possible {
		possible[i] = make([]bool, n+1)
	}
	goal := func(to uint8) int {
		if to == nobody {
			return n
		}
		return int(to)
	}
	take := func(from int, do *action) {
		switch {
		case do.verb == doBirth:
			possible[n+fromBirths][goal(do.to)] = true
		case do.verb == doMove && do.to != same && (do.from == nil || do.from[from]):
			possible[from][goal(do.to)] = true
		}
	}
	if c.found > 0 {
		return // names may be missing
	}
	for _, t := range c.m.phases {
		for s := range t.states {
			for i := range t.states[s].menu {
				take(s, &t.states[s].menu[i].do)
			}
			for i := range t.states[s].race {
				take(s, &t.states[s].race[i].do)
			}
			for i := range t.states[s].split {
				take(s, &t.states[s].split[i].do)
			}
			for i := range t.always {
				take(s, &t.always[i].do)
			}
		}
		for i := range t.contacts {
			for met, to := range t.contacts[i].becomes {
				if to != same {
					possible[met][goal(to)] = true
				}
			}
		}
		for i := range t.immigration {
			possible[n+fromImmigration][goal(t.immigration[i].do.to)] = true
		}
	}
	for i := range c.m.plans {
		p := &c.m.plans[i]
		for s := range n {
			if p.do.to != same && (p.who == nil || p.who[s]) {
				possible[s][goal(p.do.to)] = true
			}
		}
		if p.enter != nobody {
			possible[n+fromPlans][p.enter] = true
		}
	}
	for from := range possible {
		for to := range possible[from] {
			if !possible[from][to] {
				continue
			}
			goal := to
			if to == n {
				goal = int(nobody)
			}
			c.m.flowOf[from*256+goal] = int32(len(c.m.flows))
			f := Flow{From: Out, To: Out}
			if from < n {
				f.From = c.m.states[from]
			} else {
				f.From = entranceNames[from-n]
			}
			if to < n {
				f.To = c.m.states[to]
			}
			c.m.flows = append(c.m.flows, f)
		}
	}
}
