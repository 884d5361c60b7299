package rivals

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
)

// MultiQueue is the relaxed priority queue of [RSD15]: c·p heaps for p processes, each with a lock
// that is only ever tried. An insertion goes into a heap at random, a removal takes the first
// element of the better of two at random. Which of them is better is seen without locks, from a
// copy of the first key of each.
//
// Insert and Remove cost what they cost in a 4-ary heap of n/(c·p) elements. An element takes 16
// bytes, and in heaps that have grown up to a quarter more. The elements of a heap whose lock is
// held by a goroutine that waits for a processor cannot be had meanwhile.
//
// Of what the authors and others added later, sticking with the same heaps for some operations and
// buffers of elements, there is nothing.
//
// [RSD15]: https://arxiv.org/abs/1411.1209
type MultiQueue struct {
	shards []shard
}

// perProcess is c, as in the paper's measurements.
const perProcess = 2

// A shard is one of the heaps, in cache lines of its own: two, because processors fetch lines in
// pairs.
type shard struct {
	top    atomic.Uint64 // bits of the first key, and of +Inf if there is none
	locked atomic.Uint32
	heap   quaternaryHeap
	_      [128 - 8 - 8 - 24]byte
}

func (s *shard) try() bool { return s.locked.Load() == 0 && s.locked.CompareAndSwap(0, 1) }

// first is the first key, or was a moment ago.
func (s *shard) first() float64 { return math.Float64frombits(s.top.Load()) }

// unlock tells what comes first now, and lets others in.
func (s *shard) unlock() {
	key := math.Inf(1)
	if s.heap.len() > 0 {
		key = s.heap.at[root].key
	}
	if bits := math.Float64bits(key); bits != s.top.Load() { // a line that others read is better left alone
		s.top.Store(bits)
	}
	s.locked.Store(0)
}

// NewMultiQueue returns an empty queue for a number of processes.
func NewMultiQueue(capacity, processes int) *MultiQueue {
	q := &MultiQueue{shards: make([]shard, perProcess*max(1, processes))}
	for i := range q.shards {
		s := &q.shards[i]
		// Heaps are of nearly equal sizes: with a few standard deviations more room none has to grow.
		each := float64(capacity) / float64(len(q.shards))
		s.heap = newQuaternaryHeap(int(each + 4*math.Sqrt(each)))
		s.top.Store(math.Float64bits(math.Inf(1)))
	}
	return q
}

// random is a shard chosen at random, from the high and from the low half of a number. It is
// uniform but for one part in 2³² over the number of shards.
func (q *MultiQueue) random(r uint64) (a, b *shard) {
	n := uint64(len(q.shards))
	return &q.shards[r>>32*n>>32], &q.shards[r&(1<<32-1)*n>>32]
}

// Insert adds an element.
func (q *MultiQueue) Insert(key float64, value uint64) {
	for tried := 1; ; tried++ {
		s, _ := q.random(rand.Uint64())
		if s.try() {
			s.heap.push(pair{key, value})
			s.unlock()
			return
		}
		q.pause(tried)
	}
}

// Remove removes the first element of the better of two heaps. It fails if it saw every heap empty,
// one after the other.
func (q *MultiQueue) Remove() (key float64, value uint64, ok bool) {
	for tried := 1; ; tried++ {
		a, b := q.random(rand.Uint64())
		if b.first() < a.first() {
			a = b
		}
		if !math.IsInf(a.first(), 1) && a.try() {
			if a.heap.len() > 0 {
				e := a.heap.pop()
				a.unlock()
				return e.key, e.value, true
			}
			a.unlock()
		}
		if tried%len(q.shards) == 0 && q.empty() {
			return 0, 0, false
		}
		q.pause(tried)
	}
}

// empty reports whether every heap was seen empty and nobody was at it.
func (q *MultiQueue) empty() bool {
	for i := range q.shards {
		if s := &q.shards[i]; !math.IsInf(s.first(), 1) || s.locked.Load() != 0 {
			return false
		}
	}
	return true
}

// pause gives the processor to others when so many tries have failed that those who hold the locks
// seem to wait for it.
func (q *MultiQueue) pause(tried int) {
	if tried%(4*len(q.shards)) == 0 {
		runtime.Gosched()
	}
}

// Len is the number of elements while nobody changes it.
func (q *MultiQueue) Len() int {
	sum := 0
	for i := range q.shards {
		s := &q.shards[i]
		for !s.try() {
			runtime.Gosched()
		}
		sum += s.heap.len()
		s.unlock()
	}
	return sum
}
