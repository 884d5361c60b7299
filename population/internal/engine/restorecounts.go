package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// byName copies numbers from the order of one list of names to that of another, which has them all.
func byName[T any](to, from []T, names, saved []string) {
	if slices.Equal(names, saved) {
		copy(to, from)
		return
	}
	for i, name := range saved {
		if k := slices.Index(names, name); k >= 0 {
			to[k] = from[i]
		}
	}
}

// flowNames are the flows of a program as texts.
func flowNames(m *program.Program) (names []string) {
	for _, f := range m.Flows {
		names = append(names, f.String())
	}
	return names
}

func loadTallies(r *Run, in *loader) {
	shape := &in.run.Shape
	counted := len(shape.Counted)
	for i, n := range get[int64](in, "counts", counted) {
		if in.err == nil && (i >= len(r.Counts) || int(n) != r.Counts[i]) {
			in.bad("the counts are not those of the individuals")
		}
	}
	byName(r.Flows, get[uint64](in, "flows", len(shape.Flows)), flowNames(r.Program), shape.Flows)
	byName(r.Named, get[uint64](in, "names", len(shape.Names)), r.Program.CountedNames, shape.Names)
	counts, times := get[int64](in, "peak counts", counted), get[float64](in, "peak times", counted)
	words := get[uint64](in, "person-time", 4)
	if in.err != nil {
		return
	}
	for i := range r.Peaks {
		if r.Peaks[i] = (Peak{int(counts[i]), times[i]}); r.Peaks[i].Count < r.Counts[i] {
			in.bad("a count is above its peak")
		}
	}
	perUnit := math.Float64frombits(words[3])
	if _, fits := powerOfTwo(perUnit / r.personTime.PerUnit()); !fits {
		in.bad("person-time has other units")
		return
	}
	r.personTime.SetWords([3]uint64(words), perUnit)
}

// powerOfTwo returns of which power of two a number is, and whether it is one of a small power.
func powerOfTwo(x float64) (power int, ok bool) {
	fraction, exponent := math.Frexp(x)
	return exponent - 1, fraction == 0.5 && exponent > -100 && exponent < 100
}

// readTally reads the counts of a group.
func (in *loader) readTally(r *Run, name string, t *Tally) {
	shape := &in.run.Shape
	for i, n := range get[int64](in, name+" counts", len(shape.Counted)) {
		if t.Counts[i] = int(n); n < 0 {
			in.bad("a count is below 0")
		}
	}
	byName(t.Flows, get[uint64](in, name+" flows", len(shape.Flows)), flowNames(r.Program), shape.Flows)
	byName(t.Named, get[uint64](in, name+" names", len(shape.Names)), r.Program.CountedNames, shape.Names)
}

func loadGroupTallies(r *Run, in *loader) {
	if r.ByGroup == nil {
		return
	}
	now := ShapeOf(r.Program)
	for i, g := range now.Groups {
		in.readTally(r, fmt.Sprint(slices.Index(in.run.Shape.Groups, g)), &r.ByGroup.Groups[i])
	}
	// A group that only conditions of this program count has no past: its individuals are counted, and
	// its flows begin with 0.
	var totals []int64
	if in.has("totals") {
		totals = get[int64](in, "totals", len(in.run.Shape.Watched))
	}
	for i, key := range now.Watched {
		if k := slices.Index(in.run.Shape.Watched, key); k >= 0 && k < len(totals) {
			in.readTally(r, fmt.Sprintf("watched %d", k), &r.ByGroup.watched[i].Tally)
			r.ByGroup.totals[i] = int(totals[k])
			continue
		}
		w := &r.ByGroup.watched[i]
		for id := r.firstID; int(id) < r.Used; id++ {
			state := r.status(id).state
			if state == program.NoState || !r.matches(id, w.where) {
				continue
			}
			w.Counts[state]++
			r.ByGroup.totals[i]++
			for m := range r.Program.Machines {
				one := &r.Program.Machines[m]
				w.Counts[one.FirstCount+int(r.attributes[one.Attribute].Of(id))]++
			}
		}
	}
}

