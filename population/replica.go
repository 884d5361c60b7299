package population

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
)

// A replica is one run of a model: the individuals, and the calendar with the earliest event of each.
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
type replica struct {
	m     *program
	t     *tables
	queue *calendar.Queue
	now   float64 // since the start, as all times in here
	end   float64

	first  uint32 // the first id of an individual
	room   int    // how many ids the arrays are for
	ids    int    // how many are, or have been, in use
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
	alike       *program // that it is laid out for, if it is not its own
	asideOf     []bool   // which columns of timers lie aside
	shared      bool     // the others of always share a word
	aside       *asides
	place       []int // of a column in the words, if it has one of its own
	column      []int // of a place, without the first; inShared for that which is shared
	denseAlways int
	denseTimers int

	origins  []origin // of the timers, by id and column; nil unless it can be forked. See redraw.go
	arrivals []random.Stream

	alive  int
	counts []int
	flows  []uint64
	named  []uint64
	by     *tallies // nil if nothing is recorded by group
	events uint64
	peaks  []peak
	lived  lived
	ties   ties
	ahead  int  // how many events ahead it is looked whom contacts are with; 0 for not at all. See foresee.go
	looked bool // the events before have been looked at
	// How many contacts were seen coming in this window of events, and how many windows are left until that is judged.
	hits, sighted int

	most      int   // how many may be alive; −1 if there is no memory for more
	broke     error // if there is not
	purse     *purse
	taken     uint64 // of the purse, as it knows
	granted   uint64 // by the purse: what may be taken without asking
	pace      pace
	patience  uint64 // in place of the usual; tests have less of it
	sight     int    // from how many individuals on it is looked ahead, in place of the usual; tests have less
	setupFrom int    // from how many individuals on they are set up at once; the same
	cores     int    // by how many; the same
	planned   *plan  // the intervention that is under way, if its time was planned
	carried   int    // how many of those with a planned time have been carried out
	watch     watch
	lifelongs []*alwaysTable // of one whose attributes change
	weights   [2][]float64   // of branches, as redraw works them out
	forks     bool           // it can be forked
	seed      uint64
	onEvent   func(*happening)
	told      happening // the last
	index     int

	windowRule windowRule
	windows    int      // how many were carried out
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

// start sets a replica up: everybody is there, with an event to come.
func (r *replica) start(ctx context.Context, m *program, seed uint64, index int) error {
	if r.m != m {
		r.values = nil // there may be others
	}
	r.m, r.t, r.index, r.planned, r.carried = m, m.first, index, nil, 0
	r.now, r.end = 0, m.end-m.start+m.slack
	r.seed = seed
	r.watch.begin(m)
	r.first = uint32(len(m.first.immigration))
	r.most, r.broke, r.granted = m.most, nil, 0
	spare := usualSpare
	if r.purse != nil {
		spare, r.granted = r.purse.spare, bytesOf(r.purse.each*float64(m.size))
	}
	if r.win != nil && m.size > 1<<20 {
		r.win = nil // and the memory of its lists
		runtime.GC()
	}
	r.cutWindows()
	if r.alike != nil {
		r.layOut(r.alike)
	} else {
		r.layOut(m)
	}
	ids := int(r.first) + m.size
	if r.queue != nil && (r.win != nil || r.room > 1<<20) {
		// The calendar and the groups of the last replica are large, and there may be no memory for two of them.
		r.queue, r.groups, r.all = nil, nil, nil
		runtime.GC()
	}
	switch {
	case r.win != nil: // without a calendar
	case r.queue == nil:
		r.queue = calendar.New(calendar.Capacity(ids + ids/spare))
	default:
		r.queue.Reset(0)
	}
	if r.values == nil {
		r.values = make([]column, len(m.attributes))
		for a := range r.values {
			r.values[a] = newColumn(len(m.attributes[a].values))
		}
	}
	if r.glances = glances(m) && r.win == nil; !r.glances {
		r.glance = nil
	}
	r.grow(ids, spare)
	r.ids, r.all = int(r.first), nil
	r.places = ids + morePlaces(m.size)
	r.free.clear()
	r.groups = make([]*groups, len(m.attributes))
	for a, mixes := range m.mixes {
		if mixes {
			r.groups[a] = newGroups(len(m.attributes[a].values))
			r.groups[a].expect(ids, m.size, r.t.attributes[a])
		}
	}
	r.counts = make([]int, len(m.states))
	r.flows = make([]uint64, len(m.flows))
	r.named = make([]uint64, len(m.names))
	r.by = newTallies(m)
	r.peaks = make([]peak, len(m.states))
	for i := range r.peaks {
		r.peaks[i].Time = m.start
	}
	r.pace.window, r.pace.base = (m.end-m.start)*paceWindow, paceBase
	if r.patience > 0 {
		r.pace.base = r.patience
	}
	r.events, r.entered, r.alive = 0, 0, 0
	r.lived, r.ties = newLived(r.end), ties{called: r.ties.called[:0], contacts: r.ties.contacts[:0]}

	streams := random.New(seed, uint64(index))
	if err := r.everybody(ctx, streams); err != nil {
		return err
	}
	r.arrivals = r.arrivals[:0]
	for k := range r.t.immigration {
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
func (r *replica) grow(ids, spare int) {
	if r.room <= ids {
		r.room = ids + ids/spare + 64
	}
	most := r.room + r.win.temporary()
	r.words = extend(r.words, most*r.stride)
	for a := range r.values {
		r.values[a].extend(most)
	}
	if r.onEvent != nil {
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
func (r *replica) wind(id uint32, state uint16) {
	first := len(r.t.always)
	if r.person(id).aside>>first != 0 {
		r.stopTimers(id, first)
	}
	if r.t.states[state].timers == 0 {
		return
	}
	st := r.table(id, state)
	s := r.stream(id)
	for k := range st.race {
		r.windTimer(id, first+k, &st.race[k].law, st.race[k].off)
	}
	if len(st.split) > 0 {
		u, k := s.Float64(), 0
		if st.chances != nil {
			k = r.branch(st, u)
		} else {
			for u >= st.split[k].upTo {
				k++
			}
		}
		p := r.person(id)
		p.branch = uint8(k)
		p.unmark(isApart)
		r.windClock(id, first+len(st.race), &st.split[k])
	}
}

// next is when the earliest of an individual's events is due.
func (r *replica) next(id uint32, state uint16) float64 {
	st := &r.t.states[state]
	if st.bare {
		if st.rate > 0 {
			return r.now + float64(r.stream(id).Exp()*st.mean)
		}
		return math.Inf(1)
	}
	if st.by != nil {
		st = r.table(id, state)
	}
	next := math.Inf(1)
	if st.vary != nil {
		next = r.candidate(r.stream(id), st.rate, st.vary)
	} else if st.rate > 0 {
		next = r.now + float64(r.stream(id).Exp()*st.mean)
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
func (r *replica) plan(id uint32, state uint16) {
	next := r.next(id, state)
	if r.win != nil {
		r.win.put(r, id, next)
	} else if next <= r.end {
		if err := r.queue.Schedule(calendar.ID(id), next); err != nil {
			panic(fmt.Sprintf("population: event at %v: %v", next, err))
		}
	}
}

// planAnew does the same for one of whom an event may be in the calendar.
func (r *replica) planAnew(id uint32, state uint16) {
	if r.ties.busy() {
		r.person(id).unmark(isCalled)
	}
	next := r.next(id, state)
	if r.win != nil {
		r.win.put(r, id, next)
	} else if !(next <= r.end) {
		r.queue.Cancel(calendar.ID(id))
	} else if err := r.queue.Reschedule(calendar.ID(id), next); err != nil {
		panic(fmt.Sprintf("population: event at %v: %v", next, err))
	}
}

// run dispatches what is due by a time.
func (r *replica) run(ctx context.Context, by float64, progress func(float64, uint64)) error {
	if r.win != nil {
		return r.runWindows(ctx, by, progress)
	}
	if err := r.dispatch(ctx, by+r.m.slack, progress); err != nil {
		return err
	}
	r.now = max(r.now, by)
	return nil
}

// dispatch lets happen what is due by a time, one event after the other.
func (r *replica) dispatch(ctx context.Context, until float64, progress func(float64, uint64)) error {
	for {
		var id uint32
		if !r.ties.busy() {
			var tied bool
			if r.win == nil {
				next, at, more, ok := r.queue.NextTied(until)
				if !ok {
					break
				}
				id, r.now, tied = uint32(next), at, more
			} else {
				next, at, ok := r.nextNear(until)
				if !ok {
					break
				}
				id, r.now, tied = next, at, r.win.tiedNear(at)
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
		r.events++
		if r.pace.events++; r.now > r.pace.until {
			r.pass(r.now)
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
		if r.alive > r.most {
			return r.overcrowded()
		}
		if r.watch.on {
			if err := r.settle(ctx); err != nil {
				return err
			}
		}
		if r.events%often == 0 {
			r.doubt()
			if progress != nil {
				progress(r.now, r.events)
			}
			if err := r.pause(ctx, often); err != nil {
				return err
			}
		}
	}
	return nil
}

// overcrowded is the error if more are alive than may be.
func (r *replica) overcrowded() error {
	if r.broke != nil {
		return r.broke
	}
	return fmt.Errorf("at time %.12g there %s more than %s; write most: in population if that is right", r.m.start+r.now, format.Be(r.m.most), format.Plural(r.m.most, "individual"))
}

// advance does all that happens up to and including a time, clocks and interventions: what happens at the time of an intervention happens
// before it, and who looks at the time sees all that happened by it.
func (r *replica) advance(ctx context.Context, at float64, progress func(float64, uint64)) error {
	plans := r.m.plans
	for r.carried < len(plans) && plans[r.carried].at <= at+r.m.slack {
		p := &plans[r.carried]
		if err := r.run(ctx, p.at, progress); err != nil {
			return err
		}
		r.carried++
		if err := r.intervene(ctx, p, r.carried-1); err != nil {
			return err
		}
	}
	if err := r.run(ctx, at, progress); err != nil || !r.m.counting {
		return err
	}
	return r.inspect()
}

// newReplica is one to be started, any number of times.
func newReplica(o *engineOptions, p *purse) *replica {
	return &replica{rule: usualAside, purse: p, windowRule: o.windowRule(), patience: o.patience}
}

// spares are replicas whose memory can be used again. Those that nobody needs the collector takes.
var spares = sync.Pool{New: func() any { return new(replica) }}

// newFork is a replica that can be forked, to be started, which may have the memory of another. No timer of it lies aside.
func newFork(p *purse) *replica {
	r := spares.Get().(*replica)
	r.rule, r.purse, r.taken, r.forks = asideRule{least: math.MaxInt}, p, 0, true
	return r
}

// retire lets others have the memory of a replica that is done with.
func (r *replica) retire() {
	r.purse.give(r)
	r.purse, r.onEvent = nil, nil
	spares.Put(r)
}
