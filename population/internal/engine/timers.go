package engine

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/huge"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// Timers: when the clocks strike that an individual carries. There is a column for each clock of always, and behind those as many
// as the state with the most timers has.
//
// A column lies in the words of the individuals, where it takes 8 bytes for each, or aside, in a table that has only the
// timers that will strike before the end. Of sixty million people few are ill at any time:
// a column aside saves half a gigabyte, and the time that the system takes to hand it out. If the table gets large after all, its
// columns are moved into the words.
//
// Or columns of always share one word, if few have more than one timer that will strike before the end: somebody who is to be vaccinated does, and
// somebody who is to die does, and few are both. The word has one of them, the person says which, and what does not fit lies aside.
// That is another half of a gigabyte.
//
// A timer that was drawn from a law without memory is marked, by the sign of its time: if an intervention changes the law it is
// drawn anew, while the others go on. It is kept even if it strikes after the end.

// An asideRule says when columns may lie aside: from how many individuals on, and what share of them may have timers there; and when columns
// share a word: if at most such a share would have timers aside because of it.
type asideRule struct {
	least  int
	share  float64
	shared float64
}

var usualAside = asideRule{least: 1 << 20, share: 0.02, shared: 0.01}

// layOut decides which columns lie aside, for as many and such individuals as there are at the start of a model, which is the replica's own but for those
// that only estimate (memory.go). It asks a sample of them. The seed of the run has no part in it, so that all runs of a model are laid out
// alike, as was estimated for them.
func (r *Run) layOut(of *program.Program) {
	const sample = 1000
	columns := len(r.t.Always) + r.M.Timers
	r.aside, r.asideOf, r.shared = nil, make([]bool, columns), false
	if of.Size >= r.rule.least && columns <= 8 { // a bit for each
		due := r.sample(of, sample)
		counts := make([]int, columns)
		for _, set := range due {
			for ; set != 0; set &= set - 1 {
				counts[bits.TrailingZeros8(set)]++
			}
		}
		for k := range r.t.Always {
			r.asideOf[k] = float64(counts[k]) < r.rule.share*sample
		}
		r.shared = r.sharing(due)
		timed := 0
		for state, n := range of.StartCounts {
			if r.t.States[state].Timers > 0 {
				timed += n
			}
		}
		for k := len(r.t.Always); k < columns; k++ {
			r.asideOf[k] = float64(timed) < r.rule.share*float64(of.Size)
		}
		r.aside = newAsides(r.asideTables())
	}
	r.number()
}

// sample furnishes so many of those who are there at the start of a model, every so manieth of them, and returns which clocks of always will
// strike before the end, or are marked, a bit each.
func (r *Run) sample(of *program.Program, n int) (due []uint8) {
	s := Run{M: of, t: of.First, end: r.end, asideOf: make([]bool, len(r.asideOf)), values: make([]column, len(of.Attributes))}
	s.number()
	s.words = make([]uint64, s.stride)
	for a := range s.values {
		s.values[a] = newColumn(len(of.Attributes[a].Values))
		s.values[a].extend(1)
	}
	streams := random.New(0, math.MaxUint64)
	due = make([]uint8, n)
	k, upTo := -1, 0 // in which group of the beginning, and before which number that ends
	for i := range due {
		for serial := int(float64(of.Size) * (float64(i) + 0.5) / float64(n)); serial >= upTo; {
			k++
			upTo += of.StartGroups[k].Count
		}
		s.furnish(0, &of.StartGroups[k].Entry, streams.At(uint64(i)), nobodyElse)
		for k := range s.t.Always {
			if word := s.timer(0, k); timeOf(word) <= s.end || word&memoryless != 0 {
				due[i] |= 1 << k
			}
		}
	}
	return due
}

