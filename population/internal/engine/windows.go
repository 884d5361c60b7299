package engine

import (
	"context"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/panics"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// windows carries out one run on several cores, with the results that it has on one.
//
// The calendar of a large population costs as much as the events themselves: the record of an
// individual in it lies in a page of its own, and most of the time goes into translating addresses.
// A run by windows has no calendar. The time of an individual's next event lies beside its other
// words, and the run is cut into windows of time, each with an unordered list of the individuals
// that are due in it (store.BucketLists). So a window tells exactly whose memory is needed next. It
// has three steps:
//
//  1. Alone (shard.go). Individuals belong to shards, by their ids, and the shards run in parallel.
//     Each individual that is due runs to the end of the window as if no contact changed it: what
//     it does then depends on its own stream alone. A checkpoint keeps what it was. Contacts are
//     only recorded, and newborns have no slot yet.
//  2. Contacts (resolve.go), in the order of time, on one core. The target of a contact is hashed
//     from its one random word, and the state of the target at that time follows from its
//     checkpoint and its log. A contact that changes its target restores the checkpoint, replays
//     the target up to the contact, changes it, and runs it to the end of the window; what the
//     target did after the contact, newborns included, is undone. The contacts that it makes now
//     are later than this one, so that all earlier ones are settled.
//  3. Merge (merge.go). All changes are put into the order of time, by all shards, each for some
//     bins of the window. From that order follow the order in which slots were left and taken
//     (individuals.go), the slot of each entrant, and the peak of each state.
//
// This is synchronous relaxation [EGLW93] with the individual as the unit that is rolled back,
// except that contacts are resolved one after the other. They are few where windows are used, and
// an individual is rerun at most once for each contact that changes it.
//
// The result is that of one event after the other, to the last bit. Some windows cannot be decided
// by the three steps: equal times of two individuals that may concern each other, a slot that is
// taken in the window in which it was left, more individuals than are allowed. Such a window is
// rolled back and run in order, one event after the other, with a heap of those that are due in it
// (store.DueHeap). That is always right, and rare.
//
// Models whose individuals depend on each other by more than contacts with anyone are run with the
// calendar; see canUseWindows.
//
// [EGLW93]: https://doi.org/10.1145/174134.158474
type windows struct {
	rule   windowRule
	edges  []float64 // window k has what is due after edge k−1 and by edge k
	scale  float64   // windows in a unit of time, about
	now    int       // the window that is running or comes next
	until  float64   // what is due by then goes onto the heap: the end of the last window, or of one run in order
	heap   store.DueHeap
	arrive []float64 // when the next immigrant of each source arrives
	shards []*shard  // a power of two of them

	blockBits uint // 1<<blockBits consecutive ids belong to the same shard

	savedArrivals []savedArrival // of the sources, at the beginning of the window
	contacts      contactResolution
	merge         merge
	latest        float64 // the time of the last event in the window, or before
	tied          bool    // equal times: the window has to be run in order
	unprofitable  int     // rises with windows rolled back or mostly of contacts, falls with others
	retryAt       int     // no calendar is asked for before this window, because there was no memory for one

	sequential int // windows that were run in order
}

// A windowRule says which runs are by windows, and how they are cut.
type windowRule struct {
	minSize         int     // the smallest population; 0 for never
	busy            float64 // the least share of individuals that have an event to come at the start
	eventsPerWindow int     // how many of those events a window has, on average
	maxEntrants     int     // entrants in a window, for each shard
	maxDue          int     // individuals that are due in a window
	blockBits       uint    // see windows
	patience        int     // the value of unprofitable at which the run switches to the calendar; 0 for never

	// Tests set these.
	count  int // of windows; 0 if it follows from the above
	shards int // 0 for one a core, rounded up to a power of two
}

// usualWindows has windows of 20,000 events. They take some milliseconds, against which the
// barriers do not count, and their checkpoints stay in the cache.
var usualWindows = windowRule{
	minSize: program.WindowsFrom, busy: 0.03, eventsPerWindow: 20_000, maxEntrants: 1 << 16, maxDue: 1 << 21,
	blockBits: 12, patience: 64,
}

const (
	maxWindows = 4096 // and as many rows, since each ends a window

	// maxWindowed is the most individuals: entrants that have no slot yet have ids behind all
	// others, and there must be some left.
	maxWindowed = min(1<<31, math.MaxInt)
)

// windowRule returns the rule for a run.
func (o *Options) windowRule() windowRule {
	rule := usualWindows
	if o.Windows > 0 {
		rule.minSize = o.Windows
	}
	return rule
}

// canUseWindows reports whether nothing in a model forbids windows. These do: rates and
// interventions that depend on counts, outcomes, groups that are mixed or recorded by, contacts
// that depend on who meets whom or that change their maker, clocks that change attributes when they
// fire, those of age bands included, clocks that let children in, several individuals that enter at
// once, clocks and contacts that use a supply, curves by a time since, numbers, contacts among
// neighbours, and tracing.
func canUseWindows(m *program.Program) bool {
	if m.UsesCounts || len(m.Bands) > 0 || len(m.Triggered) > 0 || len(m.Groups) > 0 || len(m.Machines) > 0 ||
		len(m.Since) > 0 || len(m.Numbers) > 0 || len(m.Near) > 0 || len(m.Places) > 0 || len(m.Networks) > 0 ||
		m.Calls != nil ||
		m.StateAttribute >= 0 || m.SumsTime() || m.Observes() || slices.Contains(m.MixesBy, true) ||
		len(m.States) > math.MaxUint16/2 {
		return false
	}
	allowed := true
	check := func(do *program.Action) {
		allowed = allowed && len(do.Moves) == 0 && do.Uses == nil &&
			(do.Child == nil || do.Kind == program.DoBirth && do.Child.Count == nil)
	}
	for _, t := range m.Phases {
		for i := range t.Contacts {
			allowed = allowed && !t.Contacts[i].Special && t.Contacts[i].Attribute < 0
		}
		for i := range t.Immigration {
			allowed = allowed && t.Immigration[i].In.Count == nil
		}
		for s := range t.States {
			t.States[s].EachAction(check)
		}
		for i := range t.Always {
			check(&t.Always[i].Do)
		}
	}
	return allowed
}

// allows reports whether a model may be run by windows: it is large enough, not too large, and
// canUseWindows.
func (rule *windowRule) allows(m *program.Program) bool {
	return rule.minSize > 0 && m.Size >= rule.minSize && m.Size <= maxWindowed &&
		len(m.RecordTimes) > 0 && len(m.RecordTimes) <= maxWindows && canUseWindows(m)
}

// cutWindows decides whether the run is by windows, and cuts them.
func (r *Run) cutWindows() {
	r.windows, r.Windows = nil, 0
	rule, m := r.windowRule, r.Program
	if r.forkable || r.OnEvent != nil || !rule.allows(m) {
		return
	}
	count := rule.count
	if count == 0 {
		if r.budget == nil || r.budget.busy < rule.busy {
			return
		}
		count = min(maxWindows, int(r.budget.busy*float64(m.Size))/rule.eventsPerWindow)
	}
	shards := rule.shards
	if shards == 0 {
		shards = 1 << bits.Len(uint(runtime.GOMAXPROCS(0)-1))
	}
	w := &windows{
		rule: rule, blockBits: rule.blockBits, until: math.Inf(-1), arrive: make([]float64, len(r.phase.Immigration)),
	}
	// A window ends at each row and at each intervention, so that all that is due by then is done.
	var stops []float64
	last := m.RecordTimes[len(m.RecordTimes)-1] + m.TimeTolerance
	for _, at := range m.RecordTimes {
		stops = append(stops, at+m.TimeTolerance)
	}
	for i := range m.Scheduled {
		if at := m.Scheduled[i].At + m.TimeTolerance; at < last {
			stops = append(stops, at)
		}
	}
	slices.Sort(stops)
	stops = slices.Compact(stops)
	w.scale = float64(max(count, 1)) / last
	before := 0.0
	for _, stop := range stops {
		n := max(1, int(math.Round((stop-before)*w.scale)))
		for i := 1; i < n; i++ {
			edge := before + (stop-before)*float64(i)/float64(n)
			if len(w.edges) == 0 || edge > w.edges[len(w.edges)-1] {
				w.edges = append(w.edges, edge)
			}
		}
		w.edges = append(w.edges, stop)
		before = stop
	}
	w.scale = float64(len(w.edges)) / last
	for i := range shards {
		w.shards = append(w.shards, newShard(w, i, r))
	}
	r.windows = w
}

// sparseTableCount returns how many sparse tables there are, and how many ids in a row share one,
// as a power of two.
func (r *Run) sparseTableCount() (n int, bits uint) {
	if r.windows == nil {
		return 1, 0
	}
	return len(r.windows.shards), r.windows.blockBits
}

// windowAt returns the window of a time, which must not be after the last edge, or the present
// window if that one is over. The guess by w.scale is right or off by little.
func (w *windows) windowAt(t float64) int {
	k := min(len(w.edges)-1, int(t*w.scale))
	if w.edges[k] >= t && (k == 0 || w.edges[k-1] < t) {
		return max(k, w.now)
	}
	for try := 0; try < 4; try++ {
		switch {
		case w.edges[k] < t:
			k++
		case k > 0 && w.edges[k-1] >= t:
			k--
		default:
			return max(k, w.now)
		}
	}
	return max(sort.SearchFloat64s(w.edges, t), w.now)
}

// lastEdge returns the end of the last window.
func (w *windows) lastEdge() float64 { return w.edges[len(w.edges)-1] }

// shardOf returns the shard of an individual.
func (w *windows) shardOf(id uint32) *shard { return w.shards[int(id>>w.blockBits)&(len(w.shards)-1)] }

// temporary returns how many ids there are for entrants that have no slot yet. They come after all
// others. It is 0 for a run with a calendar, which has no windows.
func (w *windows) temporary() int {
	if w == nil {
		return 0
	}
	block := 1 << w.blockBits
	return len(w.shards) * ((w.rule.maxEntrants+block-1)/block + 2) * block
}

// schedule sets the time of an individual's next event, and puts it onto the list of its window, or
// onto the heap.
func (w *windows) schedule(r *Run, id uint32, next float64) {
	if !(next <= r.end) {
		next = math.Inf(1)
	}
	*r.nextAt(id) = next
	switch {
	case next <= w.until:
		w.heap.Push(store.Due{At: next, ID: id})
	case next <= w.lastEdge():
		w.shardOf(id).lists.Add(w.windowAt(next), id)
	}
}

// runByWindows runs what is due by a time, which is that of an edge.
func (r *Run) runByWindows(ctx context.Context, by float64, progress func(float64, uint64)) error {
	w, until := r.windows, by+r.Program.TimeTolerance
	if len(w.heap) > 0 { // an intervention made something due at its own time, and that window is over
		if err := r.dispatch(ctx, w.until, progress); err != nil || r.windows == nil {
			return err
		}
	}
	w.rebuildLists(r)
	for w.now < len(w.edges) && w.edges[w.now] <= until {
		if w.prefersCalendar(r) {
			if ok, err := r.switchToCalendar(ctx); err != nil {
				return err
			} else if ok {
				return r.run(ctx, by, progress)
			}
		}
		if r.living != nil || !w.runParallel(r) {
			w.sequential++
			w.loadHeap(r)
			if err := r.dispatch(ctx, w.until, progress); err != nil {
				return err
			}
		}
		w.until = w.edges[w.now]
		w.now++
		if progress != nil {
			progress(r.Now, r.Events)
		}
		if err := r.housekeep(ctx, 0); err != nil {
			return err
		}
	}
	r.Now = max(r.Now, by)
	return nil
}

// runParallel runs a window by its three steps, with all shards in parallel. If that is not
// possible, it rolls the window back and reports false.
func (w *windows) runParallel(r *Run) bool {
	due := w.dueCount()
	if due > w.rule.maxDue {
		return false
	}
	w.tied = false
	w.savedArrivals = w.savedArrivals[:0]
	for k := range r.arrivals {
		w.savedArrivals = append(w.savedArrivals, savedArrival{r.arrivals[k], w.arrive[k]})
	}
	cores, done := r.windowCores(due)
	defer done()
	w.eachShard(cores, func(s *shard) {
		s.begin(r)
		s.runAlone()
	})
	if !w.mustRunInOrder(r) {
		w.resolveContacts(r)
	}
	if w.mustRunInOrder(r) || !w.mergeLogs(cores) {
		w.eachShard(cores, (*shard).rollBack)
		for k, a := range w.savedArrivals {
			r.arrivals[k], w.arrive[k] = a.stream, a.at
		}
		w.unprofitable += 2
		return false
	}
	w.commit(r, cores)
	return true
}

// windowCores returns how many cores run a window with the given number of due individuals: the
// run's own, and those that no other run has at the time. The caller must call done when the window
// is over.
func (r *Run) windowCores(due int) (cores int, done func()) {
	const few = 1000
	if due < few && r.cores == 0 {
		return 1, func() {}
	}
	return r.borrowCores()
}

// eachShard calls do for every shard, on as many goroutines as there are cores, and returns when
// all calls have returned. It is the barrier between the steps of a window: what one step wrote the
// next may read.
func (w *windows) eachShard(cores int, do func(*shard)) {
	var next atomic.Int32
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(w.shards) {
				return
			}
			do(w.shards[i])
		}
	}
	var group panics.Group
	for range min(cores, len(w.shards)) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
}

