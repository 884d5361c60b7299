// Package dispatchtest has the rules of package dispatch in the plainest way, to compare a dispatcher with, step by step. It shares no code with
// package dispatch; compare your own implementation with it in the same way.
package dispatchtest

import (
	"fmt"
	"slices"
)

// A Desk is what a dispatch.Dispatcher should do, in the plainest way: items and workers in slices, searched from one end to the other, and
// rules that are applied one at a time until none applies. It shares no code with package dispatch, which is compared with it step by
// step. Nothing runs at once here: that a worker is done is said by calling [Desk.Finish].
//
// With OnlyPull it is the dispatcher that one might write first: an item that comes asks one worker at random, and waits in the pool if that
// has no slot; a worker that is done pulls the oldest item. [Desk.Check] shows what is wrong with it.
type Reference struct {
	Capacity  int // c
	PoolLimit int
	MaxWait   int64 // 0 for any
	OnlyPull  bool
	// Choose says which of some workers a throw hits. They are given by ID.
	Choose func(item int, workers []int) int

	Blocked []Item // by age, as the pool
	Pool    []Item
	Workers []*Worker // by ID
	Closed  bool

	Submitted, Served, TooOld, Canceled, Returned, Moved, Attempts, Refusals int
}

// An Item is numbered in the order in which items come.
type Item struct {
	ID      int
	Arrival int64
}

// A Server is a worker: what it works on, and what it has accepted, in that order.
type Worker struct {
	ID      int
	Busy    bool
	Serving Item
	Queue   []Item
	Removed bool // ends when it has done with what it works on
}

// Load is how many items it has.
func (s *Worker) Load() int {
	if s.Busy {
		return len(s.Queue) + 1
	}
	return len(s.Queue)
}

// Full reports whether one more item would have to wait outside.
func (d *Reference) Full() bool {
	return len(d.Blocked) > 0 || len(d.Pool) >= d.PoolLimit && len(d.withSlot(d.Capacity)) == 0
}

// Arrive is a new item.
func (d *Reference) Arrive(id int, now int64) {
	item := Item{id, now}
	tries := d.Attempts
	if d.OnlyPull {
		d.Submitted++
		d.Pool = append(d.Pool, item)
		if w := d.worker(d.Choose(id, d.all())); w.Load() < d.Capacity {
			d.give(w)
		}
	} else {
		d.Blocked = append(d.Blocked, item)
	}
	d.settle(now)
	if d.Attempts == tries { // nobody had a slot for anybody
		d.Attempts++
		d.Refusals++
	}
}

// Finish is that a worker is done with its item.
func (d *Reference) Finish(worker int, now int64) {
	w := d.worker(worker)
	w.Busy = false
	d.Served++
	if w.Removed {
		d.Workers = slices.DeleteFunc(d.Workers, func(s *Worker) bool { return s == w })
	} else if len(d.Pool) > 0 {
		d.give(w)
	}
	d.settle(now)
}

// Add is a new worker.
func (d *Reference) Add(worker int, now int64) {
	d.Workers = append(d.Workers, &Worker{ID: worker})
	d.settle(now)
}

// Remove is that a worker is to end.
func (d *Reference) Remove(worker int, now int64) {
	w := d.worker(worker)
	w.Removed = true
	d.Returned += len(w.Queue)
	d.Pool = append(d.Pool, w.Queue...)
	w.Queue = nil
	slices.SortFunc(d.Pool, byAge)
	if !w.Busy {
		d.Workers = slices.DeleteFunc(d.Workers, func(s *Worker) bool { return s == w })
	}
	d.settle(now)
}

// Cancel takes out an item that has not begun, and reports whether there was one.
func (d *Reference) Cancel(id int, now int64) bool {
	is := func(i Item) bool { return i.ID == id }
	lists := []*[]Item{&d.Blocked, &d.Pool}
	for _, w := range d.Workers {
		lists = append(lists, &w.Queue)
	}
	for n, list := range lists {
		if slices.ContainsFunc(*list, is) {
			*list = slices.DeleteFunc(*list, is)
			if n > 0 {
				d.Canceled++
			}
			d.settle(now)
			return true
		}
	}
	return false
}

// Abort takes out all items that have not begun, and returns them by age.
func (d *Reference) Abort() []Item {
	d.Close()
	items := d.Pool
	for _, w := range d.Workers {
		items = append(items, w.Queue...)
		w.Queue = nil
	}
	d.Pool = nil
	slices.SortFunc(items, byAge)
	d.end()
	return items
}

// Close refuses what waits outside. When nothing is left workers end.
func (d *Reference) Close() {
	d.Closed = true
	d.Blocked = nil
	d.end()
}

func (d *Reference) end() {
	if d.Closed && len(d.Pool) == 0 && !slices.ContainsFunc(d.Workers, func(s *Worker) bool { return s.Load() > 0 }) {
		d.Workers = nil
	}
}

