package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// What is counted follows from the individuals, and the parts of a sum add up to it. This file
// verifies both for a whole run: at its start, at its end, and where a state is saved or read, if
// Options.Check is set.

// verify returns an error if an invariant does not hold, and the run is one that verifies them. The
// recording is that of the run, or nil.
func (r *Run) verify(rec *Recording) error {
	if !r.verifies {
		return nil
	}
	err := r.Check()
	if err == nil && rec != nil {
		err = rec.check(r)
	}
	if err != nil {
		return fmt.Errorf("at time %.12g an invariant does not hold, which is a fault of almanac and not of the model: %w",
			r.Program.Start+r.Now, err)
	}
	return nil
}

// verifyStart is verify for a run that has just been set up.
func (r *Run) verifyStart() error {
	if r.verifies && r.places != nil {
		for k := range r.Program.Places {
			if err := r.checkMade(k); err != nil {
				return fmt.Errorf("at the start an invariant does not hold, which is a fault of almanac and not of the model: %w",
					err)
			}
		}
	}
	return r.verify(nil)
}

// Verify is verify for callers that stop a run where they like.
func (r *Run) Verify() error { return r.verify(nil) }

// checkMade verifies that the members of each place of the start have the values that places of
// the kind are made of. The last place of a group may be cut short.
func (r *Run) checkMade(k int) error {
	kind, seats := &r.Program.Places[k], r.places.kinds[k]
	if kind.By < 0 || r.Program.People.HasPlaces(k) {
		return nil
	}
	members, groups := map[uint32][]uint16{}, map[uint32]uint32{}
	for id := r.firstID; int(id) < r.Used; id++ {
		if seats.Seated(id) {
			at := seats.Place(id)
			members[at] = append(members[at], r.attributes[kind.By].Of(id))
			groups[at] = seats.Group(at)
		}
	}
	cut := map[uint32]bool{}
	for at, values := range members {
		slices.Sort(values)
		short := false
		if !slices.ContainsFunc(kind.Made, func(of program.Household) bool {
			if len(of) < len(values) {
				return false
			}
			part := slices.Clone(of[:len(values)])
			slices.Sort(part)
			short = short || len(of) > len(values) && slices.Equal(part, values)
			return len(of) == len(values) && slices.Equal(part, values)
		}) {
			if group := groups[at]; !short || cut[group] {
				return fmt.Errorf("%s: the %s of the %d members of a place are none of those that it is made of", kind.Name,
					r.Program.Attributes[kind.By].Name, len(values))
			} else {
				cut[group] = true
			}
		}
	}
	return nil
}

// checkTallies verifies the counts of groups against the individuals, and that flows, names and
// sums of groups add up to those of everybody.
func (r *Run) checkTallies() error {
	if err := r.checkBalance(); err != nil {
		return err
	}
	t := r.ByGroup
	if t == nil {
		return r.checkSums()
	}
	own := newGroupTallies(r.Program)
	for id := r.firstID; int(id) < r.Used; id++ {
		if state := r.status(id).state; state != program.NoState {
			own.present(r, id, int(state), +1)
		}
	}
	for g := range t.Groups {
		if s := firstDifference(own.Groups[g].Counts, t.Groups[g].Counts); s >= 0 {
			return fmt.Errorf("%d of group %v are %s, counted as %d", own.Groups[g].Counts[s], r.Program.Groups[g].Values,
				r.Program.Counted[s], t.Groups[g].Counts[s])
		}
	}
	for i := range t.watched {
		if s := firstDifference(own.watched[i].Counts, t.watched[i].Counts); s >= 0 {
			return fmt.Errorf("%d of the group of condition %d are %s, counted as %d", own.watched[i].Counts[s], i,
				r.Program.Counted[s], t.watched[i].Counts[s])
		}
		if own.totals[i] != t.totals[i] {
			return fmt.Errorf("%d are in the group of condition %d, counted as %d", own.totals[i], i, t.totals[i])
		}
	}
	for i := range t.groupings {
		parts := t.Groups[t.groupings[i].First:][:t.groupings[i].Groups]
		for f := range r.Flows {
			sum := uint64(0)
			for g := range parts {
				sum += parts[g].Flows[f]
			}
			if sum != r.Flows[f] {
				return fmt.Errorf("flow %v happened %d times, and %d times in the groups of grouping %d", r.Program.Flows[f],
					r.Flows[f], sum, i)
			}
		}
		for n := range r.Named {
			sum := uint64(0)
			for g := range parts {
				sum += parts[g].Named[n]
			}
			if sum != r.Named[n] && !r.Program.OfNobody(n) || sum > r.Named[n] {
				return fmt.Errorf("%s happened %d times, and %d times in the groups of grouping %d",
					r.Program.CountedNames[n], r.Named[n], sum, i)
			}
		}
	}
	return r.checkSums()
}

