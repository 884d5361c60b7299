package engine

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// A Run is one run of a program: the individuals, and a calendar with the earliest event of each.
// It can be started again, with another seed or another program, and then uses its memory again.
//
// Individuals live in flat arrays indexed by id (individuals.go); an id is also a slot, and free
// slots are used again (individuals.go). The ids below firstID stand for the sources of immigration, so
// that one calendar holds everything that happens by chance. All times are since the start, in the
// unit of the model.
//
// Each part states its own invariants; Check verifies them.
type Run struct {
	Program *program.Program
	Index   int    // the number of the replica
	seed    uint64 // all draws depend on it and on Index
	phase   *program.Phase
	Now     float64
	end     float64
	Queue   *eventqueue.Queue // nil while the run is by windows
	windows *windows          // nil unless it is
	Windows int               // how many windows were run in parallel

	individuals
	slots
	timers
	mixing
	tallies
	interventions
	machines
	Supplies []Supply
	personal
	near      *near     // nil if no contact is among neighbours, and there are no places
	places    *places   // nil if there are none
	lines     *lines    // nil if nobody can wait in turn
	networks  []network // empty until the population of the start is there
	linksID   uint32    // the id of the event at which links end, noID if there is none
	tracing   *tracing  // nil if there are no calls
	errandsID uint32    // the id of the event of errands, noID if there is none
	contactPrefetch
	sizes
	arrivals []random.Stream // of the sources of immigration

	dealtStates []uint16   // see dealStates; nil once the run is set up
	dealtValues [][]uint16 // see dealValues; nil once the run is set up
	ties        ties
	pace        pace

	budget  *Budget // nil for no limit
	taken   uint64  // bytes that Budget counts for this run
	granted uint64  // bytes up to which Budget need not be asked
	limit   int     // how many may be alive; −1 once the run has failed
	failed  error   // why the run cannot go on

	OnEvent func(*Event) // called for every event, if it is not nil
	event   Event        // the last one that OnEvent was called with
	Streams
	observers *observers // nil if nothing is observed
	followed  bool       // see follow
	forkable  bool
	verifies  bool // see verify

	// How the run is carried out. Tests set these; results do not depend on them.
	sparseRule   sparseRule
	windowRule   windowRule
	layoutOf     *program.Program // lay timers out for this program; nil for the run's own
	Patience     uint64           // see pace; 0 for the usual
	prefetchFrom int              // see prefetch.go; 0 for the usual
	setupFrom    int              // see setup.go; 0 for the usual
	cores        int              // for setting up and for windows; 0 for those that are free

	alwaysBefore []*program.AlwaysClock // scratch of redrawMemoryless
	weights      [2][]float64           // scratch of redrawBranch
}

// Streams are called with what a run records of individuals, one at a time, if they are not nil.
type Streams struct {
	OnInfection func(*Infection) // the rows of a tree
	OnPerson    func(*Person)    // everybody who leaves, and at the end who is there
}

// numbered reports whether the run keeps the number of each individual.
func (r *Run) numbered() bool {
	return r.OnEvent != nil || r.Program.Calls != nil || r.Program.NumbersPeople()
}

// Start sets the run up: everybody of the start is there, with its next event scheduled.
func (r *Run) Start(ctx context.Context, m *program.Program, seed uint64, index int) error {
	r.prepare(m, seed, index, nil)
	streams := random.New(seed, uint64(index))
	r.deal(streams)
	r.dealStates(streams)
	r.near, r.lines = newNear(m), newLines(m)
	r.clearPresences()
	if len(m.Places) > 0 {
		r.places = r.newPlaces(streams)
		r.dealValues(streams)
	}
	r.follow()
	if err := r.populate(ctx, streams); err != nil {
		return err
	}
	if r.near != nil {
		if r.places != nil {
			r.fillPlaces()
		}
		if err := r.fillNetworks(ctx, streams); err != nil {
			return err
		}
		r.startAllAgain(streams)
		if r.places != nil {
			r.tellStart()
		}
		r.tellLinks()
		r.beginNear()
	}
	r.dealt, r.dealtStates, r.dealtValues = nil, nil, nil
	r.beginSupplies()
	r.arrivals = r.arrivals[:0]
	for k := range r.phase.Immigration {
		r.arrivals = append(r.arrivals, streams.At(math.MaxUint64-uint64(k)))
		r.nextArrival(uint32(k))
	}
	r.resetPrefetch()
	r.beginPace(0)
	return r.failed
}

