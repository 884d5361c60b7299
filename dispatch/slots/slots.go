// Package slots is for the authors of balancers; packages dispatch, dispatchhttp and dispatchgrpc
// stand on it. It has bins by their free slots, of which one is picked at random, and queues by age
// that an item leaves in constant time. A balancer puts its servers into [Bins] and what waits for
// one of them into a [Queue]; package health says which servers are available.
//
// Nothing here locks, or allocates per operation: the balancer holds its lock around every step.
//
// slots.go has the bins, queue.go the queues.
package slots

// A Class is the order in which bins are picked: idle ones first.
type Class uint8

// The classes.
const (
	None    Class = iota // no free slot, or not available
	Idle                 // empty
	Open                 // a free slot, and not empty
	classes              // the number of classes
)

// ClassOf returns the class of a bin with a load and a capacity.
func ClassOf(load, capacity int) Class {
	switch {
	case load == 0:
		return Idle
	case load < capacity:
		return Open
	}
	return None
}

// A Bin has slots. It is part of its owner, which sets Of to itself, and in class None at first.
type Bin[O any] struct {
	Of    *O
	class Class
	at    int // the index among the bins of its class
}

// Class returns the class of the bin.
func (b *Bin[O]) Class() Class { return b.class }

// Bins are bins by class. The zero value is empty.
type Bins[O any] struct{ by [classes][]*Bin[O] }

// Count returns the number of bins with a free slot.
func (s *Bins[O]) Count() int { return len(s.by[Idle]) + len(s.by[Open]) }

// Has reports whether a bin is listed in a class; it is for checks of invariants.
func (s *Bins[O]) Has(b *Bin[O], c Class) bool {
	return b.class == c && (c == None || b.at < len(s.by[c]) && s.by[c][b.at] == b)
}

// Put moves a bin to a class, in constant time.
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

// A Random draws numbers that are uniform in 0 … n−1, as a Rand of math/rand/v2 does.
type Random interface{ IntN(n int) int }

// Pick returns an idle bin, each with the same probability, or, if there is none, a bin with a free
// slot; nil if there is none of these either. It returns avoid, which may be nil, only if there is
// no other. Requests at random bins that are repeated until one is idle have the same result.
func (s *Bins[O]) Pick(r Random, avoid *Bin[O]) *Bin[O] {
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
			at = r.IntN(n)
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
