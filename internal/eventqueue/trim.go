package eventqueue

import "slices"

// Trim gives back memory that is not needed at present: entries of slabs of which little is in use
// are moved into others.
func (q *Queue) Trim() {
	q.pool.giveBack()
	if leave := q.pool.sparse(); leave != nil {
		for l := range q.allLevels {
			q.pool.leaveAll(l, leave)
		}
		for s, left := range leave {
			if left {
				q.pool.slabs[s] = nil
				q.pool.holes = append(q.pool.holes, uint32(s))
			}
		}
	}
	q.shrunkAt, q.movedAtShrink = q.pending+q.stale, q.moved
	q.shrinks++
}

// sparse chooses slabs whose chunks in use fit into the free chunks of the others, those that are
// least in use first, and takes their free chunks off the list. It is nil if there are none.
func (p *pool) sparse() []bool {
	free, total := make([]int, len(p.slabs)), 0
	for _, c := range p.free {
		free[c/slabChunks]++
		total++
	}
	var order []int
	// not the first, which has chunk 0, nor those with chunks that were never used
	for s := 1; s < int(p.fresh/slabChunks); s++ {
		if p.slabs[s] != nil {
			order = append(order, s)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return free[b] - free[a] })
	leave := make([]bool, len(p.slabs))
	moved, some := 0, false
	for _, s := range order {
		moved += slabChunks - free[s]
		total -= free[s]
		if moved > total {
			break
		}
		leave[s], some = true, true
	}
	if !some {
		return nil
	}
	p.free = slices.DeleteFunc(p.free, func(c uint32) bool { return leave[c/slabChunks] })
	return leave
}

// leaveAll moves what the buckets of a level have in slabs that are left to free chunks.
func (p *pool) leaveAll(l *level, leave []bool) {
	for i := range l.buckets {
		b := &l.buckets[i]
		if b.tail == 0 || b.tail == nested {
			continue
		}
		before := uint32(0)
		for c, last := b.head, false; !last; {
			last = c == b.last()
			following := p.next(c)
			if leave[c/slabChunks] {
				to := p.free[len(p.free)-1]
				p.free = p.free[:len(p.free)-1]
				copy(p.chunk(to), p.chunk(c))
				*p.link(to) = *p.link(c)
				if before == 0 {
					b.head = to
				} else {
					*p.link(before) = uint64(to)
				}
				if last {
					b.tail += to<<chunkBits - c<<chunkBits
				}
				c = to
			}
			before, c = c, following
		}
	}
}
