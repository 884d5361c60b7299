package engine

import (
	"context"
	"slices"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// sightings count what observations see: of all individuals, and of each group that is recorded.
//
// Whether an individual is seen, and when, is drawn at once. It is counted in the row of that time,
// so that nothing needs to be kept or scheduled. A run that is stopped at other times than those of
// rows, because it can be forked, or whose state is saved, keeps what is still to be counted in a
// heap instead.
type sightings struct {
	slots    int // 1 for all individuals, and 1 for each group
	columns  int // of a slot: seen and tested, of each observation
	byRows   bool
	counts   []uint64   // since the start, up to rows or to the last call of upTo; by slot and column
	rows     int        // how many rows counts has
	ahead    [][]uint64 // by row: what is counted in it; nil for nothing
	heap     store.DueHeap
	expected []float64 // of surveys, by slot and observation
	surveys  int       // how many are done
	own      []int     // the slots of an individual
	sums     []float64 // by slot: scratch of survey
	among    []int     // likewise
	asked    []int     // likewise
}

func newSightings(m *program.Program, byRows bool) *sightings {
	s := &sightings{slots: 1 + len(m.Groups), columns: 2 * len(m.Observations), byRows: byRows}
	s.counts = make([]uint64, s.slots*s.columns)
	s.expected = make([]float64, s.slots*len(m.Observations))
	if byRows {
		s.ahead = make([][]uint64, len(m.RecordTimes))
	}
	return s
}

// copy copies the sightings of a run of the same program. Each may be nil.
func (s *sightings) copy(own *sightings) *sightings {
	if s == nil {
		return nil
	}
	if own == nil {
		own = &sightings{}
	}
	c := *s
	c.counts, c.expected = append(own.counts[:0], s.counts...), append(own.expected[:0], s.expected...)
	c.heap = append(own.heap[:0], s.heap...)
	c.ahead = make([][]uint64, len(s.ahead))
	for i := range s.ahead {
		c.ahead[i] = slices.Clone(s.ahead[i])
	}
	c.own, c.sums, c.among, c.asked = nil, nil, nil, nil
	return &c
}

// bytes is how much memory sightings take.
func (s *sightings) bytes() int {
	n := cap(s.heap)*int(unsafe.Sizeof(store.Due{})) + 8*(cap(s.counts)+cap(s.expected)) + 24*cap(s.ahead)
	for _, counts := range s.ahead {
		n += 8 * cap(counts)
	}
	return n
}

// slotsOf sets own to the slots of an individual.
func (s *sightings) slotsOf(r *Run, id uint32) {
	s.own = append(s.own[:0], 0)
	for i := range r.Program.Groupings {
		g, k := &r.Program.Groupings[i], 0
		for i, a := range g.Attributes {
			k = k*g.Sizes[i] + int(r.attributes[a].Of(id))
		}
		s.own = append(s.own, 1+g.First+k)
	}
}

// happened counts an event of an individual for the observations of it.
func (s *sightings) happened(r *Run, id uint32, name, flow int) {
	for k := range r.Program.Observations {
		o := &r.Program.Observations[k]
		if o.Survey || !o.Of.Is(name, flow) {
			continue
		}
		t := &r.phase.Observations[k]
		draws := r.hashed(id, purposeSeen, uint64(k))
		if p := r.seenWith(t, id); !(draws.Float64() < p) {
			continue
		}
		at := r.Now + r.seenAfter(t, id, &draws)
		if at > r.end {
			continue
		}
		s.slotsOf(r, id)
		s.count(r, at, 2*k)
		if l := r.observers.people; l != nil {
			l.seen(r, id, k, r.Program.Start+at)
		}
	}
}

// seenWith is the probability with which an observation sees an individual, or finds it positive.
func (r *Run) seenWith(t *program.ObservationTable, id uint32) float64 {
	if t.Chances != nil {
		return r.chance(t.Chances, id, id)
	}
	return t.Chance
}

// seenAfter draws the delay of an observation.
func (r *Run) seenAfter(t *program.ObservationTable, id uint32, draws *random.Stream) float64 {
	if t.After == nil {
		return 0
	}
	var l *law.Law = t.After.At(r.cell(id, t.After.By))
	return l.Draw(draws)
}

// count counts a column at a time since the start, in the slots of own.
func (s *sightings) count(r *Run, at float64, column int) {
	row := 0
	if s.byRows {
		last := len(r.Program.RecordTimes) - 1
		if at > r.Program.RecordTimes[last]+r.Program.TimeTolerance {
			return // the rows end before the run does
		}
		if row = r.rowAt(at); s.ahead[row] == nil {
			s.ahead[row] = make([]uint64, len(s.counts))
		}
	}
	for _, slot := range s.own {
		k := slot*s.columns + column
		switch {
		case s.byRows:
			s.ahead[row][k]++
		case at <= r.Now:
			s.counts[k]++
		default:
			s.heap.Push(store.Due{At: at, ID: uint32(k)})
		}
	}
}

// upTo brings counts up to the present, and, of a run that records, up to a row.
func (s *sightings) upTo(r *Run, row int) {
	for s.byRows && s.rows <= row {
		for k, n := range s.ahead[s.rows] {
			s.counts[k] += n
		}
		s.ahead[s.rows] = nil
		s.rows++
	}
	now := r.Now
	if row >= 0 {
		now = r.Program.RecordTimes[row]
	}
	for len(s.heap) > 0 && s.heap[0].At-r.Program.TimeTolerance <= now { // as in rowAt
		s.counts[s.heap.Pop().ID]++
	}
}

// read adds a row to a recording.
func (s *sightings) read(r *Run, rec *Recording) {
	s.upTo(r, rec.Rows)
	n := len(r.Program.Observations)
	for slot := range s.slots {
		of := &rec.All
		if slot > 0 {
			of = &rec.Groups[slot-1]
		}
		of.Seen = append(of.Seen, s.counts[slot*s.columns:][:s.columns]...)
		of.Expected = append(of.Expected, s.expected[slot*n:][:n]...)
	}
}

// survey carries out the surveys that are due by a time, before the intervention at next.
func (r *Run) survey(ctx context.Context, by, next float64, progress func(float64, uint64)) error {
	s := r.observers.seen
	if s == nil {
		return nil
	}
	all, tolerance := r.Program.Surveys, r.Program.TimeTolerance
	for s.surveys < len(all) && all[s.surveys].At <= by+tolerance && all[s.surveys].At+tolerance < next {
		at := &all[s.surveys]
		if err := r.run(ctx, at.At, progress); err != nil {
			return err
		}
		draws := random.New(r.seed, uint64(r.Index), purposeSurvey, uint64(s.surveys))
		s.surveys++
		s.ask(r, at.Observation, draws)
	}
	return nil
}

// asks reports whether a survey is about an individual.
func (r *Run) asks(o *program.Observation, id uint32) bool {
	state := r.status(id).state
	return state != program.NoState && (o.Who == nil || o.Who[state]) && r.matches(id, o.Where)
}

// ask carries out a survey, in two passes over all individuals. The selection, the results and the
// delays are drawn from a stream of the survey.
func (s *sightings) ask(r *Run, k int, draws random.Stream) {
	o, t := &r.Program.Observations[k], &r.phase.Observations[k]
	s.sums = append(s.sums[:0], make([]float64, s.slots)...)
	s.among = append(s.among[:0], make([]int, s.slots)...)
	s.asked = append(s.asked[:0], make([]int, s.slots)...)
	for id := r.firstID; int(id) < r.Used; id++ {
		if !r.asks(o, id) {
			continue
		}
		s.slotsOf(r, id)
		p := r.seenWith(t, id)
		for _, slot := range s.own {
			s.sums[slot] += p
			s.among[slot]++
		}
	}
	need, left := t.Count, s.among[0]
	for id := r.firstID; int(id) < r.Used; id++ {
		if !r.asks(o, id) {
			continue
		}
		if o.ByCount { // algorithm S, as in applyToSome
			left--
			if need == 0 || need <= left && draws.Below(uint64(left)+1) >= uint64(need) {
				continue
			}
			need--
		} else if t.Coverage != nil {
			c := (*t.Coverage.At(r.cell(id, t.Coverage.By))).ChanceFor(r.Now, r.individual(id, id))
			if !(draws.Float64() < c) {
				continue
			}
		}
		s.slotsOf(r, id)
		for _, slot := range s.own {
			s.asked[slot]++
		}
		positive := draws.Float64() < r.seenWith(t, id)
		at := r.Now + r.seenAfter(t, id, &draws)
		if at > r.end {
			continue
		}
		s.count(r, at, 2*k+1)
		if positive {
			s.count(r, at, 2*k)
			if l := r.observers.people; l != nil {
				l.seen(r, id, k, r.Program.Start+at)
			}
		}
	}
	for slot := range s.slots {
		if s.asked[slot] > 0 {
			p := s.sums[slot] / float64(s.among[slot])
			s.expected[slot*len(r.Program.Observations)+k] += float64(float64(s.asked[slot]) * p)
		}
	}
}

// SeenIn returns how many an observation has seen since the start, and how many a survey has
// tested: of all individuals if slot is 0, and of a group if it is 1 more than its number. The run
// must be forkable: others know it at rows.
func (r *Run) SeenIn(slot, observation int) (seen, tested uint64) {
	s := r.observers.seen
	s.upTo(r, -1)
	k := slot*s.columns + 2*observation
	return s.counts[k], s.counts[k+1]
}

// MeanChance returns the mean of the chance of a survey over all whom it could ask now; NaN if
// there is nobody.
func (r *Run) MeanChance(observation int) float64 {
	o, t := &r.Program.Observations[observation], &r.phase.Observations[observation]
	sum, n := 0.0, 0
	for id := r.firstID; int(id) < r.Used; id++ {
		if r.asks(o, id) {
			sum, n = sum+r.seenWith(t, id), n+1
		}
	}
	return sum / float64(n)
}
