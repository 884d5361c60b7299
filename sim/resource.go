package sim

import (
	"fmt"

	"github.com/almanac-sim/almanac/sim/trace"
)

// Resource is a number of units that processes hold for a time: desks, machines, beds. A request
// for more units than are free waits in a queue.
//
// The queue is ordered by [Rank], and equal ranks are served first come, first served. A request is
// never overtaken by one behind it: while the first has to wait, all wait, even if there are enough
// units for them. A new request whose rank puts it at the head is granted at once if possible.
//
// A request that is granted at once costs constant time; one that waits, O(log n) for n different
// ranks in the queue. A preempting request looks at all grants, once for each that it takes.
// [Resource.Use] allocates nothing, [Resource.Request] a [Grant].
//
// Statistics are always kept: units in use and requests waiting over time, the waiting times of
// granted requests, and the utilization.
type Resource struct {
	facility
	capacity     int
	most         int // the largest capacity so far
	inUse        int
	busy         bool // taking units away, during which nothing is granted
	queue        queue
	first        *Grant // of those that have not been given back, in the order in which they were granted
	last         *Grant
	spare        *Grant         // for Use, by their next
	defaults     requestOptions // of requests that do not say otherwise
	usage        TimeWeighted
	total        TimeWeighted  // the capacity
	availability *availability // nil if it neither has a timetable nor breaks
	holdings     *holdingLog   // nil unless it was asked for
}

// A ResourceOption adjusts a new [Resource]: [Rank], [Preempting] and [QuantileSketch].
type ResourceOption interface{ applyTo(*Resource) }

// NewResource returns a resource with so many units. [Rank] and [Preempting] are defaults for its
// requests, and [QuantileSketch] is for its waits. It panics if the capacity is negative.
//
// Without a name its statistics are not in the [Report], and it can be collected as garbage. With
// one it stays as long as the simulation.
func NewResource(s *Simulation, name string, capacity int, opts ...ResourceOption) *Resource {
	called := orElse(name, "a resource")
	checkCapacity(called, capacity)
	r := &Resource{
		facility: facility{s: s, name: called}, capacity: capacity, most: capacity, defaults: defaultRequestOptions(),
		usage: s.timeWeighted(0),
	}
	for _, o := range opts {
		o.applyTo(r)
	}
	r.total = s.timeWeighted(float64(capacity))
	r.queue = newQueue(s, called, r)
	register(s, name, r)
	return r
}

// checkCapacity panics if the capacity of a resource or a store is negative.
func checkCapacity(name string, capacity int) {
	if capacity < 0 {
		panic(fmt.Sprintf("sim: %s needs a capacity of 0 or more, not %d", name, capacity))
	}
}

// A Grant is a number of units of a resource that a process or an event holds.
type Grant struct {
	r          *Resource
	prev, next *Grant
	p          *Process // the holder, or nil
	n          int
	rank       int
	granted    moment
	held       bool
	suspended  bool  // it is among those that are to go on when there are units again
	lost       *loss // how it was taken away, if it was
	job        *job  // the work that is done with it, or was
}

// A loss is how units were taken away, and the interrupt that the process gets for it.
type loss struct {
	Preempted
	notice *Interrupted
}

// Use waits for n units, calls f, and gives the units back however f ends: by returning, by a
// panic, or because the simulation is closed.
//
// If the request fails, f is not called, and Use returns the error of the request; see
// [Resource.Request]. Otherwise it returns the error of f, so that an interrupt of a wait in f is
// not lost:
//
//	err := desk.Use(p, 1, func() error { return p.Wait(5) })
//
// If f returns nil although the units were taken away meanwhile, Use returns the *[Preempted].
//
// A wait in f does not stop when a shift ends or a unit breaks; [Resource.Work] does.
func (r *Resource) Use(p *Process, n int, f func() error, opts ...RequestOption) error {
	g := r.spareGrant()
	if err := r.request(p, n, g, opts); err != nil {
		r.keep(g)
		return err
	}
	defer r.giveBack(g)
	if err := f(); err != nil || g.lost == nil {
		return err
	}
	return &g.lost.Preempted
}

// spareGrant returns a grant for Use, from the free list.
func (r *Resource) spareGrant() *Grant {
	g := r.spare
	if g == nil {
		return new(Grant)
	}
	r.spare = g.next
	g.next = nil
	return g
}

// giveBack releases a grant of Use and puts it on the free list. After Close nothing is released,
// and the grant must stay in the list of those held, since deferred calls may still make requests.
func (r *Resource) giveBack(g *Grant) {
	if g.Release(); !r.s.closed {
		r.keep(g)
	}
}

func (r *Resource) keep(g *Grant) {
	*g = Grant{next: r.spare, job: g.job}
	r.spare = g
}

