package spray

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/cpu"
	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/random"
)

// A Walk says how a spray walks down a list: from the head, it makes a random number of steps at
// its first height, then at the next, and so on, and last at height 1, the list of all elements.
// Heights are counted from 1, as in the report.
type Walk struct {
	Heights []int // at which it makes steps, in order; none is above the one before, and the last is 1
	Least   int   // the fewest steps at a height
	Most    int   // the most; each number between is as likely as any other
	Final   int   // the fewest steps at height 1, if that is more than Least
	Padding int   // dummy elements before the list; a spray that ends among them fails, and is tried again
	// Exact is how often a goroutine removes the first element instead of spraying: every Exact-th
	// time, or never if it is 0.
	Exact int
}

// log is the binary logarithm of the number of processes, and at least 1: with fewer than two, a
// walk of the report has no height to begin at.
func log(p int) float64 {
	if p < 1 {
		panic("spray: a walk is for at least 1 process")
	}
	return max(1, math.Log2(float64(p)))
}

// whole is a number of the report as a whole one: rounded up, at least 1, and no more than a list
// can have elements.
func whole(x float64) int { return int(min(max(1, math.Ceil(x)), math.MaxInt32)) }

// down is all heights from one to the lowest.
func down(from int) []int {
	heights := make([]int, from)
	for i := range heights {
		heights[i] = from - i
	}
	return heights
}

// PerfectSpray is the walk of the report's PerfectSpray for p processes: it begins at height log p,
// goes down one height at a time, and makes 1 to log p steps at each (section 3.1). So it never
// takes one of the first elements, of which there are about p. With a Least of 0 it is the modified
// one of the proof of Theorem 5.1, which does; but a walk that may end where it came down takes
// high elements more often than others, and wears the list down.
func PerfectSpray(p int) Walk {
	l := whole(log(p))
	return Walk{Heights: down(l), Least: 1, Most: l}
}

// BasicSpray is the walk of the report's Algorithm 3.1 for p processes with the factor f(p), which
// must be above 0: it begins at height log p, goes down log log p heights at a time while it is
// above height 0, and then walks at height 1. It makes 1 to f(p)·log³p steps each time. So where it
// comes down to height 1 by itself it walks there twice, for p = 4 at heights 2, 1 and 1.
//
// The algorithm as printed begins with k = log p/log log p and counts k down by log log p. What is
// meant is that there are log p/log log p heights, log log p apart: in the notation that follows
// it, level k of the spray walks at height k·log log p. The report does not say what a height is
// that is not a whole number; here each is rounded up by itself, so that what is rounded does not
// add up. With p = 2, log log p is 0, and the printed loop does not end: it is 1 here, and so it is
// for p = 1.
func BasicSpray(p int, f float64) Walk {
	if !(f > 0) {
		panic("spray: the factor f(p) of a walk must be a number above 0")
	}
	l := log(p)
	w := Walk{Least: 1, Most: whole(f * l * l * l)}
	apart := math.Log2(l)
	if p <= 2 {
		apart = 1
	}
	for height := l; height > 0; height -= apart {
		w.Heights = append(w.Heights, whole(height))
	}
	w.Heights = append(w.Heights, 1)
	return w
}

// FullSpray is the report's Algorithm 3.2: [BasicSpray] on a list with K(p) = p·f(p)·log²p dummy
// elements before it, which is repeated if it ends among them. After 16 attempts the first element
// is taken; the report has no such limit.
func FullSpray(p int, f float64) Walk {
	w := BasicSpray(p, f)
	l := log(p)
	w.Padding = whole(float64(p) * f * l * l)
	return w
}

// defaultWalk is the walk of a list without the option Spraying. It goes down one height at a time,
// as PerfectSpray does, but makes at most 2 steps at each, which leads to one of the first 2p or so
// elements instead of p·log p. At height 1 it makes at least one step: a walk that may end where it
// came down hits high elements more often than others, until there are too few of them at the
// front, and walks go too far. At regular intervals it takes the first element, so that none is
// passed over for ever. With a single process there is no collision to avoid.
func defaultWalk(p int) Walk {
	if p <= 1 {
		return Walk{Exact: 1}
	}
	p = min(p, 1<<24) // no list is so long that more would make a difference
	return Walk{Heights: down(max(2, whole(log(p)))), Most: 2, Final: 1, Exact: 2 * p}
}

// Reach is the rank that the longest walk gets to on a perfect list: the sum of Most·2^(height−1)
// over the heights, or 2³¹−1 if that is more than any list has.
func (w Walk) Reach() int {
	sum := 0.0
	for _, h := range w.Heights {
		sum += math.Ldexp(float64(w.Most), h-1)
	}
	return int(max(0, min(sum, math.MaxInt32)))
}

// valid panics unless a list can spray so.
func (w Walk) valid() {
	if len(w.Heights) == 0 || w.Heights[len(w.Heights)-1] != 1 {
		panic("spray: the last height of a walk is 1")
	}
	before := maxHeight
	for _, h := range w.Heights {
		if h < 1 || h > before {
			panic("spray: a walk begins at a height from 1 to 32, and no height is above the one before")
		}
		before = h
	}
	switch {
	case w.Least < 0 || w.Most < w.Least:
		panic("spray: a walk makes from Least to Most steps, where 0 ≤ Least ≤ Most")
	case w.Padding < 0 || w.Exact < 0 || w.Final < 0:
		panic("spray: the numbers of a walk must not be negative")
	case w.Padding > maxPadding:
		panic("spray: a walk has at most 16,777,216 dummy elements before it")
	}
}