// mustRunInOrder reports whether the window has to be rolled back and run in order. It looks at
// sums over the window only: it is true if in some order of the events something could have
// happened that the steps cannot decide.
func (w *windows) mustRunInOrder(r *Run) bool {
	entered := 0
	events := uint64(0)
	w.latest = r.Now
	for _, s := range w.shards {
		entered, events, w.latest = entered+s.numEntered, events+s.Events, max(w.latest, s.latest)
		if s.eventsLeft < 0 || s.failed != nil {
			return true
		}
	}
	fresh := r.slotCount - r.Used
	return w.tied ||
		r.Alive+entered > r.limit || // more may be alive than are allowed
		entered > fresh+r.free.Len() || // an entrant finds no free slot, and slots are added
		r.Used+min(entered, fresh)+1 >= r.capacity || // the arrays are too small
		w.tooFewAlive(r) ||
		events >= r.pace.base/2 || // the clock may stand still (pace.go)
		w.latest > w.edges[w.now]-2*r.Program.TimeTolerance // after the time of a row, at which r.Now is set otherwise
}

// tooFewAlive reports whether so few may be alive that a contact finds no target, or that contacts
// choose from a list of the living (Run.listLiving).
func (w *windows) tooFewAlive(r *Run) bool {
	alive := r.Alive
	for _, s := range w.shards {
		alive -= s.numLeft
	}
	return alive < 2 || r.Program.MixesFreely && 2*alive < r.slotCount-int(r.firstID)
}