// prepare makes the run empty, with memory for the individuals of a program, or for those of a
// saved state, whose layout it then has.
func (r *Run) prepare(m *program.Program, seed uint64, index int, saved *savedRun) {
	if r.Program != m {
		r.attributes, r.branches, r.cameIn, r.own = nil, nil, nil, nil // the next program may have others
	}
	r.Program, r.phase, r.Index, r.underway, r.carriedOut = m, m.FirstPhase, index, nil, 0
	r.near, r.places, r.lines, r.networks = nil, nil, nil, nil
	r.dealt, r.dealtStates, r.dealtValues = nil, nil, nil
	r.Now, r.end = 0, max(m.End-m.Start, m.Keeps)+m.TimeTolerance
	r.seed = seed
	r.waiting.begin(m)
	r.watchCounts()
	r.firstID = uint32(len(m.FirstPhase.Immigration))
	if m.WaitsForTime {
		r.firstID++ // for watchID
	}
	r.linksID = noID
	if m.HasTimedLinks() {
		r.linksID = r.firstID
		r.firstID++
	}
	r.errandsID = noID
	if m.Calls != nil && m.Calls.Delayed {
		r.errandsID = r.firstID
		r.firstID++
	}
	r.failed, r.granted = nil, 0
	size := m.Size
	if saved != nil {
		size = saved.Used - saved.FirstID
	}
	r.setSize(0)
	spare := usualSpare
	if r.budget != nil {
		spare, r.granted = r.budget.spare, BytesOf(r.budget.each*float64(size))
	}
	if r.windows != nil && size > 1<<20 {
		r.windows = nil // with the memory of its lists
		runtime.GC()
	}
	r.cutWindows()
	switch {
	case saved != nil:
		r.layOutSaved(saved)
	case r.layoutOf != nil:
		r.layOut(r.layoutOf)
	default:
		r.layOut(m)
	}
	ids := int(r.firstID) + size
	if r.Queue != nil && (r.windows != nil || r.capacity > 1<<20) {
		// The calendar and the groups of the previous run are large, and there may be no memory for
		// two of each.
		r.Queue, r.groups, r.living = nil, nil, nil
		runtime.GC()
	}
	switch {
	case r.windows != nil: // no calendar
	case r.Queue == nil:
		r.Queue = eventqueue.New(eventqueue.Capacity(ids + ids/spare))
	default:
		r.Queue.Reset(0)
	}
	if r.attributes == nil {
		r.attributes = make([]store.Column, len(m.Attributes))
		for a := range r.attributes {
			r.attributes[a] = store.NewColumn(len(m.Attributes[a].Values))
		}
	}
	if len(m.Machines) > 0 {
		r.layOutMachines()
	}
	r.layOutPersonal()
	r.tracing = newTracing(m, random.New(seed, uint64(index)).At(1<<62+2))
	if r.caching = cachesStates(m) && r.windows == nil; !r.caching {
		r.stateCache = nil
	}
	r.observers = newObservers(m, !r.forkable && m.Keeps == 0)
	r.grow(ids, spare)
	r.Used, r.living = int(r.firstID), nil
	r.slotCount = ids + extraSlots(size)
	r.free.Clear()
	r.groups = make([]*store.Groups, len(m.Attributes))
	for a, mixes := range m.MixesBy {
		if mixes {
			r.groups[a] = store.NewGroups(len(m.Attributes[a].Values))
			r.groups[a].Reserve(ids, size, r.phase.Attributes[a])
		}
	}
	r.Counts = make([]int, len(m.Counted))
	r.Flows = make([]uint64, len(m.Flows))
	r.Named = make([]uint64, len(m.CountedNames))
	r.ByGroup, r.outcomes = newGroupTallies(m), newOutcomes(m)
	r.Peaks = make([]Peak, len(m.Counted))
	for i := range r.Peaks {
		r.Peaks[i].Time = m.Start
	}
	r.pace.window, r.pace.base = (m.End-m.Start)*paceWindow, paceBase
	if r.Patience > 0 {
		r.pace.base = r.Patience
	}
	r.Events, r.entered, r.Alive = 0, 0, 0
	r.personTime = store.NewPersonTime(m.End - m.Start + m.TimeTolerance)
	r.ties = ties{ids: r.ties.ids[:0], contacts: r.ties.contacts[:0]}

	r.toStart, r.passed, r.changing = r.toStart[:0], r.passed[:0], false
}

