package eventqueue

// Memory is given back when there is several times as much as is needed, and enough has happened
// since the last time that it costs a constant per event to ask for it again.

const (
	roomy = 4 // how many times more room than needed is too much
	// fewChunks and manyChunks are never too many: 64 kB for any queue, and 8 MB for one that has
	// entries in as many buckets.
	fewChunks  = 128
	manyChunks = 2 * maxFan
	// bytesPerMove is how many bytes may be given back for each entry that was moved. To have them
	// again takes some nanoseconds. A few may be given back before that.
	bytesPerMove = 128
	firstBytes   = 64 << 20
	// few is up to how many entries it is best to move them all.
	few = 1 << 14
	// pageCheckEvery is the number of moved entries after which a page of records is checked.
	pageCheckEvery = pageLen
)

// tooLarge reports whether the pool is much larger than needed: at worst each entry has a chunk of
// its own.
func (q *Queue) tooLarge() bool {
	entries := q.pending + q.stale
	room := q.pool.room()
	return room > (roomy-1)*entries+fewChunks || room > 2*roomy*entries/chunkLen+manyChunks
}

// affords reports whether enough was done since that giving so many bytes back, and allocating them
// again, costs a constant per event.
func (q *Queue) affords(bytes int) bool {
	return q.returned+uint64(bytes) <= firstBytes+bytesPerMove*(q.moved+q.turned)
}

// shrink gives memory back if there is too much. No entry may be detached.
func (q *Queue) shrink() {
	entries := q.pending + q.stale
	if q.counted && entries < q.most/2 {
		q.applyAllDeferred()
		q.counted = false
	}
	if q.ids > roomy*(q.pending+pageLen) && q.stale == 0 && q.moved-q.movedAtPageCheck >= pageCheckEvery {
		q.movedAtPageCheck = q.moved
		q.releasePage()
	}
	large := q.tooLarge()
	switch {
	case entries <= min(q.most/2, few):
		// Of ids that are far apart each may need a page of records. Two more may stay, so that few
		// entries of many ids do not ask for pages and give them back by turns.
		if large && q.affords(q.pool.bytes()) || q.ids > (entries+2)<<pageBits && q.affords(q.recordBytes()) {
			q.collapse()
		}
	case large && (2*entries <= q.shrunkAt || q.moved-q.movedAtShrink > uint64(q.pool.room()*chunkLen)):
		// To move them all would take too long. But many slabs will be free, and others soon.
		q.pool.giveBack()
		q.shrunkAt, q.movedAtShrink = entries, q.moved
		q.shrinks++
	}
}

// collapse begins anew with the few entries that there are: all but the bottom goes into one bucket
// again, in memory of the right size. The records of ids that no entry is of go too.
func (q *Queue) collapse() {
	q.settle() // before records go
	q.applyAllDeferred()
	end := q.levels[len(q.levels)-1].end
	old := q.pool
	q.pool = pool{}
	root := level{end: end, to: pastAll, shift: 63, last: 1, buckets: make([]bucket, 2)}
	root.open = int(root.index(end))
	used := make([]bool, len(q.pages))
	for _, e := range q.bottom[q.head:] {
		used[e.ID>>pageBits] = true
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
						q.stale--
						continue
					}
					used[e.ID>>pageBits] = true
					q.pool.push(&root.buckets[root.index(e.Key)], e)
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
	q.resetPrefetch()
	q.nests, q.vacant = nil, nil
	q.spare = [len(q.spare)][][]bucket{}
	returned := old.bytes() - q.pool.bytes()
	if records := q.recordBytes(); q.affords(records) {
		q.forget(used)
		returned += records - q.recordBytes()
	}
	q.returned += uint64(max(returned, 0))
	q.shrunkAt, q.movedAtShrink = 0, q.moved
	q.shrinks++
}

// forget drops the pages of records that are not used: those whose ids have no entry, not even a
// stale one. A forgotten version can then not be mistaken for a new one.
func (q *Queue) forget(used []bool) {
	top := 0
	for p, page := range q.pages {
		if used[p] {
			top = p + 1
		} else if page != nil {
			q.ids -= len(page)
			q.pages[p] = nil
			q.dropBits(p)
		}
	}
	if len(q.pages) > roomy*(top+1) {
		q.pages = append(make([][]record, 0, top), q.pages[:top]...)
		q.bits = append([]*bitPage(nil), q.bits[:min(top, len(q.bits))]...)
	}
}

// releasePage checks one page of records, and drops it if none of its ids is pending. There must be
// no stale entries.
func (q *Queue) releasePage() {
	q.settle()
	q.applyAllDeferred()
	for range q.pages {
		q.checkedPage++
		if q.checkedPage >= len(q.pages) {
			q.checkedPage = 0
		}
		page := q.pages[q.checkedPage]
		if page == nil {
			continue
		}
		for i := range page {
			if page[i].key() != noKey {
				return
			}
		}
		q.ids -= len(page)
		q.pages[q.checkedPage] = nil
		q.dropBits(q.checkedPage)
		return
	}
}
