package eventqueue

import "github.com/almanac-sim/almanac/internal/timekey"

// In a large queue the record of an id that is cancelled or moved is not in the cache, and could
// not be prefetched. Reading it stalls the processor: a load that misses the cache keeps everything
// after it from being completed. So it is not read as long as that can be avoided.
//
// The new version is written to the record at once, which makes the old entry stale. Versions are
// counted for the whole queue and not for each id, so nothing need be read to get one, and the
// write brings the record into the cache. The new entry is placed at once. The old key is needed
// only to count the stale entry in its bucket, and that is deferred: the id and its new key are
// appended to a list. When some others have been appended after it, the record is in the cache; its
// key is replaced, and the stale entry is counted. So versions are always right, and keys are right
// after flush.
//
// Cancel must report at once whether there is an event. There is a bit for each id, in pages that
// are made when they are first needed: 125 kB for a million ids stay in the second-level cache,
// where 12 MB of records do not. A hold changes no bit. Reschedule does not need the answer:
// whether one more event is pending is found when the invalidation is applied, and Len applies them
// all.
//
// Until then a bucket may have stale entries that are not counted. So entries of the bottom are
// checked while there is anything on the list. And if a bucket is divided or swept meanwhile, its
// stale entries are dropped and one of them is counted nevertheless, in the bucket where it would
// be: counts are never too low, apart from those on the list, and may be too high, which costs a
// sweep and does no harm.
//
// This is done only in queues that count the stale entries of each bucket (see count) and whose
// records are not in the cache. In smaller ones nothing is deferred.

// deferFrom is the number of ids from which invalidations are deferred. With 10⁵ ids that would
// cost a tenth; with 10⁷ it halves the time.
const deferFrom = 1 << 17

// maxDeferred is the length of the list. With 4, some of the records have not arrived yet when they
// are needed. A call that needs an exact result has to apply that many, each of which may sweep its
// bucket.
const maxDeferred = 8

// An invalidation is of the event of an id, whose record has the new version but not yet the new
// key, which is noKey if the event was cancelled.
type invalidation struct {
	key     uint64
	id      ID
	version uint32
}

// invalidations are those that are deferred: the last n before next, in the order in which they
// came. An id can be there more than once.
type invalidations struct {
	list    [maxDeferred]invalidation
	ids     [maxDeferred]ID // the same ids, to be searched quickly
	next, n uint
	seen    uint // what next was when the bottom was filled the last time
}

// defers reports whether invalidations are deferred. If not, the list is empty.
func (q *Queue) defers() bool { return q.counted && q.ids >= q.deferFrom }

// newVersion returns a version that no entry has.
func (q *Queue) newVersion() uint32 {
	q.version++
	if q.version == q.lastVersion {
		q.restartVersions()
	}
	return q.version
}

// restartVersions starts the versions again, after 2³² cancellations. It looks at every entry and
// every record.
func (q *Queue) restartVersions() {
	q.applyAllDeferred()
	q.sweep()
	reset := func(es []entry) {
		for i := range es {
			es[i].Version = 0
		}
	}
	reset(q.bottom[q.head:])
	for l := range q.allLevels {
		for i := l.open; i < l.count(); i++ {
			b := l.buckets[i]
			if b.tail == 0 || b.tail == nested {
				continue
			}
			for c := b.head; ; c = q.pool.next(c) {
				reset(q.pool.entries(b, c))
				if c == b.last() {
					break
				}
			}
		}
	}
	for _, page := range q.pages {
		for i := range page {
			page[i].version = 0
		}
	}
	q.version = 1
}

// rescheduleDeferred is Reschedule for an id that has a record, while invalidations are deferred.
func (q *Queue) rescheduleDeferred(id ID, k uint64) {
	version, swept := q.invalidateLater(id, k)
	q.place(entry{Key: k, ID: id, Version: version})
	if swept {
		q.shrink()
	}
}

