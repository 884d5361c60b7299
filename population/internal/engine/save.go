package engine

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/statefile"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// The state of a run as sections of a file. What a run holds is divided into parts (savedParts),
// each with a function that writes its sections and one that reads them. To add a piece of state,
// add a part; TestEveryLeafIsSaved names what is in none.
//
// Arrays by id are written as they lie in memory, from firstID on: a run that goes on may have
// another firstID. Words that mean nothing are cleared before: the file follows from the model, the
// seed and the version, on any number of cores. Ids in lists count from firstID, too. What follows
// from the rest is not written: the state cache, positions in groups, and the calendar, whose order
// of equal times does not matter (ties.go).

// A savedPart is a part of the state of a run.
type savedPart struct {
	name string
	save func(r *Run, out *saver)
	load func(r *Run, in *loader)
}

// savedParts are all parts, in the order in which they are written and read.
func savedParts() []savedPart {
	return []savedPart{
		{"places", savePlaces, loadPlaces},
		{"networks", saveNetworks, loadNetworks},
		{"individuals", saveIndividuals, loadIndividuals},
		{"timers", saveTimers, loadTimers},
		{"machines", saveMachines, loadMachines},
		{"personal", savePersonal, loadPersonal},
		{"tallies", saveTallies, loadTallies},
		{"groups", saveGroupTallies, loadGroupTallies},
		{"outcomes", saveOutcomes, loadOutcomes},
		{"interventions", saveInterventions, loadInterventions},
		{"supplies", saveSupplies, loadSupplies},
		{"mixing", saveMixing, loadMixing},
		{"arrivals", saveArrivals, loadArrivals},
		{"near", saveNear, loadNear},
		{"lines", saveLines, loadLines},
		{"tracing", saveTracing, loadTracing},
		{"observers", saveObservers, loadObservers},
	}
}

// Unsavable says what a program has whose state cannot be saved; "" if nothing.
func Unsavable(m *program.Program) string {
	for i := range m.Values {
		if m.SuppliedValues > i {
			return "values that a function in Go supplies"
		}
	}
	return ""
}

// savedRun is the section that begins the state of a run: numbers, and the shape that the arrays
// have. Times are bits of float64, since JSON has no infinity.
type savedRun struct {
	Replica   int    `json:"replica"`
	Index     int    `json:"index"` // with which the run draws
	Seed      uint64 `json:"seed"`
	Now       uint64 `json:"now"`     // since the start
	Horizon   uint64 `json:"horizon"` // events are kept up to then
	FirstID   int    `json:"first_id"`
	Used      int    `json:"used"` // ids
	SlotCount int    `json:"slot_count"`
	Entered   uint64 `json:"entered"`
	Stride    int    `json:"stride"` // words of an individual
	Inline    bool   `json:"inline"` // the last of them is the time of its next event
	Sparse    []bool `json:"sparse"`
	Shared    bool   `json:"shared"`
	Numbered  bool   `json:"numbered"` // individuals have numbers, for events, tracing, a tree or people
	Origins   bool   `json:"origins"`  // it is known since when clocks run
	SizeClass int    `json:"size_class"`
	Phase     int    `json:"phase"`
	Alive     int    `json:"alive"`
	Events    uint64 `json:"events"`
	Living    bool   `json:"living"` // contacts choose from a list of the living
	Rows      int    `json:"rows"`
	Shape     Shape  `json:"shape"`
}

// A saver writes the sections of one run.
type saver struct {
	w      *statefile.Writer
	part   string
	prefix string
}

// name is the full name of a section.
func (s *saver) name(section string) string { return s.prefix + s.part + "/" + section }

// put writes a slice as a section.
func put[T statefile.Number](s *saver, section string, all ...[]T) {
	var parts [][]byte
	for _, one := range all {
		parts = append(parts, statefile.Bytes(one))
	}
	_ = s.w.Section(s.name(section), parts...) // the writer keeps the first error
}

// putJSON writes a value as JSON.
func putJSON(s *saver, section string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic("population: " + err.Error())
	}
	_ = s.w.Section(s.name(section), text)
}

// Prefix is the beginning of the names of the sections of a replica, by its place in the file.
func Prefix(place int) string { return fmt.Sprintf("%d/", place) }

