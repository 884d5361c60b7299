package engine

import (
	"context"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// Windows: one run on several cores, with the results that it has on one.
//
// The calendar of a large population costs as much as what happens: an individual's record in it lies in a page of its own, and waiting for
// addresses takes most of the time. By windows there is no calendar. When somebody's next event is due lies beside the rest of it, and the run
// is cut into windows of time, each with a list of those who are due in it, in no order (lists.go): a window says exactly whose memory is
// needed next. What happens in it is found out in three steps:
//
//  1. Alone (shards.go). Individuals belong to shards, by their ids, and the shards work at the same time. Everybody who is due lives to the end of the
//     window as if nobody met it: what it does depends on its own stream alone. What it was is kept. Contacts are only noted, and children have
//     no place yet.
//  2. Contacts (encounters.go), in the order of time, by one core. Whom a contact is with is hashed from its one word, and what that individual is at the
//     time follows from the notes. If it is changed by it, it becomes what it was, lives again up to the contact, is changed, and lives on to the
//     end; what it did after the contact, children included, is taken back. The contacts that it makes now come later than this one, so
//     that all before are settled.
//  3. In order (ranks.go). All changes are put into the order of time by all shards, each a stretch of the window. So it is known in which order places were left and
//     taken (places.go), who has which, and how many were in a state at most.
//
// It is synchronous relaxation [EGLW93] with the individual as the unit that is rolled back, but contacts are settled one after the other: they are few where
// this is used, and no one ever lives more than once for each contact that changes it.
//
// The result is that of one event after the other, to the last bit. What the steps cannot decide (equal times of two who may have to do with each other, a place that
// is taken in the window in which it was left, more individuals than there may be) makes them give up the window: everybody becomes what it was, and
// the window is carried out in order, one event after the other, with a heap of those due in it (near.go). That is always right, and rare.
//
// Models whose individuals depend on others by more than contacts with anybody are run with the calendar: see windowed.
//
// [EGLW93]: https://doi.org/10.1145/174134.158474
type windows struct {
	rule      windowRule
	edges     []float64 // window k has what is due after edge k−1 and by edge k
	scale     float64   // windows in a unit of time, about
	now       int       // the window that is under way, or comes next
	until     float64   // what is due by then has to be near: the end of a window that is carried out in order, or else of the last one
	heap      store.DueHeap
	arrive    []float64 // when the next immigrant of each source comes
	shards    []*shard
	blockBits uint // so many ids in a row, as a power of two, belong to the same shard

	savedArrivals []savedArrival // of the sources, when the window began
	contacts      contactResolution
	merge         merge
	latest        float64 // the time of the last event in the window, or before
	tied          bool    // the window cannot be decided, because times are equal
	unprofitable  int     // windows in a row that were given up, or were mostly contacts
	retryAt       int     // the window before which it is no use to ask for a calendar, because there was no memory for one

	sequential int // windows that were carried out one event after the other
}

// A windowRule says when a run is by windows, and by which.
type windowRule struct {
	minSize         int     // from how many individuals on; 0 for never
	busy            float64 // if at least this share of them has something to come at the start
	eventsPerWindow int     // so many of those for a window
	maxEntrants     int     // how many may enter in a window, for each shard
	maxDue          int     // how many may be due in one
	blockBits       uint
	patience        int // after so many windows in a row that did not pay the run goes on with the calendar; 0 for never
	count           int // of windows, in place of what follows from the above; tests say so
	shards          int // the same
}

// usualWindows: 20,000 events take some milliseconds, against which waiting for each other does not count, and what is kept of them stays near.
var usualWindows = windowRule{minSize: 1 << 22, busy: 0.03, eventsPerWindow: 20_000, maxEntrants: 1 << 16, maxDue: 1 << 21, blockBits: 12, patience: 64}

const (
	maxWindows = 4096 // and as many rows, since each ends a window

	// mostWindowed is how many individuals there may be at most: the ids of those who have no place yet come behind, and there must be some.
	maxWindowed = min(1<<31, math.MaxInt)
)

// windowRule is the rule for a run.
func (o *Options) windowRule() windowRule {
	rule := usualWindows
	if o.Windows > 0 {
		rule.minSize = o.Windows
	}
	return rule
}

// canUseWindows reports whether nothing in a model forbids windows: rates and interventions that depend on how many there are, groups that are mixed or recorded by,
// contacts that depend on who meets whom or change who makes them, and attributes that change while clocks strike.
func canUseWindows(m *program.Program) bool {
	if m.Counting || len(m.Triggered) > 0 || len(m.Groups) > 0 || slices.Contains(m.Mixes, true) || len(m.States) > math.MaxUint16/2 {
		return false
	}
	allowed := true
	check := func(do *program.Action) { allowed = allowed && len(do.Moves) == 0 }
	for _, t := range m.Phases {
		for i := range t.Contacts {
			allowed = allowed && !t.Contacts[i].Special && t.Contacts[i].Attribute < 0
		}
		for s := range t.States {
			t.States[s].Each(check)
		}
		for i := range t.Always {
			check(&t.Always[i].Do)
		}
	}
	return allowed
}

// allows reports whether a model may be run by windows.
func (rule *windowRule) allows(m *program.Program) bool {
	return rule.minSize > 0 && m.Size >= rule.minSize && m.Size <= maxWindowed && len(m.Rows) > 0 && len(m.Rows) <= maxWindows && canUseWindows(m)
}

// cutWindows decides whether the replica is run by windows, and makes them.
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
	w := &windows{rule: rule, blockBits: rule.blockBits, until: math.Inf(-1), arrive: make([]float64, len(r.phase.Immigration))}
	// Whoever looks at the run, or intervenes, finds everything done that is due by then.
	var stops []float64
	last := m.Rows[len(m.Rows)-1] + m.Slack
	for _, at := range m.Rows {
		stops = append(stops, at+m.Slack)
	}
	for i := range m.Scheduled {
		if at := m.Scheduled[i].At + m.Slack; at < last {
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
			if edge := before + (stop-before)*float64(i)/float64(n); len(w.edges) == 0 || edge > w.edges[len(w.edges)-1] {
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

// sparseTableCount is how many tables of timers there are, and how ids share them.
func (r *Run) sparseTableCount() (n int, bits uint) {
	if r.windows == nil {
		return 1, 0
	}
	return len(r.windows.shards), r.windows.blockBits
}

// windowAt is the window of a time, which is by the last edge; but none that is over.
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

// lastEdge is the end of the last window.
func (w *windows) lastEdge() float64 { return w.edges[len(w.edges)-1] }

// shardOf is the shard of an individual.
func (w *windows) shardOf(id uint32) *shard { return w.shards[int(id>>w.blockBits)&(len(w.shards)-1)] }

// temporary is how many ids there are for those who have no place yet. They come after all others.
func (w *windows) temporary() int {
	if w == nil {
		return 0
	}
	block := 1 << w.blockBits
	return len(w.shards) * ((w.rule.maxEntrants+block-1)/block + 2) * block
}

// schedule notes when the next event of an individual is due, and puts it on the list of that time, or among those near.
func (w *windows) schedule(r *Run, id uint32, next float64) {
	if !(next <= r.end) {
		next = math.Inf(1)
	}
	*r.nextAt(id) = next
	switch {
	case next <= w.until:
		w.heap.Push(store.Due{At: next, Id: id})
	case next <= w.lastEdge():
		w.shardOf(id).lists.Add(w.windowAt(next), id)
	}
}

// runByWindows dispatches what is due by a time, which is that of an edge.
func (r *Run) runByWindows(ctx context.Context, by float64, progress func(float64, uint64)) error {
	w, until := r.windows, by+r.Program.Slack
	if len(w.heap) > 0 { // an intervention has made something due at its own time, the window of which is over
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

// runParallel carries a window out by all shards at once. It reports false, and leaves everything as it was, if it cannot.
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
	if w.mustRunInOrder(r) || !w.mergeLogs(r, cores) {
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

// windowCores is how many cores a window is carried out by in which so many are due: the replica's own, and those that nobody else has at the time. They
// are to be returned by done.
func (r *Run) windowCores(due int) (cores int, done func()) {
	const few = 1000
	if due < few && r.cores == 0 {
		return 1, func() {}
	}
	return r.setupCores()
}

// eachShard lets every shard do something, on so many cores.
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
	var group sync.WaitGroup
	for range min(cores, len(w.shards)) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
}

// mustRunInOrder reports whether something may have happened in the window that has to be carried out in order. What is asked is whether it could have happened,
// whatever the order.
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
		r.Alive+entered > r.limit || // too many
		entered > fresh+r.free.N || // somebody finds no place, and there will be more of them
		r.Used+min(entered, fresh)+1 >= r.capacity || // the arrays are too small
		w.tooFewAlive(r) ||
		events >= r.pace.base/2 || // the clock may stand still
		w.latest > w.edges[w.now]-2*r.Program.Slack // after the time of a row, which is r.now otherwise
}

// tooFewAlive reports whether so few may be left that contacts find nobody, or that those who live are listed.
func (w *windows) tooFewAlive(r *Run) bool {
	alive := r.Alive
	for _, s := range w.shards {
		alive -= s.numLeft
	}
	return alive < 2 || r.Program.PlainMixing && 2*alive < r.slotCount-int(r.firstID)
}

// rebuildLists makes the lists anew if most of what is on them counts no more, because many were planned anew.
func (w *windows) rebuildLists(r *Run) {
	if w.sum(func(s *shard) int { return s.lists.Listed }) < 2*r.Alive+1<<16 {
		return
	}
	w.clearLists()
	for id := int(r.firstID); id < r.Used; id++ {
		if next := *r.nextAt(uint32(id)); r.status(uint32(id)).state != program.Nobody && next <= w.lastEdge() {
			w.shardOf(uint32(id)).lists.Add(w.windowAt(next), uint32(id))
		}
	}
}

// prefersCalendar reports whether the calendar is the better way from now on: windows have been given up again and again, contacts are with those on a list of the living,
// whose order is that of all events, or everybody is due at once.
func (w *windows) prefersCalendar(r *Run) bool {
	return w.rule.patience > 0 && w.now >= w.retryAt && (w.unprofitable >= w.rule.patience || r.living != nil || w.dueCount() > w.rule.maxDue || r.capacity > maxWindowed)
}

// sum adds something of all shards up.
func (w *windows) sum(of func(*shard) int) (n int) {
	for _, s := range w.shards {
		n += of(s)
	}
	return n
}

// dueCount is how many are due in the present window, at most.
func (w *windows) dueCount() int { return w.sum(func(s *shard) int { return s.lists.Count(w.now) }) }

// switchToCalendar lets the run go on with the calendar, if there is memory for it. If not, it is not asked for again for some windows: to find that out, all that is
// free is given back to the system, which takes longer than a window. If the context ends meanwhile, the replica cannot go on.
func (r *Run) switchToCalendar(ctx context.Context) (ok bool, err error) {
	w := r.windows
	bytes := BytesOf((recordBytes + eventBytes) * float64(r.Used))
	ok = r.budget.take(r, bytes, bytes, func() {
		for _, s := range w.shards {
			s.lists = store.BucketLists{}
		}
		runtime.GC()
		r.Queue = calendar.New(calendar.Capacity(r.Used + 1))
		err = r.Queue.ScheduleAll(ctx, calendar.ID(r.firstID), r.Used-int(r.firstID), 1, func(_ int, first calendar.ID, at []float64) error {
			for i := range at {
				if id := uint32(first) + uint32(i); r.status(id).state != program.Nobody {
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
				if err := r.Queue.Schedule(calendar.ID(k), at); err != nil {
					panic("population: " + err.Error())
				}
			}
		}
		r.windows = nil
		r.prefetch()
		r.prefetchAhead, r.prefetching, r.contactsSeen, r.windowsLeft = r.prefetchDistance(), false, 0, 1
	})
	if w.unprofitable = 0; !ok {
		w.retryAt = w.now + w.rule.patience
	}
	return ok, err
}

// bytes is about what windows take, beside the individuals.
func (w *windows) bytes() int { return w.sum(func(s *shard) int { return s.lists.Bytes() }) }

// pending is how many have something to come, or more.
func (r *Run) pending() int {
	if r.windows != nil {
		return r.Alive
	}
	return r.Queue.Len()
}

// nextInHeap takes the next event that is due by a time, and reports whether there is one.
func (r *Run) nextInHeap(until float64) (id uint32, at float64, ok bool) {
	w := r.windows
	for len(w.heap) > 0 && w.heap[0].At <= until {
		top := w.heap.Pop()
		due := r.dueOf(top.Id)
		if due != nil && *due == top.At {
			*due = math.Inf(1)
			return top.Id, top.At, true
		}
	}
	return 0, 0, false
}

// dueOf is where it is noted when a source or an individual is due; nil for a place that is free.
func (r *Run) dueOf(id uint32) *float64 {
	switch {
	case id < r.firstID:
		return &r.windows.arrive[id]
	case r.status(id).state == program.Nobody:
		return nil
	}
	return r.nextAt(id)
}

// tiedInHeap reports whether another event may be due at a time.
func (w *windows) tiedInHeap(at float64) bool { return len(w.heap) > 0 && w.heap[0].At == at }

// loadHeap puts all who are due in the present window near, to be carried out one event after the other.
func (w *windows) loadHeap(r *Run) {
	end := w.edges[w.now]
	w.until, w.heap = end, w.heap[:0]
	for _, s := range w.shards {
		s.lists.Take(w.now, func(ids []uint32) {
			for _, id := range ids {
				if at := *r.nextAt(id); at <= end && r.status(id).state != program.Nobody {
					w.heap.Push(store.Due{At: at, Id: id})
				}
			}
		})
	}
	for k, at := range w.arrive {
		if at <= end {
			w.heap.Push(store.Due{At: at, Id: uint32(k)})
		}
	}
}
