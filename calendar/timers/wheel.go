package timers

import "math/bits"

// A wheel has the pending timers of a shard, in buckets of time: a hierarchical timing wheel
// [VL87]. Level l has 512 buckets of 512^l units. A timer is in the level of the highest digit, to
// base 512, in which its time differs from the wheel's, so that the buckets of a level are all
// earlier than those of the level above. When the time of a bucket comes, its timers go to lower
// levels; those of level 0 are due.
//
// A bucket is a circular list, and its head is a slot as well: slot 512·level + digit.
//
// The time of a timer in the wheel is not stored. It is at most the deadline that its word has, and
// whenever a timer is moved, it is moved to where its word says. That is all that happens after a
// Reset to a later time.
//
// [VL87]: https://doi.org/10.1145/41457.37504
type wheel struct {
	slots
	now      uint64                        // no bucket begins before it, and only one of level 0 with it
	occupied [levels * buckets / 64]uint64 // a bit for each bucket that may have timers
	opening  uint32                        // the bucket whose timers are being moved, plus one
	pending  int                           // timers
}

type unit = uint64

const (
	// With 512 buckets, a timer of a minute is moved once before it is due. With 64 it is moved
	// twice, and each time it is no longer in the cache.
	digitBits = 9
	buckets   = 1 << digitBits
	levels    = 6 // 2⁵⁴ units, and an int64 of nanoseconds has no more than 2⁴⁹
)

func (w *wheel) init() {
	for b := range uint32(levels * buckets) {
		id, head, _ := w.take() // the first slots, in order
		if id != b {
			panic("timers: the first slots are not the heads of the buckets")
		}
		head.links = uint64(b)<<bucketShift | uint64(b)<<idBits | uint64(b)
	}
}

// insert puts a timer into the bucket of time t, and returns when the bucket begins. One that never
// expires is moved now and then.
func (w *wheel) insert(id uint32, at *slot, t unit) unit {
	t = min(max(t, w.now), w.now+horizon)
	level := (bits.Len64((t^w.now)|1) - 1) / digitBits
	shift := level * digitBits
	digit := t >> shift & (buckets - 1)
	b := uint32(level*buckets) + uint32(digit)
	w.occupied[b/64] |= 1 << (b % 64)
	head := w.at(b)
	last := head.prev()
	at.links = uint64(b)<<bucketShift | uint64(last)<<idBits | uint64(b)
	w.at(last).setNext(id)
	head.setPrev(id)
	return t >> shift << shift
}

// begins returns when a bucket begins.
func (w *wheel) begins(b uint32) unit {
	shift := b / buckets * digitBits
	above := shift + digitBits
	return w.now>>above<<above | unit(b%buckets)<<shift
}

// unlink takes a timer out of its bucket, which stays marked as occupied.
func (w *wheel) unlink(at *slot) {
	next, prev := at.next(), at.prev()
	w.at(prev).setNext(next)
	w.at(next).setPrev(prev)
}

// first returns the earliest bucket that may have timers, and when it begins.
func (w *wheel) first() (bucket uint32, begins unit, ok bool) {
	for i, set := range w.occupied {
		if set != 0 {
			b := uint32(i*64 + bits.TrailingZeros64(set))
			return b, w.begins(b), true
		}
	}
	return 0, never, false
}
