package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/statefile"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// A Saved is the state of a replica in a file. It may be used from several goroutines at once.
type Saved struct {
	in       *statefile.Reader
	sections map[string]statefile.Section
	prefix   string
	run      savedRun
}

// SavedRuns returns the states of all replicas in a file, in its order.
func SavedRuns(in *statefile.Reader) (all []*Saved, err error) {
	if err := statefile.CheckOrder(); err != nil {
		return nil, err
	}
	sections := map[string]statefile.Section{}
	for _, s := range in.Sections {
		if _, twice := sections[s.Name]; twice {
			return nil, fmt.Errorf("%w: section %s stands there twice", statefile.ErrDamaged, s.Name)
		}
		sections[s.Name] = s
	}
	for place := 0; ; place++ {
		s := &Saved{in: in, sections: sections, prefix: Prefix(place)}
		head, ok := sections[s.prefix+"run/run"]
		if !ok {
			return all, nil
		}
		if _, done := sections[s.prefix+"done"]; !done {
			return nil, fmt.Errorf("%w: the state of replica %d is not complete", statefile.ErrDamaged, place)
		}
		text := make([]byte, head.Length)
		if err := in.Read(head, text); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &s.run); err != nil {
			return nil, fmt.Errorf("%w: %v", statefile.ErrDamaged, err)
		}
		if !s.sound() {
			return nil, fmt.Errorf("%w: the numbers of replica %d do not belong together", statefile.ErrDamaged, place)
		}
		all = append(all, s)
	}
}

// sound reports whether the numbers of the head belong together.
func (s *Saved) sound() bool {
	h := &s.run
	now, horizon := math.Float64frombits(h.Now), math.Float64frombits(h.Horizon)
	return h.FirstID >= 0 && h.Used >= h.FirstID && h.SlotCount >= h.Used && h.SlotCount < noID &&
		h.FirstID >= h.Shape.Sources && h.FirstID <= h.Shape.Sources+3 && // conditions, links and errands have one each

		h.Stride >= headWords && h.Stride < 1<<16 && h.Alive >= 0 && h.Alive <= h.Used-h.FirstID &&
		now >= 0 && now <= horizon && !math.IsInf(horizon, 0) &&
		h.Shape.sound() && len(h.Sparse) == h.Shape.Columns && h.Phase >= 0 && h.Phase < len(h.Shape.Phases) &&
		h.Rows >= 0 && h.Rows <= len(h.Shape.Rows) && h.SizeClass >= 0 && h.Index >= 0 && h.Replica >= 0
}

// Replica is the number of the replica in the run that was saved.
func (s *Saved) Replica() int { return s.run.Replica }

// Time is that of the state, on the model's clock.
func (s *Saved) Time() float64 { return s.run.Shape.Start + math.Float64frombits(s.run.Now) }

// Horizon is up to when the state can be gone on with, on the model's clock.
func (s *Saved) Horizon() float64 { return s.run.Shape.Start + math.Float64frombits(s.run.Horizon) }

// Individuals is how many individuals there is memory needed for.
func (s *Saved) Individuals() int { return s.run.Used - s.run.FirstID }

// Numbered reports whether individuals have numbers, which events need.
func (s *Saved) Numbered() bool { return s.run.Numbered }

// CheckProgram returns an error, in words, if a program cannot go on with the state.
func (s *Saved) CheckProgram(m *program.Program) error { return s.checkProgram(m, true) }

