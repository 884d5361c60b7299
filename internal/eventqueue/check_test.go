package eventqueue

import (
	"fmt"

	"github.com/almanac-sim/almanac/internal/timekey"
)

// check verifies the invariants of a queue, and tells the first one that it finds broken.
func (q *Queue) check() error {
	// chunk 0 stands for none
	v := verifier{q: q, seen: make(map[ID]*[1 << pageBits / 64]uint64), nests: make(map[uint32]bool), chunks: 1}
	if err := v.writes(); err != nil {
		return fmt.Errorf("late: %w", err)
	}
	if err := v.deferred(); err != nil {
		return fmt.Errorf("deferred: %w", err)
	}
	if err := v.bottom(); err != nil {
		return fmt.Errorf("bottom: %w", err)
	}
	to := pastAll
	for i := range q.levels {
		l := &q.levels[i]
		if l.to != to {
			return fmt.Errorf("level %d is for keys up to %x, the one above ends at %x", i, l.to, to)
		}
		if err := v.level(l); err != nil {
			return fmt.Errorf("level %d: %w", i, err)
		}
		to = l.end
	}
	for i, l := range q.nests {
		if (l != nil) != v.nests[uint32(i)] {
			return fmt.Errorf("level %d is nested in a bucket %v, and kept %v", i, v.nests[uint32(i)], l != nil)
		}
	}
	vacant := make(map[uint32]bool)
	for _, i := range q.vacant {
		if vacant[i] || int(i) >= len(q.nests) || q.nests[i] != nil {
			return fmt.Errorf("place %d of the nested levels is said to be vacant twice, or is not", i)
		}
		vacant[i] = true
	}
	if n := len(v.nests) + len(vacant); n != len(q.nests) {
		return fmt.Errorf("%d places for nested levels, %d of them used or vacant", len(q.nests), n)
	}
	for class, kept := range q.spare {
		if len(kept) > maxSpare {
			return fmt.Errorf("%d arrays of spare buckets of class %d", len(kept), class)
		}
		for _, bs := range kept {
			for _, b := range bs {
				if len(bs) != 1<<class || b != (bucket{}) {
					return fmt.Errorf("%d spare buckets are not empty or of the wrong number", len(bs))
				}
			}
		}
	}
	return v.counts()
}

// A verifier is a check that is under way.
type verifier struct {
	q    *Queue
	keys map[ID]uint64 // what is still to be written into records
	// for each page of ids that is used, a bit for each: whether it has a live entry
	seen          map[ID]*[1 << pageBits / 64]uint64
	nests         map[uint32]bool // levels found nested in buckets
	entries, live int
	chunks        int
	owned         []uint64    // a bit for each chunk that was found in a bucket or free
	moved         map[ID]bool // ids that were moved while they had no event, which is not yet known
}

// late verifies what is still to be written: entries are of the first level, and the last of their
// id.
func (v *verifier) writes() error {
	q := v.q
	v.keys = make(map[ID]uint64)
	waits := make(map[ID]bool)
	for _, e := range q.writes.entries[:q.writes.n] {
		if q.record(e.ID) == nil || waits[e.ID] {
			return fmt.Errorf("id %d has no record, or an entry that was not placed before", e.ID)
		}
		v.keys[e.ID] = e.Key
		if waits[e.ID] = e.Version != lastVersion; waits[e.ID] && e.Key < q.levels[0].end {
			return fmt.Errorf("entry at %v is not of the first level", timekey.Time(e.Key))
		}
	}
	if q.writes.hasLast {
		if id := q.writes.last.ID; v.key(id) != q.writes.last.Key || waits[id] {
			return fmt.Errorf("id %d left, and is recorded for %v", id, timekey.Time(v.key(id)))
		}
		v.keys[q.writes.last.ID] = noKey
	}
	for _, e := range q.writes.entries[:q.writes.n] {
		if e.Version != lastVersion {
			if live, err := v.entry(e); err != nil || !live {
				return fmt.Errorf("entry of id %d is live: %v, %w", e.ID, live, err)
			}
		}
	}
	return nil
}