// Save writes the state of a run between two events or windows, and what it has recorded. Place is
// that of the replica in the file.
func (r *Run) Save(w *statefile.Writer, place, replica int, rec *Recording) error {
	if what := Unsavable(r.Program); what != "" {
		return fmt.Errorf("this model has %s; its state cannot be saved yet", what)
	}
	if err := statefile.CheckOrder(); err != nil {
		return err
	}
	if r.ties.busy() || r.failed != nil || r.changing {
		panic("population: a run is saved in the middle of an event")
	}
	head := savedRun{
		Replica: replica, Index: r.Index, Seed: r.seed, Now: math.Float64bits(r.Now), Horizon: math.Float64bits(r.end),
		FirstID: int(r.firstID), Used: r.Used, SlotCount: r.slotCount, Entered: r.entered,
		Stride: r.stride, Inline: r.windows != nil, Sparse: r.sparse, Shared: r.shared,
		Numbered: r.numbered(), Origins: r.forkable, SizeClass: r.sizeClass,
		Phase: slices.Index(r.Program.Phases, r.phase), Alive: r.Alive, Events: r.Events, Living: r.living != nil,
		Rows: rec.Rows, Shape: ShapeOf(r.Program),
	}
	s := &saver{w: w, prefix: Prefix(place)}
	s.part = "run"
	putJSON(s, "run", &head)
	for _, p := range savedParts() {
		s.part = p.name
		p.save(r, s)
	}
	s.part = "rows"
	rec.save(s)
	return w.Section(s.prefix + "done") // which also returns the first error
}

// ids returns the part of an array by id that is in use.
func ids[T any](r *Run, all []T, each int) []T { return all[int(r.firstID)*each : r.Used*each] }

// clearUnused clears what the words of individuals have left that means nothing between two events:
// the words of a free slot, but for the time at which it was left; timers that the state of an
// individual does not have, and the branch if it has no split. What is saved then follows from the
// model, not from how the run was carried out.
func (r *Run) clearUnused() {
	for id := r.firstID; int(id) < r.Used; id++ {
		p, words := r.status(id), r.words[int(id)*r.stride:][:r.stride]
		if r.windows != nil {
			words = words[:r.stride-1]
		}
		if p.state == program.NoState {
			clear(words)
			p.state = program.NoState
			r.clearColumns(id)
			continue
		}
		st := r.stateOf(id, p.state)
		if used := r.Program.StateColumn + st.Timers; r.origins != nil {
			clear(r.origins[int(id)*len(r.sparse):][used:len(r.sparse)])
		}
		for m := range r.branches {
			if st := r.machineTable(id, m); r.Program.Machines[m].Branches > 0 && (st == nil || len(st.Split) == 0) {
				r.branches[m].Set(id, 0)
			}
		}
		if p.checkpoint = 0; len(st.Split) == 0 {
			p.branch = 0
			p.unmark(branchIsOld)
		}
		for k := headWords + len(r.packed(id, st)); k < len(words); k++ {
			words[k] = never
		}
	}
}

// clearColumns clears what a free slot has besides its words.
func (r *Run) clearColumns(id uint32) {
	for a := range r.attributes {
		r.attributes[a].Set(id, 0)
	}
	for m := range r.branches {
		if r.Program.Machines[m].Branches > 0 {
			r.branches[m].Set(id, 0)
		}
	}
	if r.origins != nil {
		clear(r.origins[int(id)*len(r.sparse):][:len(r.sparse)])
	}
}

func saveIndividuals(r *Run, s *saver) {
	r.clearUnused()
	put(s, "words", ids(r, r.words, r.stride))
	for a := range r.attributes {
		putColumn(r, s, fmt.Sprintf("attribute %d", a), &r.attributes[a])
	}
	if r.numbered() {
		put(s, "numbers", ids(r, r.numbers, 1))
	}
	putIDs(r, s, "free", slices.Collect(r.free.All))
	if r.windows == nil { // otherwise it is among the words
		n := r.Used - int(r.firstID)
		_ = s.w.Stream(s.name("due"), 8*uint64(n), func(out io.Writer) error {
			block := make([]float64, 0, 1<<14)
			for id := int(r.firstID); id < r.Used; id++ {
				at, ok := r.Queue.Due(eventqueue.ID(id))
				if !ok {
					at = math.Inf(1)
				}
				if block = append(block, at); len(block) == cap(block) || id == r.Used-1 {
					if _, err := out.Write(statefile.Bytes(block)); err != nil {
						return err
					}
					block = block[:0]
				}
			}
			return nil
		})
	}
}