// checkProgram is CheckProgram, with the rows or without.
func (s *Saved) checkProgram(m *program.Program, rows bool) error {
	h, now := &s.run, math.Float64frombits(s.run.Now)
	shape := ShapeOf(m)
	if what := h.Shape.differs(&shape); what != "" {
		return fmt.Errorf("it cannot go on with the saved state: %s", what)
	}
	if what := Unsavable(m); what != "" {
		return fmt.Errorf("this model has %s; it cannot go on with a saved state yet", what)
	}
	tolerance := max(m.TimeTolerance, h.Shape.Tolerance)
	if m.End-m.Start > math.Float64frombits(h.Horizon)+tolerance {
		return fmt.Errorf("the model ends at %s %.12g, and the state was saved so that it can go on until %.12g: save it "+
			"again, with --until %[2]v", m.Unit, m.End, format.Tidy(s.Horizon()))
	}
	if m.Stop-m.Start < now-tolerance {
		return fmt.Errorf("the model ends at %s %.12g, before the time of the saved state, %.12g", m.Unit, m.Stop, s.Time())
	}
	if _, err := h.Shape.phaseOf(m, h.Phase); err != nil {
		return err
	}
	if _, err := h.Shape.rowsUpTo(m, now, h.Rows); rows && err != nil {
		return err
	}
	_, err := s.carriedOut(m)
	return err
}

// carriedOut returns how many of the scheduled interventions of a program were before the time of the
// state: the same as in the saved run.
func (s *Saved) carriedOut(m *program.Program) (int, error) {
	now, before := math.Float64frombits(s.run.Now), s.run.Shape.Scheduled
	alike := func(p *program.Scheduled, o savedIntervention) bool {
		return math.Abs(p.At-o.At) <= 2*max(m.TimeTolerance, s.run.Shape.Tolerance) && p.What == o.What
	}
	for n := range m.Scheduled {
		p := &m.Scheduled[n]
		if n < len(before) && alike(p, before[n]) {
			continue
		}
		if n >= len(before) && p.At > now+m.TimeTolerance {
			return n, nil
		}
		if p.At <= now+m.TimeTolerance {
			return 0, fmt.Errorf("%s is at %s %.12g, before the saved state, whose model did not have it", p.What, m.Unit,
				format.Tidy(p.ModelTime))
		}
		break
	}
	if len(m.Scheduled) < len(before) || len(before) > 0 {
		for n, o := range before {
			if n >= len(m.Scheduled) || !alike(&m.Scheduled[n], o) {
				return 0, fmt.Errorf("%s was at %s %.12g, before the saved state, and the model has not got it", o.What, m.Unit,
					format.Tidy(m.Start+o.At))
			}
		}
	}
	return len(before), nil
}

// A loader reads the sections of one run. The first error is kept.
type loader struct {
	*Saved
	ctx  context.Context
	part string
	err  error
	due  []float64 // by individual: when its next event is, unless it is among the words

	linksDue float64 // when linksID has its event
}

// bad notes that something cannot be.
func (in *loader) bad(format string, args ...any) {
	if in.err == nil {
		in.err = fmt.Errorf("%w: %s: %s", statefile.ErrDamaged, in.part, fmt.Sprintf(format, args...))
	}
}

// section finds a section.
func (in *loader) section(name string) (s statefile.Section) {
	s, ok := in.sections[in.prefix+in.part+"/"+name]
	if !ok {
		in.bad("there is no section %s", name)
	}
	return s
}

// has reports whether there is a section.
func (in *loader) has(name string) bool {
	_, ok := in.sections[in.prefix+in.part+"/"+name]
	return ok
}

// read reads a section into a slice, which must have its length.
func read[T statefile.Number](in *loader, name string, into []T) {
	if s := in.section(name); in.err == nil {
		in.err = in.in.Read(s, statefile.Bytes(into))
	}
}

// get reads a section with n numbers, or with any number if n is negative.
func get[T statefile.Number](in *loader, name string, n int) []T {
	s := in.section(name)
	if in.err != nil {
		return make([]T, max(n, 0))
	}
	var one [1]T
	each := uint64(len(statefile.Bytes(one[:])))
	if s.Length%each != 0 || n >= 0 && s.Length/each != uint64(n) {
		in.bad("section %s has %d bytes", name, s.Length)
		return make([]T, max(n, 0))
	}
	all := make([]T, s.Length/each)
	in.err = in.in.Read(s, statefile.Bytes(all))
	return all
}

