package relaxedtest_test

import (
	"bytes"
	"container/heap"
	"fmt"

	"github.com/almanac-sim/almanac/relaxed/relaxedtest"
	"github.com/almanac-sim/almanac/spray"
)

// A list that is sprayed, as a [relaxedtest.Meter] wants it.
type sprayedList struct{ *spray.List[float64, uint64] }

func (q sprayedList) Insert(key float64, id uint64)             { q.List.Insert(key, id) }
func (q sprayedList) Remove() (key float64, id uint64, ok bool) { return q.Spray() }
func (q sprayedList) Collisions() uint64                        { return q.Stats().Collisions }

// How far from the first are the elements that four goroutines get from a list?
func ExampleMeter() {
	list := sprayedList{spray.New[float64, uint64](spray.Concurrency(4))}
	trace := relaxedtest.Meter{Goroutines: 4, Fill: 1000, Operations: 2500, Drain: true}.Run(list)
	report, err := relaxedtest.Replay(trace)
	if err != nil {
		fmt.Println(err) // an element was lost, or removed twice
		return
	}
	fmt.Println("at least 5000 operations:", report.Operations() >= 5000)
	fmt.Println("elements left:", report.Left)
	fmt.Println("mean rank error below 20:", report.Rank.Mean < 20)
	// Output:
	// at least 5000 operations: true
	// elements left: 1000
	// mean rank error below 20: true
}

// A binary heap, used by one goroutine.
type binaryHeap []struct {
	key float64
	id  uint64
}

