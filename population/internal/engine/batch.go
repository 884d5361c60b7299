package engine

import (
	"math"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// A batch furnishes individuals who come in alike, some at a time: the ages of all, then the first clock of all, and so on, where furnish does
// everything for one and then for the next. Nobody draws otherwise than it would: each has its own stream, and takes the same numbers from it in the
// same order. But the steps are short loops in which no draw waits for another, and most of what is by chance, such as whether a clock strikes before
// the end, is decided without a branch, which the processor would guess wrong for every third.
type batch struct {
	n         int // how many there are
	ids       [batchSize]uint32
	streams   [batchSize]random.Stream
	enteredAt [batchSize]float64 // when they come in
	ages      [batchSize]float64
	remaining [batchSize]float64 // until a clock strikes; +Inf if it does not
	next      [batchSize]uint64  // the earliest timer, as the bits of its time, which are in order because no time is below 0
	shared    [batchSize]uint64  // the word that columns share
	held      [batchSize]uint8   // by which of them, plus 1
	selected  [batchSize]uint8   // of the individuals
	deferred  []deferredTimer
}

// A deferredTimer is set when all that is in words is there.
type deferredTimer struct {
	id     uint32
	column int
	word   uint64
}

// batchSize is how many are furnished at a time: a power of two, so that what is known of them stays in the nearest cache.
const batchSize = 128

// fill makes a batch of as many with ids and numbers in a row, who are there at the start.
func (b *batch) fill(first uint32, streams random.Stream, serial uint64, n int) {
	b.n = n
	for i := range n {
		b.ids[i], b.streams[i], b.enteredAt[i] = first+uint32(i), streams.At(serial+uint64(i)), 0
	}
}

// add puts somebody into a batch that is not full.
func (b *batch) add(id uint32, own random.Stream, now float64) {
	b.ids[b.n], b.streams[b.n], b.enteredAt[b.n] = id, own, now
	b.n++
}

// initialiseAndCount furnishes those who are there at the start, alike or not, counts them by state, and finds out when the next event of each is due.
func (b *batch) initialiseAndCount(r *Run, in *program.Entry) {
	if r.batchable(in) {
		r.Counts[in.To] += b.n
		b.initialise(r, in)
		return
	}
	for i, id := range b.ids[:b.n] {
		state := r.initialise(id, in, b.streams[i], noID)
		r.Counts[state]++
		b.next[i] = wordOf(r.next(id, state))
	}
}

// batchable reports whether those who come in some way have all the same to draw, and carry nothing along but the clocks of always. If the state is drawn, there is none
// to ask before.
func (r *Run) batchable(in *program.Entry) bool {
	return r.phase.Batchable && in.Into == nil && r.phase.States[in.To].Batchable && len(r.attributes) == 0 && r.origins == nil && (in.Age == nil || len(in.Age.By) == 0)
}

// initialise does what furnish and next of a replica do, for all of the batch.
func (b *batch) initialise(r *Run, in *program.Entry) {
	n := b.n
	own, ages := b.streams[:n], b.ages[:n]
	clear(ages)
	if in.Age != nil {
		in.Age.Values[0].DrawAll(own, ages)
	}
	for i := range n {
		b.next[i], b.shared[i], b.held[i] = never, never, 0
	}
	b.deferred = b.deferred[:0]
	for k := range r.phase.Always {
		b.drawRemaining(&r.phase.Always[k])
		b.setTimers(r, k)
	}
	if st := &r.phase.States[in.To]; st.Rate > 0 {
		random.ExpAll(own, b.remaining[:n])
		for i, remaining := range b.remaining[:n] {
			b.next[i] = min(b.next[i], wordOf(b.enteredAt[i]+float64(remaining*st.Mean)))
		}
	}
	for i, id := range b.ids[:n] {
		row := r.words[int(id)*r.stride:]
		row[0] = uint64(own[i])
		*(*status)(unsafe.Pointer(&row[1])) = status{state: in.To, held: b.held[i]}
		if r.shared {
			row[headWords] = b.shared[i]
		}
		r.cacheState(id, in.To)
	}
	for _, d := range b.deferred {
		r.setTimer(d.id, d.column, d.word)
	}
}

// drawRemaining draws how long a clock of always still runs for each, as alwaysTable.left does for one.
func (b *batch) drawRemaining(c *program.Lifelong) {
	own, ages, remaining := b.streams[:b.n], b.ages[:b.n], b.remaining[:b.n]
	if c.Ends {
		c.Law.DrawAllBeyond(own, ages, remaining)
		for i, age := range ages {
			remaining[i] = max(0, remaining[i]-age)
		}
		return
	}
	// For those of some age it has struck, or will not, and nothing is drawn. Who the others are is by chance, too.
	young := 0
	for i, age := range ages {
		remaining[i] = math.Inf(1)
		b.selected[young&(batchSize-1)] = uint8(i)
		if age < c.Longest || age == 0 {
			young++
		}
	}
	for _, i := range b.selected[:young] {
		remaining[i], _ = c.Left(&own[i], ages[i])
	}
}

// setTimers sets the timers of a clock of always, as startTimer and setTimer do for one.
func (b *batch) setTimers(r *Run, column int) {
	offset := r.offset[column]
	if offset >= 0 {
		for i, remaining := range b.remaining[:b.n] {
			at := wordOf(b.enteredAt[i] + remaining)
			b.next[i] = min(b.next[i], at)
			r.words[int(b.ids[i])*r.stride+offset] = at
		}
		return
	}
	own, free := uint8(column+1), uint8(0)
	if offset != isShared {
		free = math.MaxUint8 // so that nobody has it
	}
	end, rest := wordOf(r.end), 0
	for i, remaining := range b.remaining[:b.n] {
		at := wordOf(b.enteredAt[i] + remaining)
		b.next[i] = min(b.next[i], at)
		held, word := b.held[i], b.shared[i]
		b.selected[rest&(batchSize-1)] = uint8(i)
		if at <= end && held != free {
			rest++
		}
		if at <= end && held == free {
			held, word = own, at
		}
		b.held[i], b.shared[i] = held, word
	}
	for _, i := range b.selected[:rest] {
		b.deferred = append(b.deferred, deferredTimer{b.ids[i], column, wordOf(b.enteredAt[i] + b.remaining[i])})
	}
}
