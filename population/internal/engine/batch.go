package engine

import (
	"math"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// A batch initialises individuals with the same entry together: the ages of all, then the first
// clock of all, and so on, where Run.initialise does everything for one and then for the next. Each
// individual draws what it would draw alone: it has its own stream, and takes the same numbers from
// it in the same order. But the steps are short loops in which no draw depends on another, and most
// random outcomes, such as whether a clock fires before the end, are handled without a branch,
// which the processor would mispredict for every third individual.
type batch struct {
	n         int // individuals in the batch
	ids       [batchSize]uint32
	streams   [batchSize]random.Stream
	enteredAt [batchSize]float64
	ages      [batchSize]float64
	remaining [batchSize]float64 // until a clock fires; +Inf if it does not
	next      [batchSize]uint64  // the earliest timer; the bits of times that are not negative compare alike
	shared    [batchSize]uint64  // the word that columns of always share
	held      [batchSize]uint8   // 1 + the column whose timer is in it; 0 for none
	selected  [batchSize]uint8   // scratch: indices of some individuals
	deferred  []deferredTimer
	person    *personEntry // scratch of initialisePeople
}

// A deferredTimer is a timer for the sparse table, to be set when the words of the individual are
// there.
type deferredTimer struct {
	id     uint32
	column int
	word   uint64
}

// batchSize is the most individuals in a batch: a power of two, and so few that the batch stays in
// the first-level cache.
const batchSize = 128

// fill makes a batch of n individuals of the initial population, with consecutive ids and numbers.
func (b *batch) fill(first uint32, streams random.Stream, serial uint64, n int) {
	b.n = n
	for i := range n {
		b.ids[i], b.streams[i], b.enteredAt[i] = first+uint32(i), streams.At(serial+uint64(i)), 0
	}
}

// add adds an individual to a batch that is not full.
func (b *batch) add(id uint32, own random.Stream, now float64) {
	b.ids[b.n], b.streams[b.n], b.enteredAt[b.n] = id, own, now
	b.n++
}

// initialiseAndCount initialises a batch of the initial population, batchable or not, counts it by
// state, and finds the next event of each individual.
func (b *batch) initialiseAndCount(r *Run, in *program.Entry) {
	if r.batchable(in) {
		r.Counts[in.To] += b.n
		b.initialise(r, in)
		return
	}
	for i := range b.n {
		b.initialiseOne(r, i, in)
	}
}

// initialiseOne does so for one individual of the batch.
func (b *batch) initialiseOne(r *Run, i int, in *program.Entry) {
	id := b.ids[i]
	state := r.initialise(id, in, b.streams[i], noID)
	r.Counts[state]++
	for m := range r.Program.Machines {
		one := &r.Program.Machines[m]
		r.Counts[one.FirstCount+int(r.attributes[one.Attribute].Of(id))]++
	}
	b.next[i] = wordOf(r.next(id, state))
}

// batchable reports whether all individuals with an entry have the same to draw, and have no timers
// but those of clocks of always. If the state is drawn, its timers are not known before.
func (r *Run) batchable(in *program.Entry) bool {
	plain := len(r.attributes) == 0 && r.origins == nil && r.cameIn == nil && r.own == nil
	return plain && r.phase.Batchable && in.Into == nil && r.phase.States[in.To].Batchable &&
		(in.Age == nil || len(in.Age.By) == 0)
}

// initialise does what Run.initialise and Run.next do, for the whole batch.
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
	if st := &r.phase.States[in.To]; st.TotalRate > 0 {
		random.ExpAll(own, b.remaining[:n])
		for i, remaining := range b.remaining[:n] {
			b.next[i] = min(b.next[i], wordOf(b.enteredAt[i]+float64(remaining*st.MeanWait)))
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

// drawRemaining draws how long a clock of always still runs for each individual, as
// program.AlwaysClock.Remaining does for one.
func (b *batch) drawRemaining(c *program.AlwaysClock) {
	own, ages, remaining := b.streams[:b.n], b.ages[:b.n], b.remaining[:b.n]
	if c.EndsLife {
		c.Law.DrawAllBeyond(own, ages, remaining)
		for i, age := range ages {
			remaining[i] = max(0, remaining[i]-age)
		}
		return
	}
	// From some age on the clock has fired, or never will, and nothing is drawn. Select the younger
	// individuals without a branch, because ages are random, too.
	young := 0
	for i, age := range ages {
		remaining[i] = math.Inf(1)
		b.selected[young&(batchSize-1)] = uint8(i)
		if age < c.Longest || age == 0 {
			young++
		}
	}
	for _, i := range b.selected[:young] {
		remaining[i], _ = c.Remaining(&own[i], ages[i])
	}
}

// setTimers sets the timers of a clock of always, as Run.startTimer and Run.setTimer do for one
// individual.
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
		free = math.MaxUint8 // no held equals it: the column does not share the word
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
