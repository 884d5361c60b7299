package store

import (
	"fmt"
	"iter"
	"slices"
)

// A ContactLog remembers who met whom and when, for a fixed time: contacts in the order of time,
// each with the distance to the previous contact of either individual.
//
// Add takes amortised constant time. Met takes as many steps as the individual has contacts in the
// time asked for. A contact takes 24 bytes in a ring that doubles when it is full; an id takes 8,
// and 8 more once any id has been given up.
//
// An id can be given up and used again: contacts of the one who had it before are not those of the
// one who has it now.
//
// Invariants: the times of the contacts from first to next do not decrease; newest[id] is 1 plus
// the number of the newest contact of an id, or 0; a distance leads to an earlier contact of the
// same id, or is 0.
//
// A ContactLog must not be used from several goroutines at once.
type ContactLog struct {
	keep        float64
	ring        []logged // its length is a power of two; contact number k is at k modulo that
	first, next uint64   // the numbers of the oldest contact that is remembered, and of the next one
	newest      []uint64 // by id
	from        []uint64 // by id: earlier contacts are of those who had it before; nil if no id was given up
}

// A logged is a contact.
type logged struct {
	at                    float64
	who, whom             uint32
	beforeWho, beforeWhom uint32 // how many contacts before this one was the previous one of each; 0 for none
}

// LoggedBytes is how many bytes a contact takes.
const LoggedBytes = 24

// NewContactLog returns an empty log that remembers contacts for a time.
func NewContactLog(keep float64) *ContactLog {
	return &ContactLog{keep: keep, ring: make([]logged, 64)}
}

// Reserve makes room for ids below n.
func (l *ContactLog) Reserve(n int) {
	l.newest = Extend(l.newest, n)
	if l.from != nil {
		l.from = Extend(l.from, n)
	}
}

// Forget cuts off the contacts that are too old at a time.
func (l *ContactLog) Forget(now float64) {
	for l.first < l.next && l.at(l.first).at < now-l.keep {
		l.first++
	}
}

// Full reports whether the next Add doubles the ring.
func (l *ContactLog) Full() bool { return l.next-l.first == uint64(len(l.ring)) }

// Len returns how many contacts are remembered.
func (l *ContactLog) Len() int { return int(l.next - l.first) }

// Bytes returns how much memory the log takes.
func (l *ContactLog) Bytes() int { return LoggedBytes*len(l.ring) + 8*(len(l.newest)+len(l.from)) }

// Room returns for how many contacts there is room.
func (l *ContactLog) Room() int { return len(l.ring) }

// Add adds a contact of two different individuals. The time must not be before that of the last
// one.
func (l *ContactLog) Add(who, whom uint32, now float64) {
	l.Forget(now)
	if l.Full() {
		l.double()
	}
	*l.at(l.next) = logged{now, who, whom, l.distance(who), l.distance(whom)}
	l.next++
	l.newest[who], l.newest[whom] = l.next, l.next
}

// distance returns how many contacts before the next one was the newest of an id; 0 for none.
func (l *ContactLog) distance(id uint32) uint32 {
	if n := l.newest[id]; n > l.first {
		return uint32(l.next - (n - 1))
	}
	return 0
}

// Met returns whom an individual met, and who met it, at a time or later, the newest first.
// Somebody who was met several times comes several times.
func (l *ContactLog) Met(id uint32, since float64) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for n := l.newest[id]; n > l.first; {
			c := l.at(n - 1)
			if c.at < since {
				return
			}
			other, before := c.whom, c.beforeWho
			if other == id {
				other, before = c.who, c.beforeWhom
			}
			if (l.from == nil || n > l.from[other]) && !yield(other) || before == 0 {
				return
			}
			n -= uint64(before)
		}
	}
}

// ForgetID forgets the contacts of an id, which may be used again.
func (l *ContactLog) ForgetID(id uint32) {
	if l.from == nil {
		l.from = make([]uint64, len(l.newest))
	}
	l.newest[id], l.from[id] = 0, l.next
}

// Copy returns a copy.
func (l *ContactLog) Copy() *ContactLog {
	c := *l
	c.ring, c.newest, c.from = slices.Clone(l.ring), slices.Clone(l.newest), slices.Clone(l.from)
	return &c
}

// Check verifies the invariants.
func (l *ContactLog) Check() error {
	newest := make([]uint64, len(l.newest))
	before := func(id uint32, k uint64) uint32 {
		if n := newest[id]; n > 0 {
			return uint32(k - (n - 1))
		}
		return 0
	}
	for k := l.first; k < l.next; k++ {
		c := l.at(k)
		if k > l.first && c.at < l.at(k-1).at {
			return fmt.Errorf("contact %d is before the one before", k)
		}
		for _, end := range []struct{ id, distance uint32 }{{c.who, c.beforeWho}, {c.whom, c.beforeWhom}} {
			current := l.from == nil || k >= l.from[end.id]
			if want := before(end.id, k); current && want != 0 && end.distance != want {
				return fmt.Errorf("contact %d: the previous one of id %d is %d before, not %d", k, end.id, want, end.distance)
			}
			if current {
				newest[end.id] = k + 1
			}
		}
	}
	for id, n := range newest {
		if have := l.newest[id]; have != n && (n > 0 || have > l.first) {
			return fmt.Errorf("the newest contact of id %d is %d, not %d", id, n, have)
		}
	}
	return nil
}

// at returns a contact by its number.
func (l *ContactLog) at(k uint64) *logged { return &l.ring[k&uint64(len(l.ring)-1)] }

// double doubles the ring.
func (l *ContactLog) double() {
	larger := make([]logged, 2*len(l.ring))
	for k := l.first; k < l.next; k++ {
		larger[k&uint64(len(larger)-1)] = *l.at(k)
	}
	l.ring = larger
}
