package calendar

import "unsafe"

const (
	queueBytes = int(unsafe.Sizeof(Queue{}))
	levelBytes = int(unsafe.Sizeof(level{}))
)

// counters are kept where they cost nothing: once per bucket or rarer.
type counters struct {
	opened  uint64
	passed  uint64
	moved   uint64
	divided uint64
	sweeps  uint64
	shrinks uint64

	movedAtLook uint64
}

// Stats is the health of a [Queue]. Counts of what was done are since the queue was made.
type Stats struct {
	Pending int // events in the queue
	Dead    int // entries of cancelled or moved events that are still to be dropped: at most Pending + 1024 or so
	Near    int // entries sorted and due first

	Levels    int     // levels of buckets, the first of which collects what lies beyond the others
	Buckets   int     // buckets that are still to be opened, in all levels
	Occupied  int     // how many of those hold anything
	Occupancy float64 // entries per occupied bucket

	Opened  uint64 // buckets opened
	Passed  uint64 // empty buckets passed over
	Moved   uint64 // entries moved from one place to another; divided by the events dispatched, the work per event
	Retunes uint64 // levels made: each chooses its bucket width anew
	Sweeps  uint64 // times that all dead entries were dropped
	Shrinks uint64 // times that memory was given back

	Bytes int // memory held, everything counted
}

// Stats looks the queue over. It takes time proportional to the number of buckets.
func (q *Queue) Stats() Stats {
	s := Stats{
		Pending: q.pending,
		Dead:    q.dead,
		Near:    len(q.near) - q.head,
		Levels:  len(q.levels),
		Opened:  q.opened,
		Passed:  q.passed,
		Moved:   q.moved,
		Retunes: q.divided,
		Sweeps:  q.sweeps,
		Shrinks: q.shrinks,
		Bytes:   queueBytes + q.pool.bytes() + cap(q.near)*16 + cap(q.pages)*24 + q.ids*12,
	}
	for i, l := range q.levels[:cap(q.levels)] {
		s.Bytes += levelBytes + cap(l.buckets)*12
		if i >= len(q.levels) {
			continue
		}
		s.Buckets += l.count - l.open
		for _, b := range l.buckets[l.open:l.count] {
			if b.tail != 0 {
				s.Occupied++
			}
		}
	}
	if s.Occupied > 0 {
		s.Occupancy = float64(q.pending+q.dead-s.Near) / float64(s.Occupied)
	}
	return s
}