// deferred verifies the deferred invalidations: there are none in small queues, entries of the
// bottom may be stale, and versions are right already. It verifies the bits, too.
func (v *verifier) deferred() error {
	q := v.q
	d := &q.deferred
	if d.n > 0 && !q.defers() || d.n > maxDeferred {
		return fmt.Errorf("%d are deferred, and it is %v that stale entries are counted", d.n, q.counted)
	}
	if d.n > 0 && !q.maybeStale {
		return fmt.Errorf("%d are deferred, and maybeStale is not set", d.n)
	}
	waits := make(map[ID]bool)
	v.moved = make(map[ID]bool)
	for i := range d.n {
		one := d.list[(d.next-d.n+i)%maxDeferred]
		r := q.record(one.id)
		if r == nil {
			return fmt.Errorf("id %d has no record", one.id)
		}
		if _, ok := v.keys[one.id]; ok && !waits[one.id] {
			return fmt.Errorf("id %d has a key that is to be written late", one.id)
		}
		if v.key(one.id) == noKey {
			v.moved[one.id] = true
		}
		v.keys[one.id], waits[one.id] = one.key, true
		if last, _ := d.contains(one.id); !last {
			return fmt.Errorf("id %d is not found", one.id)
		}
	}
	for i := range d.n {
		if one := d.list[(d.next-1-i)%maxDeferred]; waits[one.id] { // the last of its id
			delete(waits, one.id)
			if q.record(one.id).version != one.version {
				return fmt.Errorf("id %d waits with version %d, its record has %d", one.id, one.version, q.record(one.id).version)
			}
		}
	}
	return v.bits()
}

// bits verifies that they say which ids are pending, as far as is known.
func (v *verifier) bits() error {
	q := v.q
	n := 0
	for p, bits := range q.bits {
		if bits == nil {
			continue
		}
		n++
		if p >= len(q.pages) || q.pages[p] == nil {
			return fmt.Errorf("bits for page %d, which is not there", p)
		}
		page := q.pages[p]
		want := make([]uint64, len(bits))
		for i := range page {
			if page[i].key() != noKey {
				want[i/64] |= 1 << (i % 64)
			}
		}
		for i := range q.deferred.n {
			if id := q.deferred.list[(q.deferred.next-1-i)%maxDeferred].id; int(id>>pageBits) == p {
				word, bit := &want[id&pageMask/64], uint64(1)<<(id%64)
				if *word &^= bit; v.key(id) != noKey && !v.moved[id] {
					*word |= bit
				}
			}
		}
		for i := range want {
			if bits[i] != want[i] {
				return fmt.Errorf("from id %d on %x are marked, and %x pending", p<<pageBits+64*i, bits[i], want[i])
			}
		}
	}
	if n != q.bitPages {
		return fmt.Errorf("bits for %d pages, counted as %d", n, q.bitPages)
	}
	return nil
}

// key is what the record of an id says, or will.
func (v *verifier) key(id ID) uint64 {
	if k, ok := v.keys[id]; ok {
		return k
	}
	return v.q.record(id).key()
}

// entry verifies one entry, and tells whether it is live.
func (v *verifier) entry(e entry) (live bool, err error) {
	v.entries++
	r := v.q.record(e.ID)
	switch {
	case r == nil:
		return false, fmt.Errorf("entry of id %d, which has no record", e.ID)
	case !v.q.live(e):
		return false, nil
	case v.key(e.ID) == noKey && v.q.writes.hasLast && v.q.writes.last == e:
		return true, fmt.Errorf("entry of id %d, which was dispatched", e.ID)
	case v.key(e.ID) == noKey:
		// A record without an event has a version that no entry has.
		return true, fmt.Errorf("live entry of id %d, which is not pending", e.ID)
	case v.key(e.ID) != e.Key:
		return true, fmt.Errorf("live entry of id %d is for %v, its record says %v", e.ID, timekey.Time(e.Key),
			timekey.Time(v.key(e.ID)))
	case v.saw(e.ID):
		return true, fmt.Errorf("two live entries of id %d", e.ID)
	case e.Key < timekey.Of(v.q.now):
		return true, fmt.Errorf("event of id %d at %v is before now, %v", e.ID, timekey.Time(e.Key), v.q.now)
	}
	v.live++
	page := v.seen[e.ID>>pageBits]
	if page == nil {
		page = new([1 << pageBits / 64]uint64)
		v.seen[e.ID>>pageBits] = page
	}
	page[e.ID%(1<<pageBits)/64] |= 1 << (e.ID % 64)
	return true, nil
}

// saw reports whether an id has a live entry that was verified.
func (v *verifier) saw(id ID) bool {
	page := v.seen[id>>pageBits]
	return page != nil && page[id%(1<<pageBits)/64]>>(id%64)&1 != 0
}

// bottom verifies that the bottom is sorted, and below the end of the last level; or the first of
// ties whose time has come.
func (v *verifier) bottom() error {
	q := v.q
	end := q.levels[len(q.levels)-1].end
	if cap(q.bottom) != bottomCap {
		return fmt.Errorf("room for %d entries, not %d", cap(q.bottom), bottomCap)
	}
	for i := q.head; i < len(q.bottom); i++ {
		e := q.bottom[i]
		live, err := v.entry(e)
		if err != nil {
			return err
		}
		if !live && !q.bottomStale && !q.deferred.mayContain(e.ID) {
			return fmt.Errorf("id %d is stale, and bottomStale is not set", e.ID)
		}
		if i > q.head && q.bottom[i-1].Key > e.Key {
			return fmt.Errorf("not sorted at %d", i-q.head)
		}
		if e.Key > end || e.Key == end && e.Key != timekey.Of(q.now) {
			return fmt.Errorf("entry at %v belongs into a level", timekey.Time(e.Key))
		}
	}
	return nil
}