// sharing decides whether the columns of always that do not lie aside share a word, by who of a sample has timers in them.
func (r *Run) sharing(due []uint8) bool {
	var columns uint8
	for k := range r.t.Always {
		if !r.asideOf[k] {
			columns |= 1 << k
		}
	}
	second := 0
	for _, set := range due {
		second += max(0, bits.OnesCount8(set&columns)-1)
	}
	return bits.OnesCount8(columns) > 1 && float64(second) <= r.rule.shared*float64(len(due))
}

// before is how many words come before the timers: the stream and the person.
const before = 2

// Where a column is that has no place of its own in the words.
const (
	isAside  = -1
	inShared = -2
)

// number gives the columns that do not lie aside their places in the words.
func (r *Run) number() {
	r.column, r.denseAlways, r.denseTimers = r.column[:0], 0, 0
	r.place = make([]int, len(r.asideOf))
	if r.shared { // before all others, as its columns are
		r.column, r.denseAlways = append(r.column, inShared), 1
	}
	for k, aside := range r.asideOf {
		switch {
		case aside:
			r.place[k] = isAside
			continue
		case r.shared && k < len(r.t.Always):
			r.place[k] = inShared
			continue
		case k < len(r.t.Always):
			r.denseAlways++
		default:
			r.denseTimers++
		}
		r.place[k] = before + len(r.column)
		r.column = append(r.column, k)
	}
	r.stride = before + len(r.column)
	if r.win != nil {
		r.stride++ // when the next event is due
	}
}

// person is the state of an individual.
func (r *Run) person(id uint32) *person {
	return (*person)(unsafe.Pointer(&r.words[int(id)*r.stride+1]))
}

// stream is the random stream of an individual.
func (r *Run) stream(id uint32) *random.Stream {
	return (*random.Stream)(&r.words[int(id)*r.stride])
}

// dense are the timers in the words of an individual that is in a state.
func (r *Run) dense(id uint32, st *program.State) []uint64 {
	i := int(id)*r.stride + before
	return r.words[i : i+r.denseAlways+min(r.denseTimers, st.Timers)]
}

// memoryless is the mark of a timer without memory.
const memoryless = 1 << 63

func timeOf(word uint64) float64 { return math.Float64frombits(word &^ memoryless) }
func wordOf(t float64) uint64    { return math.Float64bits(t) }

// startTimer lets the clock of a column, drawn from a law and running for a time already, strike in so much time.
func (r *Run) startTimer(id uint32, column int, l *law.Law, age, left float64) {
	word := wordOf(r.Now + left)
	if l.Memoryless() {
		word |= memoryless
	}
	r.setTimer(id, column, word)
	if r.origins != nil {
		*r.origin(id, column) = origin{l, r.Now - age}
	}
}

// never is the time of a timer that has struck, or that does not strike.
var never = wordOf(math.Inf(1))

// setTimer sets the timer of a column, mark and all.
func (r *Run) setTimer(id uint32, column int, word uint64) {
	if r.origins != nil {
		*r.origin(id, column) = origin{}
	}
	place := r.place[column]
	if place >= 0 {
		r.words[int(id)*r.stride+place] = word
		return
	}
	p := r.person(id)
	due := timeOf(word) <= r.end || word&memoryless != 0
	bit := uint8(1) << column
	had := p.aside&bit != 0
	if place == inShared && !had {
		switch slot := &r.words[int(id)*r.stride+before]; {
		case p.held == uint8(column+1) && due:
			*slot = word
			return
		case p.held == uint8(column+1):
			*slot, p.held = never, 0
			return
		case p.held == 0 && due:
			*slot, p.held = word, uint8(column+1)
			return
		}
	}
	switch {
	case due:
		p.aside |= bit
		r.aside.set(id, column, word)
	case had:
		p.aside &^= bit
		r.aside.remove(id, column)
	}
}

