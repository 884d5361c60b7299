package sim

import (
	"fmt"

	"github.com/almanac-sim/almanac/sim/trace"
)

// Resource is a number of units that processes hold for a time: desks, machines, beds. Who asks for more than are free waits in a
// line.
//
// The line is served by [Rank], and among equals first come, first served. Nobody is overtaken by a request that stands
// behind: as long as the first in line has to wait, all others wait, even if there are enough units for them. A newcomer
// whose rank puts it at the head is served at once if it can be.
//
// A request that is granted at once costs constant time; one that waits, the logarithm of the number of different ranks in
// the line. One that takes units away looks at all grants, once for each that it takes. [Resource.Use] allocates nothing,
// [Resource.Request] a [Grant].
//
// Statistics are always kept: the units in use, the requests waiting over time, how long granted requests waited, and the utilisation.
type Resource struct {
	facility
	capacity     int
	most         int // the largest capacity so far
	inUse        int
	busy         bool // taking units away, during which nobody is served
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

// NewResource makes a resource with so many units. The options, [Rank] and [Preempting], hold for all requests that do not say
// otherwise. It panics if the capacity is negative, or if there are other options.
//
// Without a name its statistics are not in the [Report], and it goes when nobody holds it. With one it stays as long as the
// simulation: what is made in numbers and dropped again should have none.
func NewResource(s *Simulation, name string, capacity int, opts ...ResourceOption) *Resource {
	if capacity < 0 {
		panic(fmt.Sprintf("sim: resource %s needs a capacity that is not negative, not %d", name, capacity))
	}
	called := orElse(name, "a resource")
	r := &Resource{
		facility: facility{s: s, name: called}, capacity: capacity, most: capacity, defaults: defaultRequestOptions(), usage: s.timeWeighted(0),
	}
	for _, o := range opts {
		o.applyTo(r)
	}
	r.total = s.timeWeighted(float64(capacity))
	r.queue = newQueue(s, called, r)
	register(s, name, r)
	return r
}

// A Grant is a number of units of a resource that somebody holds.
type Grant struct {
	r          *Resource
	prev, next *Grant
	p          *Process // who holds it, or nil
	n          int
	rank       int
	since      float64
	held       bool
	stopped    bool  // it is among those that are to go on when there are units again
	lost       *loss // how it was taken away, if it was
	job        *job  // the work that is done with it, or was
}

// A loss is how units were taken away, and what the process was told of it.
type loss struct {
	Preempted
	notice *Interrupted
}

// Use waits for n units, calls f, and gives the units back however f ends: by returning, by a panic, or because the
// simulation is closed.
//
// If the request fails, f is not called, and Use returns the error of the request; see [Resource.Request]. Otherwise it
// returns the error of f, so that an interrupt of a wait in f is not lost:
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

// spareGrant is one for Use.
func (r *Resource) spareGrant() *Grant {
	g := r.spare
	if g == nil {
		return new(Grant)
	}
	r.spare = g.next
	g.next = nil
	return g
}

// giveBack releases a grant of Use, and keeps it for another use. When the simulation is closed nothing is released, and the grant
// must stay among those that are held, since deferred calls may still ask for some.
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
// The error is an *[Interrupted] if the process was interrupted while it waited, [ErrReneged] if its [Patience] ran out,
// [ErrWithdrawn] if something else happened before ([Until]), and [ErrBalked] if it did not want to wait behind so many ([AtMost]).
// In all cases it has left the line.
//
// A [Preempting] request that is at the head of the line does not wait if what it lacks can be taken from processes that were
// granted units on a larger [Rank]: of them, those with the largest rank lose all that they were granted, the latest first,
// until there is enough. They are interrupted with a [Preempted] as the cause. Nobody loses anything if it would not be
// enough. Units that no process holds, and those of the requesting process itself, are not taken away.
//
// It panics if n is below 1 or above the largest capacity that the resource has had, since the request would wait forever.
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

// TryRequest takes n units if they are free and nobody waits for them, and reports false otherwise. If it is called by a
// process, that holds them, with rank 0.
func (r *Resource) TryRequest(n int) (*Grant, bool) {
	r.checkUnits(n)
	r.s.countStep()
	if r.queue.first != nil || n > r.free() || r.availability != nil && r.availability.stopped != nil {
		return nil, false
	}
	g := &Grant{r: r, p: r.s.current, n: n}
	r.hold(g)
	r.waits.Add(0)
	return g, true
}

// free is how many units nobody holds. It is negative while fewer are left than are held.
func (r *Resource) free() int { return r.capacity - r.inUse }

func (r *Resource) atOnce(l *queue, q *request, _ string) bool {
	switch g := q.grant; {
	case !l.ahead(q.rank):
		return false
	case r.availability != nil && r.availability.stops(g.rank):
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
	g.since, g.held = s.now, true
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
		r.holdings.note(g)
	}
	r.inUse -= g.n
	r.usage.set(float64(r.inUse), r.s.now)
	if r.availability != nil {
		r.availability.countUse(r)
	}
}

// serve grants requests from the head of the line, as long as that is possible. Work that was stopped goes on first, among equals.
func (r *Resource) serve() {
	s := r.s
	for !r.busy {
		q := r.queue.first
		if u := r.availability; u != nil && u.stopped != nil && (q == nil || u.stops(q.rank)) {
			if u.stopped.n > r.free() {
				return
			}
			r.resumeWork(u.stopped)
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

// Release gives the units back, and grants what can be granted now. It does nothing if they were taken away before, and panics if
// they were released before.
func (g *Grant) Release() {
	r := g.r
	if g.lost != nil && g.p != nil {
		g.p.forget(g.lost.notice)
	}
	if r.s.closed || g.lost != nil {
		return
	}
	if !g.held {
		panic("sim: units of " + r.name + " released twice")
	}
	if g.stopped {
		r.unstop(g)
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

// giveBack is Release for units that who was granted them does not know of. It reports true.
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

// Units is how many were granted.
func (g *Grant) Units() int { return g.n }

// Since is when they were granted.
func (g *Grant) Since() float64 { return g.since }

// Held tells whether the units are still held: neither released nor taken away.
func (g *Grant) Held() bool { return g.held }

// what and who are for a trace.
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

// ShortestQueue returns the resource with the fewest requests waiting; among equals the one with the most free units, and then the first
// given. It panics if none is given.
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

// Capacity is how many units there are.
func (r *Resource) Capacity() int { return r.capacity }

// InUse is how many units are held.
func (r *Resource) InUse() int { return r.inUse }

// Waiting is how many requests are in line.
func (r *Resource) Waiting() int { return r.queue.length }

// Usage is how many units are in use, over time.
func (r *Resource) Usage() *TimeWeighted { return &r.usage }

// Utilization is the share of the units that were in use, from the start, or since the statistics were reset, to now: unit-times
// used over unit-times there were. It can be above 1 if the capacity was reduced while units were in use, and is NaN if
// there were none.
func (r *Resource) Utilization() float64 { return r.usage.Mean() / r.total.Mean() }

// Queue is how many requests wait, over time.
func (r *Resource) Queue() *TimeWeighted { return &r.queue.lengths }

// Preempted is how many grants were taken away.
func (r *Resource) Preempted() int { return r.refused.preempted }

// A GrantRequest is a [Request] for units of a resource.
type GrantRequest struct{ Request }

// NewRequest is a request of process p for n units that can be waited for together with other things; see [Request]. The process holds
// the units until the grant is released. It panics as [Resource.Request] does.
func (r *Resource) NewRequest(p *Process, n int, opts ...RankOption) *GrantRequest {
	r.checkUnits(n)
	a := &GrantRequest{Request{of: r}}
	t := r.defaults
	t.applyRank(opts)
	a.set(p, &r.queue, float64(n), "NewRequest", t)
	return a
}

// Grant is what the process holds, or nil as long as it was not granted.
func (a *GrantRequest) Grant() *Grant {
	if !a.Happened() {
		return nil
	}
	return a.grant
}

// RequestThen requests n units from an event, without a process. When they are granted, f is called with them, as an event of
// its own. If the request is given up instead, f is called with a nil grant and the reason: [ErrReneged], [ErrBalked] or
// [ErrWithdrawn]. If it is canceled, f is never called.
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

// SetCapacity changes how many units there are. If more are in use than that, they stay so until they are released. A request
// in line for more than that waits until there are more again. If the resource has a timetable, it holds until that has a change,
// and if some units are broken, there are so many less.
func (r *Resource) SetCapacity(n int) {
	if n < 0 {
		panic(fmt.Sprintf("sim: resource %s needs a capacity that is not negative, not %d", r.name, n))
	}
	if r.availability != nil {
		r.availability.base = n
		r.adapt(Finish, "")
		return
	}
	r.capacity, r.most = n, max(n, r.most)
	r.total.Set(float64(n))
	r.serve()
}
