package program

// A Waiting is what an individual may queue for: an action, or a contact by which it would have
// changed. The other is nil.
type Waiting struct {
	Do      *Action
	Contact *Contact
}

// Waiting returns everything that an individual may queue for in a phase, in an order that follows
// from the tables.
func (t *Phase) Waiting() (all []Waiting) {
	action := func(do *Action) {
		if do.Uses != nil && do.Uses.Queue {
			all = append(all, Waiting{Do: do})
		}
	}
	varying := func(rates []VaryingRate) {
		for k := range rates {
			action(&rates[k].Do)
		}
	}
	var state func(st *State)
	state = func(st *State) {
		for k := range st.Rates {
			action(&st.Rates[k].Do)
		}
		varying(st.Varying)
		for _, clocks := range [][]Clock{st.Race, st.Split} {
			for k := range clocks {
				action(&clocks[k].Do)
				varying(clocks[k].Varying)
			}
		}
		for _, cell := range st.Cells {
			state(cell)
		}
	}
	for k := range t.Always {
		action(&t.Always[k].Do)
		for _, cell := range t.Always[k].Cells {
			action(&cell.Do)
		}
	}
	for s := range t.States {
		state(&t.States[s])
	}
	for _, machine := range t.Machines {
		for s := range machine {
			state(&machine[s])
		}
	}
	contact := func(c *Contact) {
		if c.Uses != nil && c.Uses.Queue {
			all = append(all, Waiting{Contact: c})
		}
	}
	for k := range t.Contacts {
		contact(&t.Contacts[k])
	}
	for k := range t.Tracing {
		contact(&t.Tracing[k].Effect)
	}
	return all
}

// EachIntervention calls do with each intervention once.
func (p *Program) EachIntervention(do func(d *Intervention)) {
	done := map[*Intervention]bool{}
	once := func(d *Intervention) {
		if !done[d] {
			done[d] = true
			do(d)
		}
	}
	for i := range p.Scheduled {
		once(p.Scheduled[i].Intervention)
	}
	for _, d := range p.Triggered {
		once(d)
	}
}
