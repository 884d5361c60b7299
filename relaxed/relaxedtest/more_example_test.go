package relaxedtest_test

import (
	"fmt"

	"github.com/almanac-sim/almanac/relaxed/relaxedtest"
)

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
	fmt.Println(kinds[relaxedtest.Removal], "removals,", kinds[relaxedtest.Insertion], "insertions,", kinds[relaxedtest.Failure], "failures")
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
