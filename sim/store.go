package sim

import "fmt"

// Store is a place for things that processes put in and take out: a buffer of parts, a mailbox, a pool of free cars.
//
// Things are taken out in the order in which they were put in. Those who want one are served by [Rank], and among equals
// first come, first served; so are those who wait for room. Who waits for a particular thing ([Store.GetWhere]) does not hold
// up those behind, who may be content with another.
//
// Putting and taking the oldest cost constant time; a search looks at the things from the oldest on, and a thing that is put in
// is offered to those who wait in their order. Nothing is allocated once warm.
type Store[T any] struct {
	s        *Simulation
	name     string
	capacity int              // 0 if there is no limit
	compare  func(a, b T) int // nil if things are taken in the order in which they came
	items    fifo[T]
	getters  line
	putters  line
	spare    []*order[T]
	contents Level
	waits    Tally
	refused  counters
}

// An order is what somebody waits for at a store: one of the things, or room for one. A waiting getter wants none of the
// things in the store, and while somebody waits for room there is none.
type order[T any] struct {
	v     T
	where func(T) bool // which thing is wanted; any if nil
}

// NewStore makes an empty store for so many things, or any number if the capacity is 0.
//
// Without a name its statistics are not in the [Report], and it goes when nobody holds it. With one it stays as long as the
// simulation: what is made in numbers and dropped again, such as a mailbox for each customer, should have none.
func NewStore[T any](s *Simulation, name string, capacity int) *Store[T] {
	if capacity < 0 {
		panic(fmt.Sprintf("sim: store %s needs a capacity that is not negative, not %d", name, capacity))
	}
	called := orElse(name, "a store")
	st := &Store[T]{s: s, name: called, capacity: capacity, contents: s.level(0)}
	st.getters = line{s: s, name: called, queue: s.level(0), refused: &st.refused, left: func() {}} // the others wanted nothing that is there
	st.putters = line{s: s, name: called, queue: s.level(0), refused: &st.refused, left: func() {}} // there is still no room
	register(s, name, st)
	return st
}

// NewSortedStore makes a store from which the smallest thing is taken first, and the oldest among equals: "oldest" means that
// everywhere. Compare is negative if a comes before b. Putting something in moves those that come after it.
func NewSortedStore[T any](s *Simulation, name string, capacity int, compare func(a, b T) int) *Store[T] {
	st := NewStore[T](s, name, capacity)
	st.compare = compare
	return st
}

// Put puts v into the store, and waits if there is no room. It returns an error as [Resource.Request] does, and then v is not
// in the store.
func (st *Store[T]) Put(p *Process, v T, opts ...RequestOption) error {
	st.s.checkTurn(p, "Put")
	t := termsOf(opts)
	if err := st.putters.overtaken(&t, p.name); err != nil {
		return err
	}
	if st.TryPut(v) {
		t.unneeded()
		return nil
	}
	o := st.newOrder()
	o.v = v
	err := st.wait(p, &st.putters, t, o)
	st.free(o)
	return err
}

// TryPut puts v into the store, or reports false if there is no room.
func (st *Store[T]) TryPut(v T) bool {
	st.s.step()
	return st.put(v, st.s.who())
}

// put is TryPut for somebody by name.
func (st *Store[T]) put(v T, who string) bool {
	if st.full() {
		return false
	}
	if st.s.trace != nil {
		st.s.record(Record{Kind: TraceGrant, Who: who, What: fmt.Sprintf("%s: put %v", st.name, v)})
	}
	st.add(v)
	return true
}

// Get takes the oldest thing out of the store, and waits if there is none. It returns an error as [Resource.Request] does.
func (st *Store[T]) Get(p *Process, opts ...RequestOption) (T, error) {
	return st.GetWhere(p, nil, opts...)
}

// GetWhere takes out the oldest thing of those that are wanted, and waits until there is one. The function is asked when the
// request is made, about the things that are there, and then once about each that is put in; its answer should depend on the
// thing alone.
func (st *Store[T]) GetWhere(p *Process, wanted func(T) bool, opts ...RequestOption) (T, error) {
	st.s.checkTurn(p, "Get")
	var none T
	t := termsOf(opts)
	if err := st.getters.overtaken(&t, p.name); err != nil {
		return none, err
	}
	if v, ok := st.TryGetWhere(wanted); ok {
		t.unneeded()
		return v, nil
	}
	o := st.newOrder()
	o.where = wanted
	err := st.wait(p, &st.getters, t, o)
	v := o.v
	st.free(o)
	if err != nil {
		return none, err
	}
	return v, nil
}

