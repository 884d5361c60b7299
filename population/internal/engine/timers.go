package engine

import (
	"math"
	"math/bits"
	"slices"

	"github.com/almanac-sim/almanac/internal/cpu"
	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// timers are the times at which the running clocks of an individual fire. There is a column for
// each clock of always, then those of each machine, and behind those as many as the state with the
// most timers has. The columns of machines are always packed.
//
// A column is packed, sparse or shared:
//
//   - Packed columns lie in the words of the individuals and take 8 bytes of each.
//   - Sparse columns lie in a hash table that holds only the timers that fire before the end. Of
//     sixty million people few are ill at any time: a sparse column saves half a gigabyte, and the
//     time that the system takes to provide it. If the table grows too large, its columns are
//     packed.
//   - Columns of always share one word if few individuals have more than one timer that fires
//     before the end: some will be vaccinated, some will die, and few do both. The status says
//     which column the word holds; what does not fit is in the sparse table. That saves another
//     half a gigabyte.
//
// The sign bit marks a timer that was drawn from a law without memory. If an intervention changes
// its law, the timer is drawn again, while the others keep their time. A marked timer is kept even
// if it fires after the end.
//
// Invariants: the bits in status.sparse are the columns of the individual in the sparse table; the
// shared word holds a timer exactly if status.held is not 0.
type timers struct {
	sparse       []bool // which columns are sparse
	shared       bool   // the other columns of always share a word
	sparseTimers *store.SparseTables
	offset       []int         // of a packed column among the words; isSparse or isShared
	columnAt     []int         // of each packed word: its column, or isShared
	packedAlways int           // packed words of columns of always and of machines
	packedState  int           // packed words of the clocks of states
	origins      []timerOrigin // by id and column; nil unless the run can be forked (fork.go)
}

// A sparseRule says when columns are sparse and when they share a word.
type sparseRule struct {
	least  int     // only from this many individuals on
	share  float64 // at most this share of individuals may have a timer in a sparse column
	shared float64 // and this share because columns share a word
}

var usualSparse = sparseRule{least: 1 << 20, share: 0.02, shared: 0.01}

// layOut decides which columns are sparse or shared, for the individuals at the start of a program:
// the run's own, except for a run that only estimates memory (memory.go). It decides by a sample
// that does not depend on the seed, so that all runs of a program have the layout that was
// estimated for them.
func (r *Run) layOut(of *program.Program) {
	const sample = 1000
	columns := r.Program.StateColumn + r.Program.MaxStateTimers
	r.sparseTimers, r.sparse, r.shared = nil, make([]bool, columns), false
	if of.Size >= r.sparseRule.least && columns <= 8 { // status.sparse has 8 bits
		due := r.sample(of, sample)
		counts := make([]int, columns)
		for _, set := range due {
			for ; set != 0; set &= set - 1 {
				counts[bits.TrailingZeros8(set)]++
			}
		}
		for k := range r.phase.Always {
			r.sparse[k] = float64(counts[k]) < r.sparseRule.share*sample
		}
		r.shared = r.canShareWord(due)
		timed := 0
		for state, n := range of.StartCounts {
			if r.phase.States[state].Timers > 0 {
				timed += n
			}
		}
		for k := r.Program.StateColumn; k < columns; k++ {
			r.sparse[k] = float64(timed) < r.sparseRule.share*float64(of.Size)
		}
		r.sparseTimers = store.NewSparseTables(r.sparseTableCount())
	}
	r.numberColumns()
}

// sample initialises n evenly spaced individuals of the start of a program. It returns, as a bit
// each, which clocks of always of each will fire before the end or are marked.
func (r *Run) sample(of *program.Program, n int) (due []uint8) {
	s := Run{Program: of, phase: of.FirstPhase, end: r.end}
	s.sparse, s.attributes = make([]bool, len(r.sparse)), make([]store.Column, len(of.Attributes))
	s.numberColumns()
	s.words = make([]uint64, s.stride)
	for a := range s.attributes {
		s.attributes[a] = store.NewColumn(len(of.Attributes[a].Values))
		s.attributes[a].Extend(1)
	}
	s.layOutMachines()
	s.growMachines(1)
	s.layOutPersonal()
	s.growPersonal(1)
	streams := random.New(0, math.MaxUint64)
	due = make([]uint8, n)
	k, upTo := -1, 0 // the start group, and the number before which it ends
	var person personEntry
	for i := range due {
		serial := int(float64(of.Size) * (float64(i) + 0.5) / float64(n))
		for serial >= upTo {
			k++
			upTo += of.StartGroups[k].Count
		}
		in := &of.StartGroups[k].Entry
		if of.People != nil {
			in = person.of(&s, serial)
		}
		s.initialise(0, in, streams.At(uint64(i)), noID)
		for k := range s.phase.Always {
			if word := s.timer(0, k); timeOf(word) <= s.end || word&memoryless != 0 {
				due[i] |= 1 << k
			}
		}
	}
	return due
}

// canShareWord reports whether the columns of always that are not sparse share a word, by the
// timers of a sample.
func (r *Run) canShareWord(due []uint8) bool {
	var columns uint8
	for k := range r.phase.Always {
		if !r.sparse[k] {
			columns |= 1 << k
		}
	}
	second := 0
	for _, set := range due {
		second += max(0, bits.OnesCount8(set&columns)-1)
	}
	return bits.OnesCount8(columns) > 1 && float64(second) <= r.sparseRule.shared*float64(len(due))
}

// headWords is how many words come before the timers: the stream and the status.
const headWords = 2

// The offset of a column that has no word of its own.
const (
	isSparse = -1
	isShared = -2
)

// numberColumns gives the packed columns their words.
func (r *Run) numberColumns() {
	r.columnAt, r.packedAlways, r.packedState = r.columnAt[:0], 0, 0
	r.offset = make([]int, len(r.sparse))
	if r.shared { // its word comes first, as its columns do
		r.columnAt, r.packedAlways = append(r.columnAt, isShared), 1
	}
	for k, sparse := range r.sparse {
		switch {
		case sparse:
			r.offset[k] = isSparse
			continue
		case r.shared && k < len(r.phase.Always):
			r.offset[k] = isShared
			continue
		case k < r.Program.StateColumn:
			r.packedAlways++
		default:
			r.packedState++
		}
		r.offset[k] = headWords + len(r.columnAt)
		r.columnAt = append(r.columnAt, k)
	}
	r.stride = headWords + len(r.columnAt)
	if r.windows != nil {
		r.stride++ // for nextAt
	}
}

// packed returns the packed timers of an individual in a state.
func (r *Run) packed(id uint32, st *program.State) []uint64 {
	i := int(id)*r.stride + headWords
	return r.words[i : i+r.packedAlways+min(r.packedState, st.Timers)]
}

// memoryless marks a timer that was drawn from a law without memory.
const memoryless = 1 << 63

func timeOf(word uint64) float64 { return math.Float64frombits(word &^ memoryless) }
func wordOf(t float64) uint64    { return math.Float64bits(t) }

// startTimer sets the timer of a clock that was drawn from a law, has been running for an age, and
// has so much time left.
func (r *Run) startTimer(id uint32, column int, l *law.Law, age, left float64) {
	word := wordOf(r.Now + left)
	if l.Memoryless() {
		word |= memoryless
	}
	r.setTimer(id, column, word)
	if r.origins != nil {
		*r.origin(id, column) = timerOrigin{l, r.Now - age}
	}
}

// never is the time of a timer that does not fire, or has fired.
var never = wordOf(math.Inf(1))

// setTimer sets the timer of a column, with its mark.
func (r *Run) setTimer(id uint32, column int, word uint64) {
	if r.origins != nil {
		*r.origin(id, column) = timerOrigin{}
	}
	place := r.offset[column]
	if place >= 0 {
		r.words[int(id)*r.stride+place] = word
		return
	}
	p := r.status(id)
	due := timeOf(word) <= r.end || word&memoryless != 0
	bit := uint8(1) << column
	had := p.sparse&bit != 0
	if place == isShared && !had {
		switch slot := &r.words[int(id)*r.stride+headWords]; {
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
		p.sparse |= bit
		r.sparseTimers.Set(id, column, word)
	case had:
		p.sparse &^= bit
		r.sparseTimers.Remove(id, column)
	}
}

// timer returns the timer of a column with its mark: never if it does not fire before the end and
// has no mark.
func (r *Run) timer(id uint32, column int) uint64 {
	p := r.status(id)
	switch place := r.offset[column]; {
	case place >= 0:
		return r.words[int(id)*r.stride+place]
	case p.sparse>>column&1 != 0:
		return r.sparseTimers.Get(id, column)
	case place == isShared && p.held == uint8(column+1):
		return r.words[int(id)*r.stride+headWords]
	}
	return never
}

// stopTimers removes the sparse timers of an individual, from a column on.
func (r *Run) stopTimers(id uint32, from int) {
	p := r.status(id)
	for set := p.sparse >> from << from; set != 0; set &= set - 1 {
		column := bits.TrailingZeros8(set)
		p.sparse &^= 1 << column
		r.sparseTimers.Remove(id, column)
	}
}

// firstTimer returns the earliest timer of an individual and its column: +Inf and −1 if none fires
// before the end.
func (r *Run) firstTimer(id uint32, st *program.State) (at float64, column int) {
	if r.phase.Machines != nil {
		return r.firstInOrder(id, st)
	}
	at, column = math.Inf(1), -1
	for k, w := range r.packed(id, st) {
		if t := timeOf(w); t < at {
			at, column = t, k
		}
	}
	if column >= 0 {
		if column = r.columnAt[column]; column == isShared {
			column = int(r.status(id).held) - 1
		}
	}
	for set := r.status(id).sparse; set != 0; set &= set - 1 {
		k := bits.TrailingZeros8(set)
		if t := timeOf(r.sparseTimers.Get(id, k)); t < at || t == at && k < column {
			at, column = t, k
		}
	}
	return at, column
}

// tooMany reports whether so many sparse timers are more than sparseRule allows.
func (r *Run) tooMany(sparse int) bool {
	return float64(sparse) > (r.sparseRule.share+r.sparseRule.shared)*float64(r.Used)
}

// layOutPacked packs all columns, before anybody has been initialised, or to begin that again.
func (r *Run) layOutPacked() error {
	spare := usualSpare
	if r.budget != nil {
		spare = r.budget.spare
	}
	ids := r.Used
	if r.windows != nil {
		r.windows.clearLists()
	} else {
		r.Queue.Reset(0)
	}
	r.Used, r.words, r.sparseTimers = int(r.firstID), nil, nil
	r.sparse, r.shared = make([]bool, len(r.sparse)), false
	r.numberColumns()
	words := uint64(ids) * uint64(r.stride) * 8
	if !r.budget.take(r, words, words+words/uint64(spare), func() { r.grow(ids, spare) }) {
		r.Used, r.Alive = ids, r.Program.Size
		return r.outOfMemory()
	}
	return nil
}

// packAll moves the sparse and shared timers into words of their own.
func (r *Run) packAll() {
	old, oldStride := r.words, r.stride
	columns := len(r.sparse)
	timers := make([]uint64, columns)
	was := *r
	was.offset = slices.Clone(r.offset)
	r.sparse, r.shared = make([]bool, columns), false
	r.numberColumns()
	r.words = make([]uint64, (r.capacity+r.windows.temporary())*r.stride)
	cpu.AdviseHuge(r.words)
	for id := r.firstID; int(id) < r.Used; id++ {
		for k := range timers {
			timers[k] = was.timer(id, k)
		}
		to := r.words[int(id)*r.stride:]
		copy(to[:headWords], old[int(id)*oldStride:])
		copy(to[headWords:], timers)
		if r.windows != nil {
			to[r.stride-1] = old[int(id)*oldStride+oldStride-1]
		}
		p := r.status(id)
		p.sparse, p.held = 0, 0
	}
	r.sparseTimers = nil
	r.prefetchWords()
}

// prefetchWords tells the calendar which memory the event of an individual will need. In a large
// population it is out of the cache.
func (r *Run) prefetchWords() {
	if r.Queue == nil {
		return
	}
	arrays := []eventqueue.Array{eventqueue.ArrayOf(r.words, r.stride)}
	if 8%r.stride != 0 && len(r.words) >= r.stride { // some individuals lie in two cache lines
		arrays = append(arrays, eventqueue.ArrayOf(r.words[r.stride-1:], r.stride))
	}
	for i := range r.Program.Machines { // every event reads the states of the machines
		if c := &r.attributes[r.Program.Machines[i].Attribute]; !c.IsWide {
			arrays = append(arrays, eventqueue.ArrayOf(c.Narrow, 1))
		}
	}
	if r.places != nil {
		for _, s := range r.places.kinds {
			arrays = append(arrays, eventqueue.ArrayOf(s.Addresses(), 1))
		}
	}
	for k := range r.networks {
		arrays = append(arrays, eventqueue.ArrayOf(r.networks[k].links.Rows(), 1))
	}
	r.Queue.Prefetch(arrays...)
}
