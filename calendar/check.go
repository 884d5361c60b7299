package calendar

import "fmt"

// check verifies the invariants of a queue, and tells the first one that it finds broken.
func (q *Queue) check() error {
	entries, live := 0, 0
	seen := make(map[ID]bool)
	visit := func(e entry) error {
		entries++
		if q.record(e.id) == nil {
			return fmt.Errorf("entry of id %d, which has no record", e.id)
		}
		if !q.live(e) {
			return nil
		}
		live++
		r := q.record(e.id)
		switch {
		case r.key() == noKey:
			// A record without an event carries a stamp that no entry has.
			return fmt.Errorf("live entry of id %d, which is not pending", e.id)
		case r.key() != e.key:
			return fmt.Errorf("live entry of id %d is for %v, its record says %v", e.id, timeOf(e.key), timeOf(r.key()))
		case seen[e.id]:
			return fmt.Errorf("two live entries of id %d", e.id)
		case e.key < keyOf(q.now):
			return fmt.Errorf("event of id %d at %v is before now, %v", e.id, timeOf(e.key), q.now)
		}
		seen[e.id] = true
		return nil
	}

	// Near is sorted, and below the end of the last level.
	end := q.levels[len(q.levels)-1].end
	for i := q.head; i < len(q.near); i++ {
		e := q.near[i]
		if err := visit(e); err != nil {
			return fmt.Errorf("near: %w", err)
		}
		if i > q.head && q.near[i-1].key > e.key {
			return fmt.Errorf("near is not sorted at %d", i-q.head)
		}
		if e.key >= end {
			return fmt.Errorf("near entry at %v belongs into a level", timeOf(e.key))
		}
	}

	// Every level lies below the end of the one above; its entries are in the buckets of their keys, none before the
	// open one, none below its end.
	chunks := 1 // chunk 0 stands for none
	for i := range q.levels {
		l := &q.levels[i]
		above := pastAll
		if i > 0 {
			above = q.levels[i-1].end
			if above > l.limit() {
				return fmt.Errorf("level %d does not reach the end of the one above", i)
			}
		}
		if l.end > above {
			return fmt.Errorf("level %d ends after the one above", i)
		}
		if l.end < (l.base+uint64(l.open))<<l.shift && l.open < l.count {
			return fmt.Errorf("level %d ends before its open bucket", i)
		}
		for j := range l.buckets {
			b := l.buckets[j]
			if b.tail == 0 {
				continue
			}
			if j < l.open || j >= l.count {
				return fmt.Errorf("level %d: bucket %d of %d to %d is in use", i, j, l.open, l.count)
			}
			inBucket := uint32(0)
			for c := b.head; ; c = q.pool.next(c) {
				chunks++
				es := q.pool.entries(b, c)
				for _, e := range es {
					if err := visit(e); err != nil {
						return fmt.Errorf("level %d, bucket %d: %w", i, j, err)
					}
					if e.key>>l.shift-l.base != uint64(j) {
						return fmt.Errorf("level %d: entry at %v is in bucket %d", i, timeOf(e.key), j)
					}
					if e.key < l.end || e.key >= above {
						return fmt.Errorf("level %d: entry at %v is not between its end and the end above", i, timeOf(e.key))
					}
				}
				inBucket += uint32(len(es))
				if c == b.last() {
					break
				}
			}
			if inBucket != b.n {
				return fmt.Errorf("level %d, bucket %d: %d entries, counted as %d", i, j, inBucket, b.n)
			}
		}
	}
	for i, l := range q.levels[len(q.levels):cap(q.levels)] {
		for _, b := range l.buckets {
			if b != (bucket{}) {
				return fmt.Errorf("spare level %d is not empty", len(q.levels)+i)
			}
		}
	}

	// Every pending id has a live entry, and the counts are right.
	ids := 0
	for p, page := range q.pages {
		ids += len(page)
		for i := range page {
			if id := ID(p)<<pageBits | ID(i); page[i].key() != noKey && !seen[id] {
				return fmt.Errorf("pending id %d has no live entry", id)
			}
		}
	}
	if ids != q.ids {
		return fmt.Errorf("records for %d ids, counted as %d", ids, q.ids)
	}
	if live != q.pending || entries-live != q.dead {
		return fmt.Errorf("%d live and %d dead entries, counted as %d and %d", live, entries-live, q.pending, q.dead)
	}
	if q.dead > q.pending+deadSlack+1 {
		return fmt.Errorf("%d dead entries, %d pending", q.dead, q.pending)
	}

	// Every chunk is in a bucket, in the free list, or was never used.
	if q.pool.used != chunks-1 {
		return fmt.Errorf("%d chunks in buckets, counted as %d", chunks-1, q.pool.used)
	}
	for c := q.pool.free; c != 0; c = q.pool.next(c) {
		chunks++
	}
	if len(q.pool.slabs) > 0 && chunks != int(q.pool.fresh) {
		return fmt.Errorf("%d chunks in buckets or free, of %d", chunks, q.pool.fresh)
	}
	return nil
}