// pad returns, for each level, the places of those dummy elements that are at least so high.
func pad(n int, seed uint64) [][]uint32 {
	if n == 0 {
		return nil
	}
	r := random.New(seed, 0x9ad)
	levels := make([][]uint32, maxHeight)
	for i := range uint32(n) {
		height := bits.TrailingZeros64(r.Uint64()|1<<(maxHeight-1)) + 1
		for level := range height {
			levels[level] = append(levels[level], i+1)
		}
	}
	return levels
}

// How often a spray is tried before the first element is taken instead, how many elements that are
// dead it passes at its end, and how many that others claim before its eyes.
const (
	maxAttempts = 16
	maxDead     = 64
	maxLost     = 4
)

// Spray removes one of the first elements, chosen by a random walk, so that goroutines that spray
// at the same time rarely meet. If ok is false, there was a moment during the call at which the
// list was empty.
//
// No element is passed over for ever: every so often, [Walk.Exact], a goroutine's Spray removes the
// first element.
func (l *List[K, V]) Spray() (key K, value V, ok bool) {
	l.demandMade()
	p := l.epochs.Enter()
	defer p.Leave()
	p.Local.removals++
	if l.walk.Exact == 0 || p.Local.removals%l.walk.Exact != 0 {
		top := l.walk.Heights[0]
		for range maxAttempts {
			p.Counts[sprays]++
			pred, i, outcome := l.land(p, top)
			switch outcome {
			case shorter:
				p.Counts[shortWalks]++
				top = max(1, min(top, int(l.height.Load()))-1)
				if top == 1 && i == none {
					goto exact
				}
			case padded:
				p.Counts[paddings]++
				continue
			}
			// The walk may end at the head, on an element that is dead, or on one that another
			// goroutine claims: the next one will do.
			for passed, claims := 0, 0; i != none && passed < maxDead && claims < maxLost; passed++ {
				n := l.nodes.At(i)
				if state := n.state.Load(); i != headNode && state&alive != 0 {
					interleave.Point()
					if l.claim(p, n, state) {
						key, value = n.key, l.release(n, state)
						l.unlinkBehind(p, pred, i, n)
						l.sweepIfDue(p)
						l.prefetchNext(p, key)
						return key, value, true
					}
					claims++
				}
				if passed == 0 && i != headNode && outcome == landed {
					p.Counts[losses]++
				}
				next := atomic.LoadUint32(&n.next[0])
				if next&frozen == 0 {
					pred = n
				}
				i = next &^ frozen
			}
			p.Counts[collisions]++
		}
	}
exact:
	p.Counts[exacts]++
	return l.deleteMin(p)
}

// How a walk ends.
const (
	landed  = iota // at a node, which may be the head
	shorter        // at the end of the list, before it had made all its steps
	padded         // among the dummy elements
)

// land walks, at heights up to top, and returns the node at which the walk ends, and one from which
// it came there: the one before it, if it made a step at height 1. Only elements that are alive
// count as steps. Nodes that are frozen are passed: where they are linked below is not known, and
// their links there may lead anywhere. (See Search.)
func (l *List[K, V]) land(p *participant, top int) (pred *node[K, V], i uint32, outcome int) {
	w := &l.walk
	place := uint32(0) // among the dummies
	inside := w.Padding > 0
	i = headNode
	n := l.head
	pred = n
	for _, height := range w.Heights {
		if height > top {
			continue
		}
		level := height - 1
		least := w.Least
		if level == 0 {
			least = max(least, min(w.Final, w.Most))
		}
		steps := least + int(p.Local.random.Below(uint64(w.Most-least)+1))
		if inside {
			ahead := l.padding[level]
			at, _ := slices.BinarySearchFunc(ahead, place, func(a, b uint32) int { return cmp.Compare(a, b+1) })
			if ahead = ahead[at:]; steps <= len(ahead) {
				if steps > 0 {
					place = ahead[steps-1]
				}
				steps = 0
			} else {
				steps -= len(ahead)
				inside = false
			}
		}
		for steps > 0 {
			next := atomic.LoadUint32(l.link(n, level)) &^ frozen
			var c *node[K, V]
			for {
				if next == none {
					return pred, i, shorter
				}
				c = l.nodes.At(next)
				// the walk will probably end there: then both are written to, the one to claim it,
				// the other to unlink it
				if level == 0 && steps == 1 {
					cpu.PrefetchOwn(unsafe.Pointer(n))
					cpu.PrefetchOwn(unsafe.Pointer(c))
				}
				after := atomic.LoadUint32(l.link(c, level))
				if after&frozen == 0 {
					break
				}
				next = after &^ frozen
			}
			pred, i, n = n, next, c
			if n.state.Load()&alive != 0 {
				steps--
			}
		}
	}
	if inside {
		return pred, none, padded
	}
	return pred, i, landed
}
