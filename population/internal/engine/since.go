package engine

import "github.com/almanac-sim/almanac/population/internal/law"

// windSince starts the clocks of a state in which somebody has been for a time: each has been running for as long and has not
// struck yet. The clocks of a race are independent, so that each is drawn given that of itself alone. Of a split, the branch is drawn first, by
// Bayes: in proportion to its chance and to the probability that its clock is still running.
func (r *Run) windSince(id uint32, state uint16, since *law.Law) {
	first := len(r.t.Always)
	st := r.table(id, state)
	if st.Timers == 0 {
		return
	}
	s := r.stream(id)
	age := since.Draw(s)
	start := func(column int, l *law.Law) {
		left := 0.0
		if l.Memoryless() {
			left = l.Draw(s)
		} else {
			left = max(0, l.DrawBeyond(s, age)-age)
		}
		r.startTimer(id, column, l, age, left)
	}
	for k := range st.Race {
		if st.Race[k].Off {
			r.windTimer(id, first+k, &st.Race[k].Law, true)
		} else {
			start(first+k, &st.Race[k].Law)
		}
	}
	if len(st.Split) > 0 {
		logs := st.BranchLogs(age, nil)
		k := law.Heaviest(s, make([]float64, len(logs)), logs)
		p := r.person(id)
		p.branch = uint8(k)
		p.unmark(isApart)
		start(first+len(st.Race), &st.Split[k].Law)
	}
}
