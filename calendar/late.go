package calendar

// Most events that are dispatched are scheduled anew at once. So Next leaves the record of the id as it is and takes a note (left), and if the next
// call schedules the same id it knows the stamp from there and writes the new key: the record is written once instead of twice, and not read. A hold
// takes a twelfth to a fifth less time by that, with a thousand events as with a million.
//
// With very many ids that record is out of the cache, and so is the place of the new entry. To wait for both was half of a hold at 10⁸ events. What is
// to be written can be written later, since nothing has to be read there: that the entry is live is known without (see doubt). So it is collected, and
// when there are some dozen of them all are written one right after the other. The processor then has many on their way at a time, and a record takes
// 12 ns where one that comes alone takes 25.
//
// What is collected are new keys of records, and entries for the first level of the path, where nobody looks for them before a bucket of it is
// opened. All other entries are placed at once. Whoever reads the key of a record, or changes the first level, calls settle or placeLate before.
// Stamps of records are always up to date.

const (
	// far is the number of ids from which collecting is worth it. A hold at 10⁷ events takes a quarter longer with it, at 10⁸ a sixth less.
	far = 1 << 25
	// lateMax is how many are collected at most. With 8 a hold at 10⁸ events takes 2 ns longer, with 256 as long.
	lateMax = 64
	// Who cancels and asks all the time has it settled all the time, and it is better not to collect anything then: if there were fewer than
	// lateMin, the next atOnce are written as they come.
	lateMin, atOnce = 8, 256
)

// lates is what is still to be written.
type lates struct {
	// If left is set, leaver is the entry that was dispatched last, and its record still has its key: most likely the next call
	// schedules the same id, and writes another one.
	left   bool
	leaver entry
	// The first n of these are keys for the records of their ids, in the order in which they came, and also entries to be placed unless they have the
	// last stamp, which no entry has. An id that has an entry here has nothing behind it: it is not dispatched before it is placed.
	n    int
	keys [lateMax]entry
	// So many are to be written at once. None are collected meanwhile.
	atOnce int
}

// collects reports whether what is to be written is collected.
func (q *Queue) collects() bool { return q.ids >= q.far && q.late.atOnce == 0 }

// leave takes note that e, which is live, is dispatched.
func (q *Queue) leave(e entry) {
	if q.late.left {
		q.stayAway()
	}
	q.late.left, q.late.leaver = true, e
}

// stayAway is for when the id that was dispatched last is not scheduled anew.
//
//go:noinline
func (q *Queue) stayAway() {
	id := q.late.leaver.id
	if q.collects() {
		q.write(entry{noKey, id, lastStamp})
		return
	}
	q.late.atOnce = max(q.late.atOnce-1, 0)
	q.setKey(id, noKey)
	q.unmark(id)
}

// comeBack schedules the id that was dispatched last, as long as left is set.
func (q *Queue) comeBack(k uint64) {
	q.late.left = false
	q.pending++
	e := q.late.leaver
	e.key = k
	switch {
	case !q.collects():
		q.late.atOnce = max(q.late.atOnce-1, 0)
		q.setKey(e.id, k)
		q.place(e)
	case k >= q.levels[0].end:
		q.write(e)
	default:
		q.write(entry{k, e.id, lastStamp})
		q.place(e)
	}
}

// write has the key of e written into its record, and e placed unless it has the last stamp.
func (q *Queue) write(e entry) {
	l := &q.late
	l.keys[l.n%lateMax] = e
	if l.n++; l.n >= lateMax {
		q.writeLate(false)
	}
}

// writeLate writes what was collected. Of the buckets that come to have too many entries no more than one is divided in a call: what comes behind it is
// left for the next one, unless it must all be written.
//
//go:noinline
func (q *Queue) writeLate(all bool) {
	late := q.late.keys[:q.late.n]
	pages := q.pages
	for i := range late {
		pages[late[i].id>>pageBits][late[i].id&pageMask].setKey(late[i].key)
		if late[i].key == noKey {
			q.unmark(late[i].id)
		}
	}
	divided := false
	for i, e := range late {
		if e.stamp == lastStamp {
			continue
		}
		l := &q.levels[0]
		b := &l.buckets[l.index(e.key)]
		for b.tail == nested {
			c := q.nests[b.head]
			b = &c.buckets[c.index(e.key)]
		}
		w := b.tail
		if w%chunkSlots == 0 {
			switch full := int(b.n) >= q.limit(); {
			case full && divided && !all:
				q.late.n = copy(late, late[i:])
				return
			case full && divided:
				w = q.pool.extend(b) // it will be divided when the next chunk is full
			default:
				b, w = q.room(l, e.key)
				divided = divided || full
			}
		}
		q.pool.slabs[w>>slabBits][w&slabMask] = e
		b.tail = w + 1
		b.n++
	}
	q.late.n = 0
}

// placeLate places all entries that are still to be placed.
func (q *Queue) placeLate() {
	if q.late.n > 0 {
		q.writeLate(true)
	}
}

// settle brings everything up to date.
func (q *Queue) settle() {
	if q.late.left || q.late.n > 0 {
		q.settleAll()
	}
}

//go:noinline
func (q *Queue) settleAll() {
	l := &q.late
	if l.left { // there is room for one more, since what fills the list is written at once
		l.left = false
		l.keys[l.n] = entry{noKey, l.leaver.id, lastStamp}
		l.n++
	}
	if l.n < q.lateMin {
		l.atOnce = atOnce
	}
	if l.n == 1 && l.keys[0].stamp == lastStamp { // in a small queue that is all there ever is
		q.setKey(l.keys[0].id, l.keys[0].key)
		if l.keys[0].key == noKey {
			q.unmark(l.keys[0].id)
		}
		l.n = 0
		return
	}
	q.writeLate(true)
}

// setKey writes the key of an id, which has a record.
func (q *Queue) setKey(id ID, k uint64) { q.pages[id>>pageBits][id&pageMask].setKey(k) }