// Request waits for n units. The process holds them until the grant is released.
//
// The error is an *[Interrupted] if the process was interrupted while it waited, [ErrReneged] if
// its [Patience] ran out, [ErrWithdrawn] if something else happened first ([Until]), and
// [ErrBalked] if the queue was too long ([AtMost]). In all these cases the request has left the
// queue.
//
// A [Preempting] request at the head of the queue does not wait if the units that it lacks can be
// taken from processes with a larger [Rank]. Of those, the ones with the largest rank lose all the
// units of their grant, the latest first, until there are enough. Nothing is taken if it would not
// be enough. Units that no process holds, and those of the requesting process itself, are never
// taken. A request that waits takes them as soon as it can, such as when work begins.
//
// It panics if n is below 1 or above the largest capacity that the resource has had, since the
// request would wait forever.
func (r *Resource) Request(p *Process, n int, opts ...RequestOption) (*Grant, error) {
	g := new(Grant)
	if err := r.request(p, n, g, opts); err != nil {
		return nil, err
	}
	return g, nil
}

func (r *Resource) request(p *Process, n int, g *Grant, opts []RequestOption) error {
	s := r.s
	s.checkTurn(p, "Request")
	r.checkUnits(n)
	s.countStep()
	t := r.defaults
	t.apply(opts)
	g.r, g.p, g.n, g.rank = r, p, n, t.rank
	q := s.newRequest(&t, float64(n))
	q.grant = g
	return r.queue.request(p, q, &t)
}

func (r *Resource) checkUnits(n int) {
	if n < 1 || (n > r.most && r.most > 0) {
		panic(fmt.Sprintf("sim: a request for %d units of %s can never be granted: its capacity is %d", n, r.name, r.most))
	}
}

// TryRequest takes n units if they are free and no request is waiting, and reports false otherwise.
// Called by a process, it grants the units to that process, with rank 0.
func (r *Resource) TryRequest(n int) (*Grant, bool) {
	r.checkUnits(n)
	r.s.countStep()
	if r.queue.first != nil || n > r.free() || r.availability != nil && r.availability.suspended != nil {
		return nil, false
	}
	g := &Grant{r: r, p: r.s.current, n: n}
	r.hold(g)
	r.waits.Add(0)
	return g, true
}

// free is the number of units that are not held. It is negative while more are held than there are.
func (r *Resource) free() int { return r.capacity - r.inUse }

func (r *Resource) atOnce(l *queue, q *request, _ string) bool {
	switch g := q.grant; {
	case !l.ahead(q.rank):
		return false
	case r.availability != nil && r.availability.blocks(g.rank):
		return false
	case g.n <= r.free():
		r.hold(g)
	case r.preempt(q):
		r.hold(g)
		r.serve() // those may have lost more than was needed
	default:
		return false
	}
	r.waits.Add(0)
	return true
}

// hold counts the units of a grant as used.
func (r *Resource) hold(g *Grant) {
	s := r.s
	g.granted, g.held = s.happening(), true
	g.prev, g.next = r.last, nil
	if r.last != nil {
		r.last.next = g
	} else {
		r.first = g
	}
	r.last = g
	r.inUse += g.n
	r.usage.set(float64(r.inUse), r.s.now)
	if r.availability != nil {
		r.availability.countUse(r)
	}
	if s.trace != nil {
		s.record(trace.Record{Kind: trace.Grant, Who: g.who(), What: g.what()})
	}
}

// drop counts the units of a grant as free again.
func (r *Resource) drop(g *Grant) {
	if g.prev != nil {
		g.prev.next = g.next
	} else {
		r.first = g.next
	}
	if g.next != nil {
		g.next.prev = g.prev
	} else {
		r.last = g.prev
	}
	g.prev, g.next, g.held = nil, nil, false
	if r.holdings != nil {
		r.holdings.add(g)
	}
	r.inUse -= g.n
	r.usage.set(float64(r.inUse), r.s.now)
	if r.availability != nil {
		r.availability.countUse(r)
	}
}

// serve grants requests from the head of the queue as long as possible. Suspended work goes first
// among equal ranks.
func (r *Resource) serve() {
	s := r.s
	for !r.busy {
		q := r.queue.first
		if u := r.availability; u != nil && u.suspended != nil && (q == nil || u.blocks(q.rank)) {
			if u.suspended.n > r.free() {
				return
			}
			r.resumeWork(u.suspended)
			continue
		}
		if q == nil {
			return
		}
		if q.grant.n > r.free() {
			if !r.preempt(q) {
				return
			}
			if r.queue.first != q {
				continue // while others lost their units, it was interrupted itself
			}
		}
		r.hold(q.grant)
		r.waits.Add(s.now - q.since)
		q.serve()
	}
}

// Release gives the units back, and grants waiting requests. It does nothing if the units were
// taken away before, and panics if they were released before.
func (g *Grant) Release() {
	r := g.r
	if g.lost != nil && g.p != nil {
		g.p.dropInterrupt(g.lost.notice)
	}
	if r.s.closed || g.lost != nil {
		return
	}
	if !g.held {
		panic("sim: units of " + r.name + " released twice")
	}
	if g.suspended {
		r.removeSuspended(g)
		g.held = false
		g.wait()
	} else {
		r.drop(g)
	}
	if r.s.trace != nil {
		r.s.record(trace.Record{Kind: trace.Release, Who: g.who(), What: g.what()})
	}
	if r.queue.first != nil || r.availability != nil {
		r.serve()
	}
}

