package population

import (
	"context"
	"runtime"
	"sort"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/random"
)

// Setting everybody up. What an individual draws at the start depends on its own stream alone, and all that is its own lies where nobody else's
// does; so a large population is set up in blocks, by all cores, each of which touches the memory that it fills first. The calendar
// takes their events a block at a time (calendar.Queue.ScheduleAll). What is everybody's is added up afterwards, in the order of ids, so that it
// is as if one had come in after the other, to the last bit.

// setupFrom is from how many individuals on it is worth it; below, they are let in one by one.
const setupFrom = 1 << 14

// setupCores is how many cores set a replica up: as many as there are for each of those that run at once, so that all are busy with one and no
// more are wanted than there are.
func (r *replica) setupCores() int {
	switch {
	case r.cores > 0:
		return r.cores
	case r.purse == nil:
		return 1
	}
	return max(1, runtime.GOMAXPROCS(0)/max(1, r.purse.workers))
}

// everybody lets all of those in who are there at the start. Each has the stream of its number.
func (r *replica) everybody(ctx context.Context, streams random.Stream) error {
	from := setupFrom
	if r.setupFrom > 0 {
		from = r.setupFrom
	}
	if r.m.size >= from {
		return r.everybodyAtOnce(ctx, streams, r.setupCores())
	}
	serial := uint64(0)
	for i := range r.m.begin {
		b := r.m.begin[i]
		b.age = r.t.ages
		for range b.count {
			id := r.admit(&b.entrance, streams.At(serial), nobodyElse)
			if r.onEvent != nil {
				r.tell(Started, id, nobodyElse, "", r.m.states[b.to], -1)
			}
			serial++
		}
	}
	return ctx.Err() // so few need no more memory than was asked about
}

// everybodyAtOnce does so by several cores.
func (r *replica) everybodyAtOnce(ctx context.Context, streams random.Stream, cores int) error {
	begin, ends := make([]beginning, len(r.m.begin)), make([]int, len(r.m.begin)) // by whom, and before which number
	for i := range begin {
		begin[i] = r.m.begin[i]
		begin[i].age = r.t.ages
		ends[i] = begin[i].count
		if i > 0 {
			ends[i] += ends[i-1]
		}
	}
	r.ids += r.m.size
	// Each has a replica of its own in which only the arrays by id are the same, a core's lines of the cache away from the next.
	helpers := make([]*struct {
		replica
		_ [64]byte
	}, cores)
	for w := range helpers {
		h := new(struct {
			replica
			_ [64]byte
		})
		h.replica = *r
		h.counts = make([]int, len(r.counts)+8)
		if r.aside != nil {
			h.aside = newAside()
		}
		helpers[w] = h
	}
	err := r.queue.ScheduleAll(calendar.ID(r.first), r.m.size, cores, func(worker int, first calendar.ID, at []float64) error {
		h := &helpers[worker].replica
		serial := int(uint32(first) - r.first)
		for k := sort.SearchInts(ends, serial+1); len(at) > 0; k++ {
			n := min(len(at), ends[k]-serial)
			for i := range n {
				id := r.first + uint32(serial+i)
				state := h.furnish(id, &begin[k].entrance, streams.At(uint64(serial+i)), nobodyElse)
				h.counts[state]++
				if next := h.next(id, state); next <= h.end {
					at[i] = next
				}
			}
			serial, at = serial+n, at[n:]
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	for _, h := range helpers {
		for state := range r.counts {
			r.counts[state] += h.counts[state]
		}
		if r.aside != nil {
			r.aside.join(h.aside)
		}
	}
	r.alive, r.entered = r.m.size, uint64(r.m.size)
	for state, n := range r.counts {
		r.peaks[state].Count = n
	}
	if err := r.enlist(ctx); err != nil {
		return err
	}
	return r.pause(ctx, 0)
}

// enlist puts everybody who was set up on the lists that there are: those of groups, of what is recorded, and of whoever listens.
func (r *replica) enlist(ctx context.Context) error {
	mixes := false
	for _, g := range r.groups {
		mixes = mixes || g != nil
	}
	if !mixes && r.by == nil && r.onEvent == nil {
		return nil
	}
	for id := r.first; int(id) < r.ids; id++ {
		for a, g := range r.groups {
			if g != nil {
				g.add(id, int(r.values[a].of(id)))
			}
		}
		state := r.person(id).state
		if r.by != nil {
			r.by.present(r, id, int(state), +1)
		}
		if r.onEvent != nil {
			r.numbers[id] = uint64(id-r.first) + 1
			r.tell(Started, id, nobodyElse, "", r.m.states[state], -1)
		}
		if id%often == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
