package calendar_test

import (
	"context"
	"fmt"

	"github.com/almanac-sim/almanac/calendar"
)

// Three machines fail and are repaired, in turn.
func ExampleQueue() {
	q := calendar.New()
	for machine, firstFailure := range []float64{4, 2.5, 7} {
		if err := q.Schedule(calendar.ID(machine), firstFailure); err != nil {
			panic(err)
		}
	}
	for machine, at := range q.Until(8) {
		fmt.Printf("%4.1f machine %d fails\n", at, machine)
		if err := q.Schedule(machine, at+3); err != nil { // and will again
			panic(err)
		}
	}
	fmt.Println(q.Len(), "failures pending")
	// Output:
	//  2.5 machine 1 fails
	//  4.0 machine 0 fails
	//  5.5 machine 1 fails
	//  7.0 machine 2 fails
	//  7.0 machine 0 fails
	// 3 failures pending
}

// A time-out that is put off each time there is a sign of life.
func ExampleQueue_Reschedule() {
	q := calendar.New()
	const timeout, beat = 0, 1
	_ = q.Schedule(timeout, 10)
	_ = q.Schedule(beat, 6)
	for {
		id, at, ok := q.Next()
		if !ok {
			break
		}
		if id == timeout {
			fmt.Println("timed out at", at)
			continue
		}
		fmt.Println("beat at", at)
		_ = q.Reschedule(timeout, at+10)
		if at < 20 {
			_ = q.Schedule(beat, at+6)
		}
	}
	// Output:
	// beat at 6
	// beat at 12
	// beat at 18
	// beat at 24
	// timed out at 34
}

// How healthy a queue is: a thousand events, and what they cost.
func ExampleQueue_Stats() {
	q := calendar.New(calendar.Capacity(1000))
	for id := range calendar.ID(1000) {
		_ = q.Schedule(id, float64(id%100))
	}
	for range q.Until(1000) {
	}
	s := q.Stats()
	fmt.Println("pending:", s.Pending, "stale:", s.Stale)
	fmt.Println("at most four moves per event:", s.Moved <= 4000)
	// Output:
	// pending: 0 stale: 0
	// at most four moves per event: true
}

func ExampleAgenda() {
	a := calendar.NewAgenda[string]()
	_, _ = a.Schedule(9, "open")
	lunch, _ := a.Schedule(12, "lunch")
	_, _ = a.Schedule(17, "close")
	if what, ok := a.Cancel(lunch); ok {
		fmt.Println("no", what)
	}
	for what, at := range a.Until(24) {
		fmt.Println(at, what)
	}
	// Output:
	// no lunch
	// 9 open
	// 17 close
}

// A handle names one event for ever: after the event is gone it is refused.
func ExampleHandle() {
	a := calendar.NewAgenda[string]()
	h, _ := a.Schedule(1, "first")
	a.Next()
	_, _ = a.Schedule(2, "second")
	_, ok := a.Cancel(h)
	fmt.Println(ok, a.Len())
	// Output: false 1
}

func ExampleQueue_NextBy() {
	q := calendar.New()
	for id, at := range []float64{3, 1, 2} {
		if err := q.Schedule(calendar.ID(id), at); err != nil {
			panic(err)
		}
	}
	fmt.Println(q.NextBy(2))
	fmt.Println(q.NextBy(2))
	fmt.Println(q.NextBy(2)) // the last one is due at 3
	// Output:
	// 1 1 true
	// 2 2 true
	// 0 0 false
}

// One queue serves many short simulations.
func ExampleQueue_Reset() {
	q := calendar.New()
	for run := range 3 {
		q.Reset(0)
		for id := range calendar.ID(2) {
			if err := q.Schedule(id, float64(run)+float64(id)/4); err != nil {
				panic(err)
			}
		}
		fmt.Println(q.Next()) // the other is still there when the next run begins
	}
	// Output:
	// 0 0 true
	// 0 1 true
	// 0 2 true
}

// Everybody's first event, told by several goroutines at once. Who has none is left out.
func ExampleQueue_ScheduleAll() {
	q := calendar.New()
	first := func(id calendar.ID) float64 { return float64(id%1000*7%1000) / 10 } // to be drawn, say
	err := q.ScheduleAll(context.Background(), 0, 1_000_000, 2, func(_ int, id calendar.ID, at []float64) error {
		for i := range at {
			if due := first(id + calendar.ID(i)); due < 50 {
				at[i] = due
			}
		}
		return nil
	})
	fmt.Println(q.Len(), err)
	fmt.Println(q.Next())
	// Output:
	// 500000 <nil>
	// 0 0 true
}

func ExamplePanicError() {
	defer func() {
		if p, ok := recover().(*calendar.PanicError); ok {
			fmt.Println("due panicked:", p.Value)
		}
	}()
	_ = calendar.New().ScheduleAll(context.Background(), 0, 10, 2, func(int, calendar.ID, []float64) error {
		panic("no such table")
	})
	// Output: due panicked: no such table
}

// An id is a number of the caller's: here that of a bed, which is due when it becomes free.
func ExampleID() {
	patients := map[calendar.ID]string{0: "Ann", 1: "Bob"}
	q := calendar.New()
	_ = q.Schedule(0, 5)
	_ = q.Schedule(1, 3)
	for bed, at := range q.Until(10) {
		fmt.Println(patients[bed], "leaves bed", bed, "at", at)
	}
	// Output:
	// Bob leaves bed 1 at 3
	// Ann leaves bed 0 at 5
}

// A queue for a thousand ids that starts at time 100.
func ExampleOption() {
	q := calendar.New(calendar.Capacity(1000), calendar.MaxID(999), calendar.StartAt(100))
	fmt.Println(q.Schedule(999, 101), q.Schedule(1000, 101), q.Schedule(1, 99))
	// Output: <nil> calendar: id is beyond the largest calendar: time is before now
}

// Cancelling leaves a stale entry behind, which is dropped later.
func ExampleStats() {
	q := calendar.New()
	for id := range calendar.ID(100) {
		_ = q.Schedule(id, float64(id))
	}
	q.Cancel(7)
	s := q.Stats()
	fmt.Println(s.Pending, "pending,", s.Stale, "stale")
	// Output: 99 pending, 1 stale
}
