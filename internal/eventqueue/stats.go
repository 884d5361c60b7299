package eventqueue

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

// Stats has the fields of calendar.Stats, which says what they mean.
type Stats struct {
	Pending int
	Stale   int
	Bottom  int

	Levels    int
	Buckets   int
	Occupied  int
	Occupancy float64

	Opened  uint64
	Passed  uint64
	Moved   uint64
	Retunes uint64
	Sweeps  uint64
	Shrinks uint64

	Bytes int
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