func (h binaryHeap) Len() int           { return len(h) }
func (h binaryHeap) Less(i, j int) bool { return h[i].key < h[j].key }
func (h binaryHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

func (h *binaryHeap) Push(any) { *h = (*h)[:len(*h)+1] }
func (h *binaryHeap) Pop() any { *h = (*h)[:len(*h)-1]; return nil }

func (h *binaryHeap) Insert(key float64, id uint64) {
	*h = append(*h, struct {
		key float64
		id  uint64
	}{key, id})
	heap.Fix(h, len(*h)-1)
}

func (h *binaryHeap) Remove() (key float64, id uint64, ok bool) {
	if len(*h) == 0 {
		return 0, 0, false
	}
	first := (*h)[0]
	heap.Pop(h)
	return first.key, first.id, true
}

// An exact queue has no rank errors and no delays. The workload is one's own: here inserts two, and
// removes two.
func ExampleMeter_workload() {
	trace := relaxedtest.Meter{Fill: 10, Operations: 400, Workload: func(r *relaxedtest.Recorder) {
		for r.More() {
			r.Insert(r.Float64())
			r.Insert(r.Float64())
			r.Remove()
			r.Remove()
		}
	}}.Run(new(binaryHeap))
	report, err := relaxedtest.Replay(trace)
	fmt.Println(report, err)
	// Output:
	// 200 insertions, 200 removals, 0 failures (0 with elements there), 10 left, 0 collisions
	// rank error: mean 0.00 to 0.00, half up to 0, 99 % up to 0, most 0
	// delay: mean 0.00, half up to 0, 99 % up to 0, most 0 <nil>
}

// Two goroutines; the second takes key 3 while keys 1 and 2 are in the queue, and the first is just
// taking key 1.
func ExampleReplay() {
	trace := &relaxedtest.Trace{
		Fill: [][]relaxedtest.Operation{{
			{Begin: 1, End: 2, Kind: relaxedtest.Insertion, ID: 0, Key: 1},
			{Begin: 3, End: 4, Kind: relaxedtest.Insertion, ID: 1, Key: 2},
			{Begin: 5, End: 6, Kind: relaxedtest.Insertion, ID: 2, Key: 3},
		}},
		Logs: [][]relaxedtest.Operation{
			{{Begin: 10, End: 30, Kind: relaxedtest.Removal, ID: 0, Key: 1}},
			{{Begin: 20, End: 40, Kind: relaxedtest.Removal, ID: 2, Key: 3}},
		},
	}
	report, err := relaxedtest.Replay(trace)
	if err != nil {
		panic(err)
	}
	fmt.Println("overtaken for certain:", report.Rank.Max)
	fmt.Println("mean rank error:", report.Rank.Mean, "to", report.MeanRankAtMost)
	fmt.Println("the element left was overtaken", report.LeftDelay, "time")
	// Output:
	// overtaken for certain: 1
	// mean rank error: 0.5 to 1
	// the element left was overtaken 1 time
}

// A trace is saved, to be measured again another day.
func ExampleTrace_WriteTo() {
	trace := relaxedtest.Meter{Fill: 100, Operations: 1000}.Run(new(binaryHeap))
	var file bytes.Buffer
	if _, err := trace.WriteTo(&file); err != nil {
		panic(err)
	}
	again, err := relaxedtest.ReadTrace(&file)
	if err != nil {
		panic(err)
	}
	first, _ := relaxedtest.Replay(trace)
	second, _ := relaxedtest.Replay(again)
	fmt.Println(first == second)
	// Output: true
}

// Any queue can be metered that has Insert and Remove: here one that forgets the order.
func ExampleMetered() {
	var queue relaxedtest.Metered = &stack{}
	report, err := relaxedtest.Replay(relaxedtest.Meter{Fill: 100, Operations: 200}.Run(queue))
	fmt.Println("mean rank error above 10:", report.Rank.Mean > 10, err)
	// Output: mean rank error above 10: true <nil>
}

// A stack returns what was inserted last.
type stack []struct {
	key float64
	id  uint64
}

func (s *stack) Insert(key float64, id uint64) {
	*s = append(*s, struct {
		key float64
		id  uint64
	}{key, id})
}

func (s *stack) Remove() (key float64, id uint64, ok bool) {
	if len(*s) == 0 {
		return 0, 0, false
	}
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last.key, last.id, true
}

// A workload of one's own, which uses the queue through a recorder: it fills, and then empties.
func ExampleRecorder() {
	fillAndEmpty := func(r *relaxedtest.Recorder) {
		for range 100 {
			r.Insert(r.NormFloat64())
		}
		for ok := true; ok; {
			_, ok = r.Remove()
		}
	}
	trace := relaxedtest.Meter{Operations: 201, Workload: fillAndEmpty}.Run(new(binaryHeap))
	report, _ := relaxedtest.Replay(trace)
	fmt.Println(report.Insertions, "inserted,", report.Removals, "removed,", report.Failures, "found nothing")
	// Output: 100 inserted, 100 removed, 1 found nothing
}

// The operations of a trace, and how many there are of each kind.
func ExampleOperation() {
	trace := relaxedtest.Meter{Fill: 2, Operations: 4}.Run(new(binaryHeap))
	kinds := map[relaxedtest.Kind]int{}
	for _, log := range trace.Logs {
		for _, o := range log {
			kinds[o.Kind]++
		}
	}
	fmt.Println(kinds[relaxedtest.Removal], "removals,", kinds[relaxedtest.Insertion], "insertions,",
		kinds[relaxedtest.Failure], "failures")
	// Output: 2 removals, 2 insertions, 0 failures
}

func ExampleKind() {
	for _, k := range []relaxedtest.Kind{relaxedtest.Insertion, relaxedtest.Removal, relaxedtest.Failure} {
		fmt.Print(k, " ")
	}
	// Output: 0 1 2
}

// Rank errors and delays of a replay are summaries.
func ExampleSummary() {
	report, _ := relaxedtest.Replay(relaxedtest.Meter{Fill: 10, Operations: 100}.Run(new(binaryHeap)))
	var rank relaxedtest.Summary = report.Rank
	fmt.Println(rank.Mean, rank.P50, rank.P99, rank.Max)
	// Output: 0 0 0 0
}

// An exact queue has rank errors of 0.
func ExampleReport() {
	var report relaxedtest.Report
	report, err := relaxedtest.Replay(relaxedtest.Meter{Fill: 100, Operations: 1000}.Run(new(binaryHeap)))
	fmt.Println("mean rank error", report.Rank.Mean, "of", report.Removals, "removals;", err)
	// Output: mean rank error 0 of 500 removals; <nil>
}
