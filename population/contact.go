package population

// contact lets an individual meet another, chosen uniformly among the others: all of them, or those of one group.
func (r *replica) contact(id uint32, do *action) {
	c := &r.t.contacts[do.contact]
	other, ok := r.meet(id, c)
	if !ok {
		return
	}
	state := r.person(other).state
	to := c.becomes[state]
	if to == same || c.chance < 1 && r.stream(id).Float64() >= c.chance {
		return
	}
	r.change(other, state, to, id, do.name)
}

// meet chooses whom an individual meets. It reports false if there is nobody else.
func (r *replica) meet(id uint32, c *contactTable) (uint32, bool) {
	s := r.stream(id)
	if c.attribute < 0 {
		if r.alive < 2 {
			return 0, false
		}
		if r.all != nil {
			return r.all.other(id, 0, 0, s)
		}
		// Most ids are taken, so one that is comes soon.
		for n := uint64(r.ids) - uint64(r.first); ; {
			if other := r.first + uint32(s.Below(n)); other != id && r.person(other).state != nobody {
				return other, true
			}
		}
	}
	mine := int(r.values[c.attribute][id])
	theirs := among(c.rows[mine], s.Float64())
	return r.groups[c.attribute].other(id, mine, theirs, s)
}

// thin makes a list of the living if fewer than half of the ids are theirs, so that meeting one stays a matter of a few
// tries. A small population does without.
func (r *replica) thin() {
	ids := r.ids - int(r.first)
	if ids < 64 || 2*r.alive >= ids {
		return
	}
	r.all = newGroups(1)
	for id := r.first; int(id) < r.ids; id++ {
		if r.person(id).state != nobody {
			r.all.add(id, 0)
		}
	}
}
