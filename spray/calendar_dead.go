package spray

// sweep drops all dead entries. It looks at every entry, and is called when more than half of them are dead, so that it costs a
// constant per cancellation.
func (q *queue[V]) sweep() {
	n := q.head
	for i := q.head; i < q.tail; i++ {
		if e := q.near[i]; q.alive(&e) {
			q.near[n] = e
			n++
		}
	}
	q.tail = n
	for i := range q.levels {
		l := &q.levels[i]
		for k := l.open; k < l.count; k++ {
			b := l.buckets[k]
			if b.tail == 0 {
				continue
			}
			l.buckets[k] = bucket{}
			last := b.last()
			ahead := q.ahead(b.head, last)
			for c := b.head; ; {
				ahead = q.ahead(ahead, last)
				for _, e := range q.entries(b, c) {
					if q.alive(&e) {
						q.push(&l.buckets[k], e)
					}
				}
				next := q.release(c)
				if c == last {
					break
				}
				c = next
			}
			l.held -= int(b.n - l.buckets[k].n)
		}
	}
	q.dead = 0
}
