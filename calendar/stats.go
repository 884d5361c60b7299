package calendar

import "unsafe"

const (
	queueBytes = int(unsafe.Sizeof(Queue{}))
	levelBytes = int(unsafe.Sizeof(level{}))

	bucketBytes = int(unsafe.Sizeof(bucket{}))
)

// counters are kept where they cost nothing: once per bucket or rarer.
type counters struct {
	opened  uint64
	passed  uint64
	moved   uint64
	divided uint64
	sweeps  uint64
	shrinks uint64

	scanned uint64 // entries whose keys were read before they were moved
	swept   uint64 // entries checked for being stale

	// See shrink.
	shrunkAt         int // how many entries there were when slabs were last given back
	movedAtShrink    uint64
	returned         uint64 // bytes given back
	turned           uint64 // entries that came and went at the bottom
	movedAtPageCheck uint64
	checkedPage      int
}

// Stats is the health of a [Queue]. Counts of what was done are since the queue was made.
type Stats struct {
	Pending int // events in the queue
	// entries of cancelled or moved events that are still to be dropped: about Pending at most, or
	// those in chunks that are needed anyway
	Stale  int
	Bottom int // entries sorted and due first

	Levels    int     // levels of buckets, with those that are nested in buckets of others
	Buckets   int     // buckets that are still to be opened, in all levels
	Occupied  int     // how many of those hold anything
	Occupancy float64 // entries per occupied bucket

	Opened  uint64 // buckets opened
	Passed  uint64 // empty buckets passed over
	Moved   uint64 // entries moved from one place to another; divided by the events dispatched, the work per event
	Retunes uint64 // levels made: each chooses its bucket width anew
	Sweeps  uint64 // times that a bucket was rid of its stale entries
	Shrinks uint64 // times that memory was given back

	Bytes int // memory held, everything counted
}

// Stats returns the statistics of the queue. It takes time proportional to the number of buckets.
func (q *Queue) Stats() Stats {
	q.settle()
	q.flush()
	s := Stats{
		Pending: q.pending,
		Stale:   q.stale,
		Bottom:  len(q.bottom) - q.head,
		Levels:  len(q.levels) + len(q.nests) - len(q.vacant),
		Opened:  q.opened,
		Passed:  q.passed,
		Moved:   q.moved,
		Retunes: q.divided,
		Sweeps:  q.sweeps,
		Shrinks: q.shrinks,
		Bytes:   queueBytes + q.pool.bytes() + cap(q.bottom)*16 + q.recordBytes(),
	}
	for l := range q.allLevels {
		s.Bytes += cap(l.buckets) * bucketBytes
		s.Buckets += l.count() - l.open
		for _, b := range l.buckets[l.open:l.count()] {
			if b.tail == nested {
				s.Buckets--
			} else if b.tail != 0 {
				s.Occupied++
			}
		}
	}
	for _, kept := range q.spare {
		for _, bs := range kept {
			s.Bytes += len(bs) * bucketBytes
		}
	}
	s.Bytes += (cap(q.levels)+len(q.nests)-len(q.vacant))*levelBytes + cap(q.nests)*8 + cap(q.vacant)*4
	if s.Occupied > 0 {
		s.Occupancy = float64(q.pending+q.stale-s.Bottom) / float64(s.Occupied)
	}
	return s
}