// firstDifference returns the first index at which two slices of a length differ, −1 if none.
func firstDifference[T comparable](a, b []T) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// checkBalance verifies that all who are alive have entered and not left, and that each state has
// those who began in it and those who came, less those who went.
func (r *Run) checkBalance() error {
	m := r.Program
	entered, left := r.balance("", m.States, r.Counts[:len(m.States)], m.FlowsFrom, m.FlowsTo, 0)
	if left.err != nil {
		return left.err
	}
	if entered.flows > r.entered || r.entered-left.flows != uint64(r.Alive) {
		return fmt.Errorf("%d have entered, %d of them by flows, and %d have left, but %d are alive", r.entered,
			entered.flows, left.flows, r.Alive)
	}
	for k := range m.Machines {
		one := &m.Machines[k]
		a := &m.Attributes[one.Attribute]
		in, out := r.balance(a.Name+"=", a.Values, r.Counts[one.FirstCount:][:len(a.Values)], one.FlowsFrom, one.FlowsTo,
			one.FirstFlow)
		if out.err != nil {
			return out.err
		}
		if in.flows != entered.flows || out.flows != left.flows {
			return fmt.Errorf("%s: %d have entered and %d have left, by the flows of states %d and %d", a.Name, in.flows,
				out.flows, entered.flows, left.flows)
		}
	}
	return nil
}

// A turnover is how many entered, or left, by flows.
type turnover struct {
	flows uint64
	err   error
}

// balance adds up the flows of the states, or of a machine, and verifies that nobody left a state
// who had not begun in it or come to it.
func (r *Run) balance(prefix string, names []string, counts []int, from []int32, to []uint16, first int) (in, out turnover) {
	began := make([]int64, len(names))
	for s, n := range counts {
		began[s] = int64(n)
	}
	for source := range len(from) - 1 {
		for f := from[source]; f < from[source+1]; f++ {
			n := r.Flows[first+int(f)]
			if to[f] == program.NoState {
				out.flows += n
			} else {
				began[to[f]] -= int64(n)
			}
			if source < len(names) {
				began[source] += int64(n)
			} else {
				in.flows += n
			}
		}
	}
	all := int64(0)
	for s, n := range began {
		if all += n; n < 0 {
			out.err = fmt.Errorf("%d are %s%s, and more came to it than left it", counts[s], prefix, names[s])
		}
	}
	if want := int64(r.entered - in.flows); all != want && out.err == nil {
		out.err = fmt.Errorf("%s%v: by flows %d were there at the start, and there were %d", prefix, names, all, want)
	}
	return in, out
}