// TryGet takes the oldest thing out of the store, or reports false if there is none.
func (st *Store[T]) TryGet() (T, bool) { return st.TryGetWhere(nil) }

// TryGetWhere takes out the oldest thing of those that are wanted, or reports false if there is none.
func (st *Store[T]) TryGetWhere(wanted func(T) bool) (T, bool) {
	st.s.step()
	return st.get(wanted, st.s.who())
}

// get is TryGetWhere for somebody by name.
func (st *Store[T]) get(wanted func(T) bool, who string) (T, bool) {
	for i := range st.items.len() {
		if wanted == nil || wanted(st.items.at(i)) {
			v := st.items.remove(i)
			st.contents.Set(float64(st.items.len()))
			st.waits.Add(0)
			if st.s.trace != nil {
				st.s.record(Record{Kind: TraceGrant, Who: who, What: fmt.Sprintf("%s: get %v", st.name, v)})
			}
			st.admit()
			return v, true
		}
	}
	var none T
	return none, false
}

func (st *Store[T]) full() bool { return st.capacity > 0 && st.items.len() >= st.capacity }

// add gives v to the first of those who wait for such a thing, or keeps it.
func (st *Store[T]) add(v T) {
	for r := st.getters.first; r != nil; r = r.next {
		if o := r.order.(*order[T]); o.where == nil || o.where(v) {
			o.v = v
			st.waits.Add(st.s.now - r.since)
			st.served(r, "get", v)
			return
		}
	}
	if st.compare != nil {
		st.items.insert(v, st.compare)
	} else {
		st.items.push(v)
	}
	st.contents.Set(float64(st.items.len()))
}

// admit lets those put in their things who wait for room, as long as there is some.
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
		st.s.record(Record{Kind: TraceGrant, Who: r.who(), What: fmt.Sprintf("%s: %s %v", st.name, what, v)})
	}
	r.serve()
}

// wait makes a process wait with its order.
func (st *Store[T]) wait(p *Process, l *line, t terms, o *order[T]) error {
	if err := l.balks(&t, p.name); err != nil {
		return err
	}
	r := st.s.newRequest(&t, 1)
	r.order = o
	err := l.wait(p, r, &t)
	st.s.free(r)
	return err
}

func (st *Store[T]) newOrder() *order[T] {
	if last := len(st.spare) - 1; last >= 0 {
		o := st.spare[last]
		st.spare = st.spare[:last]
		return o
	}
	return new(order[T])
}

func (st *Store[T]) free(o *order[T]) {
	*o = order[T]{}
	st.spare = append(st.spare, o)
}

// Name is what the store was called when it was made, or "a store".
func (st *Store[T]) Name() string { return st.name }

// Capacity is how many things the store has room for, or 0 if there is no limit.
func (st *Store[T]) Capacity() int { return st.capacity }

// Len is how many things are in the store.
func (st *Store[T]) Len() int { return st.items.len() }

// Items lists the things in the store, the oldest first.
func (st *Store[T]) Items() []T {
	all := make([]T, st.items.len())
	for i := range all {
		all[i] = st.items.at(i)
	}
	return all
}

// Getting is how many wait for a thing.
func (st *Store[T]) Getting() int { return st.getters.length }

// Putting is how many wait for room.
func (st *Store[T]) Putting() int { return st.putters.length }

// Getters is how many wait for a thing, over time.
func (st *Store[T]) Getters() *Level { return &st.getters.queue }

// Putters is how many wait for room, over time.
func (st *Store[T]) Putters() *Level { return &st.putters.queue }

// Contents is how many things are in the store, over time.
func (st *Store[T]) Contents() *Level { return &st.contents }

// Waits is how long those waited who got a thing, those who did not have to among them.
func (st *Store[T]) Waits() *Tally { return &st.waits }

// Balked is how many requests were given up because the line was too long.
func (st *Store[T]) Balked() int { return st.refused.balked }

// Reneged is how many requests were given up because their patience ran out.
func (st *Store[T]) Reneged() int { return st.refused.reneged }

// Withdrawn is how many requests were given up because something else happened first; see [Resource.Withdrawn].
func (st *Store[T]) Withdrawn() int { return st.refused.withdrawn }
