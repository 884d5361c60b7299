package relaxed

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/stress"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// An operation is an operation on a queue in a history, and what came of it.
type operation struct {
	verb verb
	id   int     // of the event that is scheduled, cancelled or dispatched: its value
	at   float64 // its time, or that which Peek tells
	ok   bool
}

type verb uint8

const (
	schedules verb = iota
	cancels
	dispatches
	peeks
)

func (v verb) String() string { return [...]string{"Schedule", "Cancel", "Next", "Peek"}[v] }

// A scheduled is an event of the model. States of the model are entries in the order in which they
// were scheduled.
type scheduled struct {
	at    float64
	id    int
	queue uint32
}

// queueModel is what a queue is to callers, which see only what its operations return, each at one
// moment between its call and its return:
//
//   - Schedule adds an event to a set;
//   - Next takes the first of one of the subqueues that the set is spread over: of its events the
//     earliest, and of equal times that which was scheduled first. It finds nothing only if there
//     is nothing;
//   - Cancel removes an event, and fails only if it is not there;
//   - Peek tells the time of an event that is there, and finds nothing only if there is nothing.
//
// Which of the subqueues Next chooses is left open. There is no bound on the rank that holds for
// short histories: as long as a process has not looked around, its own events come first for it,
// and all others can be earlier. But there are no more than one candidate for each subqueue, and if
// there is one subqueue, it is an exact queue. Queues tells which one an event was put into.
func queueModel(queues map[int]uint32) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return []scheduled(nil) },
		Step: func(state, input, output any) (bool, any) {
			set, in, out := state.([]scheduled), input.(operation), output.(operation)
			find := func(id int) int { return slices.IndexFunc(set, func(e scheduled) bool { return e.id == id }) }
			switch in.verb {
			case schedules:
				return true, append(slices.Clip(set), scheduled{in.at, in.id, queues[in.id]})
			case cancels:
				k := find(in.id)
				if out.ok != (k >= 0) {
					return false, set
				}
				if out.ok {
					set = slices.Delete(slices.Clone(set), k, k+1)
				}
				return true, set
			case peeks:
				if !out.ok {
					return len(set) == 0, set
				}
				return slices.ContainsFunc(set, func(e scheduled) bool { return e.at == out.at }), set
			}
			if !out.ok {
				return len(set) == 0, set
			}
			k := find(out.id)
			if k < 0 || set[k].at != out.at {
				return false, set
			}
			for i, e := range set {
				if e.queue == set[k].queue && (e.at < out.at || e.at == out.at && i < k) {
					return false, set
				}
			}
			return true, slices.Delete(slices.Clone(set), k, k+1)
		},
		Equal: func(a, b any) bool { return slices.Equal(a.([]scheduled), b.([]scheduled)) },
	}
}

// recordHistory has goroutines do things with a queue, and returns what and when, and where the
// events were put. There are about as many dispatches and cancellations as there are events, so
// that it is often empty, or nearly so. If restless, goroutines go to a shard at random each time,
// so that one who looks whether all are empty is overtaken by those who come and go.
func recordHistory(c *Queue[int], goroutines, operations int, seed uint64, restless bool) ([]porcupine.Operation,
	map[int]uint32) {
	logs := make([][]porcupine.Operation, goroutines)
	named := make([]atomic.Pointer[Handle], goroutines*operations) // by value, when Schedule has returned
	if restless {
		c.affinities = c.affinities[:1]
	}
	began := time.Now()
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(g)))
			for i := range operations {
				in := operation{id: i*goroutines + g, at: float64(r.IntN(4)) - 1}
				var name *Handle
				switch x := r.IntN(20); {
				case x < 9:
					in.verb = schedules
				case x < 15:
					in.verb = dispatches
				case x < 17:
					in.verb = peeks
				default:
					in.verb = cancels
					in.id = r.IntN(in.id + 1) // anybody's
					if name = named[in.id].Load(); name == nil {
						in.verb = dispatches
					}
				}
				if restless {
					c.affinities[0].at.Store(atHome(uint32(r.IntN(len(c.shards)))))
				}
				op := porcupine.Operation{ClientId: g, Input: in, Call: time.Since(began).Nanoseconds()}
				out := in
				switch in.verb {
				case schedules:
					e, err := c.Schedule(in.at, in.id)
					out.ok = err == nil
					named[in.id].Store(&e)
				case cancels:
					out.ok = c.Cancel(*name)
				case dispatches:
					out.id, out.at, out.ok = c.Next()
				case peeks:
					out.at, out.ok = c.Peek()
				}
				op.Output, op.Return = out, time.Since(began).Nanoseconds()
				logs[g] = append(logs[g], op)
			}
		})
	}
	wg.Wait()
	queues := map[int]uint32{}
	for id := range named {
		if e := named[id].Load(); e != nil {
			queues[id] = e.queue
		}
	}
	return slices.Concat(logs...), queues
}

