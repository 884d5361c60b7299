package population

import (
	"context"
	"sort"
	"sync/atomic"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/random"
)

// Setting everybody up. What an individual draws at the start depends on its own stream alone, and all that is its own lies where nobody else's
// does; so a large population is set up in blocks, by all cores, each of which touches the memory that it fills first. The calendar
// takes their events a block at a time (calendar.Queue.ScheduleAll). What is everybody's is added up afterwards, in the order of ids, so that it
// is as if one had come in after the other, to the last bit.

// setupFrom is from how many individuals on it is worth it; below, they are let in one by one.
const setupFrom = 1 << 14

// everybody lets all of those in who are there at the start. Each has the stream of its number.
func (r *replica) everybody(ctx context.Context, streams random.Stream) error {
	from := setupFrom
	if r.setupFrom > 0 {
		from = r.setupFrom
	}
	if r.m.size >= from || r.win != nil {
		return r.everybodyAtOnce(ctx, streams)
	}
	serial := uint64(0)
	for i := range r.m.begin {
		b := &r.m.begin[i]
		for range b.count {
			id := r.admit(&b.entrance, streams.At(serial), nobodyElse)
			if r.onEvent != nil {
				r.tell(happening{kind: hasStarted, state: b.to, name: -1}, id, nobodyElse)
			}
			serial++
		}
	}
	return ctx.Err() // so few need no more memory than was asked about
}

// everybodyAtOnce does so by several cores.
func (r *replica) everybodyAtOnce(ctx context.Context, streams random.Stream) error {
	if err := r.furnishAll(ctx, streams); err != nil {
		return err
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

// furnishAll gives everybody what is its own. If more timers lie aside than may, because the sample by which they were laid out was misleading, it begins anew
// with none.
func (r *replica) furnishAll(ctx context.Context, streams random.Stream) error {
	cores, done := r.setupCores()
	defer done()
	fits, err := r.furnishBlocks(ctx, streams, cores)
	if err == nil && !fits {
		if err = r.layDense(); err == nil {
			_, err = r.furnishBlocks(ctx, streams, cores)
		}
	}
	return err
}

// furnishBlocks does it in blocks, and counts everybody by state. When the context ends, or as soon as too many timers lie aside, all blocks that have not
// begun are left out, and nothing may be made of the others.
func (r *replica) furnishBlocks(ctx context.Context, streams random.Stream, cores int) (fits bool, err error) {
	all := crowd{streams: streams, begin: r.m.begin}
	n := 0
	for i := range all.begin {
		n += all.begin[i].count
		all.ends = append(all.ends, n)
	}
	r.ids = int(r.first) + r.m.size
	if r.win != nil {
		return r.furnishShards(ctx, &all, cores)
	}
	// Each has a replica of its own in which only the arrays by id are the same, a core's lines of the cache away from the next.
	type helper struct {
		replica
		first breach
		batch batch
		_     [64]byte
	}
	helpers := make([]*helper, cores)
	for w := range helpers {
		h := new(helper)
		h.replica = *r
		h.counts = make([]int, len(r.counts)+8)
		if r.aside != nil {
			h.aside = newAsides(1, 0)
		}
		helpers[w] = h
	}
	var aside atomic.Int64 // timers of all helpers
	err = r.queue.ScheduleAll(ctx, calendar.ID(r.first), r.m.size, cores, func(worker int, first calendar.ID, at []float64) error {
		if r.tooMany(int(aside.Load())) {
			return nil // they have no events: less is to be done after that than after an error
		}
		h, b := &helpers[worker].replica, &helpers[worker].batch
		before := h.aside.size()
		all.furnish(h, b, int(first), int(first)+len(at), func() {
			for i, next := range b.next[:b.n] {
				if next := timeOf(next); next <= h.end {
					at[i] = next
				}
			}
			at = at[b.n:]
		})
		helpers[worker].first.note(h.broke, int(first))
		aside.Add(int64(h.aside.size() - before))
		return nil
	})
	if fits = !r.tooMany(int(aside.Load())); err != nil || !fits {
		return false, err
	}
	var first breach
	for _, h := range helpers {
		first.join(h.first)
		for state := range r.counts {
			r.counts[state] += h.counts[state]
		}
		if r.aside != nil {
			r.aside.tables[0].join(h.aside.tables[0])
		}
	}
	return true, first.of(r)
}

// A crowd is those who are there at the start: in which ways they come in, and before which number each way ends.
type crowd struct {
	streams random.Stream
	begin   []beginning
	ends    []int
}

// furnish furnishes those with ids from one up to another in batches, and calls back after each.
func (c *crowd) furnish(r *replica, b *batch, from, to int, each func()) {
	k := sort.SearchInts(c.ends, from-int(r.first)+1)
	for id := from; id < to; id += b.n {
		serial := id - int(r.first)
		for serial >= c.ends[k] {
			k++
		}
		b.fill(uint32(id), c.streams, uint64(serial), min(batchSize, to-id, c.ends[k]-serial))
		b.begin(r, &c.begin[k].entrance)
		each()
	}
}

// A breach is the first error of those who were set up by one core: that of the block with the lowest ids. Which core got there first is left out of it.
type breach struct {
	err   error
	block int
}

// note takes the error of a core down, if it has one by the end of a block.
func (b *breach) note(err error, block int) { b.join(breach{err, block}) }

// join makes b the first of two.
func (b *breach) join(o breach) {
	if o.err != nil && (b.err == nil || o.block < b.block) {
		*b = o
	}
}

// of is the error, which is the replica's from then on, as if it had set everybody up itself.
func (b *breach) of(r *replica) error {
	if b.err != nil {
		r.broke, r.most = b.err, -1
	}
	return b.err
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
			r.tell(happening{kind: hasStarted, state: state, name: -1}, id, nobodyElse)
		}
		if id%often == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
