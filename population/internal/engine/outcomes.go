package engine

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// outcomes adds up the outcomes of a program and person-time: of all individuals, and of each group
// that is recorded. It only looks at individuals, so that a run is the same with and without it.
//
// A running sum has the weights of all who are alive (store.WeightedTime). It changes when an
// individual changes: leaveSums takes its weights out before, and enterSums adds them after.
// Between two events it costs nothing. An event of an outcome adds its amount, for the individual
// as it is after all that the event changes.
//
// Invariant: each sum has the weights of all who are alive, by the tables of the phase, and each
// count of person-time the number of those who are in the state.
type outcomes struct {
	slots  int // 1 for all individuals, and 1 for each group
	time   []store.WeightedTime
	events []store.Uint128      // amounts, times the discount
	states []store.WeightedTime // person-time; empty if it is not recorded
	clock  program.DiscountClock
	at     float64  // the time that ticks is for
	ticks  []uint64 // of Program.DiscountClocks, and then of clock
	own    []int    // scratch: the slots of an individual
}

// newOutcomes returns nil if a program has no outcomes and records no person-time.
func newOutcomes(m *program.Program) *outcomes {
	if !m.SumsTime() {
		return nil
	}
	s := &outcomes{slots: 1 + len(m.Groups), at: -1, ticks: make([]uint64, len(m.DiscountClocks)+1)}
	n := s.slots * len(m.Outcomes)
	s.time, s.events = make([]store.WeightedTime, n), make([]store.Uint128, n)
	if m.RecordsTime {
		s.states = make([]store.WeightedTime, s.slots*len(m.Counted))
	}
	_, exponent := math.Frexp(m.End - m.Start + m.TimeTolerance)
	s.clock.PerUnit = math.Ldexp(1, min(1000, 62-exponent))
	return s
}

// copy copies the sums of a run of the same program into the memory of s. Each may be nil.
func (s *outcomes) copy(from *outcomes) *outcomes {
	if from == nil {
		return nil
	}
	if s == nil {
		s = &outcomes{}
	}
	own := *s
	*s = *from
	s.time, s.events = append(own.time[:0], from.time...), append(own.events[:0], from.events...)
	s.states, s.ticks = append(own.states[:0], from.states...), append(own.ticks[:0], from.ticks...)
	s.own = own.own[:0]
	return s
}

// outcomeBytes is how many bytes the sums take.
func outcomeBytes(m *program.Program) float64 {
	return float64(float64(1+len(m.Groups)) * float64(48*len(m.Outcomes)+32*recordedTimes(m)))
}

// recordedTimes is in how many states person-time is recorded.
func recordedTimes(m *program.Program) int {
	if m.RecordsTime {
		return len(m.Counted)
	}
	return 0
}

// readClocks sets ticks to the present.
func (s *outcomes) readClocks(r *Run) {
	if s.at == r.Now {
		return
	}
	s.at = r.Now
	for i := range r.Program.DiscountClocks {
		s.ticks[i] = r.Program.DiscountClocks[i].Ticks(r.Now)
	}
	s.ticks[len(s.ticks)-1] = s.clock.Ticks(r.Now)
}

// slotsOf sets own to the slots of an individual.
func (s *outcomes) slotsOf(r *Run, id uint32) {
	s.own = append(s.own[:0], 0)
	for i := range r.Program.Groupings {
		g, k := &r.Program.Groupings[i], 0
		for i, a := range g.Attributes {
			k = k*g.Sizes[i] + int(r.attributes[a].Of(id))
		}
		s.own = append(s.own, 1+g.First+k)
	}
}

// enterSums adds the weights of an individual that has entered or changed.
func (r *Run) enterSums(id uint32) { r.outcomes.add(r, id, 1) }

// leaveSums takes out the weights of an individual that is about to change or leave.
func (r *Run) leaveSums(id uint32) { r.outcomes.add(r, id, -1) }

// add adds the weights of an individual, times a sign.
func (s *outcomes) add(r *Run, id uint32, sign int64) {
	s.readClocks(r)
	s.slotsOf(r, id)
	s.addWeights(r, id, sign)
	if s.states == nil {
		return
	}
	states, tick := len(r.Program.Counted), s.ticks[len(s.ticks)-1]
	for _, slot := range s.own {
		s.states[slot*states+int(r.status(id).state)].Add(sign, tick)
		for m := range r.Program.Machines {
			one := &r.Program.Machines[m]
			s.states[slot*states+one.FirstCount+int(r.attributes[one.Attribute].Of(id))].Add(sign, tick)
		}
	}
}

// addWeights adds the weights of an individual to the sums of its slots.
func (s *outcomes) addWeights(r *Run, id uint32, sign int64) {
	for o := range r.Program.Outcomes {
		w := &r.phase.Outcomes[o].Weight
		if len(w.Values) == 0 {
			continue
		}
		weight := sign * *w.At(r.cell(id, w.By))
		if weight == 0 {
			continue
		}
		tick := s.ticks[r.Program.Outcomes[o].Clock]
		for _, slot := range s.own {
			s.time[slot*len(r.Program.Outcomes)+o].Add(weight, tick)
		}
	}
}