// timer is the timer of a column, with its mark; never if it does not strike before the end and has no mark.
func (r *Run) timer(id uint32, column int) uint64 {
	p := r.person(id)
	switch place := r.place[column]; {
	case place >= 0:
		return r.words[int(id)*r.stride+place]
	case p.aside>>column&1 != 0:
		return r.aside.get(id, column)
	case place == inShared && p.held == uint8(column+1):
		return r.words[int(id)*r.stride+before]
	}
	return never
}

// stopTimers takes timers of an individual that lie aside away, from a column on.
func (r *Run) stopTimers(id uint32, from int) {
	p := r.person(id)
	for set := p.aside >> from << from; set != 0; set &= set - 1 {
		column := bits.TrailingZeros8(set)
		p.aside &^= 1 << column
		r.aside.remove(id, column)
	}
}

// firstTimer is the earliest of an individual's timers, and its column; +Inf if none strikes before the end.
func (r *Run) firstTimer(id uint32, st *program.State) (at float64, column int) {
	at, column = math.Inf(1), -1
	for k, w := range r.dense(id, st) {
		if t := timeOf(w); t < at {
			at, column = t, k
		}
	}
	if column >= 0 {
		if column = r.column[column]; column == inShared {
			column = int(r.person(id).held) - 1
		}
	}
	for set := r.person(id).aside; set != 0; set &= set - 1 {
		k := bits.TrailingZeros8(set)
		if t := timeOf(r.aside.get(id, k)); t < at || t == at && k < column {
			at, column = t, k
		}
	}
	return at, column
}

// tooMany tells whether so many timers aside are more than may be.
func (r *Run) tooMany(aside int) bool {
	return float64(aside) > (r.rule.share+r.rule.shared)*float64(r.Ids)
}

// layDense gives all columns words of their own, before anybody has been set up, or to begin with that anew.
func (r *Run) layDense() error {
	spare := usualSpare
	if r.Purse != nil {
		spare = r.Purse.spare
	}
	ids := r.Ids
	if r.win != nil {
		r.win.forget()
	} else {
		r.Queue.Reset(0)
	}
	r.Ids, r.words, r.aside = int(r.first), nil, nil
	r.asideOf, r.shared = make([]bool, len(r.asideOf)), false
	r.number()
	words := uint64(ids) * uint64(r.stride) * 8
	if !r.Purse.Take(r, words, words+words/uint64(spare), func() { r.grow(ids, spare) }) {
		r.Ids, r.Alive = ids, r.M.Size
		return r.OutOfMemory()
	}
	return nil
}

// gather moves the columns that lie aside, or share a word, into words of their own.
func (r *Run) gather() {
	old, oldStride := r.words, r.stride
	columns := len(r.asideOf)
	timers := make([]uint64, columns)
	was := *r
	was.place = slices.Clone(r.place)
	r.asideOf, r.shared = make([]bool, columns), false
	r.number()
	r.words = make([]uint64, (r.room+r.win.temporary())*r.stride)
	huge.Advise(r.words)
	for id := r.first; int(id) < r.Ids; id++ {
		for k := range timers {
			timers[k] = was.timer(id, k)
		}
		to := r.words[int(id)*r.stride:]
		copy(to[:before], old[int(id)*oldStride:])
		copy(to[before:], timers)
		if r.win != nil {
			to[r.stride-1] = old[int(id)*oldStride+oldStride-1]
		}
		p := r.person(id)
		p.aside, p.held = 0, 0
	}
	r.aside = nil
	r.prefetch()
}

// prefetch tells the calendar what is needed of an individual when its event comes: of a large population it is not in
// the cache, unless it is asked for.
func (r *Run) prefetch() {
	if r.Queue == nil {
		return
	}
	words := calendar.ArrayOf(r.words, r.stride)
	if 8%r.stride == 0 || len(r.words) < r.stride {
		r.Queue.Prefetch(words)
		return
	}
	// Some lie in two cache lines.
	r.Queue.Prefetch(words, calendar.ArrayOf(r.words[r.stride-1:], r.stride))
}
