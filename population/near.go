package population

import (
	"context"
	"math"
)

// near is what is due in a window that is carried out in order: a heap of times and ids, of which those count that the individuals say themselves. Who is
// planned anew is put in again, and what it was put in for before is passed over when its turn comes.
type near []dueAt

type dueAt struct {
	at float64
	id uint32
}

func (a dueAt) before(b dueAt) bool { return a.at < b.at || a.at == b.at && a.id < b.id }

func (n *near) push(at float64, id uint32) {
	h := append(*n, dueAt{at, id})
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !h[i].before(h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
	*n = h
}

func (n *near) pop() dueAt {
	h := *n
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
	*n = h
	return top
}

// nextNear takes the next event that is due by a time, and reports whether there is one.
func (r *replica) nextNear(until float64) (id uint32, at float64, ok bool) {
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
func (r *replica) dueOf(id uint32) *float64 {
	switch {
	case id < r.first:
		return &r.win.arrive[id]
	case r.person(id).state == nobody:
		return nil
	}
	return r.nextAt(id)
}

// tiedNear reports whether another event may be due at a time.
func (w *windows) tiedNear(at float64) bool { return len(w.near) > 0 && w.near[0].at == at }

// inOrder carries the present window out one event after the other.
func (r *replica) inOrder(ctx context.Context, progress func(float64, uint64)) error {
	r.win.load(r)
	return r.dispatch(ctx, r.win.until, progress)
}

// load puts all who are due in the present window near.
func (w *windows) load(r *replica) {
	end := w.edges[w.now]
	w.until, w.near = end, w.near[:0]
	for _, s := range w.shards {
		s.lists.take(w.now, func(ids []uint32) {
			for _, id := range ids {
				if at := *r.nextAt(id); at <= end && r.person(id).state != nobody {
					w.near.push(at, id)
				}
			}
		})
	}
	for k, at := range w.arrive {
		if at <= end {
			w.near.push(at, uint32(k))
		}
	}
}
