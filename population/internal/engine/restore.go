package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

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
	return h.FirstID >= 0 && h.Used >= h.FirstID && h.SlotCount >= h.Used && uint64(h.SlotCount) < noID &&
		h.FirstID >= h.Shape.Sources && h.FirstID <= h.Shape.Sources+3 && // conditions, links and errands have one each

		h.Stride >= headWords && h.Stride < 1<<16 && h.Alive >= 0 && h.Alive <= h.Used-h.FirstID &&
		now >= 0 && now <= horizon && !math.IsInf(horizon, 0) &&
		h.Shape.sound() && len(h.Sparse) == h.Shape.Columns && h.Phase >= 0 && h.Phase < len(h.Shape.Phases) &&
		h.Rows >= 0 && h.Rows <= len(h.Shape.Rows) && h.SizeClass >= 0 && h.Index >= 0 && h.Replica >= 0 &&
		s.holdsIndividuals()
}

// holdsIndividuals reports whether the file has the words of as many individuals as the head says,
// so that no more memory is taken than the file justifies, and not many more slots for them.
func (s *Saved) holdsIndividuals() bool {
	n := s.run.Used - s.run.FirstID
	words := s.sections[s.prefix+"individuals/words"]
	return words.Length == 8*uint64(s.run.Stride)*uint64(n) && s.run.SlotCount-s.run.Used <= max(1, extraSlots(n))
}

// Replica is the number of the replica in the run that was saved.
func (s *Saved) Replica() int { return s.run.Replica }

// Time is that of the state, on the model's clock.
func (s *Saved) Time() float64 { return s.run.Shape.Start + math.Float64frombits(s.run.Now) }

// IsAt reports whether a time on the model's clock is that of the state.
func (s *Saved) IsAt(time float64) bool { return math.Abs(s.Time()-time) <= 2*s.run.Shape.Tolerance }

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
	_, err := s.phase(m)
	return err
}

// carriedOut returns how many of the scheduled interventions of a program were before the time of
// the state: the same as in the saved run.
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

	sparse   int     // how many sparse timers individuals have, by their status
	linksDue float64 // when linksID has its event
}

// damaged says that something cannot be.
func (in *loader) damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", statefile.ErrDamaged, in.part, fmt.Sprintf(format, args...))
}

// bad notes that something cannot be.
func (in *loader) bad(format string, args ...any) {
	if in.err == nil {
		in.err = in.damaged(format, args...)
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
	var one [1]T
	each := uint64(len(statefile.Bytes(one[:])))
	if s.Length%each != 0 || n >= 0 && s.Length/each != uint64(n) {
		in.bad("section %s has %d bytes", name, s.Length)
	}
	if in.err != nil { // zeros, but no more than the file could have
		return make([]T, min(max(n, 0), int(in.in.Size)))
	}
	all := make([]T, s.Length/each)
	in.err = in.in.Read(s, statefile.Bytes(all))
	return all
}

// layOutSaved gives the timers the layout of a saved state. A run that is saved with a calendar
// goes on with one.
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

// Restore sets the run up as it was saved, with a program that may be another: see CheckProgram.
// The recording gets the rows up to the time of the state, unless it is nil.
func (r *Run) Restore(ctx context.Context, m *program.Program, s *Saved, rec *Recording) error {
	if err := s.checkProgram(m, rec != nil); err != nil {
		return err
	}
	h := &s.run
	r.prepare(m, h.Seed, h.Index, h)
	if r.shared && len(r.phase.Always) == 0 || len(r.sparse) > 8 && r.sparseTimers != nil {
		return fmt.Errorf("%w: its timers have no such layout", statefile.ErrDamaged)
	}
	r.phase, _ = s.phase(m)
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
	r.follow()
	r.prefetchWords()
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
	r.resetPrefetch()
	r.beginPace(r.Now)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := r.verify(rec); err != nil {
		return fmt.Errorf("%w: %w", statefile.ErrDamaged, err)
	}
	return nil
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

// isNext reports whether a time is that of the first timer of an individual, or may be that of an
// event of a rate before it.
func (in *loader) isNext(r *Run, id uint32, at float64) bool {
	st := r.stateOf(id, r.status(id).state)
	first, _ := r.firstTimer(id, st)
	return in.mayBeNext(st, first, at)
}

// mayBeNext is isNext for an individual in a state whose first timer is known.
func (in *loader) mayBeNext(st *program.State, first, at float64) bool {
	if at < first {
		return st.TotalRate != 0 || st.Varying != nil
	}
	return at == first || first > math.Float64frombits(in.run.Horizon)
}

// notNext is what is wrong if isNext is false.
const notNext = "the next event of an individual is that of none of its clocks"

// fillCalendar schedules the next events of all individuals.
func (in *loader) fillCalendar(r *Run) {
	cores, done := r.borrowCores()
	defer done()
	in.err = r.Queue.ScheduleAll(in.ctx, eventqueue.ID(r.firstID), r.Used-int(r.firstID), cores,
		func(_ int, first eventqueue.ID, at []float64) error {
			for i, next := range in.due[uint32(first)-r.firstID:][:len(at)] {
				id := uint32(first) + uint32(i)
				if p := r.status(id); p.state != program.NoState && !r.knowsClocks(p) && !in.isNext(r, id, next) {
					return in.damaged(notNext)
				}
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
	var wrong atomic.Bool
	w.eachShard(cores, func(s *shard) {
		s.lists = store.NewBucketLists(len(w.edges))
		for from := range s.blocks(r.Used) {
			if in.ctx.Err() != nil || wrong.Load() {
				return
			}
			for id := uint32(max(from, int(r.firstID))); int(id) < min(from+1<<w.blockBits, r.Used); id++ {
				p := r.status(id)
				if p.state == program.NoState {
					continue
				}
				next := r.nextAt(id)
				if !r.knowsClocks(p) && !in.isNext(r, id, *next) {
					wrong.Store(true)
				}
				if *next > r.end {
					*next = math.Inf(1)
				}
				if *next <= w.lastEdge() {
					s.lists.Add(w.windowAt(*next), id)
				}
			}
		}
	})
	if in.err = in.ctx.Err(); wrong.Load() {
		in.bad(notNext)
	}
}

// Continue goes on with a saved state to the end of a program, and records it. If seed is not nil,
// all that is to come is drawn again by it; the run must then be forkable.
func (r *Run) Continue(ctx context.Context, m *program.Program, s *Saved, seed *uint64, rec *Recording,
	h Hooks) error {
	if err := r.Restore(ctx, m, s, rec); err != nil {
		return err
	}
	h.Begun()
	if err := r.goOn(ctx, s, seed); err != nil {
		return err
	}
	for row := range rec.Rows {
		r.recorded(row, h)
	}
	return r.record(ctx, m, nil, rec, h)
}

// goOn is the beginning of what comes after a state that was restored.
func (r *Run) goOn(ctx context.Context, s *Saved, seed *uint64) error {
	if seed != nil {
		r.renew(*seed)
	}
	if s.waitsForMore(r.Program) {
		return r.Settle(ctx)
	}
	return nil
}

// waitsForMore reports whether a program has interventions that wait and that the saved one had
// not.
func (s *Saved) waitsForMore(m *program.Program) bool {
	return slices.ContainsFunc(m.Triggered, func(d *program.Intervention) bool {
		return !slices.Contains(s.run.Shape.Triggered, d.What)
	})
}

// String names the replica.
func (s *Saved) String() string { return "replica " + strings.TrimSuffix(s.prefix, "/") }