// layOutSaved gives the timers the layout of a saved state. A run that is saved with a calendar goes on
// with one.
func (r *Run) layOutSaved(saved *savedRun) {
	if !saved.Inline {
		r.windows = nil
	}
	r.sparseTimers, r.sparse, r.shared = nil, slices.Clone(saved.Sparse), saved.Shared
	if r.shared || slices.Contains(r.sparse, true) {
		r.sparseTimers = store.NewSparseTables(r.sparseTableCount())
	}
	r.numberColumns()
}

// Restore sets the run up as it was saved, with a program that may be another: see CheckProgram. The
// recording gets the rows up to the time of the state, unless it is nil.
func (r *Run) Restore(ctx context.Context, m *program.Program, s *Saved, rec *Recording) error {
	if err := s.checkProgram(m, rec != nil); err != nil {
		return err
	}
	h := &s.run
	r.prepare(m, h.Seed, h.Index, h)
	if r.shared && len(r.phase.Always) == 0 || len(r.sparse) > 8 && r.sparseTimers != nil {
		return fmt.Errorf("%w: its timers have no such layout", statefile.ErrDamaged)
	}
	r.phase, _ = h.Shape.phaseOf(m, h.Phase)
	r.Now, r.entered, r.Alive, r.Events = math.Float64frombits(h.Now), h.Entered, h.Alive, h.Events
	if m.Stop < m.End || m.Keeps > 0 { // it will be saved again, and keeps what it has
		r.end = min(r.end, math.Float64frombits(h.Horizon))
	}
	delta := int(r.firstID) - h.FirstID
	r.Used, r.slotCount = h.Used+delta, h.SlotCount+delta
	if class := s.sizeClass(m); class >= 0 {
		r.setSize(class)
	} else {
		return fmt.Errorf("there are %s, more than the model allows", format.Count(r.Alive, "individual"))
	}
	in := &loader{Saved: s, ctx: ctx}
	for _, p := range savedParts() {
		in.part = p.name
		if p.load(r, in); in.err != nil {
			return in.err
		}
	}
	if in.part = "rows"; rec != nil {
		if rec.load(r, in); in.err != nil {
			return in.err
		}
	}
	if !slices.Equal(h.Shape.Sizes, m.Sizes) {
		r.redrawAllBounded() // bounds of rates are others
	}
	if r.forkable && r.sparseTimers != nil {
		r.packAll()
		r.sparseTimers = nil
	}
	r.prefetchAhead, r.prefetching, r.contactsSeen, r.intervalsLeft = r.prefetchDistance(), false, 0, 1
	r.beginPace(r.Now)
	return ctx.Err()
}

// sizeClass is the size class to go on with; −1 if there are too many.
func (s *Saved) sizeClass(m *program.Program) int {
	class := 0
	if slices.Equal(s.run.Shape.Sizes, m.Sizes) {
		class = s.run.SizeClass
	}
	for m.Sizes != nil && class < len(m.Sizes) && s.run.Alive > m.Sizes[class] {
		class++
	}
	if m.Sizes != nil && class >= len(m.Sizes) || s.run.Alive > m.MaxSize {
		return -1
	}
	return class
}

// redrawAllBounded draws all clocks again whose rates are bounded by the size of the population.
func (r *Run) redrawAllBounded() {
	for k := range r.phase.Immigration {
		if boundedBySize(r.phase.Immigration[k].Varying) {
			r.nextArrival(uint32(k))
		}
	}
	for id := r.firstID; int(id) < r.Used; id++ {
		if state := r.status(id).state; state != program.NoState && r.redrawBounded(id, state) {
			r.reschedule(id, state)
		}
	}
}