// giveBack is Release for units that the process has not seen yet. It reports true.
func (g *Grant) giveBack() bool {
	r := g.r
	if g.held {
		r.drop(g)
		r.s.departed(&r.queue)
		if r.s.trace != nil {
			r.s.record(trace.Record{Kind: trace.Release, Who: g.who(), What: g.what()})
		}
	}
	return true
}

// Units is the number of units.
func (g *Grant) Units() int { return g.n }

// Since is the time at which they were granted.
func (g *Grant) Since() float64 { return g.granted.time }

// Held reports whether the units are still held: neither released nor taken away.
func (g *Grant) Held() bool { return g.held }

// what and who describe a grant in a trace.
func (g *Grant) what() string {
	r := g.r
	return fmt.Sprintf("%s: %d, in use %d of %d", r.name, g.n, r.inUse, r.capacity)
}

func (g *Grant) who() string {
	if g.p == nil {
		return ""
	}
	return g.p.traced()
}

// holder is the name of the process that holds the units, empty if none does.
func (g *Grant) holder() string {
	if g.p == nil {
		return ""
	}
	return g.p.name
}

func (r *Resource) label(_ *queue, units float64) string {
	return fmt.Sprintf("%d of %s", int(units), r.name)
}

// ShortestQueue returns the resource with the fewest requests waiting; among equals the one with
// the most free units, and then the first given. It panics if none is given.
//
//	err := sim.ShortestQueue(left, right).Work(p, 1, service())
func ShortestQueue(resources ...*Resource) *Resource {
	if len(resources) == 0 {
		panic("sim: ShortestQueue needs at least one resource")
	}
	best := resources[0]
	for _, r := range resources[1:] {
		if r.Waiting() < best.Waiting() || r.Waiting() == best.Waiting() && r.free() > best.free() {
			best = r
		}
	}
	return best
}

// Capacity is the number of units.
func (r *Resource) Capacity() int { return r.capacity }

// InUse is the number of units that are held.
func (r *Resource) InUse() int { return r.inUse }

// Waiting is the number of requests in the queue.
func (r *Resource) Waiting() int { return r.queue.length }

// Usage is the number of units in use, over time.
func (r *Resource) Usage() *TimeWeighted { return &r.usage }

// Utilization is the share of the units that were in use since the start, or since the statistics
// were reset: unit-times used over unit-times available. It can be above 1 if the capacity was
// reduced while units were in use. It is NaN if there were no units.
func (r *Resource) Utilization() float64 { return r.usage.Mean() / r.total.Mean() }

// Queue is the number of waiting requests, over time.
func (r *Resource) Queue() *TimeWeighted { return &r.queue.lengths }

// Preempted counts the grants that lost their units.
func (r *Resource) Preempted() int { return r.refused.preempted }

// NewRequest returns a request of process p for n units that can be waited for together with other
// things; see [Request]. The process holds the units until the grant is released. It panics as
// [Resource.Request] does.
func (r *Resource) NewRequest(p *Process, n int, opts ...RankOption) *Request {
	r.checkUnits(n)
	a := &Request{of: r}
	t := r.defaults
	t.applyRank(opts)
	a.set(p, &r.queue, float64(n), "NewRequest", t)
	return a
}

// Grant returns the units of a request to a resource, or nil if the request has not been granted.
func (a *Request) Grant() *Grant {
	if !a.Happened() {
		return nil
	}
	return a.grant
}

// RequestThen requests n units from an event, without a process. When they are granted, f is called
// with them, as an event of its own. If the request is given up instead, f is called with a nil
// grant and the reason: [ErrReneged], [ErrBalked] or [ErrWithdrawn]. If it is canceled, f is never
// called.
func (r *Resource) RequestThen(n int, f func(*Grant, error), opts ...RequestOption) Ticket {
	r.checkUnits(n)
	t := r.defaults
	t.apply(opts)
	g := &Grant{r: r, n: n, rank: t.rank}
	q := r.s.newRequest(&t, float64(n))
	q.grant = g
	return r.queue.requestThen(q, &t, func(err error) {
		if err != nil {
			g = nil
		}
		f(g, err)
	})
}

// SetCapacity changes the number of units. If more are in use, they stay in use until they are
// released. A request for more than there are waits until there are more again. With a timetable,
// the change holds until the next change of the timetable. Broken units are subtracted.
func (r *Resource) SetCapacity(n int) {
	checkCapacity(r.name, n)
	if r.availability != nil {
		r.availability.base = n
		r.adapt(Finish, "")
		return
	}
	r.capacity, r.most = n, max(n, r.most)
	r.total.Set(float64(n))
	r.serve()
}