// settle applies the first rule that applies, until none does.
func (d *Reference) settle(now int64) {
	defer d.end()
	for {
		slots := d.withSlot(d.Capacity)
		idle := d.withSlot(1)
		switch {
		// Who waits outside is let in when there is room in the pool, or a slot for which nobody waits in it.
		case len(d.Blocked) > 0 && (len(d.Pool) < d.PoolLimit || len(d.Pool) == 0 && len(slots) > 0):
			d.Submitted++
			d.Pool = append(d.Pool, d.Blocked[0])
			d.Blocked = d.Blocked[1:]

		// A slot goes to the oldest who waits in the pool, and that of an idle worker first.
		case len(d.Pool) > 0 && len(idle) > 0 && !d.OnlyPull:
			d.give(d.worker(d.Choose(d.Pool[0].ID, idle)))
		case len(d.Pool) > 0 && len(slots) > 0 && !d.OnlyPull:
			d.give(d.worker(d.Choose(d.Pool[0].ID, slots)))

		// A worker begins what it has accepted first.
		case d.begins(now):

		// An idle worker takes the oldest that waits at another.
		case len(idle) > 0 && d.canSteal() && !d.OnlyPull:
			d.move(d.worker(idle[0]))

		default:
			return
		}
	}
}

// give hands a slot to the oldest of the pool.
func (d *Reference) give(w *Worker) {
	d.Attempts++
	w.Queue = append(w.Queue, d.Pool[0])
	d.Pool = d.Pool[1:]
}

// takesBack reports whether an item waits behind one that is being worked on.
func (d *Reference) canSteal() bool {
	return slices.ContainsFunc(d.Workers, func(s *Worker) bool { return s.Busy && len(s.Queue) > 0 })
}

// move hands a slot to the oldest that waits at any worker.
func (d *Reference) move(to *Worker) {
	var from *Worker
	var oldest int
	for _, s := range d.Workers {
		for i, item := range s.Queue {
			if from == nil || item.ID < from.Queue[oldest].ID {
				from, oldest = s, i
			}
		}
	}
	to.Queue = append(to.Queue, from.Queue[oldest])
	from.Queue = slices.Delete(from.Queue, oldest, oldest+1)
	d.Attempts++
	d.Moved++
}

// begins has a worker begin an item, or drop it, and reports whether there was one.
func (d *Reference) begins(now int64) bool {
	for _, w := range d.Workers {
		if w.Busy || len(w.Queue) == 0 {
			continue
		}
		item := w.Queue[0]
		w.Queue = slices.Delete(w.Queue, 0, 1)
		if d.MaxWait > 0 && now-item.Arrival > d.MaxWait {
			d.TooOld++
		} else {
			w.Busy, w.Serving = true, item
		}
		return true
	}
	return false
}

// withSlot names the workers with fewer items than told.
func (d *Reference) withSlot(than int) (ids []int) {
	for _, w := range d.Workers {
		if !w.Removed && w.Load() < than {
			ids = append(ids, w.ID)
		}
	}
	return ids
}

func (d *Reference) all() (ids []int) {
	for _, w := range d.Workers {
		ids = append(ids, w.ID)
	}
	return ids
}

func (d *Reference) worker(id int) *Worker {
	return d.Workers[slices.IndexFunc(d.Workers, func(s *Worker) bool { return s.ID == id })]
}

func byAge(a, b Item) int { return a.ID - b.ID }

// Check says which promise is broken, if one is. It is for a desk where nothing is about to happen: any, whoever has made it.
func (d *Reference) Check() error {
	if !slices.IsSortedFunc(d.Pool, byAge) || !slices.IsSortedFunc(d.Blocked, byAge) {
		return fmt.Errorf("the pool %v or what is outside %v is not by age", d.Pool, d.Blocked)
	}
	for _, w := range d.Workers {
		switch {
		case w.Load() > d.Capacity:
			return fmt.Errorf("worker %d has %d items, more than %d", w.ID, w.Load(), d.Capacity)
		case w.Removed:
		case len(w.Queue) > 0 && !w.Busy:
			return fmt.Errorf("worker %d has %v and works on nothing", w.ID, w.Queue)
		case w.Load() == 0 && len(d.Pool) > 0:
			return fmt.Errorf("worker %d is idle and %v wait in the pool", w.ID, d.Pool)
		case w.Load() == 0 && d.canSteal():
			return fmt.Errorf("worker %d is idle and an item waits at another", w.ID)
		case w.Load() < d.Capacity && len(d.Pool) > 0:
			return fmt.Errorf("worker %d has a slot and %v wait in the pool", w.ID, d.Pool)
		case w.Load() < d.Capacity && len(d.Blocked) > 0:
			return fmt.Errorf("worker %d has a slot and %v wait outside", w.ID, d.Blocked)
		}
	}
	if len(d.Blocked) > 0 && len(d.Pool) < d.PoolLimit {
		return fmt.Errorf("%d are in the pool, which has room for %d, and %v wait outside", len(d.Pool), d.PoolLimit, d.Blocked)
	}
	return nil
}