func loadIndividuals(r *Run, in *loader) {
	n := r.Used - int(r.firstID)
	in.readWords(r)
	for a := range r.Program.Listed() {
		in.readColumn(r, fmt.Sprintf("attribute %d", a), &r.attributes[a], len(r.Program.Attributes[a].Values))
	}
	if r.numbered() {
		if !in.run.Numbered {
			in.err = fmt.Errorf("the state was saved without events, so that individuals have no numbers: save it with --events")
			return
		}
		read(in, "numbers", ids(r, r.numbers, 1))
	}
	if !in.run.Inline {
		in.due = get[float64](in, "due", n)
	}
	free := get[uint32](in, "free", -1)
	if in.err != nil {
		return
	}
	// What follows checks each individual, so that nothing that is looked up by it can be out of range.
	states, counts, left := len(r.Program.States), make([]int, len(r.Counts)), 0
	for id := r.firstID; int(id) < r.Used; id++ {
		p := r.status(id)
		p.checkpoint = 0
		p.unmark(isTied)
		if p.state == program.NoState {
			left++
			r.cacheState(id, p.state)
			continue
		}
		if int(p.state) >= states {
			in.bad("an individual is in no state")
			return
		}
		counts[p.state]++
		r.cacheState(id, p.state)
		if a := r.Program.StateAttribute; a >= 0 {
			r.attributes[a].Set(id, p.state)
		}
		for m := range r.Program.Machines {
			one := &r.Program.Machines[m]
			counts[one.FirstCount+int(r.attributes[one.Attribute].Of(id))]++
		}
		if int(p.held) > len(r.phase.Always) || p.held > 0 && !r.shared {
			in.bad("an individual holds no such timer")
			return
		}
		if st := r.stateOf(id, p.state); len(st.Split) > 0 && int(p.branch) >= len(st.Split) {
			in.bad("an individual is on no branch")
			return
		}
		for k, w := range r.packed(id, &r.phase.States[p.state]) {
			if t := timeOf(w); !(t >= r.Now) && !(r.columnAt[k] == isShared && p.held == 0) {
				in.bad("a timer is in the past")
				return
			}
		}
		next := math.Inf(1)
		if in.due != nil {
			next = in.due[id-r.firstID]
		} else if r.windows != nil {
			next = *r.nextAt(id)
		}
		if !(next >= r.Now) {
			in.bad("an event is in the past")
			return
		}
	}
	copy(r.Counts, counts)
	alive := n - left
	if alive != r.Alive || left != len(free) {
		in.bad("%d are alive, and %d are counted", alive, r.Alive)
		return
	}
	if r.numbered() && !r.numbersDiffer() {
		in.bad("two individuals have one number")
		return
	}
	marked := newIDSet(n)
	for _, id := range free {
		if int(id) >= n || !marked.add(id) || r.status(id+r.firstID).state != program.NoState {
			in.bad("a free slot is not free")
			return
		}
		r.free.Put(id + r.firstID)
	}
}

// numbersDiffer reports whether each individual has a number of its own.
func (r *Run) numbersDiffer() bool {
	var all []uint64
	for id := r.firstID; int(id) < r.Used; id++ {
		if r.status(id).state != program.NoState {
			all = append(all, r.numbers[id])
		}
	}
	slices.Sort(all)
	return len(all) == 0 || all[0] > 0 && all[len(all)-1] <= r.entered && len(slices.Compact(all)) == r.Alive
}

// An idSet is a set of ids.
type idSet []uint64

func newIDSet(n int) idSet { return make(idSet, (n+63)/64) }

// add adds an id, and reports false if it was there.
func (s idSet) add(id uint32) bool {
	bit := uint64(1) << (id & 63)
	was := s[id>>6]&bit != 0
	s[id>>6] |= bit
	return !was
}

// readWords reads the words of all individuals. If the time of the next event is among them, and the
// run has a calendar, it takes them out.
func (in *loader) readWords(r *Run) {
	stride := r.stride
	if in.run.Inline && r.windows == nil {
		stride++
	}
	section := in.section("words")
	n := r.Used - int(r.firstID)
	if in.err != nil {
		return
	}
	if in.run.Stride != stride || section.Length != 8*uint64(stride)*uint64(n) {
		in.bad("individuals have %d words where %d are expected", in.run.Stride, stride)
		return
	}
	to := ids(r, r.words, r.stride)
	if stride == r.stride {
		in.err = in.in.Read(section, statefile.Bytes(to))
		return
	}
	in.due = make([]float64, 0, n)
	row := 8 * stride
	buffer := make([]uint64, (1<<18)/8)
	in.err = in.in.Blocks(section, func(bytes int) []byte {
		return statefile.Bytes(buffer)[:max(bytes/row, 1)*row]
	}, func(block []byte) error {
		for words := buffer[:len(block)/8]; len(words) > 0; words = words[stride:] {
			copy(to[:r.stride], words)
			in.due = append(in.due, math.Float64frombits(words[stride-1]))
			to = to[r.stride:]
		}
		return in.ctx.Err()
	})
	for id := r.firstID; in.err == nil && int(id) < r.Used; id++ {
		if r.status(id).state == program.NoState { // the word is when it was left
			in.due[id-r.firstID] = math.Inf(1)
		}
	}
}

