package sim

import (
	"fmt"
	"math"
	"sort"

	"github.com/almanac-sim/almanac/sim/trace"
)

// Store holds things that processes put in and take out: a buffer of parts, a mailbox, a pool of
// free cars.
//
// Things are taken out in the order in which they were put in. Requests are served by [Rank], and
// equal ranks first come, first served, both for getting and for putting. A request for a
// particular thing ([Store.GetWhere]) does not block those behind it, which may be satisfied by
// another.
//
// Putting, and getting the oldest, cost constant time. GetWhere looks at the things from the oldest
// on, and a thing that is put in is offered to the waiting getters in their order. Nothing is
// allocated once warm.
type Store[T any] struct {
	exchange
	capacity int
	compare  func(a, b T) int // nil if things are taken in the order in which they came
	items    fifo[T]
	spare    []*order[T]
}

// An order is what is requested of a store: one of the things, or room for one. No thing in the
// store satisfies a waiting getter, and while a putter waits the store is full.
type order[T any] struct {
	v     T
	where func(T) bool // which thing is wanted; any if nil
}

// Unlimited is the capacity of a store or a container that is never full.
const Unlimited = math.MaxInt

// NewStore returns an empty store with room for capacity things. With [Unlimited] it is never full.
// With 0 it is a rendezvous: nothing is ever in it, and a thing goes from the process that puts it
// to the one that gets it when both are there.
//
// Without a name its statistics are not in the [Report], and it can be collected as garbage. With
// one it stays as long as the simulation: what is made in large numbers, such as a mailbox for each
// customer, should have no name.
func NewStore[T any](s *Simulation, name string, capacity int, opts ...StatOption) *Store[T] {
	called := orElse(name, "a store")
	checkCapacity(called, capacity)
	st := &Store[T]{capacity: capacity}
	st.exchange.init(s, called, 0, st)
	st.waits.quantiles = newSketch(opts)
	register(s, name, st)
	return st
}

// NewSortedStore returns a store from which the smallest thing is taken first, and the oldest among
// equals; "oldest" means that in all its methods. Compare is negative if a comes before b. Put
// moves the things that come after the new one.
func NewSortedStore[T any](s *Simulation, name string, capacity int, compare func(a, b T) int,
	opts ...StatOption) *Store[T] {
	st := NewStore[T](s, name, capacity, opts...)
	st.compare = compare
	return st
}

// Put puts v into the store, and waits if the store is full. It returns an error as
// [Resource.Request] does, and then v is not in the store.
func (st *Store[T]) Put(p *Process, v T, opts ...RequestOption) error {
	_, err := st.request(p, &st.putters, "Put", order[T]{v: v}, opts)
	return err
}

// TryPut puts v into the store, or reports false if the store is full.
func (st *Store[T]) TryPut(v T) bool {
	st.s.countStep()
	return st.put(v, st.s.who())
}

// put is TryPut on behalf of a process or an event.
func (st *Store[T]) put(v T, who string) bool {
	var getter *request
	if st.full() {
		if st.capacity == 0 {
			getter = st.getterOf(v)
		}
		if getter == nil {
			return false
		}
	}
	if st.s.trace != nil {
		st.s.record(trace.Record{Kind: trace.Grant, Who: who, What: fmt.Sprintf("%s: put %v", st.name, v)})
	}
	if getter != nil {
		st.give(getter, v)
	} else {
		st.add(v)
	}
	return true
}

// Get takes the oldest thing out of the store, and waits if there is none. It returns an error as
// [Resource.Request] does.
func (st *Store[T]) Get(p *Process, opts ...RequestOption) (T, error) {
	return st.GetWhere(p, nil, opts...)
}

// GetWhere takes out the oldest thing for which wanted returns true, and waits until there is one.
// The function is called for the things in the store when the request is made, and then once for
// each thing that is put in; its result should depend on the thing alone.
func (st *Store[T]) GetWhere(p *Process, wanted func(T) bool, opts ...RequestOption) (T, error) {
	return st.request(p, &st.getters, "Get", order[T]{where: wanted}, opts)
}

// request blocks a process with its order, and returns the thing.
func (st *Store[T]) request(p *Process, l *queue, call string, what order[T], opts []RequestOption) (T, error) {
	st.s.checkTurn(p, call)
	st.s.countStep()
	if len(st.spare) == 0 {
		st.spare = append(st.spare, new(order[T]))
	}
	last := len(st.spare) - 1
	o := st.spare[last]
	st.spare = st.spare[:last]
	*o = what
	t := requestOptionsOf(l, opts)
	r := st.s.newRequest(&t, 1)
	r.order = o
	err := l.request(p, r, &t)
	v := o.v
	*o = order[T]{}
	st.spare = append(st.spare, o)
	return v, err
}

func (st *Store[T]) atOnce(l *queue, r *request, who string) (ok bool) {
	o := r.order.(*order[T])
	if l == &st.putters {
		return st.put(o.v, who)
	}
	o.v, ok = st.get(o.where, who)
	return ok
}