// changeWeights replaces the weights of everybody by those of another phase, which the run is about
// to enter. It takes time proportional to the population.
func (r *Run) changeWeights(to *program.Phase) {
	s, from := r.outcomes, r.phase
	same := true
	for o := range to.Outcomes {
		a, b := from.Outcomes[o].Weight.Values, to.Outcomes[o].Weight.Values
		for k := range a {
			same = same && a[k] == b[k]
		}
	}
	if same {
		return
	}
	s.readClocks(r)
	for id := r.firstID; int(id) < r.Used; id++ {
		if r.status(id).state == program.NoState {
			continue
		}
		s.slotsOf(r, id)
		s.addWeights(r, id, -1)
		r.phase = to
		s.addWeights(r, id, +1)
		r.phase = from
	}
}

// nameHappened adds the amounts of a name, unless it is −1, for the individual it happened to, or
// noID.
func (r *Run) nameHappened(id uint32, name int) {
	if name >= 0 && len(r.Program.Outcomes) > 0 {
		r.outcomes.happened(r, id, r.Program.OutcomesOfName[name])
	}
}

// flowHappened adds the amounts of a flow of an individual.
func (r *Run) flowHappened(id uint32, flow int) {
	if len(r.Program.Outcomes) > 0 {
		r.outcomes.happened(r, id, r.Program.OutcomesOfFlow[flow])
	}
}

// happened adds the amounts of events.
func (s *outcomes) happened(r *Run, id uint32, events []program.OutcomeEvent) {
	if len(events) == 0 {
		return
	}
	if s.own = append(s.own[:0], 0); id != noID {
		s.slotsOf(r, id)
	}
	for _, e := range events {
		o, amounts, cell := &r.Program.Outcomes[e.Outcome], &r.phase.Outcomes[e.Outcome].Amounts[e.Event], 0
		if id != noID {
			cell = r.cell(id, amounts.By)
		}
		value := *amounts.At(cell) * r.Program.DiscountClocks[o.Clock].Value(r.Now)
		fixed := int64(math.Round(float64(value * o.AmountScale)))
		for _, slot := range s.own {
			s.events[slot*len(r.Program.Outcomes)+e.Outcome].AddInt64(fixed)
		}
	}
}

// read appends the outcomes and the person-time of a slot since the start.
func (s *outcomes) read(r *Run, slot int, values, times []float64) (moreValues, moreTimes []float64) {
	s.readClocks(r)
	n := len(r.Program.Outcomes)
	for o := range r.Program.Outcomes {
		one := &r.Program.Outcomes[o]
		clock := &r.Program.DiscountClocks[one.Clock]
		// The scales are powers of two: dividing by them is exact.
		accrued := s.time[slot*n+o].Until(s.ticks[one.Clock]).Signed() / one.WeightScale / clock.PerUnit
		values = append(values, accrued+s.events[slot*n+o].Signed()/one.AmountScale)
	}
	states := len(r.Program.Counted)
	for k := range recordedTimes(r.Program) {
		spent := s.states[slot*states+k].Until(s.ticks[len(s.ticks)-1])
		times = append(times, spent.Signed()/s.clock.PerUnit)
	}
	return values, times
}

// Outcome returns what an outcome has accrued since the start.
func (r *Run) Outcome(o int) float64 {
	values, _ := r.outcomes.read(r, 0, nil, nil)
	return values[o]
}

// TimeIn returns the person-time in a state since the start, in the order of Program.Counted, if it
// is recorded.
func (r *Run) TimeIn(state int) float64 {
	_, times := r.outcomes.read(r, 0, nil, nil)
	return times[state]
}

// weightsNow returns outcomes whose weights are those of the individuals that are there.
func (r *Run) weightsNow() *outcomes {
	was, own := r.outcomes, newOutcomes(r.Program)
	r.outcomes = own
	for id := r.firstID; int(id) < r.Used; id++ {
		if r.status(id).state != program.NoState {
			r.enterSums(id)
		}
	}
	r.outcomes = was
	return own
}

// checkOutcomes verifies the sums.
func (r *Run) checkOutcomes() error {
	if r.outcomes == nil {
		return nil
	}
	return r.checkWeights(r.weightsNow())
}

// checkWeights verifies that the weights are those of the individuals, which weightsNow returned.
func (r *Run) checkWeights(own *outcomes) error {
	s := r.outcomes
	for i := range own.time {
		if own.time[i].Weight() != s.time[i].Weight() {
			return fmt.Errorf("the weights of outcome %d of slot %d add up to %v, and the sum has %v",
				i%len(r.Program.Outcomes), i/len(r.Program.Outcomes), own.time[i].Weight(), s.time[i].Weight())
		}
	}
	for i := range own.states {
		if own.states[i].Weight() != s.states[i].Weight() {
			return fmt.Errorf("%v are in state %d of slot %d, and its person-time has %v", own.states[i].Weight(),
				i%len(r.Program.Counted), i/len(r.Program.Counted), s.states[i].Weight())
		}
	}
	return nil
}