// putColumn writes the values of those in use.
func putColumn(r *Run, s *saver, section string, c *store.Column) {
	if c.IsWide {
		put(s, section, ids(r, c.Wide, 1))
	} else {
		put(s, section, ids(r, c.Narrow, 1))
	}
}

// putIDs writes ids as they count from firstID. It changes all.
func putIDs(r *Run, s *saver, section string, all []uint32) {
	for i := range all {
		all[i] -= r.firstID
	}
	put(s, section, all)
}

func saveTimers(r *Run, s *saver) {
	keys, words := r.sparseTimers.Entries()
	for i := range keys {
		keys[i] -= uint64(r.firstID) << 8
	}
	put(s, "sparse keys", keys)
	put(s, "sparse words", words)
	if !r.forkable {
		return
	}
	places := map[*law.Law]uint64{}
	for p, t := range r.Program.Phases {
		for k, l := range t.Laws() {
			if _, ok := places[l]; !ok {
				places[l] = uint64(p)<<32 | uint64(k+1)
			}
		}
	}
	origins := ids(r, r.origins, len(r.sparse))
	which, began := make([]uint64, len(origins)), make([]float64, len(origins))
	for i, o := range origins {
		if o.law == nil {
			continue
		}
		place, ok := places[o.law]
		if !ok {
			for l, at := range places { // the least, whatever the order of the map
				if l.Equal(o.law) && (!ok || at < place) {
					place, ok = at, true
				}
			}
			if !ok {
				panic("population: a timer was drawn from a law of no phase")
			}
			places[o.law] = place
		}
		which[i], began[i] = place, o.began
	}
	put(s, "laws", which)
	put(s, "began", began)
}

func saveMachines(r *Run, s *saver) {
	for m := range r.Program.Machines {
		if r.Program.Machines[m].Branches > 0 {
			putColumn(r, s, fmt.Sprintf("branch %d", m), &r.branches[m])
		}
	}
}

func savePersonal(r *Run, s *saver) {
	for k := range r.cameIn {
		put(s, fmt.Sprintf("came in %d", k), ids(r, r.cameIn[k], 1))
	}
	for k := range r.own {
		put(s, fmt.Sprintf("number %d", k), ids(r, r.own[k], 1))
	}
}

// wholes converts counts.
func wholes(all []int) []int64 {
	to := make([]int64, len(all))
	for i, n := range all {
		to[i] = int64(n)
	}
	return to
}

func saveTallies(r *Run, s *saver) {
	put(s, "counts", wholes(r.Counts))
	put(s, "flows", r.Flows)
	put(s, "names", r.Named)
	var counts []int64
	var times []float64
	for _, p := range r.Peaks {
		counts, times = append(counts, int64(p.Count)), append(times, p.Time)
	}
	put(s, "peak counts", counts)
	put(s, "peak times", times)
	put(s, "person-time", append(r.personTime.Words(), math.Float64bits(r.personTime.PerUnit())))
}

// putTally writes the counts of a group.
func putTally(s *saver, name string, t *Tally) {
	put(s, name+" counts", wholes(t.Counts))
	put(s, name+" flows", t.Flows)
	put(s, name+" names", t.Named)
}

func saveGroupTallies(r *Run, s *saver) {
	if r.ByGroup == nil {
		return
	}
	for i := range r.ByGroup.Groups {
		putTally(s, fmt.Sprint(i), &r.ByGroup.Groups[i])
	}
	for i := range r.ByGroup.watched {
		putTally(s, fmt.Sprintf("watched %d", i), &r.ByGroup.watched[i].Tally)
	}
	put(s, "totals", wholes(r.ByGroup.totals))
}

