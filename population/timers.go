package population

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/huge"
	"github.com/almanac-sim/almanac/internal/random"
)

// Timers: when the clocks strike that an individual carries. There is a column for each clock of always, and behind those as many
// as the state with the most timers has.
//
// A column lies in the words of the individuals, where it takes 8 bytes for each, or aside, in a table that has only the
// timers that will strike before the end. Of sixty million people few are ill at any time:
// a column aside saves half a gigabyte, and the time that the system takes to hand it out. If the table gets large after all, its
// columns are moved into the words.
//
// A timer that was drawn from a law without memory is marked, by the sign of its time: if an intervention changes the law it is
// drawn anew, while the others go on. It is kept even if it strikes after the end.

// An asideRule says when columns may lie aside: from how many individuals on, and what share of them may have timers there.
type asideRule struct {
	least int
	share float64
}

var usualAside = asideRule{least: 1 << 20, share: 0.02}

// layOut decides which columns lie aside. It asks a sample of those who will be there at the start.
func (r *replica) layOut(seed uint64) {
	const sample = 1000
	columns := len(r.t.always) + r.m.timers
	r.aside, r.asideOf = nil, make([]bool, columns)
	if r.m.size >= r.rule.least && columns <= 8 { // a bit for each
		s := random.New(seed, math.MaxUint64)
		counts := make([]int, columns)
		for i := range sample {
			age := 0.0
			if r.t.ages != nil {
				ages, k := r.t.ages.values, 0
				if len(ages) > 1 {
					k = int(s.Below(uint64(len(ages))))
				}
				age = ages[k].draw(&s)
			}
			for k := range r.t.always {
				c := &r.t.always[k]
				if c.by != nil { // one of its cells; it is a sample
					c = c.cells[i%len(c.cells)]
				}
				there := c.law.memoryless()
				if !there && !c.off {
					left, _ := c.left(&s, age)
					there = left <= r.end
				}
				if there {
					counts[k]++
				}
			}
		}
		for k := range r.t.always {
			r.asideOf[k] = float64(counts[k]) < r.rule.share*sample
		}
		timed := 0
		for state, n := range r.m.starts {
			if r.t.states[state].timers > 0 {
				timed += n
			}
		}
		for k := len(r.t.always); k < columns; k++ {
			r.asideOf[k] = float64(timed) < r.rule.share*float64(r.m.size)
		}
		r.aside = newAside()
	}
	r.number()
}

// before is how many words come before the timers: the stream and the person.
const before = 2

// number gives the columns that do not lie aside their places in the words.
func (r *replica) number() {
	r.column, r.denseAlways, r.denseTimers = r.column[:0], 0, 0
	r.place = make([]int, len(r.asideOf))
	for k, aside := range r.asideOf {
		switch {
		case aside:
			r.place[k] = -1
			continue
		case k < len(r.t.always):
			r.denseAlways++
		default:
			r.denseTimers++
		}
		r.place[k] = before + len(r.column)
		r.column = append(r.column, k)
	}
	r.stride = before + len(r.column)
}

// person is the state of an individual.
func (r *replica) person(id uint32) *person {
	return (*person)(unsafe.Pointer(&r.words[int(id)*r.stride+1]))
}

// stream is the random stream of an individual.
func (r *replica) stream(id uint32) *random.Stream {
	return (*random.Stream)(&r.words[int(id)*r.stride])
}

// dense are the timers in the words of an individual that is in a state.
func (r *replica) dense(id uint32, st *stateTable) []uint64 {
	i := int(id)*r.stride + before
	return r.words[i : i+r.denseAlways+min(r.denseTimers, st.timers)]
}

// memoryless is the mark of a timer without memory.
const memoryless = 1 << 63

func timeOf(word uint64) float64 { return math.Float64frombits(word &^ memoryless) }
func wordOf(t float64) uint64    { return math.Float64bits(t) }

// startTimer lets the clock of a column, drawn from a law and running for a time already, strike in so much time.
func (r *replica) startTimer(id uint32, column int, l *law, age, left float64) {
	word := wordOf(r.now + left)
	if l.memoryless() {
		word |= memoryless
	}
	r.setTimer(id, column, word)
	if r.origins != nil {
		*r.origin(id, column) = origin{l, r.now - age}
	}
}

// never is the time of a timer that has struck, or that does not strike.
var never = wordOf(math.Inf(1))

// setTimer sets the timer of a column, mark and all.
func (r *replica) setTimer(id uint32, column int, word uint64) {
	if r.origins != nil {
		*r.origin(id, column) = origin{}
	}
	if p := r.place[column]; p >= 0 {
		r.words[int(id)*r.stride+p] = word
		return
	}
	bit := uint8(1) << column
	switch had := r.person(id).aside&bit != 0; {
	case timeOf(word) <= r.end || word&memoryless != 0:
		r.person(id).aside |= bit
		r.aside.set(id, column, word)
	case had:
		r.person(id).aside &^= bit
		r.aside.remove(id, column)
	}
}

// timer is the timer of a column, with its mark; never if it does not strike before the end and has no mark.
func (r *replica) timer(id uint32, column int) uint64 {
	if p := r.place[column]; p >= 0 {
		return r.words[int(id)*r.stride+p]
	}
	if r.person(id).aside>>column&1 == 0 {
		return never
	}
	return r.aside.get(id, column)
}

