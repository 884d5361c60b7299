package spray

import (
	"errors"
	"fmt"
	"testing"
)

// checkCalendar verifies the invariants of a calendar that nobody is using, and tells the first one that it finds broken.
func checkCalendar[V comparable](c *Calendar[V]) error {
	for k := range c.queues {
		d, i, there := c.queue(k)
		q := *there
		if q == nil {
			q = newQueue[V](0)
		}
		if err := checkQueue(q); err != nil {
			return fmt.Errorf("queue %d: %w", k, err)
		}
		if w := d.tops[i].Load(); w != q.top() {
			return fmt.Errorf("queue %d: its top is %x, not %x", k, w, q.top())
		}
		if horizon := d.horizons[i].Load(); (q.live == 0) != (horizon == pastAll) {
			return fmt.Errorf("queue %d has %d events, and its horizon is %x", k, q.live, horizon)
		}
	}
	return nil
}

func checkQueue[V comparable](q *queue[V]) error {
	live, dead, chunks := 0, 0, 0
	seen := map[uint32]bool{}
	count := func(e entry) error {
		if int(e.slot) >= len(q.slots) {
			return fmt.Errorf("an entry has slot %d of %d", e.slot, len(q.slots))
		}
		if !q.alive(&e) {
			dead++
			return nil
		}
		live++
		if seen[e.slot] {
			return fmt.Errorf("two entries are alive in slot %d", e.slot)
		}
		seen[e.slot] = true
		return nil
	}

	if q.head < 0 || q.head > q.tail || q.tail > nearLen {
		return fmt.Errorf("the near entries are %d to %d", q.head, q.tail)
	}
	depth := len(q.levels)
	bottom := &q.levels[depth-1]
	for i := q.head; i < q.tail; i++ {
		e := q.near[i]
		if err := count(e); err != nil {
			return err
		}
		if i > q.head && q.near[i-1].key > e.key {
			return fmt.Errorf("the near entries are not in order at %d", i)
		}
		if e.key > q.maxBelow(depth-1) {
			return fmt.Errorf("%x is near, but level %d begins at %x", e.key, depth-1, bottom.end)
		}
	}
	if q.live > 0 && (q.head == q.tail || !q.alive(&q.near[q.head])) {
		return errors.New("there are events, but the first of the near entries is not alive")
	}

	for i := range q.levels[:cap(q.levels)] {
		t := &q.levels[:cap(q.levels)][i]
		held := 0
		for k, b := range t.buckets {
			if b.tail == 0 {
				if b != (bucket{}) {
					return fmt.Errorf("level %d: bucket %d is empty and is %+v", i, k, b)
				}
				continue
			}
			if i >= depth || k < int(t.open) || k >= int(t.count) {
				return fmt.Errorf("level %d of %d: bucket %d has entries, but %d to %d are in use", i, depth, k, t.open, t.count)
			}
			n := 0
			for c := b.head; ; c = q.next(c) {
				chunks++
				for _, e := range q.entries(b, c) {
					n++
					if err := count(e); err != nil {
						return err
					}
					if e.key>>t.shift-t.base != uint64(k) {
						return fmt.Errorf("level %d: %x is in bucket %d", i, e.key, k)
					}
					if e.key < t.end || i > 0 && e.key > q.maxBelow(i-1) {
						return fmt.Errorf("level %d: has %x, but is from %x on and below %x", i, e.key, t.end, q.limit(i))
					}
				}
				if c == b.last() {
					break
				}
				if n > len(q.chunks) {
					return fmt.Errorf("level %d: the chunks of bucket %d go round in a circle", i, k)
				}
			}
			if n != int(b.n) {
				return fmt.Errorf("level %d: bucket %d has %d entries, not %d", i, k, n, b.n)
			}
			held += n
		}
		if i < depth && held != t.held {
			return fmt.Errorf("level %d: has %d entries, not %d", i, held, t.held)
		}
		if i > 0 && i < depth && t.end > q.levels[i-1].end {
			return fmt.Errorf("level %d begins at %x, and the one above at %x", i, t.end, q.levels[i-1].end)
		}
	}
	if live != q.live || dead != q.dead {
		return fmt.Errorf("%d entries are alive and %d dead, not %d and %d", live, dead, q.live, q.dead)
	}
	if dead > live+deadSlack || live == 0 && dead > 0 {
		return fmt.Errorf("%d entries are alive and %d dead", live, dead)
	}

	free, spent := 0, 0
	for next := q.free; next != 0; next = q.slots[next-1].next {
		if free++; free > len(q.slots) || seen[next-1] {
			return errors.New("a slot is free and in use, or free twice")
		}
	}
	var none V
	for i := range q.slots {
		if q.slots[i].stamp == retired {
			spent++
		}
		if !seen[uint32(i)] && q.slots[i].value != none {
			return fmt.Errorf("the value of slot %d is still there", i)
		}
	}
	if live+free+spent != len(q.slots) {
		return fmt.Errorf("%d slots are in use, %d free and %d retired, of %d", live, free, spent, len(q.slots))
	}
	for c := q.spare; c != 0; c = q.next(c) {
		if chunks++; chunks > int(q.fresh) {
			return errors.New("a chunk is spare and in use, or spare twice")
		}
	}
	if chunks != int(q.fresh)-1 || int(q.fresh)*chunkSlots > len(q.chunks) {
		return fmt.Errorf("%d chunks are in use or spare, of %d, with room for %d", chunks, q.fresh-1, len(q.chunks)/chunkSlots)
	}
	return nil
}

func mustCheck[V comparable](t testing.TB, c *Calendar[V]) {
	t.Helper()
	if err := checkCalendar(c); err != nil {
		t.Fatal(err)
	}
}

// add adds an event, and returns where it is.
func (q *queue[V]) add(key uint64, v V) entry {
	e := q.occupy(key, v)
	if q.live == 1 {
		q.begin(e)
	} else {
		q.place(e)
	}
	return e
}
