package engine

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// Observers as sections of a saved state.

func saveObservers(r *Run, s *saver) {
	o := r.observers
	if o == nil {
		return
	}
	if o.sources != nil {
		putMembers(r, s, "sources", o.sources)
	}
	if o.tree != nil {
		saveTree(r, s, o.tree)
	}
	if l := o.people; l != nil {
		var words []uint64
		for _, e := range ids(r, l.entered, 1) {
			words = append(words, math.Float64bits(e.time), e.mother, uint64(e.way+1))
		}
		put(s, "entered", words)
		for k := range l.times {
			put(s, fmt.Sprintf("first time %d", k), ids(r, l.times[k], 1))
		}
	}
	if o.seen != nil {
		saveSightings(r, s, o.seen)
	}
}

func saveTree(r *Run, s *saver, t *tree) {
	infected := ids(r, t.infected, 1)
	times, words := make([]float64, 0, len(infected)), make([]uint32, 0, 4*len(infected))
	for _, e := range infected {
		times, words = append(times, e.time), append(words, e.generation, e.tree, e.row, e.children)
	}
	put(s, "infected times", times)
	put(s, "infected", words)
	var roots []uint64
	for _, e := range t.trees {
		roots = append(roots, e.root, math.Float64bits(e.began), uint64(e.size), uint64(e.members))
	}
	put(s, "trees", roots)
	put(s, "free trees", t.free)
	put(s, "freed", []float64{t.freed})
	put(s, "offspring", t.offspring)
	putCounts(s, "chains", t.chains)
	var cohorts []uint64
	for _, c := range t.sums.Cohorts {
		cohorts = append(cohorts, c.Infected, c.Offspring)
	}
	put(s, "cohorts", cohorts)
	d, largest := &t.sums.Generation, &t.sums.Largest
	put(s, "durations", []float64{d.Mean, d.Squares, d.Least, d.Most, largest.Began})
	put(s, "sums", []uint64{d.N, d.Zero, largest.Root, uint64(largest.Size)})
	putCounts(s, "buckets", d.Buckets)
}

// putCounts writes how many there are of each number.
func putCounts(s *saver, section string, all map[int]uint64) {
	keys, counts := make([]int64, 0, len(all)), make([]uint64, 0, len(all))
	for _, k := range slices.Sorted(maps.Keys(all)) {
		keys, counts = append(keys, int64(k)), append(counts, all[k])
	}
	put(s, section+" of", keys)
	put(s, section, counts)
}

func (in *loader) readCounts(section string) map[int]uint64 {
	keys := get[int64](in, section+" of", -1)
	counts := get[uint64](in, section, len(keys))
	all := make(map[int]uint64, len(keys))
	for i, k := range keys {
		all[int(k)] = counts[i]
	}
	return all
}

// saveSightings writes what was seen, and what is still to be counted, by its time.
func saveSightings(r *Run, s *saver, seen *sightings) {
	put(s, "seen", seen.counts)
	put(s, "expected", seen.expected)
	put(s, "surveys", []uint64{uint64(seen.surveys)})
	var times []float64
	var columns []uint32
	for _, d := range seen.heap {
		times, columns = append(times, d.At), append(columns, d.ID)
	}
	for row, counts := range seen.ahead { // of a run that was not to be saved: at the times of the rows
		for k, n := range counts {
			for ; n > 0; n-- {
				times, columns = append(times, r.Program.RecordTimes[row]), append(columns, uint32(k))
			}
		}
	}
	put(s, "seen later", times)
	put(s, "seen later as", columns)
}

func loadObservers(r *Run, in *loader) {
	o := r.observers
	if o == nil {
		return
	}
	switch {
	case o.sources != nil && in.has("sources"):
		in.readMembers(r, "sources", o.sources, func(id uint32) int { return int(r.status(id).state) })
	case o.sources != nil: // the saved run had no clock with a source
		for id := r.firstID; int(id) < r.Used; id++ {
			if state := r.status(id).state; state != program.NoState {
				o.sources.Add(id, int(state))
			}
		}
	}
	if o.tree != nil {
		in.readTree(r, o.tree)
	}
	if o.people != nil {
		in.readPeople(r, o.people)
	}
	if o.seen != nil {
		in.readSightings(r, o.seen)
	}
	if in.err != nil {
		return
	}
	if err := r.checkObservers(); err != nil {
		in.bad("%v", err)
	}
}

// rowNow returns the row in which this program counts what the saved one has counted in a row. The
// last row of a saved run is at the time of its state.
func (in *loader) rowNow(r *Run, row int) int { return r.rowAt(min(in.run.Shape.Rows[row], r.Now)) }