// readColumn reads a column of an attribute with so many values.
func (in *loader) readColumn(r *Run, name string, c *store.Column, values int) {
	if in.err != nil {
		return
	}
	if c.IsWide {
		read(in, name, ids(r, c.Wide, 1))
	} else {
		read(in, name, ids(r, c.Narrow, 1))
	}
	if in.err != nil || values >= 1<<16 || !c.IsWide && values >= 1<<8 {
		return
	}
	for id := r.firstID; int(id) < r.Used; id++ {
		if int(c.Of(id)) >= values {
			if r.status(id).state == program.NoState {
				c.Set(id, 0)
				continue
			}
			in.bad("an individual has a value that there is not in %s", name)
			return
		}
	}
}

func loadTimers(r *Run, in *loader) {
	keys := get[uint64](in, "sparse keys", -1)
	words := get[uint64](in, "sparse words", len(keys))
	if in.err != nil {
		return
	}
	said := 0
	for id := r.firstID; int(id) < r.Used; id++ {
		said += bits.OnesCount8(r.status(id).sparse)
	}
	if said != len(keys) || said > 0 && r.sparseTimers == nil {
		in.bad("%d timers are sparse, and %d by status", len(keys), said)
		return
	}
	before := uint64(0)
	for i, key := range keys {
		id, column := store.Key(key)
		id += r.firstID
		if key <= before && i > 0 || key>>40 != 0 || int(id) >= r.Used || column < 0 || column >= len(r.sparse) ||
			!r.sparse[column] && r.offset[column] != isShared ||
			r.status(id).sparse>>column&1 == 0 || !(timeOf(words[i]) >= r.Now) {
			in.bad("a sparse timer belongs to nobody")
			return
		}
		before = key
		r.sparseTimers.Set(id, column, words[i])
	}
	if !r.forkable {
		return
	}
	origins := ids(r, r.origins, len(r.sparse))
	clear(origins)
	if !in.run.Origins {
		return // the clocks that run keep their times in forks
	}
	which, began := get[uint64](in, "laws", len(origins)), get[float64](in, "began", len(origins))
	if in.err != nil {
		return
	}
	laws := map[uint64]timerOrigin{}
	for i, place := range which {
		if place == 0 {
			continue
		}
		o, ok := laws[place]
		if !ok {
			phase, k := int(place>>32), int(uint32(place))-1
			if phase >= len(in.run.Shape.Phases) {
				in.bad("a timer was drawn in no phase")
				return
			}
			t, err := in.run.Shape.phaseOf(r.Program, phase)
			if err != nil {
				in.err = err
				return
			}
			all := t.Laws()
			if k < 0 || k >= len(all) {
				in.bad("a timer was drawn from no law")
				return
			}
			o.law = all[k]
			laws[place] = o
		}
		if o.began = began[i]; !(o.began <= r.Now) || math.IsInf(o.began, 0) {
			in.bad("a clock begins later")
			return
		}
		origins[i] = o
	}
}

func loadMachines(r *Run, in *loader) {
	for m := range r.Program.Machines {
		one := &r.Program.Machines[m]
		if one.Branches == 0 {
			continue
		}
		in.readColumn(r, fmt.Sprintf("branch %d", m), &r.branches[m], 2*one.Branches)
		for id := r.firstID; in.err == nil && int(id) < r.Used; id++ {
			if r.status(id).state == program.NoState {
				continue
			}
			if st := r.machineTable(id, m); st != nil && len(st.Split) > 0 {
				if k, _ := r.branchOf(id, m); k >= len(st.Split) {
					in.bad("an individual is on no branch")
				}
			}
		}
	}
}

