package store

import (
	"errors"
	"math/bits"
)

// LogColumns are a ContactLog as columns, for the file of a saved state. Individuals are counted
// from the first on.
type LogColumns struct {
	First  uint64    // the number of the oldest contact
	At     []float64 // of each contact
	Who    []uint32  // four numbers of each: who, whom, and how long before the previous one of each was
	Newest []uint64  // by individual
	From   []uint64  // by individual; nil if no id was given up
}

// Columns returns the contacts of the ids from first to before end.
func (l *ContactLog) Columns(first, end uint32) LogColumns {
	c := LogColumns{First: l.first, Newest: l.newest[first:end]}
	if l.from != nil {
		c.From = l.from[first:end]
	}
	for k := l.first; k < l.next; k++ {
		x := l.at(k)
		c.At = append(c.At, x.at)
		c.Who = append(c.Who, x.who-first, x.whom-first, x.beforeWho, x.beforeWhom)
	}
	return c
}

// SetColumns sets the contacts of the ids from first on, as they are remembered at a time. There
// must be none yet, and room for the ids. It is an error if the columns do not belong together, and
// then l must not be used.
func (l *ContactLog) SetColumns(c LogColumns, first uint32, now float64) error {
	wrong := errors.New("the columns of contacts do not belong together")
	ids := len(c.Newest)
	if len(c.Who) != 4*len(c.At) || int(first)+ids > len(l.newest) ||
		c.From != nil && len(c.From) != ids || c.First > 1<<62 {
		return wrong
	}
	l.first, l.next = c.First, c.First+uint64(len(c.At))
	l.ring = make([]logged, max(64, 1<<bits.Len(uint(max(len(c.At), 1)-1))))
	clear(l.newest)
	copy(l.newest[first:], c.Newest)
	if l.from = nil; c.From != nil {
		l.from = make([]uint64, len(l.newest))
		copy(l.from[first:], c.From)
	}
	for i, at := range c.At {
		w, k := c.Who[4*i:], c.First+uint64(i)
		if !(at <= now) || uint(max(w[0], w[1])) >= uint(ids) || w[0] == w[1] || uint64(max(w[2], w[3])) > k {
			return wrong
		}
		*l.at(k) = logged{at, w[0] + first, w[1] + first, w[2], w[3]}
	}
	for _, all := range [][]uint64{c.Newest, c.From} {
		for _, k := range all {
			if k > l.next {
				return wrong
			}
		}
	}
	return l.Check()
}
