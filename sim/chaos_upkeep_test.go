package sim

import "fmt"

// timetable is some shifts, often of no units, that end.
func (c *chaos) timetable(n int) Timetable {
	var shifts []Shift
	at := c.s.Now() + c.soon()
	for range n {
		to := at + 1 + c.soon()
		shifts = append(shifts, Shift{at, to, c.random.IntN(3)})
		at = to + c.soon()
	}
	return Dated{Shifts: shifts, Otherwise: 1 + c.random.IntN(3)}
}

// rule is one of four, stopping more often than not.
func (c *chaos) rule() AtWork {
	return []AtWork{Finish, Resume, Restart, ThrowOut, Resume, Restart}[c.random.IntN(6)]
}

// actOnUpkeep changes a timetable, or lets something break, or no longer.
func (c *chaos) actOnUpkeep(who string) {
	r := pick(c, c.rooms)
	switch c.random.IntN(5) {
	case 0:
		opts := []ShiftOption{c.rule()}
		if c.random.IntN(2) == 0 {
			opts = append(opts, Staying(c.door))
		}
		c.tables = append(c.tables, r.Schedule(c.timetable(3), opts...))
	case 1:
		c.tables = append(c.tables, r.Schedule(Daily{Shifts: []Shift{{1, 2, c.random.IntN(2)}}, Otherwise: 1, Day: 3}, c.rule()))
	case 2:
		if len(c.tables) > 0 {
			c.note(who, "cancel timetable ", pick(c, c.tables).Cancel())
		}
	case 3:
		if len(c.troubles) > 0 {
			pick(c, c.troubles).End()
		}
	case 4:
		b := Breakdowns{ToFailure: Constant(1 + c.soon()), Repair: Constant(c.soon()), Units: c.random.IntN(3), InUse: c.random.IntN(2) == 0, AtWork: c.rule()}
		if c.random.IntN(3) == 0 {
			other := pick(c, c.rooms) // where one may have to wait, also for what is broken
			b.Repair = Distribution{}
			b.RepairBy = func(p *Process) { _ = other.Work(p, 1, 1, Patience(3)) }
		}
		c.troubles = append(c.troubles, r.Break(b))
		c.note(who, fmt.Sprint("trouble ", len(c.troubles)))
	}
}

// calm ends what would go on for ever.
func (c *chaos) calm() {
	for _, e := range c.tables {
		e.Cancel()
	}
	for _, d := range c.troubles {
		d.End()
	}
}

// work works at a room, behind the door or not, or goes on with something that it holds.
func (c *chaos) work(p *Process, depth int) (err error) {
	r := pick(c, c.rooms)
	switch c.random.IntN(4) {
	case 0:
		var g *Grant
		if g, err = r.Request(p, 1, c.options()...); err != nil {
			return err
		}
		c.grants = append(c.grants, g) // which others may release while it is worked with
		for range 3 {
			if !g.Held() {
				return err
			}
			if err = g.Work(1 + 2*c.soon()); err != nil && c.random.IntN(2) == 0 {
				return err
			}
		}
		return err
	case 1:
		visited := c.door.Visit(p, func() {
			err = r.Work(p, 1, 1+2*c.soon(), append(c.options(), Until(c.door.Closing()))...)
			if depth > 0 {
				c.actAndWait(p, depth-1)
			}
		})
		if visited != nil {
			return visited
		}
		return err
	}
	return r.Work(p, 1, 1+2*c.soon(), c.options()...)
}