// stopTimers takes timers of an individual that lie aside away, from a column on.
func (r *replica) stopTimers(id uint32, from int) {
	p := r.person(id)
	for set := p.aside >> from << from; set != 0; set &= set - 1 {
		column := bits.TrailingZeros8(set)
		p.aside &^= 1 << column
		r.aside.remove(id, column)
	}
}

// firstTimer is the earliest of an individual's timers, and its column; +Inf if none strikes before the end.
func (r *replica) firstTimer(id uint32, st *stateTable) (at float64, column int) {
	at, column = math.Inf(1), -1
	for k, w := range r.dense(id, st) {
		if t := timeOf(w); t < at {
			at, column = t, k
		}
	}
	if column >= 0 {
		column = r.column[column]
	}
	for set := r.person(id).aside; set != 0; set &= set - 1 {
		k := bits.TrailingZeros8(set)
		if t := timeOf(r.aside.get(id, k)); t < at || t == at && k < column {
			at, column = t, k
		}
	}
	return at, column
}

// crowded tells whether too many timers lie aside.
func (r *replica) crowded() bool {
	return r.aside != nil && float64(r.aside.count) > r.rule.share*float64(r.ids)
}

// gather moves the columns that lie aside into the words.
func (r *replica) gather() {
	old, oldStride, place := r.words, r.stride, r.place
	for k := range r.asideOf {
		r.asideOf[k] = false
	}
	r.number()
	r.words = make([]uint64, r.room*r.stride)
	huge.Advise(r.words)
	for id := r.first; int(id) < r.ids; id++ {
		from, to := old[int(id)*oldStride:], r.words[int(id)*r.stride:]
		to[0], to[1] = from[0], from[1]
		for k, p := range place {
			word := never
			if p >= 0 {
				word = from[p]
			} else if r.person(id).aside>>k&1 != 0 {
				word = r.aside.get(id, k)
			}
			to[r.place[k]] = word
		}
		r.person(id).aside = 0
	}
	r.aside = nil
	r.prefetch()
}

// prefetch tells the calendar what is needed of an individual when its event comes: of a large population it is not in
// the cache, unless it is asked for.
func (r *replica) prefetch() {
	r.queue.Prefetch(calendar.ArrayOf(r.words, r.stride))
}

// An asideTable has the timers of some pairs of an individual and a column: a hash table with linear probing, whose
// removals move back what follows [Knuth, volume 3, section 6.4, algorithm R]. An entry takes 16 bytes, and at most two
// thirds of the places are taken.
type asideTable struct {
	entries []asideEntry
	shift   uint8
	count   int
}

type asideEntry struct {
	key  uint64 // 0 if the place is free
	word uint64
}

func newAside() *asideTable { return &asideTable{entries: make([]asideEntry, 1<<10), shift: 64 - 10} }

func asideKey(id uint32, column int) uint64 { return uint64(id)<<8 | uint64(column) + 1 }

// home is where an entry with a key would best be [Knuth, the multiplicative method].
func (a *asideTable) home(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> a.shift) }

// find is the place of a key, or the free one where it would go.
func (a *asideTable) find(key uint64) int {
	mask := len(a.entries) - 1
	i := a.home(key)
	for a.entries[i].key != key && a.entries[i].key != 0 {
		i = (i + 1) & mask
	}
	return i
}

// get is the timer of a pair, which must be there.
func (a *asideTable) get(id uint32, column int) uint64 {
	return a.entries[a.find(asideKey(id, column))].word
}

// set puts the timer of a pair in, or replaces it.
func (a *asideTable) set(id uint32, column int, word uint64) {
	a.put(asideKey(id, column), word)
}

func (a *asideTable) put(key, word uint64) {
	i := a.find(key)
	if a.entries[i].key == 0 {
		if 3*(a.count+1) > 2*len(a.entries) {
			a.double()
			i = a.find(key)
		}
		a.count++
	}
	a.entries[i] = asideEntry{key, word}
}

func (a *asideTable) double() {
	old := a.entries
	a.entries = make([]asideEntry, 2*len(old))
	huge.Advise(a.entries)
	a.shift--
	for _, e := range old {
		if e.key != 0 {
			a.entries[a.find(e.key)] = e
		}
	}
}

// join puts all of another table in, which has none of the same pairs.
func (a *asideTable) join(o *asideTable) {
	for _, e := range o.entries {
		if e.key != 0 {
			a.put(e.key, e.word)
		}
	}
}

// remove takes a pair out, if it is there.
func (a *asideTable) remove(id uint32, column int) {
	mask := len(a.entries) - 1
	hole := a.find(asideKey(id, column))
	if a.entries[hole].key == 0 {
		return
	}
	a.count--
	for i := (hole + 1) & mask; a.entries[i].key != 0; i = (i + 1) & mask {
		// An entry may move back into the hole unless its home lies behind it.
		if (i-a.home(a.entries[i].key))&mask >= (i-hole)&mask {
			a.entries[hole] = a.entries[i]
			hole = i
		}
	}
	a.entries[hole] = asideEntry{}
}
