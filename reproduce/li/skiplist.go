package li

import (
	"math/bits"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/spray"
)

// A skiplist is the front of a skip list as arrays, in which any number of steps at a height is one
// index operation. Elements are counted from 1, and the head is element 0.
type skiplist struct {
	heights []uint8   // of each element; that of the head does not count
	at      [][]int32 // at[h], for h ≥ 2: the elements that are at least so high, in order, the head first
	down    [][]int32 // down[h][i]: which of at[h−1] the element at[h][i] is
}

// newSkiplist is a list without elements, for walks that begin at height top or lower, with room
// for n elements.
func newSkiplist(top, n int) *skiplist {
	l := &skiplist{heights: make([]uint8, 1, n+1), at: make([][]int32, top+1), down: make([][]int32, top+1)}
	for h := 2; h <= top; h++ {
		n = n/2 + n/32
		l.at[h], l.down[h] = make([]int32, 1, n+8), make([]int32, 1, n+8)
	}
	return l
}

// add adds an element behind all others.
func (l *skiplist) add(height int) {
	x := int32(len(l.heights))
	l.heights = append(l.heights, uint8(height))
	below := x
	for h := 2; h <= min(height, len(l.at)-1); h++ {
		l.at[h], l.down[h] = append(l.at[h], x), append(l.down[h], below)
		below = int32(len(l.at[h]) - 1)
	}
}

// elements is how many there are.
func (l *skiplist) elements() int { return len(l.heights) - 1 }

// drawHeight draws the height of an element: i with probability 2^(−i).
func drawHeight(r *random.Stream) int { return bits.TrailingZeros64(r.Uint64()|1<<62) + 1 }

// randomSkiplist is a clean list of at least n elements in which no walk comes to the end.
func randomSkiplist(w spray.Walk, n int, r *random.Stream) *skiplist {
	n = max(n, w.Reach()+w.Reach()/16+16)
	l := newSkiplist(w.Heights[0], n+n/8)
	for ; ; n += n/8 + 16 {
		for l.elements() < n {
			l.add(drawHeight(r))
		}
		if l.longest(w) >= 0 {
			return l
		}
	}
}

// perfectSkiplist is the perfect list of n elements: each second one is higher than 1, each fourth
// higher than 2, and so on.
func perfectSkiplist(top, n int) *skiplist {
	l := newSkiplist(top, n)
	for x := 1; x <= n; x++ {
		l.add(bits.TrailingZeros(uint(x)) + 1)
	}
	return l
}

// without is the list without some elements, which are marked.
func (l *skiplist) without(taken []bool) *skiplist {
	rest := newSkiplist(len(l.at)-1, l.elements())
	for x := 1; x <= l.elements(); x++ {
		if x >= len(taken) || !taken[x] {
			rest.add(int(l.heights[x]))
		}
	}
	return rest
}

// heightsDown are the heights from one to 1, of which each is so far below the one before, and the
// last is 1.
func heightsDown(from, apart int) []int {
	var all []int
	for h := from; h > 1; h -= apart {
		all = append(all, h)
	}
	return append(all, 1)
}

// raised is a walk at heights that are so much higher, but for the last.
func raised(w spray.Walk, by int) spray.Walk {
	w.Heights = slices.Clone(w.Heights)
	for i := range len(w.Heights) - 1 {
		w.Heights[i] += by
	}
	return w
}

// least is the fewest steps of a walk at a height.
func least(w spray.Walk, h int) int {
	if h == 1 {
		return max(w.Least, min(w.Final, w.Most))
	}
	return w.Least
}

// drawSteps is a number of steps of a walk at a height.
func drawSteps(w spray.Walk, h int, r *random.Stream) int {
	from := least(w, h)
	return from + int(r.Below(uint64(w.Most-from+1)))
}

// walk is the element at which a walk ends that makes so many steps at each of its heights, or −1
// if the list is too short.
func (l *skiplist) walk(heights []int, steps func(h int) int) int {
	i := 0 // in at[h]
	for k, h := range heights {
		i += steps(h)
		if h == 1 && i >= len(l.heights) || h > 1 && i >= len(l.at[h]) {
			return -1
		}
		for ; k+1 < len(heights) && h > heights[k+1]; h-- {
			i = int(l.down[h][i])
		}
	}
	return i
}

// land is the element at which a spray ends.
func (l *skiplist) land(heights []int, w spray.Walk, r *random.Stream) int {
	return l.walk(heights, func(h int) int { return drawSteps(w, h, r) })
}

// longest is the element at which the longest of all walks ends.
func (l *skiplist) longest(w spray.Walk) int {
	return l.walk(w.Heights, func(int) int { return w.Most })
}

// landing is the share of all sprays that end at each element, from the head on. It is exact: at
// each height, what is at an element spreads evenly over those that a number of steps leads to. The
// list must be long enough for all walks.
func (l *skiplist) landing(w spray.Walk) []float64 { return l.landingFrom(w, 0) }

// landingFrom is the same for sprays that begin at the i-th of the elements of the first height.
func (l *skiplist) landingFrom(w spray.Walk, i int) []float64 {
	share := make([]float64, i+1) // of at[h]
	share[i] = 1
	heights := w.Heights
	for k, h := range heights {
		share = spreadEvenly(share, least(w, h), w.Most)
		for ; k+1 < len(heights) && h > heights[k+1]; h-- {
			down := l.down[h]
			below := make([]float64, down[len(share)-1]+1)
			for i, x := range share {
				below[down[i]] = x
			}
			share = below
		}
	}
	return share
}

// spreadEvenly moves every share on by each number of steps from least to most alike.
func spreadEvenly(share []float64, least, most int) []float64 {
	spread := make([]float64, len(share)+most)
	sum, some := 0.0, 0
	each := 1 / float64(most-least+1)
	for i := range spread {
		if k := i - least; k >= 0 && k < len(share) && share[k] > 0 {
			sum += share[k]
			some++
		}
		if k := i - most - 1; k >= 0 && share[k] > 0 {
			sum -= share[k]
			some--
		}
		if some == 0 {
			sum = 0 // and not what rounding has left
		}
		spread[i] = max(0, sum) * each
	}
	return spread
}

// moments are the mean of where sprays end and the variance, over clean lists: a step at height h
// leads 2^(h−1) elements on, on average, and geometrically; and the number of steps is uniform.
func moments(w spray.Walk) (mean, variance float64) {
	for _, h := range w.Heights {
		count := float64(w.Most - least(w, h) + 1)
		steps, varied := float64(least(w, h)+w.Most)/2, (count*count-1)/12
		length := float64(uint64(1) << (h - 1))
		mean += steps * length
		variance += varied*length*length + steps*length*(length-1)
	}
	return mean, variance
}
