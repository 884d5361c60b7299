package engine

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/almanac-sim/almanac/internal/panics"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/statefile"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// loadIndividuals reads the words of individuals last, and checks each individual while those
// behind it are being read, so that nothing that is looked up by it can be out of range.
func loadIndividuals(r *Run, in *loader) {
	n := r.Used - int(r.firstID)
	for a := range r.Program.Listed() {
		in.readColumn(r, fmt.Sprintf("attribute %d", a), &r.attributes[a])
	}
	if r.numbered() {
		if !in.run.Numbered {
			in.err = fmt.Errorf("the state was saved without events, so that individuals have no numbers: save it with --events")
			return
		}
		read(in, "numbers", ids(r, r.numbers, 1))
	}
	if !in.run.Inline {
		in.due = get[float64](in, "due", n)
	}
	free := get[uint32](in, "free", -1)
	sum := individualSums{counts: make([]int, len(r.Counts))}
	in.readWords(r, &sum)
	if in.err != nil {
		return
	}
	copy(r.Counts, sum.counts)
	in.sparse = sum.sparse
	if alive := n - sum.gone; alive != r.Alive || sum.gone != len(free) {
		in.bad("%d are alive, and %d are counted", alive, r.Alive)
		return
	}
	if r.numbered() && !r.numbersDiffer() {
		in.bad("two individuals have one number")
		return
	}
	marked := newIDSet(n)
	for _, id := range free {
		if uint(id) >= uint(n) || !marked.add(uint64(id)) || r.status(id+r.firstID).state != program.NoState {
			in.bad("a free slot is not free")
			return
		}
		r.free.Put(id + r.firstID)
	}
}

// individualSums are sums over individuals that were checked.
type individualSums struct {
	sync.Mutex
	counts       []int // by state
	gone, sparse int
}

// checkIndividuals says what is wrong with individuals that have been read, or "", and adds them to
// the sums.
func (in *loader) checkIndividuals(r *Run, from, to uint32, sum *individualSums) (wrong string) {
	counts, gone, sparse := make([]int, len(r.Counts)), 0, 0
	for a := range r.Program.Listed() {
		if wrong := in.checkColumn(r, from, to, &r.attributes[a], len(r.Program.Attributes[a].Values)); wrong != "" {
			return wrong
		}
	}
	for id := from; id < to; id++ {
		p := r.status(id)
		sparse += bits.OnesCount8(p.sparse)
		p.checkpoint = 0
		p.unmark(isTied)
		if r.cacheState(id, p.state); p.state == program.NoState {
			if gone++; in.due != nil && !math.IsInf(in.due[id-r.firstID], 1) {
				return "a free slot has an event"
			}
		} else if wrong := in.checkIndividual(r, id, p, counts); wrong != "" {
			return wrong
		}
	}
	sum.Lock()
	defer sum.Unlock()
	sum.gone += gone
	sum.sparse += sparse
	for i, n := range counts {
		sum.counts[i] += n
	}
	return ""
}

// checkIndividual says what is wrong with an individual that is there, or "", and counts it.
func (in *loader) checkIndividual(r *Run, id uint32, p *status, counts []int) (wrong string) {
	if int(p.state) >= len(r.Program.States) {
		return "an individual is in no state"
	}
	counts[p.state]++
	if a := r.Program.StateAttribute; a >= 0 {
		r.attributes[a].Set(id, p.state)
	}
	for m := range r.Program.Machines {
		one := &r.Program.Machines[m]
		counts[one.FirstCount+int(r.attributes[one.Attribute].Of(id))]++
	}
	if int(p.held) > len(r.phase.Always) || p.held > 0 && !r.shared {
		return "an individual holds no such timer"
	}
	st := r.stateOf(id, p.state)
	first := math.Inf(1)
	for k, w := range r.packed(id, st) {
		t := timeOf(w)
		if !(t >= r.Now) && !(r.columnAt[k] == isShared && p.held == 0) {
			return "a timer is in the past"
		}
		if t < first {
			first = t
		}
	}
	if len(st.Split) > 0 && int(p.branch) >= len(st.Split) {
		return "an individual is on no branch"
	}
	next := math.Inf(1)
	if in.due != nil {
		next = in.due[id-r.firstID]
	} else if r.windows != nil {
		next = *r.nextAt(id)
	}
	if !(next >= r.Now) {
		return "an event is in the past"
	}
	if r.knowsClocks(p) && !in.mayBeNext(st, first, next) {
		return notNext
	}
	return ""
}

// knowsClocks reports whether all clocks of an individual are among its words. Sparse timers and the
// branches of machines are read later.
func (r *Run) knowsClocks(p *status) bool { return p.sparse == 0 && r.phase.Machines == nil }

// numbersDiffer reports whether each individual has a number of its own, of those that have been
// given.
func (r *Run) numbersDiffer() bool {
	few := r.entered < 64*uint64(r.Used) // so that a set of all numbers takes no more memory than they do
	var marked idSet
	var all []uint64
	if few {
		marked = newIDSet(int(r.entered) + 1)
	}
	for id := r.firstID; int(id) < r.Used; id++ {
		if r.status(id).state == program.NoState {
			continue
		}
		number := r.numbers[id]
		if number == 0 || number > r.entered || few && !marked.add(number) {
			return false
		}
		if !few {
			all = append(all, number)
		}
	}
	slices.Sort(all)
	return few || len(slices.Compact(all)) == r.Alive
}

