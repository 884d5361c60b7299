package calendar

import "github.com/almanac-sim/almanac/internal/timekey"

// In a large queue the record of an id that is cancelled or moved is out of the cache, and nobody could ask for it in advance. To read it is to wait: a
// load that is not answered keeps all that comes behind it from being finished. So it is not read, as long as it can be done without.
//
// The new stamp goes into the record at once, which makes the old entry dead. It is the next of the whole queue and not of the id, so that nothing
// need be read for it, and the write brings the record into the cache. The new entry is placed at once. What takes the old
// key is to count the death in the bucket where the old entry lies, and that can wait: the id and its new key go on a list, and when some
// others have come behind it the record is there, its key is replaced, and the death is counted. So stamps are always right; keys are for whoever asks
// late first.
//
// What Cancel needs to know at once is whether there is an event. There is a bit for each id, in pages that are made when they are first needed: 125 kB for a million
// ids stay in the cache of the second level, where 12 MB of records do not. A hold changes no bit. Reschedule need not know: whether one more is pending is found
// out when the death is counted, and Len has it counted.
//
// Until then a bucket may have dead entries that are not counted. So what is near is doubted while anybody is on the list. And if a bucket is divided or
// swept meanwhile, its dead are dropped and one of them is counted nevertheless, in the bucket where it would be: counts are never too low, but for those on the
// list, and may be too high, which costs a sweep and does no harm.
//
// All this is for queues that count the dead of each bucket (see count) and whose records are out of the cache. In smaller ones nothing waits.

// waitMin is from how many ids on deaths wait. With 10⁵ ids they would lose a tenth by it; with 10⁷ they take half as long.
const waitMin = 1 << 17

// waitMax is how many deaths wait. With 4 the first records are still on their way at times; a call that must know has so many counted at once, each of which may be
// the one for which its bucket is swept.
const waitMax = 8

// A death is of the event of an id, whose record has the new stamp but not yet the new key, which is noKey if the event was cancelled.
type death struct {
	key   uint64
	id    ID
	stamp uint32
}

// deaths are those that wait: the last n before next, in the order in which they came. An id can be there more than once.
type deaths struct {
	list    [waitMax]death
	ids     [waitMax]ID // theirs, to be looked through quickly
	next, n uint
	seen    uint // what next was when near was filled the last time
}

// deathsWait reports whether they do. If not, none is on the list.
func (q *Queue) deathsWait() bool { return q.counted && q.ids >= q.waitMin }

// newStamp returns a stamp that no entry has.
func (q *Queue) newStamp() uint32 {
	q.stamp++
	if q.stamp == q.lastStamp {
		q.comeRound()
	}
	return q.stamp
}

// comeRound starts the stamps again, after 2³² cancellations. It looks at every entry and every record.
func (q *Queue) comeRound() {
	q.countDeaths()
	q.sweep()
	restamp := func(es []entry) {
		for i := range es {
			es[i].stamp = 0
		}
	}
	restamp(q.near[q.head:])
	for l := range q.allLevels {
		for i := l.open; i < l.count(); i++ {
			b := l.buckets[i]
			if b.tail == 0 || b.tail == nested {
				continue
			}
			for c := b.head; ; c = q.pool.next(c) {
				restamp(q.pool.entries(b, c))
				if c == b.last() {
					break
				}
			}
		}
	}
	for _, page := range q.pages {
		for i := range page {
			page[i].stamp = 0
		}
	}
	q.stamp = 1
}

// move is Reschedule for an id that has a record, while deaths wait.
func (q *Queue) move(id ID, k uint64) {
	stamp, swept := q.die(id, k)
	q.place(entry{k, id, stamp})
	if swept {
		q.tidy()
	}
}

// cancel is Cancel for an id that has a record, while deaths wait.
func (q *Queue) cancel(id ID) bool {
	p := id >> pageBits
	if int(p) >= len(q.bits) || q.bits[p] == nil {
		q.makeBits(int(p))
	}
	word, bit := &q.bits[p][id&pageMask/64], uint64(1)<<(id%64)
	if *word&bit == 0 {
		if waits, _ := q.deaths.waits(id); !waits {
			return false
		}
		q.catchUp() // it may have been moved while there was nothing to move
		return q.Cancel(id)
	}
	*word &^= bit
	q.pending--
	if _, swept := q.die(id, noKey); swept {
		q.tidy()
	}
	return true
}

// die makes the entry of an id dead, if it has one, and puts its death on the list. It returns the stamp for the next entry, and tells whether
// a bucket was swept for the death whose turn it was.
func (q *Queue) die(id ID, k uint64) (stamp uint32, swept bool) {
	stamp = q.newStamp()
	q.pages[id>>pageBits][id&pageMask].stamp = stamp
	q.dead++
	q.doubt = true
	d := &q.deaths
	if d.n == waitMax {
		swept = q.countDeath()
	}
	d.list[d.next%waitMax] = death{k, id, stamp}
	d.ids[d.next%waitMax] = id
	d.next++
	d.n++
	return stamp, swept
}

// countDeath counts the death that has waited longest.
func (q *Queue) countDeath() (swept bool) {
	d := q.deaths.list[(q.deaths.next-q.deaths.n)%waitMax]
	q.deaths.n--
	r := &q.pages[d.id>>pageBits][d.id&pageMask]
	old := r.key()
	r.setKey(d.key)
	if old <= q.levels[len(q.levels)-1].end {
		q.bereft = true
	}
	if old == noKey { // there was none
		q.dead--
		q.pending++
		q.mark(d.id)
		return false
	}
	return q.bereave(old)
}

// countDeaths counts all that wait.
func (q *Queue) countDeaths() (swept bool) {
	for q.deaths.n > 0 {
		if q.countDeath() {
			swept = true
		}
	}
	return swept
}

// catchUp counts all deaths that wait, for a caller who has nothing in hand.
func (q *Queue) catchUp() {
	if q.countDeaths() {
		q.tidy()
	}
}

// countSome is for when near is to be filled. If no others came since the last time, those that wait are counted little by little.
func (q *Queue) countSome() (swept bool) {
	d := &q.deaths
	if d.seen == d.next {
		swept = q.countDeath()
	}
	d.seen = d.next
	return swept
}

// mayWait reports false if the death of an id is not on the list. If true, it may just have been there.
func (d *deaths) mayWait(id ID) bool {
	a := &d.ids // a loop takes several times as long
	return min(a[0]^id, a[1]^id, a[2]^id, a[3]^id, a[4]^id, a[5]^id, a[6]^id, a[7]^id) == 0
}

// waits tells whether the death of an id is on the list, and if it is the last of them.
func (d *deaths) waits(id ID) (waits, last bool) {
	for i := range d.n {
		if d.list[(d.next-1-i)%waitMax].id == id {
			return true, i == 0
		}
	}
	return false, false
}

// stands reports whether e, which is near and in doubt, stands for an event, and sees to it that the record then has its key.
func (q *Queue) stands(e entry) bool {
	if q.deaths.n > 0 && q.deaths.mayWait(e.id) {
		q.countDeaths()
	}
	return !q.bereft || q.live(e)
}

// scheduleAfter is Schedule for an id whose death is on the list, as the last of them or not.
func (q *Queue) scheduleAfter(id ID, at float64, last bool) error {
	d := &q.deaths.list[(q.deaths.next-1)%waitMax]
	if !last || d.key != noKey {
		q.catchUp()
		return q.Schedule(id, at)
	}
	k := timekey.Of(at)
	d.key = k
	q.mark(id)
	q.pending++
	q.place(entry{k, id, d.stamp})
	return nil
}
