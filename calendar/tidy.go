package calendar

// Memory is given back when there is several times as much as is needed. That takes as many events as the memory was for to have
// left since, so that it costs a constant per event to ask for it again.

const (
	roomy = 4 // how many times more room than needed is too much
	// fewChunks and manyChunks are never too many: 64 kB for any queue, and 8 MB for one that has entries in as many buckets.
	fewChunks  = 128
	manyChunks = 2 * maxFan
	// fewRecords is how many bytes of records are never too many.
	fewRecords = 1 << 20
	// few is up to how many entries it is best to move them all.
	few = 1 << 14
	// glance is after how many moved entries a page of records is looked at.
	glance = pageLen
)

// tooLarge tells whether the pool is much larger than needed: at worst each entry has a chunk of its own.
func (q *Queue) tooLarge() bool {
	entries := q.pending + q.dead
	room := q.pool.room()
	return room > (roomy-1)*entries+fewChunks || room > 2*roomy*entries/chunkLen+manyChunks
}

// tooManyRecords tells whether a few entries need fewer records than there are: of ids that are far apart each may need a page.
func (q *Queue) tooManyRecords(entries int) bool {
	return q.ids > (entries+2)<<pageBits || q.recordBytes() > 2*q.recordsAtTidy+fewRecords
}

// tidy gives memory back if there is too much. It must not be called while entries are between two places.
func (q *Queue) tidy() {
	if q.counted && q.pending+q.dead < q.most/2 {
		q.counted = false
	}
	if q.ids > roomy*(q.pending+pageLen) && q.dead == 0 && q.moved-q.movedAtGlance >= glance {
		q.movedAtGlance = q.moved
		q.glance()
	}
	entries := q.pending + q.dead
	fewLeft := entries <= min(q.most/2, few)
	if !q.tooLarge() && !(fewLeft && q.tooManyRecords(entries)) {
		return
	}
	if fewLeft {
		q.collapse()
	} else if 2*entries <= q.tidied || q.moved-q.movedAtTidy > uint64(q.pool.room()*chunkLen) {
		// To move them all would take too long. But many slabs will be free, and others soon.
		q.pool.giveBack()
		q.tidied, q.movedAtTidy = entries, q.moved
		q.shrinks++
	}
}

// collapse begins anew with the few entries that there are: all but the near ones collect in one bucket again, in memory of the
// right size. The records of ids that no entry is of go too.
func (q *Queue) collapse() {
	end := q.levels[len(q.levels)-1].end
	old := q.pool
	q.pool = pool{}
	root := level{end: end, to: pastAll, shift: 63, last: 1, buckets: make([]bucket, 2)}
	root.open = int(root.index(end))
	used := make([]bool, len(q.pages))
	for _, e := range q.near[q.head:] {
		used[e.id>>pageBits] = true
	}
	var gather func(l *level)
	gather = func(l *level) {
		for i := l.open; i < l.count(); i++ {
			b := l.buckets[i]
			if b.tail == nested {
				gather(q.nests[b.head])
				continue
			}
			if b.tail == 0 {
				continue
			}
			for c := b.head; ; c = old.next(c) {
				for _, e := range old.entries(b, c) {
					if !q.live(e) {
						q.dead--
						continue
					}
					used[e.id>>pageBits] = true
					q.pool.push(&root.buckets[root.index(e.key)], e)
					q.moved++
				}
				if c == b.last() {
					break
				}
			}
		}
		q.passed += uint64(l.count() - l.open)
	}
	for i := len(q.levels) - 1; i >= 0; i-- {
		gather(&q.levels[i])
	}
	q.levels = append(make([]level, 0, 4), root)
	q.nests, q.vacant = nil, nil
	q.spare = [len(q.spare)][][]bucket{}
	q.forget(used)
	q.tidied, q.movedAtTidy = 0, q.moved
	q.recordsAtTidy = q.recordBytes() // ids that are far apart need many: no use in looking again soon
	q.shrinks++
}

// forget lets go of the pages of records that are not used: of whose ids there is no entry, not even a dead one. A forgotten
// stamp can then not be mistaken for a new one.
func (q *Queue) forget(used []bool) {
	top := 0
	for p, page := range q.pages {
		if used[p] {
			top = p + 1
		} else if page != nil {
			q.ids -= len(page)
			q.pages[p] = nil
		}
	}
	if len(q.pages) > roomy*(top+1) {
		q.pages = append(make([][]record, 0, top), q.pages[:top]...)
	}
}

// glance looks at one page of records, and lets go of it if none of its ids is pending. There must be no dead entries.
func (q *Queue) glance() {
	for range q.pages {
		q.glanced++
		if q.glanced >= len(q.pages) {
			q.glanced = 0
		}
		page := q.pages[q.glanced]
		if page == nil {
			continue
		}
		for i := range page {
			if page[i].key() != noKey {
				return
			}
		}
		q.ids -= len(page)
		q.pages[q.glanced] = nil
		return
	}
}