// rebuildLists makes the lists anew if most ids on them are stale, because many individuals were
// rescheduled.
func (w *windows) rebuildLists(r *Run) {
	if w.sum(func(s *shard) int { return s.lists.Len() }) < 2*r.Alive+1<<16 {
		return
	}
	w.clearLists()
	for id := int(r.firstID); id < r.Used; id++ {
		if next := *r.nextAt(uint32(id)); r.status(uint32(id)).state != program.NoState && next <= w.lastEdge() {
			w.shardOf(uint32(id)).lists.Add(w.windowAt(next), uint32(id))
		}
	}
}

// prefersCalendar reports whether the calendar is the better choice from now on: windows have not
// paid for a while, contacts choose from a list of the living, whose order is that of all events,
// or too many individuals are due at once.
func (w *windows) prefersCalendar(r *Run) bool {
	return w.rule.patience > 0 && w.now >= w.retryAt &&
		(w.unprofitable >= w.rule.patience || r.living != nil || w.dueCount() > w.rule.maxDue ||
			r.capacity > maxWindowed)
}

// sum adds up a number of each shard.
func (w *windows) sum(of func(*shard) int) (n int) {
	for _, s := range w.shards {
		n += of(s)
	}
	return n
}

// dueCount returns an upper bound of how many individuals are due in the present window: ids on its
// lists may be stale.
func (w *windows) dueCount() int { return w.sum(func(s *shard) int { return s.lists.Count(w.now) }) }

