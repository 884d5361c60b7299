package store

import (
	"fmt"
	"math"
	"slices"
)

// Weights keeps the weights of the first links of a network, which have the numbers from 0 on, and
// chooses among those of an individual in proportion to them.
//
// Each individual has an alias table [Vose91]: a slot for each of its links, and a choice takes one
// look. A link that has ended stays in the tables, and choosing it means nothing. A table is made
// anew without them when they have half of its weight, or half of its slots. So at most half of all
// choices are in vain; making a table anew costs its links, of which as many have ended, or the
// weight has halved. A link takes 28 bytes, an individual 32. Weights are rounded to 24 bits, and
// probabilities to 32.
//
// Invariants: live is the weight of the links of a table that have not ended, left their number;
// both are at least half of total and of the number of slots, or there are no slots.
//
// Weights must not be used from several goroutines at once.
//
// [Vose91]: https://doi.org/10.1109/32.92917
type Weights struct {
	rows   []weightRow
	slots  []weightSlot
	links  []float32 // by number; −1 for one that has ended
	shares []float64 // scratch
	stack  []uint32
}

// A weightRow is the table of an individual.
type weightRow struct {
	first       uint32
	n, left     uint32
	total, live float64
}

// A weightSlot is a slot of an alias table: the link, or that of another slot.
type weightSlot struct {
	link  uint32
	keep  uint32 // the probability of the former, times 2³²
	alias uint32
}

// NewWeights returns the weights of links. Ids is above the ids of all individuals.
func NewWeights(ids int, pairs []Pair, weights []float32) *Weights {
	w := &Weights{rows: make([]weightRow, ids), slots: make([]weightSlot, 2*len(pairs)), links: slices.Clone(weights)}
	for _, p := range pairs {
		w.rows[p[0]].left++
		w.rows[p[1]].left++
	}
	first := uint32(0)
	for id := range w.rows {
		w.rows[id].first = first
		first += w.rows[id].left
	}
	for link, p := range pairs {
		for _, id := range []uint32{p[0], p[1]} {
			r := &w.rows[id]
			w.slots[r.first+r.n].link = uint32(link)
			r.n++
		}
	}
	for id := range w.rows {
		w.rebuild(&w.rows[id])
	}
	return w
}

// Total is the weight of the table of an individual, links that have ended included.
func (w *Weights) Total(id uint32) float64 {
	if int(id) >= len(w.rows) {
		return 0
	}
	return w.rows[id].total
}

// Live is the weight of the links of an individual.
func (w *Weights) Live(id uint32) float64 {
	if int(id) >= len(w.rows) {
		return 0
	}
	return w.rows[id].live
}

// Pick chooses a link from the table of an individual, with 64 random bits. It reports false if the
// link has ended, or there is none.
func (w *Weights) Pick(id uint32, random uint64) (link uint32, ok bool) {
	if int(id) >= len(w.rows) || w.rows[id].n == 0 {
		return 0, false
	}
	r := &w.rows[id]
	k := uint32(random >> 32 * uint64(r.n) >> 32)
	s := &w.slots[r.first+k]
	if uint32(random) >= s.keep {
		s = &w.slots[r.first+s.alias]
	}
	return s.link, w.links[s.link] >= 0
}

// Left returns how many of its first links an individual has.
func (w *Weights) Left(id uint32) int {
	if int(id) >= len(w.rows) {
		return 0
	}
	return int(w.rows[id].left)
}

// Has reports whether a number is that of a first link that has not ended.
func (w *Weights) Has(link uint32) bool { return int(link) < len(w.links) && w.links[link] >= 0 }

// End says that a first link of two individuals has ended.
func (w *Weights) End(link, a, b uint32) {
	weight := float64(w.links[link])
	w.links[link] = -1
	for _, id := range []uint32{a, b} {
		r := &w.rows[id]
		r.left--
		if r.live -= weight; 2*r.live < r.total || 2*r.left < r.n {
			w.rebuild(r)
		}
	}
}

// rebuild makes a table anew from the links that have not ended.
func (w *Weights) rebuild(r *weightRow) {
	n := uint32(0)
	slots := w.slots[r.first : r.first+r.n]
	r.total = 0
	w.shares = w.shares[:0]
	for i := range slots {
		if x := w.links[slots[i].link]; x >= 0 {
			slots[n].link = slots[i].link
			n++
			r.total += float64(x)
			w.shares = append(w.shares, float64(x))
		}
	}
	r.n, r.left, r.live = n, n, r.total
	if r.total == 0 {
		r.n = 0
		return
	}
	// Slots below the average are at the beginning of the stack, the others at its end.
	w.stack = slices.Grow(w.stack[:0], int(n))[:n]
	low, high := 0, int(n)
	for i := range w.shares {
		if w.shares[i] *= float64(n) / r.total; w.shares[i] < 1 {
			w.stack[low] = uint32(i)
			low++
		} else {
			high--
			w.stack[high] = uint32(i)
		}
	}
	for low > 0 && high < int(n) {
		low--
		small, large := w.stack[low], w.stack[high]
		slots[small].keep, slots[small].alias = uint32(math.Round(w.shares[small]*(1<<32-1))), large
		if w.shares[large] -= 1 - w.shares[small]; w.shares[large] < 1 {
			w.stack[low] = large
			low++
			high++
		}
	}
	for _, rest := range [][]uint32{w.stack[:low], w.stack[high:]} { // by rounding also some of the former
		for _, i := range rest {
			slots[i].keep, slots[i].alias = math.MaxUint32, i
		}
	}
}

// Copy returns a copy.
func (w *Weights) Copy() *Weights {
	if w == nil {
		return nil
	}
	return &Weights{rows: slices.Clone(w.rows), slots: slices.Clone(w.slots), links: slices.Clone(w.links)}
}

// Bytes is about how much memory it takes.
func (w *Weights) Bytes() int {
	if w == nil {
		return 0
	}
	return 32*cap(w.rows) + 12*cap(w.slots) + 4*cap(w.links) + 8*cap(w.shares) + 4*cap(w.stack)
}

// Check verifies the invariants.
func (w *Weights) Check() error {
	for id := range w.rows {
		r := &w.rows[id]
		live, left := 0.0, uint32(0)
		for _, s := range w.slots[r.first : r.first+r.n] {
			if s.alias >= r.n {
				return fmt.Errorf("a slot of id %d stands for %d, of %d", id, s.alias, r.n)
			}
			if x := w.links[s.link]; x >= 0 {
				live += float64(x)
				left++
			}
		}
		if r.n == 0 && r.total == 0 {
			continue
		}
		if left != r.left || math.Abs(live-r.live) > 1e-9*r.total || 2*r.live < r.total || 2*left < r.n {
			return fmt.Errorf("id %d has %d links of weight %v, and a table for %d of %d, %v of %v", id, left, live, r.left,
				r.n, r.live, r.total)
		}
	}
	return nil
}
