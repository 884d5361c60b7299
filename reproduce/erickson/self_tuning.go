package erickson

import (
	"errors"
	"fmt"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/reproduce"
)

// selfTuning is the open problem of the journal's conclusion: a priority queue that is based on the
// calendar queue and finds good parameters by itself, also where N and μ change.
//
// calendar.Queue has no parameters. It chooses the width of buckets anew whenever it opens one, by
// the number and the spread of the events that it then holds. One queue goes through phases of
// different N, μ and jumps. In each phase its steps are compared with those of a static calendar of
// the width that is best for this phase, which a queue cannot know, and with those of a static
// calendar that keeps the width of the first phase.
func selfTuning(r *runner) reproduce.Finding {
	phases := []phase{{1000, 1, exponentialJumps()}, {1000, 1000, exponentialJumps()}, {1000, 0.001, exponentialJumps()},
		{100_000, 1, exponentialJumps()}, {100, 1, exponentialJumps()}, {10_000, 1, lognormalJumps(1.5)},
		{10_000, 1, uniformJumps(0.05)}}
	r.Runs(3 * len(phases))
	var f reproduce.Finding
	table := reproduce.Table{Name: "steps per event", Columns: []string{"phase", "events", "mean jump", "self-tuning",
		"best width", "width of the first phase", "self-tuning over best", "first over best"}}
	tuned, kept := r.tuned(phases[0]), keptWidth(phases[0])
	worst, most, total := 0.0, 0.0, 0.0
	for i, p := range phases {
		rng := uint64(i)
		own, first := r.runPhase(tuned, p, rng), r.runPhase(kept, p, rng)
		best := r.runPhase(keptWidth(p), p, rng)
		worst, most, total = max(worst, own/best), max(most, first/best), max(total, own)
		table.Rows = append(table.Rows, []float64{float64(i + 1), float64(p.n), p.mean, own, best, first, own / best,
			first / best})
	}
	f.Tables = append(f.Tables, table)
	f.For(reproduce.Answer).AtMost("steps of the self-tuning queue over those of the best static width, in any phase",
		worst, reproduce.Chosen("calendar: self-tuned"))
	f.For(reproduce.Control).AtLeast("steps with the width of the first phase over those of the best, in some phase", most,
		reproduce.Chosen("calendar: needs tuning"))
	f.Measured = fmt.Sprintf("Over seven phases (100 to 100 000 events, mean jumps from 0.001 to 1000, three "+
		"distributions) one calendar.Queue takes at most %.1f steps for an event, with 6 comparisons for sorting in any "+
		"case; that is at most %.1f times what the best static width of each phase takes. A static calendar that keeps "+
		"the width of the first phase takes up to %.0f times.", total, worst, most)
	return f
}

// A phase is a load: so many events, jumps of a mean, and their distribution.
type phase struct {
	n     int
	mean  float64
	jumps jumps
}

// A tunable is a pending-event set whose steps are counted.
type tunable interface {
	Schedule(id calendar.ID, at float64) error
	Next() (calendar.ID, float64, bool)
	steps() float64
}

// sortSteps is how many comparisons calendar.Queue makes for an event when it sorts a bucket: a
// bucket with more than 64 entries is divided, so log₂ 64 is enough for each of them.
const sortSteps = 6

// A counted is a calendar.Queue. Its steps are buckets that are passed over or opened, entries that
// are moved, and comparisons of sorting, of which the most is taken. It does not count where a new
// event is inserted among the few that are sorted already.
type counted struct {
	*calendar.Queue
	dispatched float64
}

func (c *counted) Next() (calendar.ID, float64, bool) {
	c.dispatched++
	return c.Queue.Next()
}

func (c *counted) steps() float64 {
	s := c.Stats()
	return float64(s.Passed+s.Opened+s.Moved) + sortSteps*c.dispatched
}

func selfTuned(phase) tunable { return &counted{Queue: calendar.New()} }

// A kept is a static calendar; its steps are empty buckets and list entries.
type kept struct{ *static.Queue }

func (k kept) steps() float64 {
	w := k.Work()
	return float64(w.EmptyBuckets + w.Traversed)
}

// keptWidth is a static calendar with the best width for a phase, and four buckets an event.
func keptWidth(p phase) tunable {
	const most = 100_000 // of any phase
	config := static.Config{Buckets: 4 * p.n, Width: reproduce.Must(unit.Width(p.n, p.mean)), Capacity: most}
	return kept{reproduce.Must(static.New(config))}
}

// runPhase takes out what is pending, begins a phase, and returns the steps of all that for each
// event that is dispatched.
func (r *runner) runPhase(q tunable, p phase, stream uint64) float64 {
	rng, before := r.Random(stream), q.steps()
	now, left := 0.0, 0
	for {
		r.CheckpointEvery(4096, left)
		_, at, ok := q.Next()
		if !ok {
			break
		}
		now, left = at, left+1
	}
	for i := range p.n {
		r.FailOn(q.Schedule(calendar.ID(i), now+p.mean*p.jumps.residual(rng)))
	}
	events := max(2*p.n, r.events(100_000))
	for i := range events {
		r.CheckpointEvery(4096, i)
		id, at, ok := q.Next()
		if !ok {
			r.FailOn(errors.New("reproduce: the calendar has lost its events"))
		}
		r.FailOn(q.Schedule(id, at+p.mean*p.jumps.draw(rng)))
	}
	r.Ran()
	return (q.steps() - before) / float64(left+events)
}