// checkSums verifies that what has accrued in groups adds up to that of everybody, and person-time
// by state to that of the living.
func (r *Run) checkSums() error {
	s, m := r.outcomes, r.Program
	if s == nil {
		return nil
	}
	s.readClocks(r)
	n, states := len(m.Outcomes), len(m.Counted)
	unowned := make([]bool, n) // outcomes of events that happen to nobody
	for name, events := range m.OutcomesOfName {
		for _, e := range events {
			unowned[e.Outcome] = unowned[e.Outcome] || m.OfNobody(name)
		}
	}
	tick := s.ticks[len(s.ticks)-1]
	for i := range m.Groupings {
		g := &m.Groupings[i]
		for o := range m.Outcomes {
			at := s.ticks[m.Outcomes[o].Clock]
			time, events := s.time[o].Until(at), s.events[o]
			for k := range g.Groups {
				slot := (1 + g.First + k) * n
				time.Subtract(s.time[slot+o].Until(at))
				events.Subtract(s.events[slot+o])
			}
			if (time != store.Uint128{}) || !unowned[o] && (events != store.Uint128{}) {
				return fmt.Errorf("outcome %s of everybody is not the sum of those of grouping %d", m.Outcomes[o].Name, i)
			}
		}
		for k := range recordedTimes(m) {
			time := s.states[k].Until(tick)
			for j := range g.Groups {
				time.Subtract(s.states[(1+g.First+j)*states+k].Until(tick))
			}
			if (time != store.Uint128{}) {
				return fmt.Errorf("the person-time in %s is not the sum of those of grouping %d", m.Counted[k], i)
			}
		}
	}
	if s.states == nil {
		return nil
	}
	var all store.Uint128
	for k := range m.States {
		all.Add(s.states[k].Until(tick))
	}
	for k := range m.Machines {
		own := all
		for v := range m.Attributes[m.Machines[k].Attribute].Values {
			own.Subtract(s.states[m.Machines[k].FirstCount+v].Until(tick))
		}
		if (own != store.Uint128{}) {
			return fmt.Errorf("the person-time in the states of machine %d is not that in all states", k)
		}
	}
	lived, total := all.Signed()/s.clock.PerUnit, r.PersonTime()
	if !(math.Abs(lived-total) <= 1e-6*(1+total)) {
		return fmt.Errorf("%v person-time in all states, and %v of all", lived, total)
	}
	return nil
}

// check verifies that groups add up to all in every row, that numbers since the start do not
// fall, and that the last row is that of the run at its end.
func (rec *Recording) check(r *Run) error {
	m := r.Program
	if rec.Rows == 0 {
		return nil
	}
	last := rec.Rows - 1
	if rec.Rows == len(m.RecordTimes) && r.Now <= m.RecordTimes[last]+m.TimeTolerance {
		for s, n := range r.Counts {
			if rec.All.Counts[last*len(m.Counted)+s] != uint32(n) {
				return fmt.Errorf("the last row has %d %s, and there are %d", rec.All.Counts[last*len(m.Counted)+s],
					m.Counted[s], n)
			}
		}
		if !slices.Equal(rec.All.Flows[last*len(m.Flows):], r.Flows) ||
			!slices.Equal(rec.All.Named[last*len(m.CountedNames):], r.Named) {
			return fmt.Errorf("the last row has other flows or names than the run")
		}
	}
	if err := rec.checkGroups(m); err != nil {
		return err
	}
	for row := range rec.Rows {
		if err := rec.checkRow(m, row); err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
	}
	return nil
}

// checkGroups verifies that groups add up to all.
func (rec *Recording) checkGroups(m *program.Program) error {
	for i := range m.Groupings {
		parts := rec.Groups[m.Groupings[i].First:][:m.Groupings[i].Groups]
		if k := wrongSum(rec.All.Counts, parts, func(c *RowCounts) []uint32 { return c.Counts }); k >= 0 {
			return fmt.Errorf("%s in row %d is not the sum of grouping %d", m.Counted[k%len(m.Counted)], k/len(m.Counted), i)
		}
		if k := wrongSum(rec.All.Flows, parts, func(c *RowCounts) []uint64 { return c.Flows }); k >= 0 {
			return fmt.Errorf("%v in row %d is not the sum of grouping %d", m.Flows[k%len(m.Flows)], k/len(m.Flows), i)
		}
		if k := wrongSum(rec.All.Seen, parts, func(c *RowCounts) []uint64 { return c.Seen }); k >= 0 {
			return fmt.Errorf("what is seen in row %d is not the sum of grouping %d", k/(2*len(m.Observations)), i)
		}
		for k, all := range rec.All.Times {
			sum := 0.0
			for g := range parts {
				sum += parts[g].Times[k]
			}
			if !(math.Abs(sum-all) <= 1e-6*(1+math.Abs(all))) {
				return fmt.Errorf("%v person-time in %s in row %d is not the sum of grouping %d, %v", all,
					m.Counted[k%len(m.Counted)], k/len(m.Counted), i, sum)
			}
		}
	}
	return nil
}

