// Package bench times pending-event sets against each other in one run.
//
// The speed of a shared machine varies, so the sets take turns: each repetition runs all of them,
// and the result is the best repetition of each, with the spread beside it. Ratios of these are
// meaningful; the numbers themselves depend on the machine and the day.
//
// # Files
//
// How it is measured:
//
//	bench.go           kinds of workloads, cells, turns and repetitions
//	slices.go          slices of a repetition
//	json.go            results as JSON
//	targets.go, targets_sets.go, targets_shared.go  the limits that results are compared with
//
// What is measured:
//
//	structures.go      event sets
//	sets.go, fill.go   their workloads
//	latency.go         single calls
//	concurrent.go, concurrent_run.go  queues that goroutines share, and their workloads
//	engines.go         simulations of CAPPED
//	simulation.go      simulation kernels
//	runs.go            models in files
//	machines.go        models with machines
//	neighbours.go      models with contacts among neighbours
//	timers.go          timers
package bench

import (
	"math"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/bench/rivals"
)

// A Structure is a pending-event set that can be timed.
type Structure struct {
	Name  string
	About string
	Extra bool // only when asked for by name
	// New makes one for n events whose jumps have the given distribution. Most need to know neither.
	New func(n int, d calendartest.Distribution) (calendartest.Set, error)
}

// Queue and Static are the names of our own structures.
const (
	Queue  = "queue"
	Static = "static"
)

// Structures lists what can be timed, our own first.
func Structures() []Structure {
	all := []Structure{
		{
			Name:  Queue,
			About: "calendar.Queue, given only the number of ids",
			New: func(n int, _ calendartest.Distribution) (calendartest.Set, error) {
				return calendar.New(calendar.Capacity(n)), nil
			},
		},
		papers(Static, static.Unordered, false),
		papers("static ordered", static.Ordered, true),
		papers("static just-in-time", static.JustInTime, true),
	}
	for _, r := range rivals.All() {
		all = append(all, Structure{
			Name:  r.Name,
			About: r.About,
			New: func(n int, _ calendartest.Distribution) (calendartest.Set, error) {
				return r.New(0, n), nil
			},
		})
	}
	return all
}

// papers is the papers' calendar with their best width for the workload: δ = √(2b/c)·μ/N with b = c
// (Theorem 2.2 of Erickson et al.), and M = 3.02 N buckets, which cost at most a hundredth of the
// speed (their equation 3). Beyond 500 million events memory is dearer than that, and there is one
// bucket an event, as Lehman et al. have it.
func papers(name string, d static.Discipline, extra bool) Structure {
	return Structure{
		Name:  name,
		About: "static.Queue, " + d.String() + " buckets, with the papers' best width for the workload",
		Extra: extra,
		New: func(n int, dist calendartest.Distribution) (calendartest.Set, error) {
			perEvent := 3.02
			if n > 500_000_000 {
				perEvent = 1
			}
			return static.New(static.Config{
				Buckets:    int(math.Ceil(perEvent * float64(n))),
				Width:      math.Sqrt2 * dist.Mean / float64(n),
				Discipline: d,
				Capacity:   n,
			})
		},
	}
}

// A Workload is what is done to a set that holds n events.
type Workload struct {
	Name  string
	About string
	// run does about ops operations and tells how many.
	run func(s calendartest.Set, ops, n int, j *calendartest.Jumps) (int, error)
}

// Hold is the name of the hold model.
const Hold = "hold"

// Workloads lists what can be done to a set.
func Workloads() []Workload {
	return []Workload{
		{
			Name:  Hold,
			About: "take the earliest event, schedule it one jump later",
			run: func(s calendartest.Set, ops, _ int, j *calendartest.Jumps) (int, error) {
				return ops, calendartest.Hold(s, ops, j)
			},
		},
		{
			Name:  "cancel",
			About: "hold, but every other operation cancels a random event and schedules it again",
			run: func(s calendartest.Set, ops, n int, j *calendartest.Jumps) (int, error) {
				return ops, calendartest.HoldCancel(s, ops, n, j)
			},
		},
		{
			Name:  "reschedule",
			About: "hold, but every other operation moves a random event",
			run: func(s calendartest.Set, ops, n int, j *calendartest.Jumps) (int, error) {
				return ops, calendartest.HoldReschedule(s, ops, n, j)
			},
		},
		{
			Name:  "grow",
			About: "grow from a hundredth of the events to all of them and shrink back, holding all the while",
			run: func(s calendartest.Set, _, n int, j *calendartest.Jumps) (int, error) {
				from := max(n/100, 1)
				// The first half begins wherever the last one ended; each event added or taken
				// comes with a hold.
				ops := 2 * (n - s.Len() + n - from)
				return ops, calendartest.GrowShrink(s, from, n, j)
			},
		},
	}
}
