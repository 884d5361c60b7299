package bench

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/calendartest"
)

// fill is the workload of filling a new queue and taking its first event. It is no choice for
// users, who see what filling costs in every table.
const fill = "fill"

// How it is filled.
const (
	oneByOne = "Schedule, one by one"
	atOnce   = "ScheduleAll, all cores"
)

// A fillSubject is a queue to be filled anew in every repetition.
type fillSubject struct {
	Cell
	table []float64 // of jumps: drawing them should not count
}

func prepareFill(c Cell, o Options) (subject, error) {
	d, ok := calendartest.ByName(c.Distribution)
	if !ok || c.Structure != oneByOne && c.Structure != atOnce {
		return nil, errors.New("bench: nobody knows how to fill that")
	}
	s := &fillSubject{Cell: c, table: make([]float64, 1<<18)}
	jumps := calendartest.NewJumps(d, c.N, o.Seed)
	for i := range s.table {
		s.table[i] = jumps.Next()
	}
	return s, nil
}

// at is when an id is due; all times differ.
func (s *fillSubject) at(id int) float64 { return s.table[id%len(s.table)] * (1 + float64(id)*1e-12) }

// repeat fills a queue and takes the first event, in memory that comes from the system.
func (s *fillSubject) repeat(_ Options, r *Result) error {
	debug.FreeOSMemory()
	before := mallocs()
	began := time.Now()
	q := calendar.New()
	var err error
	if s.Structure == oneByOne {
		for id := 0; id < s.N && err == nil; id++ {
			err = q.Schedule(calendar.ID(id), s.at(id))
		}
	} else {
		err = q.ScheduleAll(context.Background(), 0, s.N, 0, func(_ int, first calendar.ID, times []float64) error {
			for i := range times {
				times[i] = s.at(int(first) + i)
			}
			return nil
		})
	}
	if _, _, ok := q.Next(); err == nil && !ok {
		err = errors.New("nothing was scheduled")
	}
	took := time.Since(began)
	if err != nil {
		return err
	}
	r.Ops += s.N
	r.Each = append(r.Each, float64(took.Nanoseconds())/float64(s.N))
	r.Fill = r.Each[0]
	for _, each := range r.Each {
		r.Fill = min(r.Fill, each)
	}
	r.Bytes = float64(q.Stats().Bytes) / float64(s.N)
	r.Allocs += mallocs() - before
	return nil
}