// level verifies that the entries of a level are in the buckets of their keys, none before the open
// one, none below its end, and that there are not too many of them, or of stale ones.
func (v *verifier) level(l *level) error {
	if l.end > l.to {
		return fmt.Errorf("ends at %x, after %x", l.end, l.to)
	}
	if l.open < l.count() && l.end != 0 && l.end < l.floor(l.open) {
		return fmt.Errorf("ends before its open bucket, %d", l.open)
	}
	for j := range l.buckets {
		b := l.buckets[j]
		if b.tail == 0 && b != (bucket{}) {
			return fmt.Errorf("empty bucket %d is %v", j, b)
		}
		if b.tail == 0 {
			continue
		}
		if j < l.open || j >= l.count() {
			return fmt.Errorf("bucket %d of %d to %d is in use", j, l.open, l.last)
		}
		if b.tail != nested {
			if err := v.bucket(l, j); err != nil {
				return fmt.Errorf("bucket %d: %w", j, err)
			}
			continue
		}
		c := v.q.nests[b.head]
		if c == nil || v.nests[b.head] || c.to != l.ceiling(j) {
			return fmt.Errorf("bucket %d: level %d is not nested in it", j, b.head)
		}
		if c.open != 0 || c.end != 0 {
			return fmt.Errorf("bucket %d: the level nested in it has been opened", j)
		}
		v.nests[b.head] = true
		if err := v.level(c); err != nil {
			return fmt.Errorf("nested in bucket %d: %w", j, err)
		}
	}
	return nil
}

// bucket verifies the entries of bucket j of l.
func (v *verifier) bucket(l *level, j int) error {
	b := l.buckets[j]
	n, stale, sure := 0, 0, 0 // sure are the stale ones whose ids are not on the list of deferred invalidations
	for c := b.head; ; c = v.q.pool.next(c) {
		v.chunks++
		if err := v.own(c); err != nil {
			return err
		}
		for _, e := range v.q.pool.entries(b, c) {
			live, err := v.entry(e)
			if err != nil {
				return err
			}
			n++
			if !live {
				stale++
				if waits, _ := v.q.deferred.contains(e.ID); !waits {
					sure++
				}
			}
			if i := int(l.index(e.Key)); !l.ties && i != j || l.ties && e.Key != l.to-1 {
				return fmt.Errorf("entry at %v belongs into bucket %d", timekey.Time(e.Key), i)
			}
			if e.Key < l.end || e.Key >= l.to {
				return fmt.Errorf("entry at %v is not between the end of its level and that above", timekey.Time(e.Key))
			}
		}
		if c == b.last() {
			break
		}
	}
	switch {
	case n != int(b.n):
		return fmt.Errorf("%d entries, counted as %d", n, b.n)
	// it is only looked at when a chunk is full, and divided once in a call
	case n > max(v.q.most, v.q.ids/oneIn)+8*chunkLen:
		return fmt.Errorf("%d entries, may have %d", n, v.q.most)
	case l.ties || !v.q.counted:
		return nil
	}
	deferred := int(v.q.deferred.n)
	switch {
	case stale > int(b.stale)+deferred || sure > int(b.stale): // it can be too high
		return fmt.Errorf("%d stale entries, %d of which are not deferred, counted as %d, and %d are deferred", stale, sure,
			b.stale, deferred)
	case 2*(stale-deferred) > n && stale-deferred > chunkLen || stale-deferred == n && l.shift > 0:
		return fmt.Errorf("%d of %d entries are stale", stale, n)
	}
	return nil
}

// counts verifies that every pending id has a live entry, that the counts are right, and that no
// chunk is lost.
func (v *verifier) counts() error {
	q := v.q
	ids := 0
	for p, page := range q.pages {
		ids += len(page)
		for i := range page {
			if id := ID(p)<<pageBits | ID(i); v.key(id) != noKey && !v.saw(id) {
				return fmt.Errorf("pending id %d has no live entry", id)
			}
		}
	}
	if ids != q.ids {
		return fmt.Errorf("records for %d ids, counted as %d", ids, q.ids)
	}
	if stale := v.entries - v.live; v.live != q.pending+len(v.moved) || stale != q.stale-len(v.moved) {
		return fmt.Errorf("%d live and %d stale entries, counted as %d and %d, of which %d are not stale", v.live, stale,
			q.pending, q.stale, len(v.moved))
	}
	if !q.counted && q.stale > q.pending+staleSlack {
		return fmt.Errorf("%d stale entries, %d pending", q.stale, q.pending)
	}
	return v.pool()
}