func saveOutcomes(r *Run, s *saver) {
	if r.outcomes == nil {
		return
	}
	r.outcomes.readClocks(r)
	var scales []float64
	for i := range r.Program.Outcomes {
		o := &r.Program.Outcomes[i]
		scales = append(scales, o.WeightScale, o.AmountScale, r.Program.DiscountClocks[o.Clock].PerUnit)
	}
	put(s, "scales", append(scales, r.outcomes.clock.PerUnit))
	put(s, "time", store.WordsOfTimes(r.outcomes.time))
	put(s, "events", store.WordsOf(r.outcomes.events))
	put(s, "states", store.WordsOfTimes(r.outcomes.states))
}

func saveInterventions(r *Run, s *saver) {
	put(s, "carried out", []int64{int64(r.carriedOut)})
	w := &r.waiting
	flags := func(all []bool) []uint8 {
		to := make([]uint8, len(all))
		for i, b := range all {
			if b {
				to[i] = 1
			}
		}
		return to
	}
	put(s, "held", flags(w.held))
	put(s, "struck", flags(w.struck))
	put(s, "since", w.since)
	put(s, "fired", wholes(w.fired))
	put(s, "done", wholes(w.done))
	put(s, "numbers", wholes(w.number))
	for i := range w.windows {
		c := &w.windows[i]
		var oldest, rest []float64 // in their order
		if len(c.times) > 0 {
			rest, oldest = c.times[:c.newest+1], c.times[c.newest+1:]
		}
		put(s, fmt.Sprintf("window %d", i), oldest, rest)
		put(s, fmt.Sprintf("window %d seen", i), []uint64{uint64(max(1, len(c.times)) - 1), c.seen})
	}
}

func saveSupplies(r *Run, s *saver) { put(s, "supplies", supplyWords(r.Supplies)) }

// supplyWords are the numbers of supplies, one after the other.
func supplyWords(all []Supply) []uint64 {
	var words []uint64
	for _, s := range all {
		words = append(words, s.Left, s.Used, s.Lost, s.Refused)
	}
	return words
}

// putMembers writes the members of groups, in their order.
func putMembers(r *Run, s *saver, name string, g *store.Groups) {
	var lengths []int64
	for _, list := range g.Members {
		lengths = append(lengths, int64(len(list)))
	}
	put(s, name+" lengths", lengths)
	var members []uint32
	for _, list := range g.Members {
		members = append(members, list...)
	}
	putIDs(r, s, name, members)
}

func saveMixing(r *Run, s *saver) {
	for a, g := range r.groups {
		if g != nil {
			putMembers(r, s, fmt.Sprintf("members %d", a), g)
		}
	}
	if r.living != nil {
		putMembers(r, s, "living", r.living)
	}
}

func saveArrivals(r *Run, s *saver) {
	streams, due := make([]uint64, len(r.arrivals)), make([]float64, len(r.arrivals))
	for k := range r.arrivals {
		streams[k], due[k] = uint64(r.arrivals[k]), math.Inf(1)
		if r.windows != nil {
			due[k] = r.windows.arrive[k]
		} else if at, ok := r.Queue.Due(eventqueue.ID(k)); ok {
			due[k] = at
		}
	}
	put(s, "streams", streams)
	put(s, "due", due)
	put(s, "wake", []float64{r.waiting.wake})
}

// save writes what was recorded.
func (rec *Recording) save(s *saver) {
	one := func(name string, t *RowCounts) {
		put(s, name+" counts", t.Counts)
		put(s, name+" flows", t.Flows)
		put(s, name+" names", t.Named)
		put(s, name+" outcomes", t.Outcomes)
		put(s, name+" times", t.Times)
		if len(t.Seen) > 0 {
			put(s, name+" seen", t.Seen)
			put(s, name+" expected", t.Expected)
		}
	}
	one("all", &rec.All)
	for g := range rec.Groups {
		one(fmt.Sprint(g), &rec.Groups[g])
	}
	put(s, "values", rec.Values)
	put(s, "supplies", supplyWords(rec.Supplies))
	if len(rec.Places) > 0 {
		put(s, "places", placeWords(rec.Places))
	}
	if len(rec.Queues) > 0 {
		put(s, "queues", rec.Queues)
	}
	if len(rec.Networks) > 0 {
		put(s, "networks", networkWords(rec.Networks))
	}
}