func (in *loader) readTree(r *Run, t *tree) {
	n, rows := r.Used-int(r.firstID), len(in.run.Shape.Rows)
	times, words := get[float64](in, "infected times", n), get[uint32](in, "infected", 4*n)
	roots, offspring := get[uint64](in, "trees", -1), get[uint64](in, "offspring", -1)
	free, freed := get[uint32](in, "free trees", -1), get[float64](in, "freed", 1)
	cohorts := get[uint64](in, "cohorts", 2*rows)
	durations, sums := get[float64](in, "durations", 5), get[uint64](in, "sums", 4)
	t.chains, t.sums.Generation.Buckets = in.readCounts("chains"), in.readCounts("buckets")
	if in.err != nil {
		return
	}
	if len(roots)%4 != 0 || len(offspring) == 0 {
		in.bad("a tree is not complete")
		return
	}
	for ; len(roots) > 0; roots = roots[4:] {
		t.trees = append(t.trees, treeRoot{roots[0], math.Float64frombits(roots[1]), uint32(roots[2]), uint32(roots[3])})
	}
	for _, k := range free {
		if uint(k) >= uint(len(t.trees)) {
			in.bad("there is no tree %d", k)
			return
		}
	}
	t.free, t.freed, t.offspring = free, freed[0], offspring
	now := make([]uint32, rows)
	for row := range rows {
		now[row] = uint32(in.rowNow(r, row))
		c := &t.sums.Cohorts[now[row]]
		c.Infected, c.Offspring = c.Infected+cohorts[2*row], c.Offspring+cohorts[2*row+1]
	}
	for i := range n {
		w, alive := words[4*i:], r.status(r.firstID+uint32(i)).state != program.NoState
		if w[1] != noTree && uint(w[1]) >= uint(len(t.trees)) || uint(w[2]) >= uint(rows) ||
			uint(w[3]) >= uint(len(offspring)) ||
			times[i] > r.Now {
			if alive {
				in.bad("somebody is in no tree")
				return
			}
			continue
		}
		t.infected[r.firstID+uint32(i)] = infection{times[i], w[0], w[1], now[w[2]], w[3]}
	}
	d := &t.sums.Generation
	d.Mean, d.Squares, d.Least, d.Most = durations[0], durations[1], durations[2], durations[3]
	d.N, d.Zero = sums[0], sums[1]
	t.sums.Largest = LargestTree{sums[2], durations[4], int(sums[3])}
	if len(d.Buckets) == 0 {
		d.Buckets = nil
	}
}

func (in *loader) readPeople(r *Run, l *lineList) {
	n := r.Used - int(r.firstID)
	words := get[uint64](in, "entered", 3*n)
	for i := range n {
		w := words[3*i:]
		if w[2] > 127 {
			in.bad("somebody entered in no way")
			return
		}
		l.entered[r.firstID+uint32(i)] = entered{math.Float64frombits(w[0]), w[1], int8(w[2]) - 1}
	}
	for k := range l.times {
		from := slices.Index(in.run.Shape.People, r.Program.LineList.Times[k].Name)
		read(in, fmt.Sprintf("first time %d", from), ids(r, l.times[k], 1))
	}
}

func (in *loader) readSightings(r *Run, s *sightings) {
	shape, now := &in.run.Shape, ShapeOf(r.Program)
	slots, n := 1+len(shape.Groups), len(shape.Observations)
	seen, expected := get[uint64](in, "seen", slots*2*n), get[float64](in, "expected", slots*n)
	times := get[float64](in, "seen later", -1)
	columns, surveys := get[uint32](in, "seen later as", len(times)), get[uint64](in, "surveys", 1)[0]
	if in.err != nil {
		return
	}
	slotOf := make([]int, slots) // of this program, by that of the saved one; −1 for none
	for slot := range slotOf {
		if slot > 0 {
			if slotOf[slot] = 1 + slices.Index(now.Groups, shape.Groups[slot-1]); slotOf[slot] == 0 {
				slotOf[slot] = -1
				continue
			}
		}
		copy(s.counts[slotOf[slot]*s.columns:][:s.columns], seen[slot*s.columns:])
		copy(s.expected[slotOf[slot]*n:][:n], expected[slot*n:])
	}
	all, tolerance := r.Program.Surveys, 2*max(r.Program.TimeTolerance, shape.Tolerance)
	if surveys > uint64(len(all)) || surveys > 0 && all[surveys-1].At > r.Now+tolerance ||
		int(surveys) < len(all) && all[surveys].At < r.Now-tolerance {
		in.bad("%d surveys have been carried out", surveys)
		return
	}
	s.surveys = int(surveys)
	if s.byRows {
		for s.rows < len(s.ahead) && r.Program.RecordTimes[s.rows] <= r.Now+r.Program.TimeTolerance {
			s.rows++
		}
	}
	for i, at := range times {
		column := int(columns[i])
		if uint(columns[i]) >= uint(slots*s.columns) || math.IsNaN(at) {
			in.bad("something is seen as nothing")
			return
		}
		slot := slotOf[column/s.columns]
		if slot < 0 || at > r.end {
			continue
		}
		k := slot*s.columns + column%s.columns
		if !s.byRows {
			s.heap.Push(store.Due{At: at, ID: uint32(k)})
			continue
		}
		last := len(r.Program.RecordTimes) - 1
		if at > r.Program.RecordTimes[last]+r.Program.TimeTolerance {
			continue
		}
		row := max(r.rowAt(at), s.rows)
		if row > last {
			continue
		}
		if s.ahead[row] == nil {
			s.ahead[row] = make([]uint64, len(s.counts))
		}
		s.ahead[row][k]++
	}
}

// peopleTimes are the names of the times that a program records of each individual.
func peopleTimes(m *program.Program) (names []string) {
	if m.LineList == nil {
		return nil
	}
	for i := range m.LineList.Times {
		names = append(names, m.LineList.Times[i].Name)
	}
	return names
}

// observersDiffer says what a program observes that a saved run does not; "" if nothing.
func (s *Shape) observersDiffer(o *Shape) string {
	switch {
	case !slices.Equal(s.Observations, o.Observations):
		return "it observes something else than the saved model"
	case o.Tree && !s.Tree:
		return "it records a tree, and the saved model does not"
	case o.LineList && !s.LineList:
		return "it records people, and the saved model does not"
	}
	for _, name := range o.People {
		if !slices.Contains(s.People, name) {
			return fmt.Sprintf("it records when %s is first of each individual, and the saved model does not", name)
		}
	}
	return ""
}
