package engine

import (
	"slices"

	"github.com/almanac-sim/almanac/calendar"
)

// Copy makes r what another replica is that stands still, but for the calendar, which is empty. It has the memory that r has, where that is enough.
func (r *Run) Copy(from *Run) {
	own := *r
	if own.M != from.M {
		own = Run{words: own.words, numbers: own.numbers, origins: own.origins, glance: own.glance, free: own.free, all: own.all, Queue: own.Queue,
			arrivals: own.arrivals, Counts: own.Counts, Flows: own.Flows, Named: own.Named, Peaks: own.Peaks, ties: own.ties, watch: own.watch}
	}
	*r = *from
	r.taken = own.taken
	n := from.Ids
	r.words = refit(own.words, from.words, n*from.stride)
	r.numbers = own.numbers
	if from.OnEvent != nil {
		r.numbers = refit(own.numbers, from.numbers, n)
	}
	r.origins = refit(own.origins, from.origins, n*len(from.asideOf))
	r.glance = refit(own.glance, from.glance, min(n, len(from.glance)))
	r.values = own.values
	if r.values == nil {
		r.values = make([]column, len(from.values))
	}
	for a := range from.values {
		v := &from.values[a]
		r.values[a] = column{refit(r.values[a].narrow, v.narrow, min(n, len(v.narrow))), refit(r.values[a].wide, v.wide, min(n, len(v.wide))), v.isWide}
	}
	r.free = line{append(own.free.ring[:0], from.free.ring...), from.free.head, from.free.n}
	r.groups = own.groups
	if r.groups == nil {
		r.groups = make([]*groups, len(from.groups))
	}
	for a, g := range from.groups {
		r.groups[a] = r.groups[a].copy(g)
	}
	r.all = own.all.copy(from.all)
	r.asideOf, r.place, r.column = slices.Clone(from.asideOf), slices.Clone(from.place), slices.Clone(from.column)
	r.arrivals = append(own.arrivals[:0], from.arrivals...)
	r.Counts = append(own.Counts[:0], from.Counts...)
	r.Flows = append(own.Flows[:0], from.Flows...)
	r.Named = append(own.Named[:0], from.Named...)
	r.Peaks = append(own.Peaks[:0], from.Peaks...)
	r.By = own.By.copy(from.By)
	r.ties = ties{called: own.ties.called[:0], contacts: own.ties.contacts[:0]} // between two events there is no round
	r.watch = watch{from.watch.on, append(own.watch.was[:0], from.watch.was...), append(own.watch.times[:0], from.watch.times...),
		append(own.watch.done[:0], from.watch.done...), append(own.watch.due[:0], from.watch.due...)}
	r.lifelongs, r.weights, r.told = own.lifelongs, own.weights, own.told
	if r.Queue = own.Queue; r.Queue == nil {
		r.Queue = calendar.New(calendar.Capacity(n))
	} else {
		r.Queue.Reset(0)
	}
	r.prefetch()
}

// refit returns the memory of s with as many elements as from has, of which the first n are the same.
func refit[T any](s, from []T, n int) []T {
	if cap(s) < len(from) {
		s = make([]T, len(from))
	}
	s = s[:len(from)]
	copy(s, from[:n])
	return s
}

// copy returns a copy of groups in the memory of others. Each may be nil.
func (g *groups) copy(from *groups) *groups {
	if from == nil {
		return nil
	}
	if g == nil || len(g.members) != len(from.members) {
		g = newGroups(len(from.members))
	}
	for i, list := range from.members {
		g.members[i] = append(g.members[i][:0], list...)
	}
	g.places = append(g.places[:0], from.places...)
	return g
}