// serve does nothing: a request that leaves a queue makes no room, and the others want nothing that
// is there.
func (st *Store[T]) serve() {}

func (st *Store[T]) label(l *queue, _ float64) string {
	if l == &st.getters {
		return "a thing from " + st.name
	}
	return "room in " + st.name
}

// TryGet takes the oldest thing out of the store, or reports false if there is none.
func (st *Store[T]) TryGet() (T, bool) { return st.TryGetWhere(nil) }

// TryGetWhere takes out the oldest thing for which wanted returns true, or reports false if there
// is none.
func (st *Store[T]) TryGetWhere(wanted func(T) bool) (T, bool) {
	st.s.countStep()
	return st.get(wanted, st.s.who())
}

// get is TryGetWhere on behalf of a process or an event.
func (st *Store[T]) get(wanted func(T) bool, who string) (T, bool) {
	for i := range st.items.len() {
		if wanted == nil || wanted(st.items.at(i)) {
			v := st.items.remove(i)
			st.contents.Set(float64(st.items.len()))
			st.got(v, who)
			st.admit()
			return v, true
		}
	}
	if st.capacity == 0 { // a rendezvous: from a waiting putter
		for r := st.putters.first; r != nil; r = r.next {
			if v := r.order.(*order[T]).v; wanted == nil || wanted(v) {
				st.served(r, "put", v)
				st.got(v, who)
				return v, true
			}
		}
	}
	var none T
	return none, false
}

// got counts and traces a get that did not wait.
func (st *Store[T]) got(v T, who string) {
	st.waits.Add(0)
	if st.s.trace != nil {
		st.s.record(trace.Record{Kind: trace.Grant, Who: who, What: fmt.Sprintf("%s: get %v", st.name, v)})
	}
}

func (st *Store[T]) full() bool { return st.items.len() >= st.capacity }

// getterOf returns the first waiting request that v satisfies, or nil.
func (st *Store[T]) getterOf(v T) *request {
	for r := st.getters.first; r != nil; r = r.next {
		if o := r.order.(*order[T]); o.where == nil || o.where(v) {
			return r
		}
	}
	return nil
}

// give serves a waiting getter with v.
func (st *Store[T]) give(getter *request, v T) {
	getter.order.(*order[T]).v = v
	st.waits.Add(st.s.now - getter.since)
	st.served(getter, "get", v)
}

// add gives v to the first getter that it satisfies, or keeps it.
func (st *Store[T]) add(v T) {
	if getter := st.getterOf(v); getter != nil {
		st.give(getter, v)
		return
	}
	if st.compare != nil {
		st.items.insert(v, st.compare)
	} else {
		st.items.push(v)
	}
	st.contents.Set(float64(st.items.len()))
}

// admit serves the waiting putters while there is room.
func (st *Store[T]) admit() {
	for st.putters.first != nil && !st.full() {
		r := st.putters.first
		v := r.order.(*order[T]).v
		st.served(r, "put", v)
		st.add(v)
	}
}

func (st *Store[T]) served(r *request, what string, v T) {
	if st.s.trace != nil {
		st.s.record(trace.Record{Kind: trace.Grant, Who: r.who(), What: fmt.Sprintf("%s: %s %v", st.name, what, v)})
	}
	r.serve()
}

// Capacity is how many things the store has room for; [Unlimited] if there is no limit.
func (st *Store[T]) Capacity() int { return st.capacity }

// Len is the number of things in the store.
func (st *Store[T]) Len() int { return st.items.len() }

// Items lists the things in the store, the oldest first.
func (st *Store[T]) Items() []T {
	all := make([]T, st.items.len())
	for i := range all {
		all[i] = st.items.at(i)
	}
	return all
}

// Contents is the number of things in the store, over time.
func (st *Store[T]) Contents() *TimeWeighted { return &st.contents }

// Batch starts a process that takes n things at a time out of a store and puts them into another as
// one: parts on a pallet, passengers on a bus. It waits for n things, and then for room. When it is
// interrupted it ends, and what it has taken goes back, behind the things that are there and even
// if there is no room. It panics if n is below 1.
func Batch[T any](from *Store[T], n int, to *Store[[]T]) *Process {
	if n < 1 {
		panic(fmt.Sprintf("sim: Batch(%d) from %s: a batch has at least 1 thing", n, from.name))
	}
	return from.s.Go("batches of "+from.name, func(p *Process) {
		for {
			batch, err := from.getBatch(p, n)
			if err == nil {
				err = to.Put(p, batch)
			}
			if err != nil {
				for _, v := range batch {
					from.add(v)
				}
				return
			}
		}
	})
}

// getBatch takes n things, one after the other. With an error come those that were taken before it.
func (st *Store[T]) getBatch(p *Process, n int) ([]T, error) {
	batch := make([]T, 0, n)
	for len(batch) < n {
		v, err := st.Get(p)
		if err != nil {
			return batch, err
		}
		batch = append(batch, v)
	}
	return batch, nil
}