// Histories of short runs are those of a set whose operations happen one after the other, see
// queueModel: with few processors and many, few subqueues and many, and with goroutines interrupted
// in the middle of operations, where that can be done.
func TestQueueIsLinearizable(t *testing.T) {
	histories := testscale.Size(60, 250)
	if interleave.Enabled {
		histories = testscale.Size(25, 120) // wilder ones
	}
	if testing.Short() {
		histories = 50
	}
	for _, processors := range []int{1, 2, 8} {
		for _, p := range []int{1, 2, 3} {
			for _, per := range []int{1, 2} {
				t.Run(fmt.Sprintf("%d-%d-%d", processors, p, per), func(t *testing.T) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
					nothing, cancelled := 0, 0
					for seed := range uint64(histories) {
						c := New[int](Concurrency(p), perProcess(per), sticky(1+int(seed)%3), Seed(seed))
						var history []porcupine.Operation
						var queues map[int]uint32
						stress.Interrupted(100+int(seed)%5*200, func() {
							history, queues = recordHistory(c, 2+int(seed)%3, 10, seed, seed%2 == 0)
						})
						if !porcupine.CheckOperations(queueModel(queues), history) {
							t.Fatalf("seed %d: %s", seed, stress.Describe(history))
						}
						mustCheck(t, c)
						for _, op := range history {
							switch out := op.Output.(operation); {
							case out.verb == cancels && out.ok:
								cancelled++
							case out.verb == dispatches && !out.ok:
								nothing++
							}
						}
					}
					if nothing < histories/4 || cancelled < histories/20 {
						t.Errorf("histories are too tame: %d times nothing was found, and %d events were cancelled", nothing, cancelled)
					}
				})
			}
		}
	}
}

// The model refuses what no queue may do, and nothing else.
func TestQueueHistoriesCanBeWrong(t *testing.T) {
	queues := map[int]uint32{1: 0, 2: 0, 3: 1}
	add := func(id int, at float64) operation { return operation{schedules, id, at, true} }
	for _, h := range []struct {
		name  string
		right bool
		deeds []operation // one after the other
	}{
		{"in order", true, []operation{add(1, 1), add(2, 2), {dispatches, 1, 1, true}, {dispatches, 2, 2, true},
			{dispatches, 0, 0, false}}},
		{"the second of a subqueue first", false, []operation{add(1, 1), add(2, 2), {dispatches, 2, 2, true}}},
		{"the second of equals first", false, []operation{add(1, 1), add(2, 1), {dispatches, 2, 1, true}}},
		{"the first of a later subqueue", true, []operation{add(1, 1), add(3, 3), {dispatches, 3, 3, true}}},
		{"at another time", false, []operation{add(1, 1), {dispatches, 1, 2, true}}},
		{"dispatched twice", false, []operation{add(1, 1), {dispatches, 1, 1, true}, {dispatches, 1, 1, true}}},
		{"dispatched and cancelled", false, []operation{add(1, 1), {dispatches, 1, 1, true}, {cancels, 1, 1, true}}},
		{"cancelled once", true, []operation{add(1, 1), {cancels, 1, 1, true}, {cancels, 1, 1, false},
			{dispatches, 0, 0, false}}},
		{"not seen once gone", true, []operation{add(1, 1), {cancels, 1, 1, true}, {peeks, 0, 0, false}}},
		{"cancelled twice", false, []operation{add(1, 1), {cancels, 1, 1, true}, {cancels, 1, 1, true}}},
		{"not cancelled though there", false, []operation{add(1, 1), {cancels, 1, 1, false}}},
		{"dispatched though cancelled", false, []operation{add(1, 1), {cancels, 1, 1, true}, {dispatches, 1, 1, true}}},
		{"empty though not", false, []operation{add(1, 1), {dispatches, 0, 0, false}}},
		{"seen", true, []operation{add(1, 1), add(3, 3), {peeks, 0, 3, true}}},
		{"seen though not there", false, []operation{add(1, 1), {peeks, 0, 2, true}}},
		{"not seen though there", false, []operation{add(1, 1), {peeks, 0, 0, false}}},
	} {
		var history []porcupine.Operation
		for i, d := range h.deeds {
			history = append(history, porcupine.Operation{Input: d, Output: d, Call: int64(2 * i), Return: int64(2*i + 1)})
		}
		if got := porcupine.CheckOperations(queueModel(queues), history); got != h.right {
			t.Errorf("%s: %v", h.name, got)
		}
	}
}