func loadOutcomes(r *Run, in *loader) {
	s := r.outcomes
	if s == nil {
		return
	}
	shape, now := &in.run.Shape, ShapeOf(r.Program)
	slots, n, states := 1+len(shape.Groups), len(shape.Outcomes), 0
	if shape.Times {
		states = len(shape.Counted)
	}
	scales := get[float64](in, "scales", 3*n+1)
	time := store.TimesFromWords(get[uint64](in, "time", 4*slots*n))
	events := store.FromWords(get[uint64](in, "events", 2*slots*n))
	spent := store.TimesFromWords(get[uint64](in, "states", 4*slots*states))
	if in.err != nil {
		return
	}
	s.readClocks(r)
	own := r.weightsNow() // of which the sums must be, or are, if they are in other units
	power := func(now, saved float64) int {
		p, ok := powerOfTwo(now / saved)
		if !ok {
			in.bad("outcomes have other units")
		}
		return p
	}
	for slot := range s.slots {
		from := 0
		if slot > 0 {
			from = 1 + slices.Index(shape.Groups, now.Groups[slot-1])
		}
		for o := range r.Program.Outcomes {
			k := slices.Index(shape.Outcomes, r.Program.Outcomes[o].Name)
			one := &r.Program.Outcomes[o]
			clock := &r.Program.DiscountClocks[one.Clock]
			weights, amounts := power(one.WeightScale, scales[3*k]), power(one.AmountScale, scales[3*k+1])
			ticks := power(clock.PerUnit, scales[3*k+2])
			x := time[from*n+k]
			if weights != 0 || ticks != 0 {
				was := *clock
				was.PerUnit = scales[3*k+2]
				x.Rescale(own.time[slot*len(r.Program.Outcomes)+o].Weight(), weights+ticks, was.Ticks(r.Now), clock.Ticks(r.Now))
			}
			s.time[slot*len(r.Program.Outcomes)+o] = x
			s.events[slot*len(r.Program.Outcomes)+o] = events[from*n+k].Shift(amounts)
		}
		if s.states != nil {
			ticks := power(s.clock.PerUnit, scales[3*n])
			was := s.clock
			was.PerUnit = scales[3*n]
			for k := range states {
				x := spent[from*states+k]
				if ticks != 0 {
					x.Rescale(own.states[slot*states+k].Weight(), ticks, was.Ticks(r.Now), s.clock.Ticks(r.Now))
				}
				s.states[slot*states+k] = x
			}
		}
	}
	if err := r.checkWeights(own); err != nil {
		in.bad("%v", err)
	}
}

func loadInterventions(r *Run, in *loader) {
	done := get[int64](in, "carried out", 1)[0]
	n, err := in.carriedOut(r.Program)
	if err != nil && in.err == nil {
		in.err = err
	}
	if r.carriedOut = n; in.err == nil && int(done) != n {
		in.bad("%d interventions were carried out, not %d", n, done)
	}
	saved := len(in.run.Shape.Triggered)
	held, struck := get[uint8](in, "held", saved), get[uint8](in, "struck", saved)
	since := get[float64](in, "since", saved)
	fired, carried := get[int64](in, "fired", saved), get[int64](in, "done", saved)
	numbers, next := make([]int64, saved), int64(saved)
	for k := range numbers {
		numbers[k] = int64(k)
	}
	if in.has("numbers") {
		numbers = get[int64](in, "numbers", saved)
	}
	if in.err != nil {
		return
	}
	for _, number := range numbers {
		if next = max(next, number+1); number < 0 {
			in.bad("a condition has no number")
			return
		}
	}
	w := &r.waiting
	w.on = len(r.Program.Triggered) > 0
	used := map[int]bool{}
	for k, d := range r.Program.Triggered {
		from := -1
		for i, what := range in.run.Shape.Triggered { // two may have the same words
			if what == d.What && !used[i] {
				from = i
				break
			}
		}
		if from < 0 { // as at the start of a run; those that the saved program had keep their draws
			w.number[k] = int(next)
			next++
			continue
		}
		w.number[k] = int(numbers[from])
		used[from] = true
		w.held[k], w.struck[k], w.since[k] = held[from] != 0, struck[from] != 0, since[from]
		w.fired[k], w.done[k] = int(fired[from]), int(carried[from])
		if w.held[k] && !(w.since[k] <= r.Now) || w.fired[k] < 0 || w.done[k] < 0 {
			in.bad("a condition holds since later")
		}
	}
	now := ShapeOf(r.Program)
	for i, key := range now.Windows {
		c, of := &w.windows[i], &r.Program.Windows[i]
		from := slices.Index(in.run.Shape.Windows, key)
		if from < 0 { // what was before is not known
			c.seen = r.windowTotal(of)
			continue
		}
		times := get[float64](in, fmt.Sprintf("window %d", from), -1)
		numbers := get[uint64](in, fmt.Sprintf("window %d seen", from), 2)
		if in.err != nil {
			return
		}
		newest := int(min(numbers[0], uint64(len(times))))
		for i := range times { // from the oldest on
			at := times[(newest+1+i)%len(times)]
			if !(at <= r.Now) {
				in.bad("an event of a condition is later")
				return
			}
			c.add(1, at, of.Keep)
		}
		c.seen = numbers[1]
		if c.seen > r.windowTotal(of) {
			in.bad("a condition has seen more events than there were")
			return
		}
	}
}

// windowTotal is how many events of a window there have been since the start.
func (r *Run) windowTotal(of *program.Window) uint64 {
	flows, named := r.Flows, r.Named
	if of.Watched >= 0 {
		flows, named = r.ByGroup.watched[of.Watched].Flows, r.ByGroup.watched[of.Watched].Named
	}
	if of.Flow >= 0 {
		return flows[of.Flow]
	}
	return named[of.Name]
}