// An idSet is a set of ids or numbers.
type idSet []uint64

func newIDSet(n int) idSet { return make(idSet, (n+63)/64) }

// add adds an id, and reports false if it was there.
func (s idSet) add(id uint64) bool {
	bit := uint64(1) << (id & 63)
	was := s[id>>6]&bit != 0
	s[id>>6] |= bit
	return !was
}

// readWords reads the words of all individuals, and checks them. If the time of the next event is
// among them, and the run has a calendar, it takes them out.
func (in *loader) readWords(r *Run, sum *individualSums) {
	stride := r.stride
	if in.run.Inline && r.windows == nil {
		stride++
	}
	section := in.section("words")
	n := r.Used - int(r.firstID)
	if in.err != nil {
		return
	}
	if in.run.Stride != stride || section.Length != 8*uint64(stride)*uint64(n) {
		in.bad("individuals have %d words where %d are expected", in.run.Stride, stride)
		return
	}
	to := ids(r, r.words, r.stride)
	if stride == r.stride {
		in.err = in.in.ReadRows(section, statefile.Bytes(to), 8*stride, func(from, to int) error {
			if wrong := in.checkIndividuals(r, r.firstID+uint32(from), r.firstID+uint32(to), sum); wrong != "" {
				return in.damaged("%s", wrong)
			}
			return in.ctx.Err()
		})
		return
	}
	in.due = make([]float64, 0, n)
	row := 8 * stride
	buffer := make([]uint64, (1<<18)/8)
	in.err = in.in.Blocks(section, func(bytes int) []byte {
		return statefile.Bytes(buffer)[:max(bytes/row, 1)*row]
	}, func(block []byte) error {
		for words := buffer[:len(block)/8]; len(words) > 0; words = words[stride:] {
			copy(to[:r.stride], words)
			in.due = append(in.due, math.Float64frombits(words[stride-1]))
			to = to[r.stride:]
		}
		return in.ctx.Err()
	})
	in.eachBlock(r, func(from, to uint32) string {
		for id := from; id < to; id++ {
			if r.status(id).state == program.NoState { // the word is when it was left
				in.due[id-r.firstID] = math.Inf(1)
			}
		}
		return in.checkIndividuals(r, from, to, sum)
	})
}

// readColumn reads a column of an attribute.
func (in *loader) readColumn(r *Run, name string, c *store.Column) {
	if c.IsWide {
		read(in, name, ids(r, c.Wide, 1))
	} else {
		read(in, name, ids(r, c.Narrow, 1))
	}
}

// checkColumn says what is wrong with a column of an attribute with so many values, or "".
func (in *loader) checkColumn(r *Run, from, to uint32, c *store.Column, values int) (wrong string) {
	if values >= 1<<16 || !c.IsWide && values >= 1<<8 {
		return ""
	}
	for id := from; id < to; id++ {
		if int(c.Of(id)) >= values {
			if r.status(id).state != program.NoState {
				return "an individual has a value that there is not"
			}
			c.Set(id, 0)
		}
	}
	return ""
}

func loadTimers(r *Run, in *loader) {
	keys := get[uint64](in, "sparse keys", -1)
	words := get[uint64](in, "sparse words", len(keys))
	if in.err != nil {
		return
	}
	if in.sparse != len(keys) || in.sparse > 0 && r.sparseTimers == nil {
		in.bad("%d timers are sparse, and %d by status", len(keys), in.sparse)
		return
	}
	before, n := uint64(0), uint(r.Used-int(r.firstID))
	for i, key := range keys {
		from, column := store.Key(key)
		id := from + r.firstID
		if key <= before && i > 0 || key>>40 != 0 || uint(from) >= n || column < 0 || column >= len(r.sparse) ||
			!r.sparse[column] && r.offset[column] != isShared ||
			r.status(id).sparse>>column&1 == 0 || !(timeOf(words[i]) >= r.Now) {
			in.bad("a sparse timer belongs to nobody")
			return
		}
		before = key
		r.sparseTimers.Set(id, column, words[i])
	}
	if !r.forkable {
		return
	}
	origins := ids(r, r.origins, len(r.sparse))
	clear(origins)
	if !in.run.Origins {
		return // the clocks that run keep their times in forks
	}
	which, began := get[uint64](in, "laws", len(origins)), get[float64](in, "began", len(origins))
	if in.err != nil {
		return
	}
	laws := map[uint64]timerOrigin{}
	for i, place := range which {
		if place == 0 {
			continue
		}
		o, ok := laws[place]
		if !ok {
			phase, k := place>>32, uint32(place) // from 1 on
			if phase >= uint64(len(in.run.Shape.Phases)) {
				in.bad("a timer was drawn in no phase")
				return
			}
			t, err := in.run.Shape.phaseOf(r.Program, int(phase))
			if err != nil {
				in.err = err
				return
			}
			all := t.Laws()
			if k == 0 || uint64(k) > uint64(len(all)) {
				in.bad("a timer was drawn from no law")
				return
			}
			o.law = all[k-1]
			laws[place] = o
		}
		if o.began = began[i]; !(o.began <= r.Now) || math.IsInf(o.began, 0) {
			in.bad("a clock begins later")
			return
		}
		origins[i] = o
	}
}

