package eventqueue

// Most events that are dispatched are scheduled anew at once. So Next leaves the record of the id
// as it is and remembers the entry, and if the next call schedules the same id the version is known
// from there and the new key is written: the record is written once instead of twice, and not read.
// A hold takes a twelfth to a fifth less time by that, with a thousand events as with a million.
//
// With very many ids that record is not in the cache, and neither is the place of the new entry. To
// wait for both was half of a hold at 10⁸ events. The writes can be made later, since nothing has
// to be read there: that the entry is live is known without (see maybeStale). So they are buffered,
// and when there are some dozen of them all are made one right after the other. The processor then
// has many on their way at a time, and a record takes 12 ns where one that comes alone takes 25.
//
// The buffer has new keys of records, and entries for the first level of the path, where they are
// not needed before a bucket of it is opened. All other entries are placed at once. Code that reads
// the key of a record calls settle first; code that changes the first level calls placeBuffered.
// Versions of records are always up to date.

const (
	// bufferFrom is the number of ids from which buffering is worth it. A hold at 10⁷ events takes
	// a quarter longer with it, at 10⁸ a sixth less.
	bufferFrom = 1 << 25
	// writeBufferLen is the length of the buffer. With 8 a hold at 10⁸ events takes 2 ns longer,
	// with 256 as long.
	writeBufferLen = 64
	// A program that cancels and looks up all the time has the buffer flushed all the time, and it
	// is better not to buffer anything then: if there were fewer than fewWrites, the next
	// unbufferedFor are made as they come.
	fewWrites, unbufferedFor = 8, 256
)

// A writeBuffer has what is still to be written.
type writeBuffer struct {
	// If hasLast is set, last is the entry that was dispatched last, and its record still has its
	// key: most likely the next call schedules the same id, and writes another one.
	hasLast bool
	last    entry
	// The first n of these are keys for the records of their ids, in the order in which they came,
	// and also entries to be placed unless they have the last version, which no entry has. An id
	// that has an entry here has nothing behind it: it is not dispatched before it is placed.
	n       int
	entries [writeBufferLen]entry
	// So many writes are to be made at once. None are buffered meanwhile.
	unbuffered int
}

// buffersWrites reports whether writes are buffered.
func (q *Queue) buffersWrites() bool { return q.ids >= q.bufferFrom && q.writes.unbuffered == 0 }

// noteDispatch remembers that e, which is live, is dispatched.
func (q *Queue) noteDispatch(e entry) {
	if q.writes.hasLast {
		q.clearLast()
	}
	q.writes.hasLast, q.writes.last = true, e
}

// clearLast is called when the id that was dispatched last is not scheduled anew.
//
//go:noinline
func (q *Queue) clearLast() {
	id := q.writes.last.ID
	if q.buffersWrites() {
		q.bufferWrite(entry{Key: noKey, ID: id, Version: lastVersion})
		return
	}
	q.writes.unbuffered = max(q.writes.unbuffered-1, 0)
	q.setKey(id, noKey)
	q.unmark(id)
}

// scheduleLast schedules the id that was dispatched last, while hasLast is set.
func (q *Queue) scheduleLast(k uint64) {
	q.writes.hasLast = false
	q.pending++
	e := q.writes.last
	e.Key = k
	switch {
	case !q.buffersWrites():
		q.writes.unbuffered = max(q.writes.unbuffered-1, 0)
		q.setKey(e.ID, k)
		q.place(e)
	case k >= q.levels[0].end:
		q.bufferWrite(e)
	default:
		q.bufferWrite(entry{Key: k, ID: e.ID, Version: lastVersion})
		q.place(e)
	}
}

// bufferWrite has the key of e written into its record later, and e placed unless it has the last
// version.
func (q *Queue) bufferWrite(e entry) {
	l := &q.writes
	l.entries[l.n%writeBufferLen] = e
	if l.n++; l.n >= writeBufferLen {
		q.flushWrites(false)
	}
}

// flushWrites makes the buffered writes. Of the buckets that come to have too many entries no more
// than one is divided in a call: what comes behind it is left for the next one, unless it must all
// be written.
//
//go:noinline
func (q *Queue) flushWrites(all bool) {
	writes := q.writes.entries[:q.writes.n]
	pages := q.pages
	for i := range writes {
		pages[writes[i].ID>>pageBits][writes[i].ID&pageMask].setKey(writes[i].Key)
		if writes[i].Key == noKey {
			q.unmark(writes[i].ID)
		}
	}
	divided := false
	for i, e := range writes {
		if e.Version == lastVersion {
			continue
		}
		l := &q.levels[0]
		b := &l.buckets[l.index(e.Key)]
		for b.tail == nested {
			c := q.nests[b.head]
			b = &c.buckets[c.index(e.Key)]
		}
		w := b.tail
		if w%chunkSlots == 0 {
			switch full := int(b.n) >= q.limit(); {
			case full && divided && !all:
				q.writes.n = copy(writes, writes[i:])
				return
			case full && divided:
				w = q.pool.extend(b) // it will be divided when the next chunk is full
			default:
				b, w = q.room(l, e.Key)
				divided = divided || full
			}
		}
		q.pool.slabs[w>>slabBits][w&slabMask] = e
		b.tail = w + 1
		b.n++
	}
	q.writes.n = 0
}

// placeBuffered places all entries of the buffer.
func (q *Queue) placeBuffered() {
	if q.writes.n > 0 {
		q.flushWrites(true)
	}
}

// settle brings all records up to date.
func (q *Queue) settle() {
	if q.writes.hasLast || q.writes.n > 0 {
		q.settleAll()
	}
}

//go:noinline
func (q *Queue) settleAll() {
	l := &q.writes
	if l.hasLast { // there is room for one more, since what fills the list is written at once
		l.hasLast = false
		l.entries[l.n] = entry{Key: noKey, ID: l.last.ID, Version: lastVersion}
		l.n++
	}
	if l.n < q.fewWrites {
		l.unbuffered = unbufferedFor
	}
	if l.n == 1 && l.entries[0].Version == lastVersion { // in a small queue that is all there ever is
		q.setKey(l.entries[0].ID, l.entries[0].Key)
		if l.entries[0].Key == noKey {
			q.unmark(l.entries[0].ID)
		}
		l.n = 0
		return
	}
	q.flushWrites(true)
}

// setKey writes the key of an id, which has a record.
func (q *Queue) setKey(id ID, k uint64) { q.pages[id>>pageBits][id&pageMask].setKey(k) }