// switchToCalendar continues the run with the calendar, if there is memory for one. If there is
// not, it does not try again for some windows: to find out, all free memory is returned to the
// system, which takes longer than a window. If the context ends meanwhile, the run cannot go on.
func (r *Run) switchToCalendar(ctx context.Context) (ok bool, err error) {
	w := r.windows
	bytes := BytesOf((recordBytes + eventBytes) * float64(r.Used))
	ok = r.budget.take(r, bytes, bytes, func() {
		for _, s := range w.shards {
			s.lists = store.BucketLists{}
		}
		runtime.GC()
		r.Queue = eventqueue.New(eventqueue.Capacity(r.Used + 1))
		err = r.Queue.ScheduleAll(ctx, eventqueue.ID(r.firstID), r.Used-int(r.firstID), 1,
			func(_ int, first eventqueue.ID, at []float64) error {
				for i := range at {
					if id := uint32(first) + uint32(i); r.status(id).state != program.NoState {
						at[i] = *r.nextAt(id)
					}
				}
				return nil
			})
		if err != nil {
			if ctx.Err() == nil {
				panic("population: " + err.Error())
			}
			return
		}
		for k, at := range w.arrive {
			if at <= r.end {
				if err := r.Queue.Schedule(eventqueue.ID(k), at); err != nil {
					panic("population: " + err.Error())
				}
			}
		}
		r.windows = nil
		r.prefetchWords()
		r.resetPrefetch()
	})
	if w.unprofitable = 0; !ok {
		w.retryAt = w.now + w.rule.patience
	}
	return ok, err
}

