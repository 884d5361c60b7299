package rivals

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/timekey"
)

// Check: every entry comes after its parent, and every id's index leads to its entry.
func (q *Binary) Check() error {
	h := &q.heap
	for i := range h.entries {
		if i > 0 && h.Less(i, (i-1)/2) {
			return fmt.Errorf("entry %d comes before its parent", i)
		}
		if id := h.entries[i].id; h.index[id] != uint32(i+1) {
			return fmt.Errorf("id %d is at %d, its index is %d", id, i+1, h.index[id])
		}
	}
	return counted(q.n, len(h.entries), 0)
}

// Check: every entry comes after its parent, and every id that is pending has one live entry.
func (q *Quaternary) Check() error {
	live := 0
	for i := range q.heap {
		if i > 0 && q.heap[i].before(&q.heap[(i-1)/4]) {
			return fmt.Errorf("entry %d comes before its parent", i)
		}
		live += q.countLive(&q.heap[i])
	}
	return counted(q.n, live, len(q.heap)-live-q.stale)
}

// Check: every entry is in the bucket of the highest bit in which it differs from the clock; equal
// times are in the order of their numbers; the bucket's bit is set; every id that is pending has
// one live entry.
func (q *Radix) Check() error {
	if q.last != timekey.Of(q.now) {
		return fmt.Errorf("the last key is not that of time %v", q.now)
	}
	live, all := 0, 0
	for b := range q.buckets {
		entries := q.entries(b)
		if b > 0 && q.filled&bit(b) != 0 != (len(entries) > 0) {
			return fmt.Errorf("bucket %d has %d entries and bit %t", b, len(entries), q.filled&bit(b) != 0)
		}
		var last entry
		for _, e := range entries {
			if differ := timekey.Of(e.at) ^ q.last; bits.Len64(differ) != b {
				return fmt.Errorf("time %v is in bucket %d at time %v", e.at, b, q.now)
			}
			if e.at == last.at && e.seq < last.seq { // those next to each other: enough to notice in the long run
				return fmt.Errorf("event %d of time %v comes after event %d", e.seq, e.at, last.seq)
			}
			last = e
			live += q.countLive(&e)
		}
		all += len(entries)
	}
	return counted(q.n, live, all-live-q.stale)
}

// entries lists what is in a bucket.
func (q *Radix) entries(b int) (list []entry) {
	list = append(slices.Concat(q.buckets[b].full...), q.buckets[b].open...)
	if b == 0 {
		list = list[q.first:]
	}
	return list
}

func (l *ledger) countLive(e *entry) int {
	if l.records[e.id].seq == e.seq {
		return 1
	}
	return 0
}

// Check: every node comes after its parent, links lead there and back, and all that is pending can
// be reached.
func (q *Pairing) Check() error {
	reached := 0
	todo := []uint32{}
	if q.root != 0 {
		reached++
		todo = append(todo, q.root)
	}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		parent, prev := &q.nodes[x], x
		for y := parent.child; y != 0; y = q.nodes[y].next {
			n := &q.nodes[y]
			if n.prev != prev {
				return fmt.Errorf("id %d does not link back to id %d", y-1, prev-1)
			}
			if n.at < parent.at || n.at == parent.at && n.seq < parent.seq {
				return fmt.Errorf("id %d comes before its parent, id %d", y-1, x-1)
			}
			if !q.pending(calendar.ID(y - 1)) {
				return fmt.Errorf("id %d is in the heap and not pending", y-1)
			}
			reached++
			prev = y
			todo = append(todo, y)
		}
	}
	return counted(q.n, reached, 0)
}

// Check: every level is in order and holds exactly the pending nodes that are tall enough.
func (q *Skip) Check() error {
	var want, got [maxHeight]int
	for _, n := range q.nodes[1:] {
		for level := range n.height {
			if n.seq != 0 {
				want[level]++
			}
		}
	}
	for level := range maxHeight {
		last := skipNode{at: q.now}
		for x := q.links[level]; x != 0; x = q.links[int(q.nodes[x].tower)+level] {
			n := q.nodes[x]
			if n.at < last.at || n.at == last.at && n.seq <= last.seq {
				return fmt.Errorf("level %d: id %d is out of order", level, x-1)
			}
			last = n
			got[level]++
		}
	}
	if got != want {
		return fmt.Errorf("levels hold %v nodes, want %v", got, want)
	}
	return counted(q.n, got[0], 0)
}

// Check: the tree has as many items as events are pending.
func (q *BTree) Check() error { return counted(q.n, q.tree.Len(), 0) }

// counted compares the number of pending events with what was found, and that of stale entries with
// what was counted.
func counted(pending, live, uncounted int) error {
	if pending != live {
		return fmt.Errorf("%d events are pending, %d were found", pending, live)
	}
	if uncounted != 0 {
		return fmt.Errorf("%d stale entries are not counted", uncounted)
	}
	return nil
}
