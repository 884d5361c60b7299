package main

import (
	"github.com/almanac-sim/almanac/relaxed"
	"github.com/almanac-sim/almanac/spray"
)

// A queue is what relaxed.Queue and spray.List have in common; schedule returns a function that
// cancels the job.
type queue struct {
	name     string
	schedule func(deadline float64, job int) (cancel func() bool)
	next     func() (job int, deadline float64, ok bool)
}

func queues(workers int) []queue {
	c := relaxed.New[int]()
	l := spray.New[float64, int](spray.Concurrency(workers))
	return []queue{
		{"relaxed.Queue", func(deadline float64, job int) func() bool {
			h, _ := c.Schedule(deadline, job) // an error would mean a deadline that is not finite
			return func() bool { return c.Cancel(h) }
		}, c.Next}, // the value, then the time, as calendar.Agenda
		{"spray.List", func(deadline float64, job int) func() bool {
			h := l.Insert(deadline, job)
			return func() bool { return l.Delete(h) }
		}, func() (int, float64, bool) {
			deadline, job, ok := l.Spray() // key, then value, as a map
			return job, deadline, ok
		}},
	}
}

// Insert and Remove make a queue measurable by relaxedtest.Meter.
func (q queue) Insert(key float64, id uint64) { q.schedule(key, int(id)) }
func (q queue) Remove() (key float64, id uint64, ok bool) {
	job, key, ok := q.next()
	return key, uint64(job), ok
}