// bytes returns about how much memory windows take, beside the individuals.
func (w *windows) bytes() int { return w.sum(func(s *shard) int { return s.lists.Bytes() }) }

// pending returns an upper bound of how many individuals have an event to come.
func (r *Run) pending() int {
	if r.windows != nil {
		return r.Alive
	}
	return r.Queue.Len()
}

// nextInHeap takes the next event that is due by a time from the heap, and reports whether there is
// one. It skips stale entries.
func (r *Run) nextInHeap(until float64) (id uint32, at float64, ok bool) {
	w := r.windows
	for len(w.heap) > 0 && w.heap[0].At <= until {
		top := w.heap.Pop()
		due := r.dueOf(top.ID)
		if due != nil && *due == top.At {
			*due = math.Inf(1)
			return top.ID, top.At, true
		}
	}
	return 0, 0, false
}

// dueOf returns the due time of a source of immigration or of an individual; nil for a free slot.
func (r *Run) dueOf(id uint32) *float64 {
	switch {
	case id < r.firstID:
		return &r.windows.arrive[id]
	case r.status(id).state == program.NoState:
		return nil
	}
	return r.nextAt(id)
}

// tiedInHeap reports whether another event may be due at the same time; its entry may be stale.
func (w *windows) tiedInHeap(at float64) bool { return len(w.heap) > 0 && w.heap[0].At == at }

// loadHeap moves all that is due in the present window from the lists to the heap, to be run in
// order.
func (w *windows) loadHeap(r *Run) {
	end := w.edges[w.now]
	w.until, w.heap = end, w.heap[:0]
	for _, s := range w.shards {
		s.lists.Take(w.now, func(ids []uint32) {
			for _, id := range ids {
				if at := *r.nextAt(id); at <= end && r.status(id).state != program.NoState {
					w.heap.Push(store.Due{At: at, ID: id})
				}
			}
		})
	}
	for k, at := range w.arrive {
		if at <= end {
			w.heap.Push(store.Due{At: at, ID: uint32(k)})
		}
	}
}
