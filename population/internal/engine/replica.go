package engine

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/huge"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// A Run is one run of a model: the individuals, and the calendar with the earliest event of each.
//
// Individuals live in flat arrays indexed by their id; ids of those who left are given out again (places.go). The ids below first
// stand for the streams of immigration, so that all that happens by chance is in the one calendar.
//
// An individual carries some words in one array, next to each other, since whoever needs one of them needs the others: its
// random stream, its state, and its timers (timers.go). The time of what happens at a rate is not among them: it is drawn anew whenever
// it is needed, which is exact because such a clock has no memory.
//
// Invariants, which check verifies: every id from first on is either free, and then its state is nobody, or alive; counts
// add up to the living; an individual has an event in the calendar exactly if its next one is due by the end; groups hold
// each of the living once, where their places say.
type Run struct {
	M     *program.Program
	t     *program.Phase
	Queue *calendar.Queue
	Now   float64 // since the start, as all times in here
	end   float64

	first  uint32 // the first id of an individual
	room   int    // how many ids the arrays are for
	Ids    int    // how many are, or have been, in use
	places int    // how many there are to choose from: those, and some that nobody has had yet
	words  []uint64
	stride int
	// What everybody is, if somebody may ask: see glance.go.
	glances bool
	glance  []uint8
	values  []column // of the attributes
	// Everybody has a number in the order of entering, which nobody else ever has. It is kept only if somebody listens.
	entered uint64
	numbers []uint64
	free    line      // ids to give out again
	groups  []*groups // by attribute, for those that mixing is by
	all     *groups   // everybody in one group; only made when many ids are free

	rule        asideRule
	alike       *program.Program // that it is laid out for, if it is not its own
	asideOf     []bool           // which columns of timers lie aside
	shared      bool             // the others of always share a word
	aside       *asides
	place       []int // of a column in the words, if it has one of its own
	column      []int // of a place, without the first; inShared for that which is shared
	denseAlways int
	denseTimers int

	origins  []origin // of the timers, by id and column; nil unless it can be forked. See redraw.go
	arrivals []random.Stream

	Alive  int
	Counts []int
	Flows  []uint64
	Named  []uint64
	By     *tallies // nil if nothing is recorded by group
	Events uint64
	Peaks  []Peak
	lived  lived
	ties   ties
	ahead  int  // how many events ahead it is looked whom contacts are with; 0 for not at all. See foresee.go
	looked bool // the events before have been looked at
	// How many contacts were seen coming in this window of events, and how many windows are left until that is judged.
	hits, sighted int

	most      int   // how many may be alive; −1 if there is no memory for more
	broke     error // if there is not
	Purse     *Budget
	taken     uint64 // of the purse, as it knows
	granted   uint64 // by the purse: what may be taken without asking
	pace      pace
	Patience  uint64             // in place of the usual; tests have less of it
	sight     int                // from how many individuals on it is looked ahead, in place of the usual; tests have less
	setupFrom int                // from how many individuals on they are set up at once; the same
	cores     int                // by how many; the same
	planned   *program.Scheduled // the intervention that is under way, if its time was planned
	carried   int                // how many of those with a planned time have been carried out
	watch     watch
	lifelongs []*program.Lifelong // of one whose attributes change
	weights   [2][]float64        // of branches, as redraw works them out
	forks     bool                // it can be forked
	seed      uint64
	OnEvent   func(*Event)
	told      Event // the last
	Index     int

	windowRule windowRule
	Windows    int      // how many were carried out
	win        *windows // nil if all that is to come is in the calendar; see windows.go
}

// A person is a word that says what is needed most of an individual.
type person struct {
	state  uint16 // nobody if the id is free
	aside  uint8  // which columns of timers lie aside, a bit each
	branch uint8  // which branch of the split was drawn, if the state has one
	held   uint8  // one more than the column of the timer in the word that columns share; 0 for none
	flags  uint8
	life   uint16 // which life it has in a window, by its lowest bits, if it has one; see shards.go
}

// Flags of a person.
const (
	isCalled uint8 = 1 << iota // its clock strikes at this instant, and it has not had its turn; see ties
	isApart                    // the branch was drawn by other tables than those that its clocks went by since
)

func (p *person) is(flag uint8) bool { return p.flags&flag != 0 }
func (p *person) mark(flag uint8)    { p.flags |= flag }
func (p *person) unmark(flag uint8)  { p.flags &^= flag }

