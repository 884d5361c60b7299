package relaxed

import (
	"errors"
	"fmt"
	"testing"
)

// checkQueue verifies the invariants of a queue that is not in use, and returns the first one that
// it finds broken.
func checkQueue[V comparable](c *Queue[V]) error {
	for k := range c.subqueues {
		d, i, there := c.subqueue(k)
		q := there.Load()
		if q == nil {
			q = newSubqueue[V](0)
		}
		if err := checkSubqueue(q); err != nil {
			return fmt.Errorf("queue %d: %w", k, err)
		}
		if w := d.tops[i].Load(); w != q.top() {
			return fmt.Errorf("queue %d: its top is %x, not %x", k, w, q.top())
		}
		none := q.live == 0 || len(c.shards) == 1 // a single shard publishes none
		if horizon := d.horizons[i].Load(); none != (horizon == pastAll) {
			return fmt.Errorf("queue %d has %d events, and its horizon is %x", k, q.live, horizon)
		}
	}
	return nil
}

func checkSubqueue[V comparable](q *subqueue[V]) error {
	live, stale, chunks := 0, 0, 0
	seen := map[uint32]bool{}
	count := func(e entry) error {
		if int(e.ID) >= len(q.slots) {
			return fmt.Errorf("an entry has slot %d of %d", e.ID, len(q.slots))
		}
		if !q.isCurrent(&e) {
			stale++
			return nil
		}
		live++
		if seen[e.ID] {
			return fmt.Errorf("two entries are current in slot %d", e.ID)
		}
		seen[e.ID] = true
		return nil
	}

	if q.head < 0 || q.head > q.tail || q.tail > bottomLen {
		return fmt.Errorf("the entries of the bottom are %d to %d", q.head, q.tail)
	}
	depth := len(q.levels)
	bottom := &q.levels[depth-1]
	for i := q.head; i < q.tail; i++ {
		e := q.bottom[i]
		if err := count(e); err != nil {
			return err
		}
		if i > q.head && q.bottom[i-1].Key > e.Key {
			return fmt.Errorf("the entries of the bottom are not in order at %d", i)
		}
		if e.Key > q.maxBelow(depth-1) {
			return fmt.Errorf("%x is at the bottom, but level %d begins at %x", e.Key, depth-1, bottom.end)
		}
	}
	if q.live > 0 && (q.head == q.tail || !q.isCurrent(&q.bottom[q.head])) {
		return errors.New("there are events, but the first entry of the bottom is not current")
	}

	used := make([]bool, len(q.nested))
	var checkBucket func(b bucket, t *level, k int, from, most uint64) error
	checkLevel := func(t *level, inUse bool, from, most uint64) error {
		held := 0
		for k, b := range t.buckets {
			if b == (bucket{}) {
				continue
			}
			if !inUse || k < int(t.open) || k >= int(t.count) {
				return fmt.Errorf("bucket %d is %+v, but %d to %d are in use (%v)", k, b, t.open, t.count, inUse)
			}
			if err := checkBucket(b, t, k, from, most); err != nil {
				return fmt.Errorf("bucket %d: %w", k, err)
			}
			held += int(b.n)
		}
		if inUse && held != t.held {
			return fmt.Errorf("it has %d entries, not %d", held, t.held)
		}
		return nil
	}
	checkBucket = func(b bucket, t *level, k int, from, most uint64) error {
		if b.isNested() {
			if used[b.head] {
				return fmt.Errorf("nested level %d is there twice", b.head)
			}
			used[b.head] = true
			below := q.nested[b.head]
			if below.held != int(b.n) || below.held < int(q.maxInBucket) {
				return fmt.Errorf("it has %d entries, its nested level %d", b.n, below.held)
			}
			return checkLevel(below, true, max(from, (t.base+uint64(k))<<t.shift), min(most, t.ceiling(uint32(k))-1))
		}
		n := 0
		for c := b.head; ; c = q.next(c) {
			chunks++
			for _, e := range q.entries(b, c) {
				n++
				if err := count(e); err != nil {
					return err
				}
				if e.Key>>t.shift-t.base != uint64(k) {
					return fmt.Errorf("%x is there", e.Key)
				}
				if e.Key < from || e.Key > most {
					return fmt.Errorf("%x is there, but the level has %x to %x", e.Key, from, most)
				}
			}
			if c == b.last() {
				break
			}
			if n > len(q.chunks) {
				return errors.New("its chunks go round in a circle")
			}
		}
		if n != int(b.n) {
			return fmt.Errorf("it has %d entries, not %d", n, b.n)
		}
		return nil
	}
	for i := range q.levels[:cap(q.levels)] {
		t, most := &q.levels[:cap(q.levels)][i], pastAll
		if i > 0 && i < depth {
			most = q.maxBelow(i - 1)
			if t.end > q.levels[i-1].end {
				return fmt.Errorf("level %d begins at %x, and the one above at %x", i, t.end, q.levels[i-1].end)
			}
		}
		if err := checkLevel(t, i < depth, t.end, most); err != nil {
			return fmt.Errorf("level %d of %d: %w", i, depth, err)
		}
	}
	for next := q.unused; next != 0; next = q.nested[next-1].next {
		if used[next-1] {
			return fmt.Errorf("nested level %d is in use and not", next-1)
		}
		used[next-1] = true
		if err := checkLevel(q.nested[next-1], false, 0, 0); err != nil {
			return fmt.Errorf("unused nested level %d: %w", next-1, err)
		}
	}
	for i, u := range used {
		if !u {
			return fmt.Errorf("nested level %d is lost", i)
		}
	}
	if live != q.live || stale != q.stale {
		return fmt.Errorf("%d entries are current and %d stale, not %d and %d", live, stale, q.live, q.stale)
	}
	if stale > live+q.slack || live == 0 && stale > 0 {
		return fmt.Errorf("%d entries are current and %d stale", live, stale)
	}

	free, spent := 0, 0
	for next := q.free; next != 0; next = q.slots[next-1].next {
		if free++; free > len(q.slots) || seen[next-1] {
			return errors.New("a slot is free and in use, or free twice")
		}
	}
	var none V
	for i := range q.slots {
		if q.slots[i].version == retired {
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
		return fmt.Errorf("%d chunks are in use or spare, of %d, with room for %d", chunks, q.fresh-1,
			len(q.chunks)/chunkSlots)
	}
	return nil
}

func mustCheck[V comparable](t testing.TB, c *Queue[V]) {
	t.Helper()
	if err := checkQueue(c); err != nil {
		t.Fatal(err)
	}
}

// add adds an event, and returns where it is.
func (q *subqueue[V]) add(key uint64, v V) entry {
	e := q.occupy(key, v)
	if q.live == 1 {
		q.begin(e)
	} else {
		q.place(e)
	}
	return e
}
