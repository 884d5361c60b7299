package sim

import (
	"errors"
	"fmt"
	"math"
)

// Why a request was given up by the one who made it.
var (
	ErrReneged = errors.New("sim: patience ran out before the request was granted")
	ErrBalked  = errors.New("sim: too many were waiting")
)

// A RequestOption adjusts a request to a [Resource], a [Store] or a [Container].
type RequestOption struct {
	kind   uint8
	number float64
	rank   int
}

const (
	optionRank uint8 = iota + 1
	optionPreempting
	optionPatience
	optionAtMost
)

// Rank decides who is served first: the smaller. It is 0 unless told. Among equals, whoever came first is served first.
func Rank(rank int) RequestOption { return RequestOption{kind: optionRank, rank: rank} }

// Preempting lets a request take units from processes whose requests had a larger rank. See [Resource.Request]. Stores and
// containers have nothing that could be taken back, and ignore it.
func Preempting() RequestOption { return RequestOption{kind: optionPreempting} }

// Patience is how long the request waits at most; then it is given up with [ErrReneged].
func Patience(d float64) RequestOption {
	if !(d >= 0) {
		panic(fmt.Sprintf("sim: Patience(%g) must be a number, and not negative", d))
	}
	return RequestOption{kind: optionPatience, number: d}
}

// AtMost makes a request that cannot be granted at once be given up with [ErrBalked], if k or more are waiting already. With 0 it
// never waits.
func AtMost(k int) RequestOption {
	if k < 0 {
		panic(fmt.Sprintf("sim: AtMost(%d) must not be negative", k))
	}
	return RequestOption{kind: optionAtMost, rank: k}
}

// terms are what the options of a request say.
type terms struct {
	rank       int
	preempting bool
	patience   float64
	most       int
}

func termsOf(opts []RequestOption) terms {
	t := terms{patience: math.Inf(1), most: math.MaxInt}
	for i := range opts {
		switch o := &opts[i]; o.kind {
		case optionRank:
			t.rank = o.rank
		case optionPreempting:
			t.preempting = true
		case optionPatience:
			t.patience = o.number
		case optionAtMost:
			t.most = o.rank
		}
	}
	return t
}

// A request waits in a line. Requests are used again, and never shown to users.
type request struct {
	prev, next *request
	line       *line
	end        *rankEnd // of its rank
	terms
	amount float64      // how much is asked for: units, or an amount
	since  float64      // when it was made
	p      *Process     // who waits, or nil
	then   func(*Grant) // what to call instead
	expiry Event        // of the patience, if nobody waits
	grant  *Grant       // what it was given, if it asked a resource
	order  any          // what was asked of a store
}

// A line is requests in the order in which they are to be served: by rank, and among equals in the order in which they came.
//
// Joining with a rank that is not below that of the last, and leaving where others of the same rank stay, cost constant time. Else
// it is the logarithm of the number of different ranks in the line.
type line struct {
	s           *Simulation
	name        string
	first, last *request
	length      int
	ranks       ranks
	queue       Level  // how many wait
	left        func() // to be called when somebody has left without being served, since the next may fit
}

func (l *line) join(r *request) {
	r.line = l
	l.length++
	l.queue.Set(float64(l.length))
	if l.last == nil {
		l.first, l.last = r, r
		r.end = l.ranks.only(r.rank)
		r.end.last = r
		return
	}
	e := l.last.end // of the rank behind which r stands, which may be its own
	if e.rank > r.rank {
		e = l.ranks.floor(r.rank)
	}
	if e != nil {
		r.prev = e.last
		r.next = r.prev.next
		r.prev.next = r
	} else {
		r.prev, r.next = nil, l.first
		l.first = r
	}
	if r.next != nil {
		r.next.prev = r
	} else {
		l.last = r
	}
	if e == nil || e.rank != r.rank {
		e = l.ranks.insert(r.rank)
	}
	e.last = r
	r.end = e
}

func (l *line) remove(r *request) {
	if e := r.end; e.last == r {
		if r.prev != nil && r.prev.end == e {
			e.last = r.prev
		} else if l.length > 1 {
			l.ranks.remove(e)
		} else {
			e.last = nil // the rank stays, as the next one is often of the same
		}
	}
	if r.prev != nil {
		r.prev.next = r.next
	} else {
		l.first = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	} else {
		l.last = r.prev
	}
	r.prev, r.next, r.line, r.end = nil, nil, nil, nil
	l.length--
	l.queue.Set(float64(l.length))
}

// newRequest takes a request that is free, or makes one.
func (s *Simulation) newRequest(t terms, amount float64) *request {
	r := s.requests
	if r == nil {
		r = new(request)
	} else {
		s.requests = r.next
		r.next = nil
	}
	r.terms, r.amount, r.since = t, amount, s.now
	return r
}

// free gives a request back that is in no line.
func (s *Simulation) free(r *request) {
	*r = request{next: s.requests}
	s.requests = r
}

// wait makes process p wait in the line, and returns nil when it was served. Otherwise p has left the line.
func (l *line) wait(p *Process, r *request) error {
	s := l.s
	if len(p.interrupts) > 0 {
		return p.interruption(0)
	}
	if s.trace != nil {
		s.record(Record{Kind: TraceRequest, Who: p.name, What: l.name})
	}
	r.p = p
	p.request = r
	l.join(r)
	if t := s.now + r.patience; !math.IsInf(t, 1) {
		s.schedule(p.slot, t)
	}
	p.block()
	switch p.why {
	case elapsed:
		p.request = nil
		r.abandon()
		if s.trace != nil {
			s.record(Record{Kind: TraceRenege, Who: p.name, What: l.name})
		}
		return ErrReneged
	case interrupted:
		return p.interruption(0)
	}
	return nil
}

// serve takes a request out of its line and wakes who waits. What was asked for must have been given before.
func (r *request) serve() {
	l := r.line
	l.remove(r)
	if p := r.p; p != nil {
		p.request = nil
		p.wake(happened)
	}
}

// abandon takes a request out of its line that was not served.
func (r *request) abandon() {
	l := r.line
	l.remove(r)
	l.left()
}

// ahead tells whether a newcomer of this rank would be the first in line.
func (l *line) ahead(rank int) bool { return l.first == nil || rank < l.first.rank }

// balks tells whether the line is too long for a request on these terms.
func (l *line) balks(t *terms, who string) bool {
	if l.length < t.most {
		return false
	}
	if l.s.trace != nil {
		l.s.record(Record{Kind: TraceBalk, Who: who, What: l.name})
	}
	return true
}