// cancelDeferred is Cancel for an id that has a record, while invalidations are deferred.
func (q *Queue) cancelDeferred(id ID) bool {
	p := id >> pageBits
	if int(p) >= len(q.bits) || q.bits[p] == nil {
		q.makeBits(int(p))
	}
	word, bit := &q.bits[p][id&pageMask/64], uint64(1)<<(id%64)
	if *word&bit == 0 {
		if waits, _ := q.deferred.contains(id); !waits {
			return false
		}
		q.flush() // it may have been moved while there was nothing to move
		return q.Cancel(id)
	}
	*word &^= bit
	q.pending--
	if _, swept := q.invalidateLater(id, noKey); swept {
		q.shrink()
	}
	return true
}

// invalidateLater makes the entry of an id stale, if it has one, and puts the invalidation on the
// list. It returns the version for the next entry, and whether a bucket was swept by an
// invalidation that was applied for it.
func (q *Queue) invalidateLater(id ID, k uint64) (version uint32, swept bool) {
	version = q.newVersion()
	q.pages[id>>pageBits][id&pageMask].version = version
	q.stale++
	q.maybeStale = true
	d := &q.deferred
	if d.n == maxDeferred {
		swept = q.applyDeferred()
	}
	d.list[d.next%maxDeferred] = invalidation{k, id, version}
	d.ids[d.next%maxDeferred] = id
	d.next++
	d.n++
	return version, swept
}

// applyDeferred applies the oldest invalidation of the list.
func (q *Queue) applyDeferred() (swept bool) {
	d := q.deferred.list[(q.deferred.next-q.deferred.n)%maxDeferred]
	q.deferred.n--
	r := &q.pages[d.id>>pageBits][d.id&pageMask]
	old := r.key()
	r.setKey(d.key)
	if old <= q.levels[len(q.levels)-1].end {
		q.bottomStale = true
	}
	if old == noKey { // there was none
		q.stale--
		q.pending++
		q.mark(d.id)
		return false
	}
	return q.countStale(old)
}

// applyAllDeferred applies all of them.
func (q *Queue) applyAllDeferred() (swept bool) {
	for q.deferred.n > 0 {
		if q.applyDeferred() {
			swept = true
		}
	}
	return swept
}

// flush applies the deferred invalidations; no entry may be detached.
func (q *Queue) flush() {
	if q.applyAllDeferred() {
		q.shrink()
	}
}

// applySomeDeferred is called when the bottom is to be filled. If none came since the last time,
// those on the list are applied little by little.
func (q *Queue) applySomeDeferred() (swept bool) {
	d := &q.deferred
	if d.seen == d.next {
		swept = q.applyDeferred()
	}
	d.seen = d.next
	return swept
}

// mayContain reports false if no invalidation of an id is on the list. If true, there may have been
// one.
func (d *invalidations) mayContain(id ID) bool {
	a := &d.ids // a loop takes several times as long
	return min(a[0]^id, a[1]^id, a[2]^id, a[3]^id, a[4]^id, a[5]^id, a[6]^id, a[7]^id) == 0
}

// contains reports whether an invalidation of an id is on the list, and if so whether it is the
// last.
func (d *invalidations) contains(id ID) (waits, last bool) {
	for i := range d.n {
		if d.list[(d.next-1-i)%maxDeferred].id == id {
			return true, i == 0
		}
	}
	return false, false
}

// isCurrent reports whether e, an entry of the bottom that may be stale, is still valid, and makes
// sure that the record then has its key.
func (q *Queue) isCurrent(e entry) bool {
	if q.deferred.n > 0 && q.deferred.mayContain(e.ID) {
		q.applyAllDeferred()
	}
	return !q.bottomStale || q.live(e)
}

// scheduleAfter is Schedule for an id that has an invalidation on the list, as the last one or not.
func (q *Queue) scheduleAfter(id ID, at float64, last bool) error {
	d := &q.deferred.list[(q.deferred.next-1)%maxDeferred]
	if !last || d.key != noKey {
		q.flush()
		return q.Schedule(id, at)
	}
	k := timekey.Of(at)
	d.key = k
	q.mark(id)
	q.pending++
	q.place(entry{Key: k, ID: id, Version: d.version})
	return nil
}