// Start sets a replica up: everybody is there, with an event to come.
func (r *Run) Start(ctx context.Context, m *program.Program, seed uint64, index int) error {
	if r.M != m {
		r.values = nil // there may be others
	}
	r.M, r.t, r.Index, r.planned, r.carried = m, m.First, index, nil, 0
	r.Now, r.end = 0, m.End-m.Start+m.Slack
	r.seed = seed
	r.watch.begin(m)
	r.first = uint32(len(m.First.Immigration))
	r.most, r.broke, r.granted = m.Most, nil, 0
	spare := usualSpare
	if r.Purse != nil {
		spare, r.granted = r.Purse.spare, BytesOf(r.Purse.each*float64(m.Size))
	}
	if r.win != nil && m.Size > 1<<20 {
		r.win = nil // and the memory of its lists
		runtime.GC()
	}
	r.cutWindows()
	if r.alike != nil {
		r.layOut(r.alike)
	} else {
		r.layOut(m)
	}
	ids := int(r.first) + m.Size
	if r.Queue != nil && (r.win != nil || r.room > 1<<20) {
		// The calendar and the groups of the last replica are large, and there may be no memory for two of them.
		r.Queue, r.groups, r.all = nil, nil, nil
		runtime.GC()
	}
	switch {
	case r.win != nil: // without a calendar
	case r.Queue == nil:
		r.Queue = calendar.New(calendar.Capacity(ids + ids/spare))
	default:
		r.Queue.Reset(0)
	}
	if r.values == nil {
		r.values = make([]column, len(m.Attributes))
		for a := range r.values {
			r.values[a] = newColumn(len(m.Attributes[a].Values))
		}
	}
	if r.glances = glances(m) && r.win == nil; !r.glances {
		r.glance = nil
	}
	r.grow(ids, spare)
	r.Ids, r.all = int(r.first), nil
	r.places = ids + morePlaces(m.Size)
	r.free.clear()
	r.groups = make([]*groups, len(m.Attributes))
	for a, mixes := range m.Mixes {
		if mixes {
			r.groups[a] = newGroups(len(m.Attributes[a].Values))
			r.groups[a].expect(ids, m.Size, r.t.Attributes[a])
		}
	}
	r.Counts = make([]int, len(m.States))
	r.Flows = make([]uint64, len(m.Flows))
	r.Named = make([]uint64, len(m.Names))
	r.By = newTallies(m)
	r.Peaks = make([]Peak, len(m.States))
	for i := range r.Peaks {
		r.Peaks[i].Time = m.Start
	}
	r.pace.window, r.pace.base = (m.End-m.Start)*paceWindow, paceBase
	if r.Patience > 0 {
		r.pace.base = r.Patience
	}
	r.Events, r.entered, r.Alive = 0, 0, 0
	r.lived, r.ties = newLived(r.end), ties{called: r.ties.called[:0], contacts: r.ties.contacts[:0]}

	streams := random.New(seed, uint64(index))
	if err := r.everybody(ctx, streams); err != nil {
		return err
	}
	r.arrivals = r.arrivals[:0]
	for k := range r.t.Immigration {
		r.arrivals = append(r.arrivals, streams.At(math.MaxUint64-uint64(k)))
		r.nextArrival(uint32(k))
	}
	r.ahead, r.looked, r.hits, r.sighted = r.foresees(), false, 0, 1
	r.pass(0)
	return r.broke
}

// often is how many events pass between looks at the context: a few milliseconds.
const often = 1 << 14

// grow makes room for so many ids, and for one in so many more: the system lends memory only where it is used.
func (r *Run) grow(ids, spare int) {
	if r.room <= ids {
		r.room = ids + ids/spare + 64
	}
	most := r.room + r.win.temporary()
	r.words = extend(r.words, most*r.stride)
	for a := range r.values {
		r.values[a].extend(most)
	}
	if r.OnEvent != nil {
		r.numbers = extend(r.numbers, r.room)
	}
	if r.glances {
		r.glance = extend(r.glance, r.room)
	}
	if r.forks {
		r.origins = extend(r.origins, r.room*len(r.asideOf))
	}
	r.prefetch()
}

// extend returns s with n elements.
func extend[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	grown := make([]T, n)
	huge.Advise(grown)
	copy(grown, s)
	return grown
}

// wind starts the clocks of a state that is entered.
func (r *Run) wind(id uint32, state uint16) {
	first := len(r.t.Always)
	if r.person(id).aside>>first != 0 {
		r.stopTimers(id, first)
	}
	if r.t.States[state].Timers == 0 {
		return
	}
	st := r.table(id, state)
	s := r.stream(id)
	for k := range st.Race {
		r.windTimer(id, first+k, &st.Race[k].Law, st.Race[k].Off)
	}
	if len(st.Split) > 0 {
		u, k := s.Float64(), 0
		if st.Chances != nil {
			k = r.branch(st, u)
		} else {
			for u >= st.Split[k].UpTo {
				k++
			}
		}
		p := r.person(id)
		p.branch = uint8(k)
		p.unmark(isApart)
		r.windClock(id, first+len(st.Race), &st.Split[k])
	}
}

// next is when the earliest of an individual's events is due.
func (r *Run) next(id uint32, state uint16) float64 {
	st := &r.t.States[state]
	if st.OnlyRates {
		if st.Rate > 0 {
			return r.Now + float64(r.stream(id).Exp()*st.Mean)
		}
		return math.Inf(1)
	}
	if st.By != nil {
		st = r.table(id, state)
	}
	next := math.Inf(1)
	if st.Varying != nil {
		next = r.candidate(r.stream(id), st.Rate, st.Varying)
	} else if st.Rate > 0 {
		next = r.Now + float64(r.stream(id).Exp()*st.Mean)
	}
	for _, w := range r.dense(id, st) {
		next = min(next, timeOf(w))
	}
	if r.person(id).aside != 0 {
		at, _ := r.firstTimer(id, st)
		next = min(next, at)
	}
	return next
}