// housekeepingInterval is the number of events between two looks at the context, the memory and the
// progress: a few milliseconds.
const housekeepingInterval = 1 << 14

// grow makes room for so many ids, and for one more in every spare: the system provides memory only
// where it is used.
func (r *Run) grow(ids, spare int) {
	if r.capacity <= ids {
		r.capacity = ids + ids/spare + 64
	}
	most := r.capacity + r.windows.temporary()
	r.words = store.Extend(r.words, most*r.stride)
	for a := range r.attributes {
		r.attributes[a].Extend(most)
	}
	r.growMachines(most)
	r.growPersonal(most)
	if r.numbered() {
		r.numbers = store.Extend(r.numbers, r.capacity)
	}
	if r.observers != nil {
		r.observers.grow(r.capacity)
	}
	if r.tracing != nil {
		for _, l := range r.tracing.logs {
			l.Reserve(r.capacity)
		}
	}
	if r.places != nil {
		for _, s := range r.places.kinds {
			s.Reserve(r.capacity)
		}
	}
	for k := range r.networks {
		r.networks[k].links.Reserve(r.capacity)
	}
	if r.caching {
		r.stateCache = store.Extend(r.stateCache, r.capacity)
	}
	if r.forkable {
		r.origins = store.Extend(r.origins, r.capacity*len(r.sparse))
	}
	r.prefetchWords()
}

// run carries out everything that is due by a time.
func (r *Run) run(ctx context.Context, by float64, progress func(float64, uint64)) error {
	if r.windows != nil {
		return r.runByWindows(ctx, by, progress)
	}
	if err := r.dispatch(ctx, by+r.Program.TimeTolerance, progress); err != nil {
		return err
	}
	r.Now = max(r.Now, by)
	return nil
}

// dispatch carries out what is due by a time, one event after the other.
func (r *Run) dispatch(ctx context.Context, until float64, progress func(float64, uint64)) error {
	concernsOthers := r.near != nil || r.tracing != nil
	for {
		var id uint32
		if !r.ties.busy() {
			var tied bool
			if r.windows == nil {
				next, at, more, ok := r.Queue.NextTied(until)
				if !ok {
					break
				}
				id, r.Now, tied = uint32(next), at, more
			} else {
				next, at, ok := r.nextInHeap(until)
				if !ok {
					break
				}
				id, r.Now, tied = next, at, r.windows.tiedInHeap(at)
			}
			if tied && r.beginTies(id) {
				continue
			}
		} else if called, ok := r.nextTiedFire(); ok {
			id = called
		} else if err := r.resolveTiedContacts(ctx); err != nil {
			return err
		} else {
			continue
		}
		if r.prefetchAhead > 0 {
			r.prefetchContacts()
		}
		r.Events++
		if r.pace.events++; r.Now > r.pace.until {
			r.beginPace(r.Now)
		} else if r.pace.events == r.pace.look {
			if err := r.checkPace(id); err != nil {
				return err
			}
		}
		if id < r.firstID {
			r.arrive(id)
		} else {
			r.fire(id)
		}
		if concernsOthers || r.Alive > r.limit {
			if err := r.finish(ctx); err != nil {
				return err
			}
		}
		if r.waiting.mayChange() {
			if err := r.Settle(ctx); err != nil {
				return err
			}
		}
		if r.Events%housekeepingInterval == 0 {
			r.adaptPrefetch()
			if progress != nil {
				progress(r.Now, r.Events)
			}
			if err := r.housekeep(ctx, housekeepingInterval); err != nil {
				return err
			}
		}
	}
	return nil
}

