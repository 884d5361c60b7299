package dispatch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/dispatch/dispatchtest"
	"github.com/almanac-sim/almanac/dispatch/slots"
)

// check returns an error for the first invariant that does not hold between two steps. The lock
// must be held.
func (s *scheduler[P]) check() error {
	for _, l := range []struct {
		queue *slots.Queue[content[P]]
		name  string
		in    place
		age   bool // ordered by age
	}{
		{&s.blocked, "blocked", blocked, true},
		{&s.pool, "the pool", pooled, true},
		{&s.accepted, "accepted", accepted, true},
	} {
		if err := checkList(l.queue, l.in, l.age); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	spare := 0
	for it := s.freeList; it != nil; it = it.Links[byPlace].Next {
		spare++
	}
	if present := s.blocked.Len + s.pool.Len + s.accepted.Len; spare != s.freeLen || spare > s.mostSpare()+present {
		return fmt.Errorf("%d items are kept to be used again, and said to be %d; %d are in use", spare, s.freeLen, present)
	}
	if s.finger != nil && s.finger.Value.in != accepted {
		return errors.New("the finger is at an item that is not accepted")
	}
	queued, busy := 0, 0
	for _, w := range s.workers {
		if err := checkList(&w.queue, accepted, false); err != nil {
			return fmt.Errorf("worker %d: %w", w.id, err)
		}
		for it := w.queue.Head; it != nil; it = it.Links[byPlace].Next {
			if it.Value.worker != w {
				return fmt.Errorf("an item of worker %d names another", w.id)
			}
		}
		queued += w.queue.Len
		if w.busy {
			busy++
		}
		want := slots.None
		switch load := w.load(); {
		case load > s.capacity:
			return fmt.Errorf("worker %d has %d items, more than %d", w.id, load, s.capacity)
		case w.removed && w.queue.Len > 0:
			return fmt.Errorf("worker %d was removed and has %d items that it has not begun", w.id, w.queue.Len)
		case w.health.Ejected() && w.queue.Len > 0:
			return fmt.Errorf("worker %d is ejected and has %d items that it has not begun", w.id, w.queue.Len)
		case s.capacityOf(w) > 0:
			want = slots.ClassOf(load, s.capacityOf(w))
		}
		switch {
		case !s.bins.Has(&w.bin, want):
			return fmt.Errorf("worker %d with %d items is in the wrong set", w.id, w.load())
		case w.parked && (w.load() > 0 || w.removed):
			return fmt.Errorf("worker %d is parked and has items", w.id)
		}
	}
	t := &s.total
	gone := t.Served + t.Failed + t.TooOld + t.Canceled + t.Aborted
	switch free := s.bins.Count(); {
	case queued != s.accepted.Len:
		return fmt.Errorf("workers have accepted %d items, and %d are listed", queued, s.accepted.Len)
	case busy != s.inService:
		return fmt.Errorf("%d workers are busy, and %d items begun", busy, s.inService)
	case s.pool.Len > 0 && free > 0:
		return fmt.Errorf("%d items wait in the pool and %d workers have slots", s.pool.Len, free)
	case s.blocked.Len > 0 && (free > 0 || s.pool.Len < s.limit):
		return fmt.Errorf("%d items are blocked, %d in the pool of %d, and %d workers have slots",
			s.blocked.Len, s.pool.Len, s.limit, free)
	case s.stranded():
		return errors.New("a worker is parked and an item waits behind another")
	case t.Submitted != gone+uint64(s.inService+s.accepted.Len+s.pool.Len):
		return fmt.Errorf("%d items were submitted, %d are gone, %d begun, %d accepted, and %d in the pool",
			t.Submitted, gone, s.inService, s.accepted.Len, s.pool.Len)
	case s.closed && s.blocked.Len > 0:
		return errors.New("it is closed and an item is blocked")
	case s.ending && s.inService+s.accepted.Len+s.pool.Len > 0:
		return errors.New("it ends and has items")
	}
	return nil
}

// stranded reports whether a worker is parked while an item waits behind another. A worker that is
// awake without an item is about to run next.
func (s *scheduler[P]) stranded() bool {
	return slices.ContainsFunc(s.workers, func(w *worker[P]) bool { return w.parked && !w.health.Ejected() }) &&
		slices.ContainsFunc(s.workers, func(w *worker[P]) bool { return w.load() > 1 })
}

func checkList[P any](l *slots.Queue[content[P]], in place, byAge bool) error {
	n := 0
	var last *item[P]
	for it := l.Head; it != nil; it = it.Links[l.Link].Next {
		switch {
		case it.Links[l.Link].Prev != last:
			return errors.New("the list is not linked both ways")
		case it.Value.in != in:
			return fmt.Errorf("an item is in place %d, not %d", it.Value.in, in)
		case last != nil && byAge && last.Seq >= it.Seq:
			return fmt.Errorf("item %d is before %d", last.Seq, it.Seq)
		}
		last = it
		n++
	}
	if n != l.Len || l.Tail != last {
		return fmt.Errorf("the list has %d items, and says %d", n, l.Len)
	}
	return nil
}

// snapshot returns the state of a scheduler in the form of the reference.
func snapshot(d *scheduler[int]) *dispatchtest.Reference {
	d.mu.Lock()
	defer d.mu.Unlock()
	items := func(l *slots.Queue[content[int]]) (all []dispatchtest.Item) {
		for it := l.Head; it != nil; it = it.Links[l.Link].Next {
			all = append(all, dispatchtest.Item{ID: it.Value.v, Arrival: it.Arrival})
		}
		return all
	}
	t := &d.total
	s := &dispatchtest.Reference{
		Capacity: d.capacity, PoolLimit: d.limit, MaxWait: d.maxWait, Closed: d.closed,
		Blocked: items(&d.blocked), Pool: items(&d.pool),
		Submitted: int(t.Submitted), Served: int(t.Served), TooOld: int(t.TooOld), Canceled: int(t.Canceled),
		Returned: int(t.Returned), Moved: int(t.Moved), Attempts: int(t.Attempts), Refusals: int(t.Refusals),
	}
	for _, w := range d.workers {
		s.Workers = append(s.Workers, &dispatchtest.Worker{
			ID: int(w.id), Busy: w.busy, Queue: items(&w.queue), Removed: w.removed,
		})
	}
	return s
}