// plan puts the earliest of an individual's events, of which none is in the calendar, into it, if it is due by the end.
func (r *Run) plan(id uint32, state uint16) {
	next := r.next(id, state)
	if r.win != nil {
		r.win.put(r, id, next)
	} else if next <= r.end {
		if err := r.Queue.Schedule(calendar.ID(id), next); err != nil {
			panic(fmt.Sprintf("population: event at %v: %v", next, err))
		}
	}
}

// planAnew does the same for one of whom an event may be in the calendar.
func (r *Run) planAnew(id uint32, state uint16) {
	if r.ties.busy() {
		r.person(id).unmark(isCalled)
	}
	next := r.next(id, state)
	if r.win != nil {
		r.win.put(r, id, next)
	} else if !(next <= r.end) {
		r.Queue.Cancel(calendar.ID(id))
	} else if err := r.Queue.Reschedule(calendar.ID(id), next); err != nil {
		panic(fmt.Sprintf("population: event at %v: %v", next, err))
	}
}

// run dispatches what is due by a time.
func (r *Run) run(ctx context.Context, by float64, progress func(float64, uint64)) error {
	if r.win != nil {
		return r.runWindows(ctx, by, progress)
	}
	if err := r.dispatch(ctx, by+r.M.Slack, progress); err != nil {
		return err
	}
	r.Now = max(r.Now, by)
	return nil
}

// dispatch lets happen what is due by a time, one event after the other.
func (r *Run) dispatch(ctx context.Context, until float64, progress func(float64, uint64)) error {
	for {
		var id uint32
		if !r.ties.busy() {
			var tied bool
			if r.win == nil {
				next, at, more, ok := r.Queue.NextTied(until)
				if !ok {
					break
				}
				id, r.Now, tied = uint32(next), at, more
			} else {
				next, at, ok := r.nextNear(until)
				if !ok {
					break
				}
				id, r.Now, tied = next, at, r.win.tiedNear(at)
			}
			if tied && r.call(id) {
				continue
			}
		} else if called, ok := r.nextCalled(); ok {
			id = called
		} else if err := r.meetCalled(ctx); err != nil {
			return err
		} else {
			continue
		}
		if r.ahead > 0 {
			r.lookAhead()
		}
		r.Events++
		if r.pace.events++; r.Now > r.pace.until {
			r.pass(r.Now)
		} else if r.pace.events == r.pace.look {
			if err := r.stuck(id); err != nil {
				return err
			}
		}
		if id < r.first {
			r.arrive(id)
		} else {
			r.strike(id)
		}
		if r.Alive > r.most {
			return r.overcrowded()
		}
		if r.watch.on {
			if err := r.Settle(ctx); err != nil {
				return err
			}
		}
		if r.Events%often == 0 {
			r.doubt()
			if progress != nil {
				progress(r.Now, r.Events)
			}
			if err := r.pause(ctx, often); err != nil {
				return err
			}
		}
	}
	return nil
}

// overcrowded is the error if more are alive than may be.
func (r *Run) overcrowded() error {
	if r.broke != nil {
		return r.broke
	}
	return fmt.Errorf("at time %.12g there %s more than %s; write most: in population if that is right", r.M.Start+r.Now, format.Be(r.M.Most), format.Plural(r.M.Most, "individual"))
}

// Advance does all that happens up to and including a time, clocks and interventions: what happens at the time of an intervention happens
// before it, and who looks at the time sees all that happened by it.
func (r *Run) Advance(ctx context.Context, at float64, progress func(float64, uint64)) error {
	plans := r.M.Scheduled
	for r.carried < len(plans) && plans[r.carried].At <= at+r.M.Slack {
		p := &plans[r.carried]
		if err := r.run(ctx, p.At, progress); err != nil {
			return err
		}
		r.carried++
		if err := r.intervene(ctx, p, r.carried-1); err != nil {
			return err
		}
	}
	if err := r.run(ctx, at, progress); err != nil || !r.M.Counting {
		return err
	}
	return r.inspect()
}

// NewRun is one to be started, any number of times.
func NewRun(o *Options, p *Budget) *Run {
	return &Run{rule: usualAside, Purse: p, windowRule: o.windowRule(), Patience: o.Patience}
}

// spares are replicas whose memory can be used again. Those that nobody needs the collector takes.
var spares = sync.Pool{New: func() any { return new(Run) }}

// NewForkable is a replica that can be forked, to be started, which may have the memory of another. No timer of it lies aside.
func NewForkable(p *Budget) *Run {
	r := spares.Get().(*Run)
	r.rule, r.Purse, r.taken, r.forks = asideRule{least: math.MaxInt}, p, 0, true
	return r
}

// Retire lets others have the memory of a replica that is done with.
func (r *Run) Retire() {
	r.Purse.give(r)
	r.Purse, r.OnEvent = nil, nil
	spares.Put(r)
}
