package spray

import (
	"errors"
	"fmt"
	"testing"
)

// checkCalendar verifies the invariants of a calendar that nobody is using, and tells the first one that it finds broken.
func checkCalendar[V comparable](c *Calendar[V]) error {
	for k := range c.sheets {
		d, i, there := c.sheet(k)
		s := *there
		if s == nil {
			s = newSheet[V](0)
		}
		if err := checkSheet(s); err != nil {
			return fmt.Errorf("sheet %d: %w", k, err)
		}
		if w := d.words[i].Load(); w != s.word() {
			return fmt.Errorf("sheet %d: its word is %x, not %x", k, w, s.word())
		}
		if later := d.later[i].Load(); (s.live == 0) != (later == pastAll) {
			return fmt.Errorf("sheet %d has %d events, and others are told %x", k, s.live, later)
		}
	}
	return nil
}

func checkSheet[V comparable](s *sheet[V]) error {
	live, dead, chunks := 0, 0, 0
	seen := map[uint32]bool{}
	count := func(e item) error {
		if int(e.slot) >= len(s.slots) {
			return fmt.Errorf("an item has slot %d of %d", e.slot, len(s.slots))
		}
		if !s.alive(&e) {
			dead++
			return nil
		}
		live++
		if seen[e.slot] {
			return fmt.Errorf("two items are alive in slot %d", e.slot)
		}
		seen[e.slot] = true
		return nil
	}

	if s.head < 0 || s.head > s.tail || s.tail > frontLen {
		return fmt.Errorf("the front is %d to %d", s.head, s.tail)
	}
	depth := len(s.tiers)
	bottom := &s.tiers[depth-1]
	for i := s.head; i < s.tail; i++ {
		e := s.front[i]
		if err := count(e); err != nil {
			return err
		}
		if i > s.head && s.front[i-1].key > e.key {
			return fmt.Errorf("the front is not in order at %d", i)
		}
		if e.key > s.mostBelow(depth-1) {
			return fmt.Errorf("%x is in the front, but tier %d begins at %x", e.key, depth-1, bottom.end)
		}
	}
	if s.live > 0 && (s.head == s.tail || !s.alive(&s.front[s.head])) {
		return errors.New("there are events, but the first of the front is not alive")
	}

	for i := range s.tiers[:cap(s.tiers)] {
		t := &s.tiers[:cap(s.tiers)][i]
		size := 0
		for k, b := range t.bins {
			if b.tail == 0 {
				if b != (bin{}) {
					return fmt.Errorf("tier %d: bin %d is empty and is %+v", i, k, b)
				}
				continue
			}
			if i >= depth || k < int(t.open) || k >= int(t.count) {
				return fmt.Errorf("tier %d of %d: bin %d has items, but %d to %d are in use", i, depth, k, t.open, t.count)
			}
			n := 0
			for c := b.head; ; c = s.following(c) {
				chunks++
				for _, e := range s.items(b, c) {
					n++
					if err := count(e); err != nil {
						return err
					}
					if e.key>>t.shift-t.base != uint64(k) {
						return fmt.Errorf("tier %d: %x is in bin %d", i, e.key, k)
					}
					if e.key < t.end || i > 0 && e.key > s.mostBelow(i-1) {
						return fmt.Errorf("tier %d: has %x, but is from %x on and below %x", i, e.key, t.end, s.limit(i))
					}
				}
				if c == b.last() {
					break
				}
				if n > len(s.chunks) {
					return fmt.Errorf("tier %d: the chunks of bin %d go round in a circle", i, k)
				}
			}
			if n != int(b.n) {
				return fmt.Errorf("tier %d: bin %d has %d items, not %d", i, k, n, b.n)
			}
			size += n
		}
		if i < depth && size != t.size {
			return fmt.Errorf("tier %d: has %d items, not %d", i, size, t.size)
		}
		if i > 0 && i < depth && t.end > s.tiers[i-1].end {
			return fmt.Errorf("tier %d begins at %x, and the one above at %x", i, t.end, s.tiers[i-1].end)
		}
	}
	if live != s.live || dead != s.dead {
		return fmt.Errorf("%d items are alive and %d dead, not %d and %d", live, dead, s.live, s.dead)
	}
	if dead > live+sweepLate || live == 0 && dead > 0 {
		return fmt.Errorf("%d items are alive and %d dead", live, dead)
	}

	free, spent := 0, 0
	for next := s.free; next != 0; next = s.slots[next-1].next {
		if free++; free > len(s.slots) || seen[next-1] {
			return errors.New("a slot is free and in use, or free twice")
		}
	}
	var none V
	for i := range s.slots {
		if s.slots[i].stamp == retired {
			spent++
		}
		if !seen[uint32(i)] && s.slots[i].value != none {
			return fmt.Errorf("the value of slot %d is still there", i)
		}
	}
	if live+free+spent != len(s.slots) {
		return fmt.Errorf("%d slots are in use, %d free and %d retired, of %d", live, free, spent, len(s.slots))
	}
	for c := s.spare; c != 0; c = s.following(c) {
		if chunks++; chunks > int(s.fresh) {
			return errors.New("a chunk is spare and in use, or spare twice")
		}
	}
	if chunks != int(s.fresh)-1 || int(s.fresh)*chunkLen > len(s.chunks) {
		return fmt.Errorf("%d chunks are in use or spare, of %d, with room for %d", chunks, s.fresh-1, len(s.chunks)/chunkLen)
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
func (s *sheet[V]) add(key uint64, v V) item {
	e := s.occupy(key, v)
	if s.live == 1 {
		s.begin(e)
	} else {
		s.place(e)
	}
	return e
}