func loadPersonal(r *Run, in *loader) {
	column := func(name string, to []float64) {
		read(in, name, ids(r, to, 1))
		for id := r.firstID; in.err == nil && int(id) < r.Used; id++ {
			if math.IsNaN(to[id]) && r.status(id).state != program.NoState {
				in.bad("%s of an individual is no number", name)
			}
		}
	}
	for k := range r.cameIn {
		column(fmt.Sprintf("came in %d", slices.Index(in.run.Shape.Since, r.Program.Since[k].Words)), r.cameIn[k])
	}
	for k := range r.own {
		column(fmt.Sprintf("number %d", k), r.own[k])
	}
	for id := r.firstID; in.err == nil && int(id) < r.Used; id++ {
		if r.status(id).state != program.NoState && !r.checkPersonal(id) {
			in.bad("an individual has a wrong time since")
		}
	}
}

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
				x.Rescale(weights, ticks, was.Ticks(r.Now), clock.Ticks(r.Now))
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
					x.Rescale(0, ticks, was.Ticks(r.Now), s.clock.Ticks(r.Now))
				}
				s.states[slot*states+k] = x
			}
		}
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
	if in.err != nil {
		return
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
		if from < 0 {
			continue // as at the start of a run
		}
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

// readMembers reads the members of groups, which must be those that group says.
func (in *loader) readMembers(r *Run, name string, g *store.Groups, group func(id uint32) int) {
	lengths := get[int64](in, name+" lengths", len(g.Members))
	members := get[uint32](in, name, r.Alive)
	if in.err != nil {
		return
	}
	marked := newIDSet(r.Used - int(r.firstID))
	for k, n := range lengths {
		if n < 0 || n > int64(len(members)) {
			in.bad("a group has %d members", n)
			return
		}
		for _, id := range members[:n] {
			id += r.firstID
			if int(id) >= r.Used || !marked.add(id-r.firstID) || r.status(id).state == program.NoState || group(id) != k {
				in.bad("somebody is in a wrong group")
				return
			}
			g.Add(id, k)
		}
		members = members[n:]
	}
	if len(members) > 0 {
		in.bad("somebody is in no group")
	}
}

func loadMixing(r *Run, in *loader) {
	for a, g := range r.groups {
		if g != nil {
			in.readMembers(r, fmt.Sprintf("members %d", a), g, func(id uint32) int { return int(r.attributes[a].Of(id)) })
		}
	}
	if in.run.Living {
		r.living = store.NewGroups(1)
		in.readMembers(r, "living", r.living, func(uint32) int { return 0 })
	}
}

func loadArrivals(r *Run, in *loader) {
	sources := in.run.Shape.Sources
	streams, due := get[uint64](in, "streams", sources), get[float64](in, "due", sources)
	wake := get[float64](in, "wake", 1)
	if in.err != nil {
		return
	}
	r.arrivals = r.arrivals[:0]
	for k := range streams {
		if r.arrivals = append(r.arrivals, random.Stream(streams[k])); !(due[k] >= r.Now) {
			in.bad("an arrival is in the past")
			return
		}
	}
	if !(wake[0] >= r.Now) {
		in.bad("a condition changes in the past")
		return
	}
	if in.checkEvents(r); in.err != nil {
		return
	}
	if r.windows != nil {
		copy(r.windows.arrive, due)
		r.fillWindows(in)
		return
	}
	in.fillCalendar(r)
	for k, at := range due {
		if at <= r.end && in.err == nil {
			in.err = r.Queue.Schedule(eventqueue.ID(k), at)
		}
	}
	if r.Program.WaitsForTime && wake[0] <= r.end && in.err == nil {
		r.waiting.wake = wake[0]
		in.err = r.Queue.Schedule(eventqueue.ID(r.watchID()), wake[0])
	}
}

// checkEvents verifies that the next event of each individual is that of its timers, or of a rate.
func (in *loader) checkEvents(r *Run) {
	horizon := math.Float64frombits(in.run.Horizon)
	for id := r.firstID; int(id) < r.Used; id++ {
		state := r.status(id).state
		if state == program.NoState {
			continue
		}
		next := math.Inf(1)
		if in.due != nil {
			next = in.due[id-r.firstID]
		} else {
			next = *r.nextAt(id)
		}
		st := &r.phase.States[state]
		if !st.OnlyRates {
			st = r.stateOf(id, state)
		}
		first, _ := r.firstTimer(id, st)
		switch {
		case next > first && first <= horizon:
			in.bad("a timer has no event")
			return
		case next < first && st.TotalRate == 0 && st.Varying == nil:
			in.bad("an event is of no clock")
			return
		}
	}
}

// fillCalendar schedules the next events of all individuals.
func (in *loader) fillCalendar(r *Run) {
	cores, done := r.borrowCores()
	defer done()
	in.err = r.Queue.ScheduleAll(in.ctx, eventqueue.ID(r.firstID), r.Used-int(r.firstID), cores,
		func(_ int, first eventqueue.ID, at []float64) error {
			for i, next := range in.due[uint32(first)-r.firstID:][:len(at)] {
				if next <= r.end {
					at[i] = next
				}
			}
			return nil
		})
	in.due = nil
}

// fillWindows lists the next events of all individuals.
func (r *Run) fillWindows(in *loader) {
	w := r.windows
	past := r.Now + r.Program.TimeTolerance
	w.now = min(sort.Search(len(w.edges), func(k int) bool { return w.edges[k] > past }), len(w.edges)-1)
	if w.now > 0 {
		w.until = w.edges[w.now-1]
	}
	cores, done := r.borrowCores()
	defer done()
	w.eachShard(cores, func(s *shard) {
		s.lists = store.NewBucketLists(len(w.edges))
		for from := range s.blocks(r.Used) {
			if in.ctx.Err() != nil {
				return
			}
			for id := uint32(max(from, int(r.firstID))); int(id) < min(from+1<<w.blockBits, r.Used); id++ {
				if r.status(id).state == program.NoState {
					continue
				}
				next := r.nextAt(id)
				if *next > r.end {
					*next = math.Inf(1)
				}
				if *next <= w.lastEdge() {
					s.lists.Add(w.windowAt(*next), id)
				}
			}
		}
	})
	in.err = in.ctx.Err()
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
		counts, flows := get[uint32](in, name+" counts", n*len(shape.Counted)), get[uint64](in, name+" flows", n*len(shape.Flows))
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

// Continue goes on with a saved state to the end of a program, and records it. If luck is not nil, all
// that is to come is drawn again by it; the run must then be forkable.
func (r *Run) Continue(ctx context.Context, m *program.Program, s *Saved, luck *uint64, rec *Recording,
	h Hooks) error {
	if err := r.Restore(ctx, m, s, rec); err != nil {
		return err
	}
	h.Begun()
	if err := r.goOn(ctx, s, luck); err != nil {
		return err
	}
	for row := range rec.Rows {
		h.Recorded(row)
	}
	return r.record(ctx, m, nil, rec, h)
}

// goOn is the beginning of what comes after a state that was restored.
func (r *Run) goOn(ctx context.Context, s *Saved, luck *uint64) error {
	if luck != nil {
		r.renew(*luck)
	}
	if s.waitsForMore(r.Program) {
		return r.Settle(ctx)
	}
	return nil
}

// waitsForMore reports whether a program has interventions that wait and that the saved one had not.
func (s *Saved) waitsForMore(m *program.Program) bool {
	return slices.ContainsFunc(m.Triggered, func(d *program.Intervention) bool {
		return !slices.Contains(s.run.Shape.Triggered, d.What)
	})
}

// String names the replica.
func (s *Saved) String() string { return "replica " + strings.TrimSuffix(s.prefix, "/") }
