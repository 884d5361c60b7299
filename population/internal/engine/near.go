package engine

import (
	"math"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// A dueHeap is a heap of moments, the earliest first. For what is due in a window that is carried out in order it is a lazy one: an entry is valid only if it equals
// what the individual says itself. Who is planned anew is put in again, and what it was put in for before is passed over when its turn comes.
type dueHeap []dueAt

// A dueAt is when something is due, and what: an individual or a source of immigration, or a contact of a shard.
type dueAt struct {
	at    float64
	id    uint32
	shard int32 // of a contact
}

func (a dueAt) before(b dueAt) bool { return a.at < b.at || a.at == b.at && a.id < b.id }

func (q *dueHeap) push(d dueAt) {
	h := append(*q, d)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !h[i].before(h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
	*q = h
}

func (q *dueHeap) pop() dueAt {
	h := *q
	top := h[0]
	last := len(h) - 1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && h[down+1].before(h[down]) {
			down++
		}
		if !h[down].before(h[i]) {
			break
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
	*q = h
	return top
}

// nextNear takes the next event that is due by a time, and reports whether there is one.
func (r *Run) nextNear(until float64) (id uint32, at float64, ok bool) {
	w := r.win
	for len(w.near) > 0 && w.near[0].at <= until {
		top := w.near.pop()
		due := r.dueOf(top.id)
		if due != nil && *due == top.at {
			*due = math.Inf(1)
			return top.id, top.at, true
		}
	}
	return 0, 0, false
}

// dueOf is where it is noted when a source or an individual is due; nil for a place that is free.
func (r *Run) dueOf(id uint32) *float64 {
	switch {
	case id < r.first:
		return &r.win.arrive[id]
	case r.person(id).state == program.Nobody:
		return nil
	}
	return r.nextAt(id)
}

// tiedNear reports whether another event may be due at a time.
func (w *windows) tiedNear(at float64) bool { return len(w.near) > 0 && w.near[0].at == at }

// load puts all who are due in the present window near, to be carried out one event after the other.
func (w *windows) load(r *Run) {
	end := w.edges[w.now]
	w.until, w.near = end, w.near[:0]
	for _, s := range w.shards {
		s.lists.take(w.now, func(ids []uint32) {
			for _, id := range ids {
				if at := *r.nextAt(id); at <= end && r.person(id).state != program.Nobody {
					w.near.push(dueAt{at: at, id: id})
				}
			}
		})
	}
	for k, at := range w.arrive {
		if at <= end {
			w.near.push(dueAt{at: at, id: uint32(k)})
		}
	}
}
