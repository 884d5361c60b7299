package population

import (
	"math"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/random"
)

// A batch furnishes individuals who come in alike, some at a time: the ages of all, then the first clock of all, and so on, where furnish does
// everything for one and then for the next. Nobody draws otherwise than it would: each has its own stream, and takes the same numbers from it in the
// same order. But the steps are short loops in which no draw waits for another, and most of what is by chance, such as whether a clock strikes before
// the end, is decided without a branch, which the processor would guess wrong for every third.
type batch struct {
	streams [batchSize]random.Stream
	ages    [batchSize]float64
	left    [batchSize]float64 // until a clock strikes; +Inf if it does not
	next    [batchSize]uint64  // the earliest timer, as the bits of its time, which are in order because no time is below 0
	slots   [batchSize]uint64  // the word that columns share
	held    [batchSize]uint8   // by which of them, plus 1
	some    [batchSize]uint8   // of the individuals
	late    []lateTimer
}

// A lateTimer is set when all that is in words is there.
type lateTimer struct {
	id     uint32
	column int
	word   uint64
}

// batchSize is how many are furnished at a time: a power of two, so that what is known of them stays in the nearest cache.
const batchSize = 128

// furnish does what furnish and next of a replica do for individuals with the ids from first on, and with the streams from serial on, a batch at most. It counts
// them by state, and says when the next event of each is due.
func (b *batch) furnish(r *replica, first uint32, in *entrance, streams random.Stream, serial uint64, next []float64) {
	if !r.alikeIn(in) {
		for i := range next {
			id := first + uint32(i)
			state := r.furnish(id, in, streams.At(serial+uint64(i)), nobodyElse)
			r.counts[state]++
			next[i] = r.next(id, state)
		}
		return
	}
	n := len(next)
	own, ages, left := b.streams[:n], b.ages[:n], b.left[:n]
	for i := range own {
		own[i] = streams.At(serial + uint64(i))
	}
	clear(ages)
	if in.age != nil {
		in.age.values[0].drawAll(own, ages)
	}
	for i := range n {
		b.next[i], b.slots[i], b.held[i] = never, never, 0
	}
	b.late = b.late[:0]
	for k := range r.t.always {
		b.wait(&r.t.always[k], n)
		b.carry(r, first, k, n)
	}
	r.counts[in.to] += n
	st := &r.t.states[in.to]
	if st.rate > 0 {
		random.ExpAll(own, left)
		for i, left := range left {
			b.next[i] = min(b.next[i], wordOf(r.now+left*st.mean))
		}
	}
	for i := range next {
		next[i] = timeOf(b.next[i])
	}
	for i := range own {
		row := r.words[(int(first)+i)*r.stride:]
		row[0] = uint64(own[i])
		*(*person)(unsafe.Pointer(&row[1])) = person{state: in.to, held: b.held[i]}
		if r.shared {
			row[before] = b.slots[i]
		}
		r.seen(first+uint32(i), in.to)
	}
	for _, l := range b.late {
		r.setTimer(l.id, l.column, l.word)
	}
}

// alikeIn reports whether those who come in some way have all the same to draw, and carry nothing along but the clocks of always.
func (r *replica) alikeIn(in *entrance) bool {
	if len(r.values) > 0 || in.into != nil || r.origins != nil || in.age != nil && len(in.age.by) > 0 {
		return false
	}
	if st := &r.t.states[in.to]; st.by != nil || st.vary != nil || st.timers > 0 {
		return false
	}
	for k := range r.t.always {
		if c := &r.t.always[k]; c.by != nil || c.off || c.law.memoryless() { // a mark is not for all of them
			return false
		}
	}
	return true
}

// wait draws how long a clock of always still runs for each, as alwaysTable.left does for one.
func (b *batch) wait(c *alwaysTable, n int) {
	own, ages, left := b.streams[:n], b.ages[:n], b.left[:n]
	if c.ends {
		c.law.drawAllBeyond(own, ages, left)
		for i, age := range ages {
			left[i] = max(0, left[i]-age)
		}
		return
	}
	// For those of some age it has struck, or will not, and nothing is drawn. Who the others are is by chance, too.
	young := 0
	for i, age := range ages {
		left[i] = math.Inf(1)
		b.some[young&(batchSize-1)] = uint8(i)
		if age < c.longest || age == 0 {
			young++
		}
	}
	for _, i := range b.some[:young] {
		left[i], _ = c.left(&own[i], ages[i])
	}
}

// carry sets the timers of a clock of always, as startTimer and setTimer do for one.
func (b *batch) carry(r *replica, first uint32, column, n int) {
	place := r.place[column]
	if place >= 0 {
		for i, left := range b.left[:n] {
			at := wordOf(r.now + left)
			b.next[i] = min(b.next[i], at)
			r.words[(int(first)+i)*r.stride+place] = at
		}
		return
	}
	own, free := uint8(column+1), uint8(0)
	if place != inShared {
		free = math.MaxUint8 // so that nobody has it
	}
	end, rest := wordOf(r.end), 0
	for i, left := range b.left[:n] {
		at := wordOf(r.now + left)
		b.next[i] = min(b.next[i], at)
		held, slot := b.held[i], b.slots[i]
		b.some[rest&(batchSize-1)] = uint8(i)
		if at <= end && held != free {
			rest++
		}
		if at <= end && held == free {
			held, slot = own, at
		}
		b.held[i], b.slots[i] = held, slot
	}
	for _, i := range b.some[:rest] {
		b.late = append(b.late, lateTimer{first + uint32(i), column, wordOf(r.now + b.left[i])})
	}
}
