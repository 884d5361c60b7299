package spray_test

import (
	"fmt"

	"github.com/almanac-sim/almanac/spray"
)

// A calendar for eight goroutines that run at once, which should stay in order rather closely and is going to have a million events.
func ExampleCalendarOption() {
	c := spray.NewCalendar[string](spray.For(8), spray.Sticky(8), spray.PerProcess(2), spray.Room(1_000_000))
	_, _ = c.Schedule(1, "first")
	what, at, ok := c.Next()
	fmt.Println(what, at, ok)
	// Output: first 1 true
}

// With one process nobody helps anybody, and nobody waits.
func ExampleCalendarStats() {
	c := spray.NewCalendar[int](spray.For(1))
	for i := range 50 {
		_, _ = c.Schedule(float64(i), i)
	}
	for range 20 {
		c.Next()
	}
	late, _ := c.Schedule(3, 0) // before what has been dispatched
	c.Cancel(late)
	sum, _ := c.Stats()
	fmt.Println(sum.Scheduled, "scheduled,", sum.Dispatched, "dispatched,", sum.Cancelled, "cancelled,", sum.Late, "late")
	fmt.Println(sum.Helped, "for others,", sum.Waits, "waits")
	// Output:
	// 51 scheduled, 20 dispatched, 1 cancelled, 1 late
	// 0 for others, 0 waits
}

// What a list of two goroutines has done: every fourth removal takes the first element, the others spray.
func ExampleStats() {
	l := spray.New[int, string](spray.Processes(2))
	for i := range 100 {
		l.Insert(i, "")
	}
	for range 40 {
		l.Spray()
	}
	var s spray.Stats = l.Stats()
	fmt.Println(s.Exact, "of 40 took the first;", s.Collisions, "collisions")
	// Output: 10 of 40 took the first; 0 collisions
}

// Any queue can be metered that has Insert and Remove: here one that forgets the order.
func ExampleMetered() {
	var queue spray.Metered = &stack{}
	report, err := spray.Replay(spray.Meter{Fill: 100, Operations: 200}.Run(queue))
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
	fillAndEmpty := func(r *spray.Recorder) {
		for range 100 {
			r.Insert(r.NormFloat64())
		}
		for ok := true; ok; {
			_, ok = r.Remove()
		}
	}
	trace := spray.Meter{Operations: 201, Workload: fillAndEmpty}.Run(new(binaryHeap))
	report, _ := spray.Replay(trace)
	fmt.Println(report.Insertions, "inserted,", report.Removals, "removed,", report.Failures, "found nothing")
	// Output: 100 inserted, 100 removed, 1 found nothing
}

// The operations of a trace, and how many there are of each kind.
func ExampleOperation() {
	trace := spray.Meter{Fill: 2, Operations: 4}.Run(new(binaryHeap))
	kinds := map[spray.Kind]int{}
	for _, log := range trace.Logs {
		for _, o := range log {
			kinds[o.Kind]++
		}
	}
	fmt.Println(kinds[spray.Removal], "removals,", kinds[spray.Insertion], "insertions,", kinds[spray.Failure], "failures")
	// Output: 2 removals, 2 insertions, 0 failures
}

func ExampleKind() {
	for _, k := range []spray.Kind{spray.Insertion, spray.Removal, spray.Failure} {
		fmt.Print(k, " ")
	}
	// Output: 0 1 2
}

// Rank errors and delays of a replay are summaries.
func ExampleSummary() {
	report, _ := spray.Replay(spray.Meter{Fill: 10, Operations: 100}.Run(new(binaryHeap)))
	var rank spray.Summary = report.Rank
	fmt.Println(rank.Mean, rank.P50, rank.P99, rank.Max)
	// Output: 0 0 0 0
}