// wrongSum returns the first index at which numbers are not the sum of those of groups, −1 if none.
func wrongSum[T uint32 | uint64](all []T, parts []RowCounts, of func(*RowCounts) []T) int {
	for k, n := range all {
		for g := range parts {
			n -= of(&parts[g])[k]
		}
		if n != 0 {
			return k
		}
	}
	return -1
}

// checkRow verifies a row by itself, and beside the one before it.
func (rec *Recording) checkRow(m *program.Program, row int) error {
	counts := rec.All.Counts[row*len(m.Counted):][:len(m.Counted)]
	sum := func(counts []uint32) (all uint64) {
		for _, n := range counts {
			all += uint64(n)
		}
		return all
	}
	total := sum(counts[:len(m.States)])
	for k := range m.Machines {
		one := &m.Machines[k]
		if in := sum(counts[one.FirstCount:][:len(m.Attributes[one.Attribute].Values)]); in != total {
			return fmt.Errorf("%d are in states of machine %s, and %d in all", in, m.Attributes[one.Attribute].Name, total)
		}
	}
	for k := range m.Places {
		c, members, number := &rec.Places[row*len(m.Places)+k], 0, 0
		for _, s := range c.Sizes {
			members, number = members+s.Size*s.Places, number+s.Places
		}
		if members != c.Members || number > c.Number || uint64(members) > total {
			return fmt.Errorf("%s: %d members of %d places, by their sizes %d of %d, and %d in all", m.Places[k].Name,
				c.Members, c.Number, members, number, total)
		}
	}
	for k := range m.Networks {
		c, ends, all := &rec.Networks[row*len(m.Networks)+k], 0, 0
		for _, d := range c.Degrees {
			ends, all = ends+d.Degree*d.Individuals, all+d.Individuals
		}
		if ends != 2*c.Links || uint64(all) != total {
			return fmt.Errorf("%s: %d links have %d ends, and %d of %d have a number of links", m.Networks[k].Name, c.Links,
				ends, all, total)
		}
	}
	if row == 0 {
		return nil
	}
	before := row - 1
	for k := range m.Networks {
		was, is := &rec.Networks[before*len(m.Networks)+k], &rec.Networks[row*len(m.Networks)+k]
		if int64(is.Links-was.Links) != int64(is.Formed-was.Formed)-int64(is.Ended-was.Ended) {
			return fmt.Errorf("%s: the change of links is not those formed less those ended", m.Networks[k].Name)
		}
	}
	falls := func(all []uint64, each int) bool {
		for k := range each {
			if all[row*each+k] < all[before*each+k] {
				return true
			}
		}
		return false
	}
	if falls(rec.All.Flows, len(m.Flows)) || falls(rec.All.Named, len(m.CountedNames)) ||
		falls(rec.All.Seen, 2*len(m.Observations)) {
		return fmt.Errorf("a number since the start falls")
	}
	for k := range m.Places {
		if rec.Places[row*len(m.Places)+k].TurnedAway < rec.Places[before*len(m.Places)+k].TurnedAway {
			return fmt.Errorf("%s: the number of those turned away falls", m.Places[k].Name)
		}
	}
	for k := range m.Supplies {
		was, is := &rec.Supplies[before*len(m.Supplies)+k], &rec.Supplies[row*len(m.Supplies)+k]
		if is.Used < was.Used || is.Lost < was.Lost || is.Refused < was.Refused ||
			is.Left+is.Used+is.Lost < was.Left+was.Used+was.Lost {
			return fmt.Errorf("%s: less was delivered, used or lost than before", m.Supplies[k])
		}
	}
	return nil
}