func loadSupplies(r *Run, in *loader) {
	words := get[uint64](in, "supplies", 4*len(in.run.Shape.Supplies))
	r.Supplies = append(r.Supplies[:0], make([]Supply, len(r.Program.Supplies))...)
	byName(r.Supplies, suppliesFrom(words), r.Program.Supplies, in.run.Shape.Supplies)
}

// suppliesFrom is the inverse of supplyWords.
func suppliesFrom(words []uint64) (all []Supply) {
	for ; len(words) >= 4; words = words[4:] {
		all = append(all, Supply{words[0], words[1], words[2], words[3]})
	}
	return all
}

// load reads what was recorded up to the time of the state.
func (rec *Recording) load(r *Run, in *loader) {
	m, shape := r.Program, &in.run.Shape
	rows, err := shape.rowsUpTo(m, r.Now, in.run.Rows)
	if err != nil {
		in.err = err
		return
	}
	one := func(name string, t *RowCounts) {
		n := in.run.Rows
		counts := get[uint32](in, name+" counts", n*len(shape.Counted))
		flows := get[uint64](in, name+" flows", n*len(shape.Flows))
		named := get[uint64](in, name+" names", n*len(shape.Names))
		outcomes := get[float64](in, name+" outcomes", n*len(shape.Outcomes))
		spent := 0
		if shape.Times {
			spent = len(shape.Counted)
		}
		times := get[float64](in, name+" times", n*spent)
		observed := len(shape.Observations)
		var seen []uint64
		var expected []float64
		if n*observed > 0 {
			seen, expected = get[uint64](in, name+" seen", 2*n*observed), get[float64](in, name+" expected", n*observed)
		}
		if in.err != nil {
			return
		}
		t.Counts = appendRows(t.Counts, counts, rows, m.Counted, shape.Counted)
		t.Flows = appendRows(t.Flows, flows, rows, flowNames(m), shape.Flows)
		t.Named = appendRows(t.Named, named, rows, m.CountedNames, shape.Names)
		t.Outcomes = appendRows(t.Outcomes, outcomes, rows, m.OutcomeNames(), shape.Outcomes)
		for _, row := range rows { // observations have the same order
			t.Seen = append(t.Seen, seen[2*row*observed:][:2*observed]...)
			t.Expected = append(t.Expected, expected[row*observed:][:observed]...)
		}
		if m.RecordsTime {
			t.Times = appendRows(t.Times, times, rows, m.Counted, shape.Counted)
		}
	}
	one("all", &rec.All)
	now := ShapeOf(m)
	for g, name := range now.Groups {
		one(fmt.Sprint(slices.Index(shape.Groups, name)), &rec.Groups[g])
	}
	values := get[float64](in, "values", in.run.Rows*len(shape.Values))
	supplies := get[uint64](in, "supplies", 4*in.run.Rows*len(shape.Supplies))
	if in.err != nil {
		return
	}
	for i := range now.Values {
		if !slices.Contains(shape.Values, now.Values[i]) && len(rows) > 0 {
			in.err = fmt.Errorf("the model records the value %s, which the saved run did not", now.Values[i])
			return
		}
	}
	rec.Values = appendRows(rec.Values, values, rows, now.Values, shape.Values)
	for range len(rows) * len(m.MeanChances) { // only a fit records them, and it begins at the state
		rec.Chances = append(rec.Chances, math.NaN())
	}
	rec.Supplies = appendRows(rec.Supplies, suppliesFrom(supplies), rows, m.Supplies, shape.Supplies)
	if len(shape.Places)*in.run.Rows > 0 {
		places := in.placesFrom(get[uint64](in, "places", -1), in.run.Rows*len(shape.Places))
		rec.Places = appendRows(rec.Places, places, rows, placeNames(m), shape.Places)
	}
	if len(shape.Waits)*in.run.Rows > 0 {
		queues := get[uint32](in, "queues", in.run.Rows*len(shape.Waits))
		rec.Queues = appendRows(rec.Queues, queues, rows, waitNames(m), shape.Waits)
	} else { // nobody could wait
		rec.Queues = append(rec.Queues, make([]uint32, len(rows)*len(m.Waits()))...)
	}
	if len(shape.Networks)*in.run.Rows > 0 {
		networks := in.networksFrom(get[uint64](in, "networks", -1), in.run.Rows*len(shape.Networks))
		rec.Networks = appendRows(rec.Networks, networks, rows, networkNames(m), shape.Networks)
	}
	rec.Rows = len(rows)
}

// appendRows appends some rows of numbers, in the order of other names.
func appendRows[T any](to, from []T, rows []int, names, saved []string) []T {
	for _, row := range rows {
		to = append(to, make([]T, len(names))...)
		byName(to[len(to)-len(names):], from[row*len(saved):][:len(saved)], names, saved)
	}
	return to
}
