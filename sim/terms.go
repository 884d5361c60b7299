package sim

import (
	"errors"
	"fmt"
	"math"
)

// Why a request was given up by the one who made it.
var (
	ErrReneged   = errors.New("sim: patience ran out before the request was granted")
	ErrBalked    = errors.New("sim: too many were waiting")
	ErrOvertaken = errors.New("sim: what the request was to wait until happened before it was granted")
)

// A RequestOption adjusts a request to a [Resource], a [Store] or a [Container].
type RequestOption struct {
	kind   uint8
	rank   int
	number float64
	until  Waitable
}

const (
	optionRank uint8 = iota + 1
	optionPreempting
	optionPatience
	optionAtMost
	optionUntil
	optionNotPreempting
)

// Rank decides who is served first: the smaller. It is 0 unless told. Among equals, whoever came first is served first.
func Rank(rank int) RequestOption { return RequestOption{kind: optionRank, rank: rank} }

// Preempting lets a request take units from processes whose requests had a larger rank. See [Resource.Request]. Stores and
// containers have nothing that could be taken back, and ignore it. Given to [NewResource], it holds for all requests.
func Preempting() RequestOption { return RequestOption{kind: optionPreempting} }

// NotPreempting is for a request that should not take units away at a resource where others do.
func NotPreempting() RequestOption { return RequestOption{kind: optionNotPreempting} }

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

// Until makes a request be given up with [ErrOvertaken] if w happens before it is granted, be it that the film is sold out, the shop
// has closed, or the train has left. If w has happened already, nothing is asked for, even if it could be had. What one holds
// already is not touched by it. It panics if w is nil, or if there is a [Request] in it.
func Until(w Waitable) RequestOption {
	if w == nil {
		panic("sim: Until(nil): there must be something that may happen")
	}
	if w.asker() != nil {
		panic("sim: Until(" + w.label() + "): there is a request in it; wait for AnyOf both requests")
	}
	return RequestOption{kind: optionUntil, until: w}
}

// terms are what the options of a request say.
type terms struct {
	rank       int
	preempting bool
	patience   float64
	most       int
	until      Waitable
}

// anyTerms are those of a request without options.
func anyTerms() terms { return terms{patience: math.Inf(1), most: math.MaxInt} }

func termsOf(opts []RequestOption) terms {
	t := anyTerms()
	t.apply(opts)
	return t
}

// apply changes the terms by options.
func (t *terms) apply(opts []RequestOption) {
	for i := range opts {
		switch o := &opts[i]; o.kind {
		case optionRank:
			t.rank = o.rank
		case optionPreempting:
			t.preempting = true
		case optionNotPreempting:
			t.preempting = false
		case optionPatience:
			t.patience = o.number
		case optionAtMost:
			t.most = o.rank
		case optionUntil:
			t.until = o.until
		}
	}
}

// limited tells whether there are options by which a request may be given up.
func (t *terms) limited() bool {
	return !math.IsInf(t.patience, 1) || t.most != math.MaxInt || t.until != nil
}