// Separate starts a process that takes batches out of a store, and puts their things into another
// one by one, in their order. When it is interrupted it ends, and what is left of a batch goes back
// as one.
func Separate[T any](from *Store[[]T], to *Store[T]) *Process {
	return from.s.Go("parts of "+from.name, func(p *Process) {
		for {
			batch, err := from.Get(p)
			if err != nil {
				return
			}
			for i, v := range batch {
				if to.Put(p, v) != nil {
					from.add(batch[i:])
					return
				}
			}
		}
	})
}

// An ItemRequest is a [Request] for a thing from a store.
type ItemRequest[T any] struct{ Request }

// NewGetRequest returns a request of process p for the oldest thing that can be waited for together
// with other things; see [Request].
func (st *Store[T]) NewGetRequest(p *Process, opts ...RankOption) *ItemRequest[T] {
	return st.NewGetWhereRequest(p, nil, opts...)
}

// NewGetWhereRequest is [Store.NewGetRequest] for the oldest thing for which wanted returns true;
// see [Store.GetWhere].
func (st *Store[T]) NewGetWhereRequest(p *Process, wanted func(T) bool, opts ...RankOption) *ItemRequest[T] {
	a := &ItemRequest[T]{Request{order: &order[T]{where: wanted}}}
	a.set(p, &st.getters, 1, "NewGetRequest", rankOptionsOf(&st.getters, opts))
	return a
}

// Item returns the thing that was taken out, and false if the request has not been granted.
func (a *ItemRequest[T]) Item() (T, bool) { return a.order.(*order[T]).v, a.Happened() }

// NewPutRequest returns a request of process p to put v into the store that can be waited for
// together with other things; see [Request]. When it has happened, v is in the store, or was given
// to a getter.
func (st *Store[T]) NewPutRequest(p *Process, v T, opts ...RankOption) *Request {
	a := &Request{order: &order[T]{v: v}}
	a.set(p, &st.putters, 1, "NewPutRequest", rankOptionsOf(&st.putters, opts))
	return a
}

// GetThen is [Store.Get] without a process: f is called as an event of its own with the thing, or
// with an error as Get returns it.
func (st *Store[T]) GetThen(f func(T, error), opts ...RequestOption) Ticket {
	return st.GetWhereThen(nil, f, opts...)
}

// GetWhereThen is [Store.GetThen] for the oldest thing for which wanted returns true; see
// [Store.GetWhere].
func (st *Store[T]) GetWhereThen(wanted func(T) bool, f func(T, error), opts ...RequestOption) Ticket {
	o := &order[T]{where: wanted}
	return st.then(&st.getters, o, func(err error) { f(o.v, err) }, opts)
}

// PutThen is [Store.Put] without a process: f is called as an event of its own, with nil when v was
// put in, and with an error as Put returns it when the request was given up.
func (st *Store[T]) PutThen(v T, f func(error), opts ...RequestOption) Ticket {
	return st.then(&st.putters, &order[T]{v: v}, f, opts)
}

func (st *Store[T]) then(l *queue, o *order[T], f func(error), opts []RequestOption) Ticket {
	t := requestOptionsOf(l, opts)
	r := st.s.newRequest(&t, 1)
	r.order = o
	return l.requestThen(r, &t, f)
}

// fifo is a growing ring buffer. It can also be kept sorted.
type fifo[T any] struct {
	ring []T // its length is 0 or a power of two
	head int
	n    int
}

func (q *fifo[T]) len() int { return q.n }

// at returns the i-th from the oldest.
func (q *fifo[T]) at(i int) T { return q.ring[(q.head+i)&(len(q.ring)-1)] }

func (q *fifo[T]) push(v T) {
	if q.n == len(q.ring) {
		bigger := make([]T, max(8, 2*q.n))
		for i := range q.n {
			bigger[i] = q.at(i)
		}
		q.ring, q.head = bigger, 0
	}
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = v
	q.n++
}

// insert puts v behind all that are not greater, in a sorted buffer.
func (q *fifo[T]) insert(v T, compare func(a, b T) int) {
	i := sort.Search(q.n, func(i int) bool { return compare(q.at(i), v) > 0 })
	q.push(v)
	mask := len(q.ring) - 1
	for j := q.n - 1; j > i; j-- {
		q.ring[(q.head+j)&mask] = q.ring[(q.head+j-1)&mask]
	}
	q.ring[(q.head+i)&mask] = v
}

// remove takes out the i-th from the oldest, and moves the older ones.
func (q *fifo[T]) remove(i int) T {
	mask := len(q.ring) - 1
	v := q.at(i)
	for ; i > 0; i-- {
		q.ring[(q.head+i)&mask] = q.ring[(q.head+i-1)&mask]
	}
	var none T
	q.ring[q.head] = none // so that nothing is kept alive
	q.head = (q.head + 1) & mask
	q.n--
	return v
}
