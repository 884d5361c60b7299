package population

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/portable"
)

// of is where the value of an attribute comes from, or the value.
func (e *entrance) of(attribute int) int32 {
	if e.given == nil {
		return drawnValue
	}
	return e.given[attribute]
}

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

// branchLogs adds the logarithms of what the branches of a split weigh after a time to a list: their chances times the probabilities that their clocks
// are still running.
func (t *stateTable) branchLogs(age float64, logs []float64) []float64 {
	before := 0.0
	for k := range t.split {
		upTo := min(1, t.split[k].upTo) // which is infinite for the last
		logs = append(logs, portable.Log(upTo-before)+t.split[k].law.logSurvival(age))
		before = upTo
	}
	return logs
}

// remembers tells whether how long one has been in the state makes a difference: whether a clock has a memory, or the branch does.
func (t *stateTable) remembers() bool {
	if slices.ContainsFunc(t.cells, (*stateTable).remembers) {
		return true
	}
	for k := range t.race {
		if !t.race[k].law.memoryless() {
			return true
		}
	}
	for k := range t.split {
		if l := &t.split[k].law; !l.memoryless() || !l.same(&t.split[0].law) {
			return true
		}
	}
	return false
}
