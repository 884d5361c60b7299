package relaxed

import (
	"fmt"
	"unsafe"
)

// Stats is what a [Queue] has done since it was made, and what it holds.
type Stats struct {
	Pending int // events
	// entries of cancelled events that are still to be dropped: at most 1,024 more than Pending for
	// each subqueue
	Stale      int
	Scheduled  uint64
	Dispatched uint64
	Canceled   uint64
	Late       uint64 // events that were scheduled before the last one that their subqueue had dispatched
	Helped     uint64 // events that were dispatched from another shard
	Waits      uint64 // attempts to schedule or to dispatch that found a subqueue locked, or none
	Moved      uint64 // entries moved from one place to another; divided by the events dispatched, the work per event
	Bytes      int    // memory held, everything counted but what values point to
}

// add adds what one queue did to what others did.
func (s *Stats) add(t Stats) {
	s.Pending += t.Pending
	s.Stale += t.Stale
	s.Scheduled += t.Scheduled
	s.Dispatched += t.Dispatched
	s.Canceled += t.Canceled
	s.Late += t.Late
	s.Helped += t.Helped
	s.Waits += t.Waits
	s.Moved += t.Moved
	s.Bytes += t.Bytes
}

// String is the statistics in two lines.
func (s Stats) String() string {
	return fmt.Sprintf("%d pending, %d stale; %d scheduled, %d dispatched, %d cancelled, %d late\n"+
		"%d dispatched for others, %d waits, %.2f moves per event, %d bytes",
		s.Pending, s.Stale, s.Scheduled, s.Dispatched, s.Canceled, s.Late,
		s.Helped, s.Waits, float64(s.Moved)/float64(max(1, s.Dispatched)), s.Bytes)
}

// Stats locks one subqueue after the other, those of each shard together. It returns the sum, and
// the statistics of each.
func (c *Queue[V]) Stats() (sum Stats, each []Stats) {
	c.demandMade()
	each = make([]Stats, 0, len(c.subqueues))
	for number := range c.subqueues {
		s, i, there := c.subqueue(number)
		top := s.await(i)
		var t Stats
		if q := there.Load(); q != nil {
			t = q.stats()
		}
		s.unlock(i, top)
		sum.add(t)
		each = append(each, t)
	}
	sum.Bytes += int(unsafe.Sizeof(*c)) + len(c.subqueues)*8 +
		len(c.shards)*int(unsafe.Sizeof(shard{})+unsafe.Sizeof(local{})) +
		len(c.affinities)*int(unsafe.Sizeof(affinity{}))
	return sum, each
}

// stats is what the queue has done and holds.
func (q *subqueue[V]) stats() Stats {
	t := Stats{
		Pending:    q.live,
		Stale:      q.stale,
		Scheduled:  uint64(q.live) + q.dispatched + q.cancelled,
		Dispatched: q.dispatched,
		Canceled:   q.cancelled,
		Late:       q.late,
		Helped:     q.helped,
		Waits:      q.waits,
		Moved:      q.moved,
		Bytes: int(unsafe.Sizeof(*q)) + cap(q.slots)*int(unsafe.Sizeof(slot[V]{})) +
			cap(q.chunks)*int(unsafe.Sizeof(entry{})) +
			cap(q.levels)*int(unsafe.Sizeof(level{})),
	}
	for _, l := range q.levels[:cap(q.levels)] {
		t.Bytes += cap(l.buckets) * int(unsafe.Sizeof(bucket{}))
	}
	t.Bytes += cap(q.nested) * int(unsafe.Sizeof(q))
	for _, l := range q.nested {
		t.Bytes += int(unsafe.Sizeof(*l)) + cap(l.buckets)*int(unsafe.Sizeof(bucket{}))
	}
	return t
}