func loadMachines(r *Run, in *loader) {
	for m := range r.Program.Machines {
		one := &r.Program.Machines[m]
		if one.Branches == 0 {
			continue
		}
		in.readColumn(r, fmt.Sprintf("branch %d", m), &r.branches[m])
		in.eachBlock(r, func(from, to uint32) string {
			return in.checkColumn(r, from, to, &r.branches[m], 2*one.Branches)
		})
		in.eachLiving(r, func(id uint32) string {
			if st := r.machineTable(id, m); st != nil && len(st.Split) > 0 {
				if k, _ := r.branchOf(id, m); k >= len(st.Split) {
					return "an individual is on no branch"
				}
			}
			return ""
		})
	}
}

func loadPersonal(r *Run, in *loader) {
	column := func(name string, to []float64) {
		read(in, name, ids(r, to, 1))
		in.eachLiving(r, func(id uint32) string {
			if math.IsNaN(to[id]) {
				return name + " of an individual is no number"
			}
			return ""
		})
	}
	for k := range r.cameIn {
		column(fmt.Sprintf("came in %d", slices.Index(in.run.Shape.Since, r.Program.Since[k].Words)), r.cameIn[k])
	}
	for k := range r.own {
		column(fmt.Sprintf("number %d", k), r.own[k])
	}
	if len(r.cameIn) == 0 {
		return
	}
	in.eachLiving(r, func(id uint32) string {
		if !r.checkPersonal(id) {
			return "an individual has a wrong time since"
		}
		return ""
	})
}

// readMembers reads the members of groups, which must be those that group says.
func (in *loader) readMembers(r *Run, name string, g *store.Groups, group func(id uint32) int) {
	lengths := get[int64](in, name+" lengths", len(g.Members))
	members := get[uint32](in, name, r.Alive)
	if in.err != nil {
		return
	}
	slots := r.Used - int(r.firstID)
	marked := newIDSet(slots)
	for k, n := range lengths {
		if n < 0 || n > int64(len(members)) {
			in.bad("a group has %d members", n)
			return
		}
		for _, from := range members[:n] {
			id := from + r.firstID
			if uint(from) >= uint(slots) || !marked.add(uint64(from)) || r.status(id).state == program.NoState || group(id) != k {
				in.bad("somebody is in a wrong group")
				return
			}
			g.Add(id, k)
		}
		members = members[n:]
	}
	if len(members) > 0 {
		in.bad("somebody is in no group")
	}
}

func loadMixing(r *Run, in *loader) {
	for a, g := range r.groups {
		if g != nil {
			in.readMembers(r, fmt.Sprintf("members %d", a), g, func(id uint32) int { return int(r.attributes[a].Of(id)) })
		}
	}
	if in.run.Living {
		r.living = store.NewGroups(1)
		in.readMembers(r, "living", r.living, func(uint32) int { return 0 })
	}
}

// checkedBlock is how many individuals are checked at a time.
const checkedBlock = 1 << 16

// eachBlock calls do with all ids in use, in blocks of consecutive ones, on the cores that are
// free. do returns what is wrong with the individuals of a block, or "". Blocks begin in order, so
// that the first of those in which something is wrong is the one that is told, whatever the number
// of cores.
func (in *loader) eachBlock(r *Run, do func(from, to uint32) (wrong string)) {
	if in.err != nil {
		return
	}
	blocks := (r.Used - int(r.firstID) + checkedBlock - 1) / checkedBlock
	wrong := make([]string, blocks)
	var next atomic.Int64
	var failed atomic.Bool
	work := func() {
		for !failed.Load() && in.ctx.Err() == nil {
			k := int(next.Add(1)) - 1
			if k >= blocks {
				return
			}
			from := int(r.firstID) + k*checkedBlock
			if wrong[k] = do(uint32(from), uint32(min(from+checkedBlock, r.Used))); wrong[k] != "" {
				failed.Store(true)
			}
		}
	}
	cores, done := r.borrowCores()
	defer done()
	var group panics.Group
	for range min(cores, blocks) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
	if k := slices.IndexFunc(wrong, func(text string) bool { return text != "" }); k >= 0 {
		in.bad("%s", wrong[k])
	} else {
		in.err = in.ctx.Err()
	}
}

// eachLiving is eachBlock for those who are there, one at a time.
func (in *loader) eachLiving(r *Run, do func(id uint32) (wrong string)) {
	in.eachBlock(r, func(from, to uint32) string {
		for id := from; id < to; id++ {
			if r.status(id).state == program.NoState {
				continue
			}
			if wrong := do(id); wrong != "" {
				return wrong
			}
		}
		return ""
	})
}
