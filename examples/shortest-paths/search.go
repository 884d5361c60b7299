package main

import (
	"container/heap"
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/almanac-sim/almanac/relaxed"
	"github.com/almanac-sim/almanac/spray"
)

// A queue is a relaxed priority queue of crossings by their distance, which says when all work is
// done.
type queue interface {
	push(distance float64, crossing uint32)
	pop() (distance float64, crossing uint32, err error) // one of the nearest; waits for it
	Done()                                               // with a crossing that was popped
	Close()                                              // only goroutines that visit a crossing push from now on
}

type named struct {
	name  string
	queue queue
}

// queues are those that are tried.
func queues(goroutines int) []named {
	return []named{
		{"spray.List", list{spray.NewBlocking[float64, uint32](spray.Concurrency(goroutines))}},
		{"relaxed.Queue", pending{relaxed.NewBlocking[uint32](relaxed.Concurrency(min(goroutines, runtime.GOMAXPROCS(0))))}},
	}
}

type list struct {
	*spray.Blocking[float64, uint32]
}

func (l list) push(distance float64, crossing uint32) {
	if _, err := l.Insert(distance, crossing); err != nil {
		panic(err) // it is pushed from a visit: not all is done
	}
}

func (l list) pop() (float64, uint32, error) { return l.Spray(context.Background()) }

// A search is a simulation of a wave that spreads over the roads, and the first arrival at a
// crossing an event of it.
type pending struct{ *relaxed.Blocking[uint32] }

func (q pending) push(distance float64, crossing uint32) {
	if _, err := q.Schedule(distance, crossing); err != nil {
		panic(err) // roads are of finite length, and not all is done
	}
}

func (q pending) pop() (distance float64, crossing uint32, err error) {
	crossing, distance, err = q.Next(context.Background())
	return distance, crossing, err
}

// work is what a search did. Each crossing that can be reached has to be visited once; the rest is
// wasted.
type work struct {
	settled int // crossings that can be reached
	// visits to a crossing that had been visited before, from further away: all its roads were
	// followed in vain then
	again int
	stale int // entries that were taken from the queue when a shorter way was known already
}

// share is the wasted part of all that was taken from the queue.
func (w work) share() float64 {
	wasted := w.again + w.stale
	return float64(wasted) / float64(w.settled+wasted)
}

// search finds the distances of all crossings from the first one, and what work it was. The order
// of visits does not matter for the answer: a visit makes its neighbours' distances smaller where
// it can, and those are visited again.
func search(g *graph, q queue, goroutines int) (distances []float64, w work) {
	best := make([]atomic.Uint64, len(g.first)-1) // bits of positive numbers, which have the order of the numbers
	for v := range best {
		best[v].Store(math.Float64bits(math.Inf(1)))
	}
	var visits, stale atomic.Int64
	best[0].Store(0)
	q.push(0, 0)
	q.Close()
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			visited, late := 0, 0
			for {
				distance, v, err := q.pop()
				if err != nil {
					break // all is done
				}
				if math.Float64bits(distance) != best[v].Load() {
					late++ // a shorter way has been found meanwhile
				} else {
					visited++
					for e := g.first[v]; e < g.first[v+1]; e++ {
						further := distance + float64(g.length[e])
						if lower(&best[g.to[e]], further) {
							q.push(further, g.to[e])
						}
					}
				}
				q.Done()
			}
			visits.Add(int64(visited))
			stale.Add(int64(late))
		})
	}
	wg.Wait()
	for v := range best {
		distances = append(distances, math.Float64frombits(best[v].Load()))
	}
	w = work{settled: reached(distances), stale: int(stale.Load())}
	w.again = int(visits.Load()) - w.settled
	return distances, w
}

// reached counts the crossings that can be reached.
func reached(distances []float64) (n int) {
	for _, d := range distances {
		if d < math.Inf(1) {
			n++
		}
	}
	return n
}

// lower makes a distance smaller, if it is, and reports whether it did.
func lower(best *atomic.Uint64, distance float64) bool {
	for bits := math.Float64bits(distance); ; {
		old := best.Load()
		if bits >= old {
			return false
		}
		if best.CompareAndSwap(old, bits) {
			return true
		}
	}
}

// dijkstra is the sequential search, with the standard library's heap. It visits no crossing twice,
// and its stale entries are those that any search has whose queue cannot change the place of an
// entry.
func dijkstra(g *graph) (distances []float64, w work) {
	distances = make([]float64, len(g.first)-1)
	for v := range distances {
		distances[v] = math.Inf(1)
	}
	distances[0] = 0
	h := &crossings{{0, 0}}
	for h.Len() > 0 {
		c := heap.Pop(h).(crossing)
		if c.distance > distances[c.number] {
			w.stale++
			continue
		}
		w.settled++
		for e := g.first[c.number]; e < g.first[c.number+1]; e++ {
			if further := c.distance + float64(g.length[e]); further < distances[g.to[e]] {
				distances[g.to[e]] = further
				heap.Push(h, crossing{further, g.to[e]})
			}
		}
	}
	return distances, w
}

type crossing struct {
	distance float64
	number   uint32
}

type crossings []crossing

func (h crossings) Len() int           { return len(h) }
func (h crossings) Less(i, j int) bool { return h[i].distance < h[j].distance }
func (h crossings) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *crossings) Push(x any)        { *h = append(*h, x.(crossing)) }
func (h *crossings) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