// failure is the error of a run in which more individuals are alive than may be.
func (r *Run) failure() error {
	if r.failed != nil {
		return r.failed
	}
	return fmt.Errorf("at time %.12g there %s more than %s; write most: in population if that is right",
		r.Program.Start+r.Now, format.Be(r.Program.MaxSize), format.Plural(r.Program.MaxSize, "individual"))
}

// Advance carries out everything up to and including a time: clocks, contacts and interventions.
// Clocks that fire at the time of an intervention come before it.
func (r *Run) Advance(ctx context.Context, at float64, progress func(float64, uint64)) error {
	scheduled := r.Program.Scheduled
	for r.carriedOut < len(scheduled) && scheduled[r.carriedOut].At <= at+r.Program.TimeTolerance {
		p := &scheduled[r.carriedOut]
		if r.observers != nil {
			if err := r.survey(ctx, p.At, p.At, progress); err != nil {
				return err
			}
		}
		if err := r.run(ctx, p.At, progress); err != nil {
			return err
		}
		r.carriedOut++
		if err := r.intervene(ctx, p); err != nil {
			return err
		}
	}
	if r.observers != nil {
		if err := r.survey(ctx, at, math.Inf(1), progress); err != nil {
			return err
		}
	}
	if err := r.run(ctx, at, progress); err != nil || !r.Program.UsesCounts {
		return err
	}
	return r.checkRates()
}

// NewRun returns a run that can be started any number of times.
func NewRun(o *Options, p *Budget) *Run {
	r := &Run{sparseRule: usualSparse, budget: p, windowRule: o.windowRule(), Patience: o.Patience, forkable: o.Forks,
		verifies: o.Check}
	if o.Forks {
		r.sparseRule.least = math.MaxInt
	}
	return r
}

// Begin starts a run that can be forked, and carries out the interventions that wait for what is
// true from the start on. Of the options, Seed, Memory, OnEvent and Patience are looked at.
func Begin(ctx context.Context, m *program.Program, o *Options, index int) (*Run, error) {
	return begin(m, o, func(r *Run) error {
		if err := r.Start(ctx, m, o.Seed, index); err != nil {
			return err
		}
		if err := r.verifyStart(); err != nil {
			return err
		}
		return r.Settle(ctx)
	})
}

// BeginSaved starts a run that can be forked with a saved state. If seed is not nil, all that is to
// come is drawn again by it.
func BeginSaved(ctx context.Context, m *program.Program, o *Options, s *Saved, seed *uint64) (*Run, error) {
	return begin(m, o, func(r *Run) error {
		if err := r.Restore(ctx, m, s, nil); err != nil {
			return err
		}
		return r.goOn(ctx, s, seed)
	})
}

// begin starts a run that can be forked.
func begin(m *program.Program, o *Options, start func(r *Run) error) (*Run, error) {
	b := NewBudget(o)
	if size := max(m.Size, o.Individuals); b.limit > 0 || size > smallRun {
		if _, err := Afford(m, o, b); err != nil {
			return nil, err
		}
	} else {
		b.each, b.workers = fixedBytes/float64(max(size, 1)), 1
	}
	r := newForkable(b)
	r.OnEvent, r.Patience, r.verifies = o.OnEvent, o.Patience, o.Check
	defer Working()()
	err := start(r)
	if err != nil {
		r.Retire()
		return nil, err
	}
	return r, nil
}

// smallRun is the number of individuals up to which Begin does not look at the machine's memory: 10
// MB.
const smallRun = 1 << 16

// spares are runs whose memory can be used again.
var spares = sync.Pool{New: func() any { return new(Run) }}

