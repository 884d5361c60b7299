package rivals

import (
	"math"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/calendartest"
)

// A clock is what all rivals share: the time, the refusals and the numbers that order events of
// equal times.
type clock struct {
	now float64
	seq uint64 // of the last event scheduled; the first has 1, so that 0 can mean none
	n   int    // pending events
}

// refuse says why an id cannot be scheduled at this time, if so. Written so that NaN is refused.
func (c *clock) refuse(at float64, pending bool) error {
	switch {
	case !(math.Abs(at) <= math.MaxFloat64):
		return calendar.ErrTime
	case !(at >= c.now):
		return calendar.ErrPast
	case pending:
		return calendar.ErrScheduled
	}
	return nil
}

// nextSeq returns the number of an event scheduled just now.
func (c *clock) nextSeq() uint64 {
	c.seq++
	return c.seq
}

// Len returns the number of pending events.
func (c *clock) Len() int { return c.n }

// Now returns the time of the last event dispatched, or the start.
func (c *clock) Now() float64 { return c.now }

// renumber gives the event of one id to another, behind all others of its time. It is not timed.
func renumber(q calendartest.Set, from, to calendar.ID, insert func(calendar.ID, float64)) error {
	at, pending := q.Due(from)
	_, taken := q.Due(to)
	switch {
	case !pending:
		return calendar.ErrNotScheduled
	case from == to:
		return nil
	case taken:
		return calendar.ErrScheduled
	}
	q.Cancel(from)
	insert(to, at)
	return nil
}

// An entry is an event where it stands in a structure, 24 bytes.
type entry struct {
	at  float64
	seq uint64
	id  calendar.ID
}

func (e *entry) before(f *entry) bool { return e.at < f.at || e.at == f.at && e.seq < f.seq }

// A ledger is a clock and a record for each id, for those rivals whose entries cannot be found by
// id. An entry is live only while its id's record has its number; that makes cancellation a matter
// of clearing the record, and a lazy structure drops stale entries when it meets them.
type ledger struct {
	clock
	records []record
	stale   int // entries that are not live, in structures that remove them lazily
}

// A record takes 16 bytes. The zero record is that of an id with no pending event.
type record struct {
	at  float64
	seq uint64
}

func newLedger(start float64, capacity int) ledger {
	return ledger{clock: clock{now: start + 0}, records: make([]record, capacity)}
}

func (l *ledger) pending(id calendar.ID) bool {
	return int(id) < len(l.records) && l.records[id].seq != 0
}

// live costs a visit to the record, a cache miss in large sets, which is why it is not read while
// nothing is stale.
func (l *ledger) live(e *entry) bool { return l.stale == 0 || l.records[e.id].seq == e.seq }

// open records an event and returns its entry.
func (l *ledger) open(id calendar.ID, at float64) entry {
	l.records = grown(l.records, int(id)+1)
	e := entry{at: at + 0, seq: l.nextSeq(), id: id} // adding zero turns minus zero into zero
	l.records[id] = record{at: e.at, seq: e.seq}
	l.n++
	return e
}

// shut forgets the event of an id and returns what was recorded.
func (l *ledger) shut(id calendar.ID) record {
	r := l.records[id]
	l.records[id] = record{}
	l.n--
	return r
}

// Due returns the time at which an id's event is due.
func (l *ledger) Due(id calendar.ID) (at float64, ok bool) {
	if !l.pending(id) {
		return 0, false
	}
	return l.records[id].at, true
}

// slack is how many stale entries a lazy structure may have besides one for each live one: below
// it, rebuilding is not worth the trouble.
const slack = 64

// overgrown says that stale entries outnumber the live ones. A rebuild costs as much as the entries
// there are, at most two for each operation that left a stale one since the last.
func (l *ledger) overgrown() bool { return l.stale > l.n+slack }

// grown returns s with at least n elements, new ones zero, at amortised constant cost per element.
func grown[E any](s []E, n int) []E {
	if n <= len(s) {
		return s
	}
	return append(s, make([]E, n-len(s))...)
}
