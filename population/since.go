package population

// windSince starts the clocks of a state in which somebody has been for a time: each has been running for as long and has not
// struck yet. The clocks of a race are independent, so that each is drawn given that of itself alone. Of a split, the branch is drawn first, by
// Bayes: in proportion to its chance and to the probability that its clock is still running.
func (r *replica) windSince(id uint32, state uint16, since *law) {
	first := len(r.t.always)
	st := r.table(id, state)
	if st.timers == 0 {
		return
	}
	s := r.stream(id)
	age := since.draw(s)
	start := func(column int, l *law) {
		left := 0.0
		if l.memoryless() {
			left = l.draw(s)
		} else {
			left = max(0, l.drawBeyond(s, age)-age)
		}
		r.startTimer(id, column, l, age, left)
	}
	for k := range st.race {
		if st.race[k].off {
			r.windTimer(id, first+k, &st.race[k].law, true)
		} else {
			start(first+k, &st.race[k].law)
		}
	}
	if len(st.split) > 0 {
		logs := st.branchLogs(age, nil)
		k := heaviest(s, make([]float64, len(logs)), logs)
		p := r.person(id)
		p.branch = uint8(k)
		p.unmark(isApart)
		start(first+len(st.race), &st.split[k].law)
	}
}
