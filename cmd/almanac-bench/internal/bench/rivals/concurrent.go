package rivals

import (
	"container/heap"
	"sync"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/cpu"
)

// Concurrent is a priority queue that several goroutines may use at once. Keys are finite numbers,
// and elements of equal keys leave in any order.
type Concurrent interface {
	Insert(key float64, value uint64)
	// Remove removes an element, the first if the queue is exact. It fails if it finds none.
	Remove() (key float64, value uint64, ok bool)
	// Len is the number of elements while nobody changes it.
	Len() int
}

// A ConcurrentRival is a concurrent priority queue to compare with.
type ConcurrentRival struct {
	Name  string
	About string // one line
	Exact bool   // removals take the first element
	// New makes an empty queue with room for some elements, to be used by some goroutines at once.
	// It grows by itself.
	New func(capacity, processes int) Concurrent
}

// AllConcurrent lists the rivals of package spray.
func AllConcurrent() []ConcurrentRival {
	return []ConcurrentRival{
		{
			Name:  "mutex+container/heap",
			About: "binary heap of the standard library behind a mutex",
			Exact: true,
			New:   func(capacity, _ int) Concurrent { return NewLockedBinary(capacity) },
		},
		{
			Name:  "mutex+4-ary heap",
			About: "implicit heap of values with four children behind a mutex",
			Exact: true,
			New:   func(capacity, _ int) Concurrent { return NewLockedQuaternary(capacity) },
		},
		{
			Name:  "multiqueue",
			About: "MultiQueue: two 4-ary heaps per goroutine, insert into one at random, remove from the better of two",
			New:   func(capacity, processes int) Concurrent { return NewMultiQueue(capacity, processes) },
		},
	}
}

// A pair is an element, 16 bytes.
type pair struct {
	key   float64
	value uint64
}

// LockedBinary is what most Go programs use: container/heap behind a mutex. Operations cost O(log
// n) comparisons, each through an interface. An element takes 16 bytes.
//
// Like [Binary] it goes round heap.Push and the result of heap.Pop, each of which would be an
// allocation.
type LockedBinary struct {
	mu   sync.Mutex
	heap pairHeap
}

// NewLockedBinary returns an empty queue.
func NewLockedBinary(capacity int) *LockedBinary {
	h := make(pairHeap, 0, capacity)
	cpu.AdviseHuge(h)
	return &LockedBinary{heap: h}
}

// Insert adds an element.
func (q *LockedBinary) Insert(key float64, value uint64) {
	q.mu.Lock()
	q.heap = append(q.heap, pair{key, value})
	heap.Fix(&q.heap, len(q.heap)-1) // the same as heap.Push would do now
	q.mu.Unlock()
}

// Remove removes the first element.
func (q *LockedBinary) Remove() (key float64, value uint64, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.heap) == 0 {
		return 0, 0, false
	}
	first := q.heap[0]
	heap.Pop(&q.heap)
	return first.key, first.value, true
}

// Len is the number of elements.
func (q *LockedBinary) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.heap)
}

// pairHeap implements heap.Interface.
type pairHeap []pair

func (h pairHeap) Len() int           { return len(h) }
func (h pairHeap) Less(i, j int) bool { return h[i].key < h[j].key }
func (h pairHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push is not called, see Insert.
func (h *pairHeap) Push(any) { panic("rivals: Push is not used") }

// Pop removes the last element. It returns nothing, because that would be an allocation.
func (h *pairHeap) Pop() any {
	*h = (*h)[:len(*h)-1]
	return nil
}

// LockedQuaternary is an implicit heap with four children behind a mutex. Insert costs O(1)
// comparisons for most distributions, Remove O(log n). An element takes 16 bytes.
type LockedQuaternary struct {
	mu   sync.Mutex
	heap quaternaryHeap
}

// NewLockedQuaternary returns an empty queue.
func NewLockedQuaternary(capacity int) *LockedQuaternary {
	return &LockedQuaternary{heap: newQuaternaryHeap(capacity)}
}

// Insert adds an element.
func (q *LockedQuaternary) Insert(key float64, value uint64) {
	q.mu.Lock()
	q.heap.push(pair{key, value})
	q.mu.Unlock()
}

// Remove removes the first element.
func (q *LockedQuaternary) Remove() (key float64, value uint64, ok bool) {
	q.mu.Lock()
	if q.heap.len() > 0 {
		first := q.heap.pop()
		key, value, ok = first.key, first.value, true
	}
	q.mu.Unlock()
	return key, value, ok
}

// Len is the number of elements.
func (q *LockedQuaternary) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.heap.len()
}

// A quaternaryHeap is an implicit heap. Its first element is at root, and the children of i are at
// 4i−8 to 4i−5, so that four of them are one cache line. The better one is found without branches,
// which half of the time would be foretold wrongly; but then nothing is fetched ahead by guesses
// either, so that in large heaps it is asked for what may come next.
type quaternaryHeap struct{ at []pair }

const root = 3

// large is a place in a heap from which on elements are not in the cache.
const large = 1 << 15

func newQuaternaryHeap(capacity int) quaternaryHeap {
	at := make([]pair, root, root+capacity)
	cpu.AdviseHuge(at)
	return quaternaryHeap{at}
}

func (q *quaternaryHeap) len() int { return len(q.at) - root }

// push lets a hole rise from the end and puts the element where it stops.
func (q *quaternaryHeap) push(e pair) {
	q.at = append(q.at, e)
	h := q.at
	i := len(h) - 1
	for i > root {
		parent := i/4 + 2
		if !(e.key < h[parent].key) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
}

// pop removes the first element, of which there must be one. The hole sinks until the last element
// fits into it.
func (q *quaternaryHeap) pop() pair {
	h := q.at
	first, last := h[root], h[len(h)-1]
	h = h[:len(h)-1]
	q.at = h
	if len(h) == root {
		return first
	}
	i := root
	for {
		child := 4*i - 8
		if child+4 > len(h) {
			// The last parent, or a leaf.
			for k := child; k < len(h); k++ {
				if h[k].key < h[child].key {
					child = k
				}
			}
			if child < len(h) && h[child].key < last.key {
				h[i] = h[child]
				i = child
			}
			break
		}
		if grandchild := 4*child - 8; grandchild > large && grandchild < len(h) {
			cpu.PrefetchLines(unsafe.Pointer(&h[grandchild]), 4)
		}
		c := (*[4]pair)(h[child:])
		a, b := less(c[1], c[0]), 2+less(c[3], c[2])
		if c[b&3].key < c[a&3].key {
			a = b
		}
		if !(c[a&3].key < last.key) {
			break
		}
		h[i] = c[a&3]
		i = child + a
	}
	h[i] = last
	return first
}

// less is 1 if a comes before b, and otherwise 0.
func less(a, b pair) int {
	x := 0
	if a.key < b.key {
		x = 1
	}
	return x
}