// newForkable returns a run that can be started once and forked. It may use the memory of a run
// that was retired. All its timers are packed.
func newForkable(b *Budget) *Run {
	r := spares.Get().(*Run)
	r.sparseRule, r.budget, r.taken, r.forkable = sparseRule{least: math.MaxInt}, b, 0, true
	return r
}

// Retire releases the memory of a run that is no longer needed.
func (r *Run) Retire() {
	r.budget.give(r)
	r.budget, r.OnEvent, r.Streams = nil, nil, Streams{}
	spares.Put(r)
}

// Options say how programs are run.
type Options struct {
	Seed     uint64
	Replicas int          // in all; 0 means 1
	Workers  int          // at the same time; 0 means one per core, as memory permits
	Memory   uint64       // bytes that all runs may take; 0 means what the machine and its container have
	OnEvent  func(*Event) // called for every event, if it is not nil
	Forks    bool         // the run can be forked
	Patience uint64       // see pace; 0 means the usual
	Check    bool         // verify the invariants at the start and the end of a run, and of states
	// Individuals are how many there are when the run goes on with a saved state; 0 means those of the
	// program at the start.
	Individuals int
	Windows     int // from how many individuals on a run may be by windows; 0 means the usual
}

// AtOnce is how many runs there are at the same time.
func (o *Options) AtOnce() int {
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return min(workers, max(o.Replicas, 1))
}

// Simulate runs a program from start to end and records it. With a past, which is nil for none, it
// goes on with that, and not with the seed and the index.
func (r *Run) Simulate(ctx context.Context, m *program.Program, seed uint64, index int, past *Past, rec *Recording,
	h Hooks) error {
	if past != nil {
		seed, index = past.Seed, 0
	}
	if err := r.Start(ctx, m, seed, index); err != nil {
		return err
	}
	if err := r.verifyStart(); err != nil {
		return err
	}
	h.Begun()
	if err := r.Settle(ctx); err != nil {
		return err
	}
	return r.record(ctx, m, past, rec, h)
}

// record advances from row to row, to the last one.
func (r *Run) record(ctx context.Context, m *program.Program, past *Past, rec *Recording, h Hooks) error {
	passed := 0 // forks of the past
	for row := rec.Rows; row < len(m.RecordTimes); row++ {
		at := m.RecordTimes[row]
		if err := r.pass(ctx, past, &passed, at, h.Progress); err != nil {
			return err
		}
		if err := r.Advance(ctx, at, h.Progress); err != nil {
			return err
		}
		rec.add(r)
		r.recorded(row, h)
		h.Progress(at, r.Events)
		if err := ctx.Err(); err != nil && row+1 < len(m.RecordTimes) {
			return err
		}
	}
	return r.verify(rec)
}

// recorded calls the hook of a row. Before that of the last one it lists those who are there, so
// that nothing comes after it.
func (r *Run) recorded(row int, h Hooks) {
	if row == len(r.Program.RecordTimes)-1 {
		r.listLivingPeople()
	}
	h.Recorded(row)
}

// Hooks are called by Simulate.
type Hooks struct {
	Begun    func()                           // after Start, before the first event
	Recorded func(row int)                    // after each row; nothing else comes after the last one
	Progress func(now float64, events uint64) // at every housekeepingInterval, and after each row
}

// housekeep looks, at every housekeepingInterval of steps, whether the context has ended, memory is
// left and not too many are alive.
func (r *Run) housekeep(ctx context.Context, step int) error {
	if step%housekeepingInterval != 0 {
		return nil
	}
	if r.sparseTimers != nil && r.tooMany(r.sparseTimers.Count()) {
		words := uint64(r.Used) * uint64(headWords+len(r.sparse)) * 8
		if !r.budget.take(r, words, words+words/usualSpare, r.packAll) {
			return r.outOfMemory()
		}
	}
	if r.Alive > r.limit {
		if err := r.outgrow(); err != nil {
			return err
		}
	}
	if err := r.checkMemory(); err != nil {
		return err
	}
	return ctx.Err()
}
