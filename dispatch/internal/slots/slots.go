// Package slots has what the dispatchers of packages dispatch and dispatchhttp have in common: bins with a number of slots each, of which one is picked at
// random, and queues by age that an item leaves in constant time. Nothing here has a lock or allocates; who uses it has a lock around every step.
package slots

import "github.com/almanac-sim/almanac/internal/random"

// A Class is which bins are found when a slot is wanted: idle ones first.
type Class uint8

// The classes.
const (
	None    Class = iota // has no slot
	Idle                 // has nothing
	Open                 // has a slot, and something already
	classes              // how many there are
)

// ClassOf is the class of a bin with a load and a capacity.
func ClassOf(load, capacity int) Class {
	switch {
	case load == 0:
		return Idle
	case load < capacity:
		return Open
	}
	return None
}

// A Bin has slots. It belongs to its owner, which it is a part of.
type Bin[O any] struct {
	Of    *O
	class Class
	at    int // among those of its class
}

// Class is where the bin was put last.
func (b *Bin[O]) Class() Class { return b.class }

// Bins are bins by class.
type Bins[O any] struct{ by [classes][]*Bin[O] }

// Count is how many bins have a slot.
func (s *Bins[O]) Count() int { return len(s.by[Idle]) + len(s.by[Open]) }

// Has reports whether a bin is found in a class.
func (s *Bins[O]) Has(b *Bin[O], c Class) bool {
	return b.class == c && (c == None || b.at < len(s.by[c]) && s.by[c][b.at] == b)
}

// Put has a bin in a class, in constant time.
func (s *Bins[O]) Put(b *Bin[O], c Class) {
	if c == b.class {
		return
	}
	if b.class != None {
		all := s.by[b.class]
		last := all[len(all)-1]
		all[b.at], last.at = last, b.at
		all[len(all)-1] = nil
		s.by[b.class] = all[:len(all)-1]
	}
	b.class = c
	if c != None {
		b.at = len(s.by[c])
		s.by[c] = append(s.by[c], b)
	}
}

// Pick is a bin with a slot: any of those that are idle with the same probability, or if there is none, of those that have a slot; one that is to
// be avoided only if there is no other; or nil. It is what throws at any bin would find that are repeated until an idle one is hit.
func (s *Bins[O]) Pick(r *random.Stream, avoid *Bin[O]) *Bin[O] {
	for c := Idle; c < classes; c++ {
		n := len(s.by[c])
		shun := avoid != nil && avoid.class == c
		if shun {
			n--
		}
		if n == 0 {
			continue
		}
		at := 0
		if n > 1 {
			at = int(r.Below(uint64(n)))
		}
		if shun && at >= avoid.at {
			at++
		}
		return s.by[c][at]
	}
	if avoid != nil && avoid.class != None {
		return avoid
	}
	return nil
}
