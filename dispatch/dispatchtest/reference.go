package dispatchtest

import (
	"fmt"
	"slices"
)

// A Reference does what a dispatch.Dispatcher should do: items and workers are in slices that are
// searched from one end to the other, and rules are applied one at a time until none applies. Every
// operation takes time in proportion to all items. A worker finishes when [Reference.Finish] is
// called.
//
// With OnlyPull it is the dispatcher that one might write first: an arriving item asks one worker
// at random, and waits in the pool if that has no slot; a worker that finishes pulls the oldest
// item. [Reference.Check] shows what is wrong with it.
//
// Set Capacity, PoolLimit and Choose before use. A Reference must not be used from several
// goroutines at once.
type Reference struct {
	Capacity  int // c
	PoolLimit int
	MaxWait   int64 // 0 means no limit
	OnlyPull  bool
	// Choose picks one of some workers for an item, all by ID.
	Choose func(item int, workers []int) int

	Blocked []Item // by age, like the pool
	Pool    []Item
	Workers []*Worker // by ID
	Closed  bool

	Submitted, Served, TooOld, Canceled, Returned, Moved, Attempts, Refusals int
}

// An Item is numbered in the order of arrival.
type Item struct {
	ID      int
	Arrival int64
}

// A Worker has an item in service, if it is busy, and a queue of accepted items in the order of
// acceptance.
type Worker struct {
	ID      int
	Busy    bool
	Serving Item
	Queue   []Item
	Removed bool // ends when it is not busy
}

// Load returns the number of its items, including the one in service.
func (w *Worker) Load() int {
	if w.Busy {
		return len(w.Queue) + 1
	}
	return len(w.Queue)
}

// Full reports whether the next arrival would be blocked.
func (r *Reference) Full() bool {
	return len(r.Blocked) > 0 || len(r.Pool) >= r.PoolLimit && len(r.withSlot(r.Capacity)) == 0
}

// Arrive adds an item.
func (r *Reference) Arrive(id int, now int64) {
	item := Item{id, now}
	attempts := r.Attempts
	if r.OnlyPull {
		r.Submitted++
		r.Pool = append(r.Pool, item)
		if w := r.worker(r.Choose(id, r.all())); w.Load() < r.Capacity {
			r.give(w)
		}
	} else {
		r.Blocked = append(r.Blocked, item)
	}
	r.settle()
	if r.Attempts == attempts { // no slot was assigned
		r.Attempts++
		r.Refusals++
	}
}

// Expire drops all items that have waited for MaxWait without beginning. Call it at every
// [Reference.Deadline] that passes.
func (r *Reference) Expire(now int64) {
	lists := []*[]Item{&r.Blocked, &r.Pool}
	for _, w := range r.Workers {
		lists = append(lists, &w.Queue)
	}
	for _, list := range lists {
		*list = slices.DeleteFunc(*list, func(i Item) bool {
			late := r.MaxWait > 0 && now-i.Arrival >= r.MaxWait
			if late {
				r.TooOld++
			}
			if late && list == &r.Blocked {
				r.Submitted++
			}
			return late
		})
	}
	r.settle()
}

// Deadline returns when the next item will have waited for MaxWait, and false if there is none.
func (r *Reference) Deadline() (at int64, ok bool) {
	lists := [][]Item{r.Blocked, r.Pool}
	for _, w := range r.Workers {
		lists = append(lists, w.Queue)
	}
	for _, i := range slices.Concat(lists...) {
		if r.MaxWait > 0 && (!ok || i.Arrival+r.MaxWait < at) {
			at, ok = i.Arrival+r.MaxWait, true
		}
	}
	return at, ok
}

// Finish ends the item in service of a worker.
func (r *Reference) Finish(worker int) {
	w := r.worker(worker)
	w.Busy = false
	r.Served++
	if w.Removed {
		r.Workers = slices.DeleteFunc(r.Workers, func(other *Worker) bool { return other == w })
	} else if len(r.Pool) > 0 {
		r.give(w)
	}
	r.settle()
}

// Add adds a worker.
func (r *Reference) Add(worker int) {
	r.Workers = append(r.Workers, &Worker{ID: worker})
	r.settle()
}

// Remove removes a worker, and returns its queue to the pool.
func (r *Reference) Remove(worker int) {
	w := r.worker(worker)
	w.Removed = true
	r.Returned += len(w.Queue)
	r.Pool = append(r.Pool, w.Queue...)
	w.Queue = nil
	slices.SortFunc(r.Pool, byAge)
	if !w.Busy {
		r.Workers = slices.DeleteFunc(r.Workers, func(other *Worker) bool { return other == w })
	}
	r.settle()
}

// Cancel withdraws an item that has not begun, and reports whether there was one.
func (r *Reference) Cancel(id int) bool {
	is := func(i Item) bool { return i.ID == id }
	lists := []*[]Item{&r.Blocked, &r.Pool}
	for _, w := range r.Workers {
		lists = append(lists, &w.Queue)
	}
	for n, list := range lists {
		if slices.ContainsFunc(*list, is) {
			*list = slices.DeleteFunc(*list, is)
			if n > 0 {
				r.Canceled++
			}
			r.settle()
			return true
		}
	}
	return false
}

// Abort closes the reference and returns all items that have not begun, by age.
func (r *Reference) Abort() []Item {
	r.Close()
	items := r.Pool
	for _, w := range r.Workers {
		items = append(items, w.Queue...)
		w.Queue = nil
	}
	r.Pool = nil
	slices.SortFunc(items, byAge)
	r.end()
	return items
}

