package sim

// A subscription is the place of a waiter in the list of those who wait for the same. It belongs to the waiter, so that
// waiting allocates nothing, and leaving costs constant time.
type subscription struct {
	prev, next *subscription // the first one's prev is the last, whose next is nil
	list       *subscribers  // nil if it is in none
	who        subscriber
}

type subscriber interface{ notify(*subscription) }

// subscribers are in the order in which they came.
type subscribers struct {
	first *subscription
	of    forsaken // nil if it does not matter to what they wait for whether somebody does
}

// What is forsaken does something about it: a condition no longer watches others, a timeout is no longer due, and a request
// leaves its line.
type forsaken interface {
	// forsake is called when the last who waited has left, and not when what they waited for has happened.
	forsake()
}

func (l *subscribers) add(sub *subscription) {
	sub.list, sub.next = l, nil
	if l.first == nil {
		l.first, sub.prev = sub, sub
		return
	}
	last := l.first.prev
	last.next, sub.prev, l.first.prev = sub, last, sub
}

func (l *subscribers) remove(sub *subscription) {
	switch {
	case sub != l.first:
		sub.prev.next = sub.next
		if sub.next != nil {
			sub.next.prev = sub.prev
		} else {
			l.first.prev = sub.prev
		}
	case sub.next != nil:
		l.first = sub.next
		l.first.prev = sub.prev
	default:
		l.first = nil
	}
	sub.list, sub.prev, sub.next = nil, nil, nil
}

// fire notifies all, in order. It takes each out before, so that it may subscribe to something else. Lines that somebody leaves
// because of it are served when all know, so that nobody is given something who is about to leave, too.
func (l *subscribers) fire(s *Simulation) {
	if l.first == nil {
		return
	}
	s.firing++
	for l.first != nil {
		sub := l.first
		l.remove(sub)
		sub.who.notify(sub)
	}
	s.firing--
	s.serveLeft()
}

func (l *subscribers) count() int {
	n := 0
	for sub := l.first; sub != nil; sub = sub.next {
		n++
	}
	return n
}

// leave gives up the subscription, if there is one.
func (sub *subscription) leave() {
	l := sub.list
	if l == nil {
		return
	}
	l.remove(sub)
	if l.first == nil && l.of != nil {
		l.of.forsake()
	}
}

// departed notes that somebody has left a line without being served, so that the next may fit.
func (s *Simulation) departed(l *line) { s.left = append(s.left, l) }

// serveLeft serves the lines that somebody has left, unless there are some who have yet to be told what happened.
func (s *Simulation) serveLeft() {
	if s.firing > 0 || len(s.left) == 0 {
		return
	}
	for s.leftServed < len(s.left) {
		l := s.left[s.leftServed]
		s.leftServed++
		l.of.serve() // by which others may leave, who are served here or there
	}
	s.left, s.leftServed = s.left[:0], 0
}