// Close refuses blocked items. Workers end when no item is left.
func (r *Reference) Close() {
	r.Closed = true
	r.Blocked = nil
	r.end()
}

func (r *Reference) end() {
	if r.Closed && len(r.Pool) == 0 && !slices.ContainsFunc(r.Workers, func(w *Worker) bool { return w.Load() > 0 }) {
		r.Workers = nil
	}
}

// settle applies the first rule that applies, until none does.
func (r *Reference) settle() {
	defer r.end()
	for {
		slots := r.withSlot(r.Capacity)
		idle := r.withSlot(1)
		switch {
		// A blocked item is admitted if the pool has room, or is empty while a slot is free.
		case len(r.Blocked) > 0 && (len(r.Pool) < r.PoolLimit || len(r.Pool) == 0 && len(slots) > 0):
			r.Submitted++
			r.Pool = append(r.Pool, r.Blocked[0])
			r.Blocked = r.Blocked[1:]

		// A slot, of an idle worker if there is one, goes to the oldest item of the pool.
		case len(r.Pool) > 0 && len(idle) > 0 && !r.OnlyPull:
			r.give(r.worker(r.Choose(r.Pool[0].ID, idle)))
		case len(r.Pool) > 0 && len(slots) > 0 && !r.OnlyPull:
			r.give(r.worker(r.Choose(r.Pool[0].ID, slots)))

		// A worker begins its first accepted item.
		case r.begins():

		// An idle worker steals the oldest item that waits at another.
		case len(idle) > 0 && r.canSteal() && !r.OnlyPull:
			r.move(r.worker(idle[0]))

		default:
			return
		}
	}
}

// give assigns a slot to the oldest item of the pool.
func (r *Reference) give(w *Worker) {
	r.Attempts++
	w.Queue = append(w.Queue, r.Pool[0])
	r.Pool = r.Pool[1:]
}

// canSteal reports whether an item waits behind one in service.
func (r *Reference) canSteal() bool {
	return slices.ContainsFunc(r.Workers, func(w *Worker) bool { return w.Busy && len(w.Queue) > 0 })
}

// move assigns a slot to the oldest item that waits at any worker.
func (r *Reference) move(to *Worker) {
	var from *Worker
	var oldest int
	for _, w := range r.Workers {
		for i, item := range w.Queue {
			if from == nil || item.ID < from.Queue[oldest].ID {
				from, oldest = w, i
			}
		}
	}
	to.Queue = append(to.Queue, from.Queue[oldest])
	from.Queue = slices.Delete(from.Queue, oldest, oldest+1)
	r.Attempts++
	r.Moved++
}

// begins lets a worker begin an item, and reports whether there was one.
func (r *Reference) begins() bool {
	for _, w := range r.Workers {
		if w.Busy || len(w.Queue) == 0 {
			continue
		}
		item := w.Queue[0]
		w.Queue = slices.Delete(w.Queue, 0, 1)
		w.Busy, w.Serving = true, item
		return true
	}
	return false
}

// withSlot returns the workers with fewer items than a number.
func (r *Reference) withSlot(than int) (ids []int) {
	for _, w := range r.Workers {
		if !w.Removed && w.Load() < than {
			ids = append(ids, w.ID)
		}
	}
	return ids
}

func (r *Reference) all() (ids []int) {
	for _, w := range r.Workers {
		ids = append(ids, w.ID)
	}
	return ids
}

func (r *Reference) worker(id int) *Worker {
	return r.Workers[slices.IndexFunc(r.Workers, func(w *Worker) bool { return w.ID == id })]
}

func byAge(a, b Item) int { return a.ID - b.ID }

// Check returns an error if a guarantee is broken. It may be called on a state that another
// implementation has reached, as long as nothing is about to happen there.
func (r *Reference) Check() error {
	if !slices.IsSortedFunc(r.Pool, byAge) || !slices.IsSortedFunc(r.Blocked, byAge) {
		return fmt.Errorf("the pool %v or the blocked items %v are not by age", r.Pool, r.Blocked)
	}
	for _, w := range r.Workers {
		switch {
		case w.Load() > r.Capacity:
			return fmt.Errorf("worker %d has %d items, more than %d", w.ID, w.Load(), r.Capacity)
		case w.Removed:
		case len(w.Queue) > 0 && !w.Busy:
			return fmt.Errorf("worker %d has %v and works on nothing", w.ID, w.Queue)
		case w.Load() == 0 && len(r.Pool) > 0:
			return fmt.Errorf("worker %d is idle and %v wait in the pool", w.ID, r.Pool)
		case w.Load() == 0 && r.canSteal():
			return fmt.Errorf("worker %d is idle and an item waits at another", w.ID)
		case w.Load() < r.Capacity && len(r.Pool) > 0:
			return fmt.Errorf("worker %d has a slot and %v wait in the pool", w.ID, r.Pool)
		case w.Load() < r.Capacity && len(r.Blocked) > 0:
			return fmt.Errorf("worker %d has a slot and %v are blocked", w.ID, r.Blocked)
		}
	}
	if len(r.Blocked) > 0 && len(r.Pool) < r.PoolLimit {
		return fmt.Errorf("%d are in the pool, which has room for %d, and %v are blocked",
			len(r.Pool), r.PoolLimit, r.Blocked)
	}
	return nil
}
