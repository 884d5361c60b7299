package engine

import (
	"context"
	"sort"
	"sync/atomic"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// Setting everybody up. What an individual draws at the start depends on its own stream alone, and all that is its own lies where nobody else's
// does; so a large population is set up in blocks, by all cores, each of which touches the memory that it fills first. The calendar
// takes their events a block at a time (calendar.Queue.ScheduleAll). What is everybody's is added up afterwards, in the order of ids, so that it
// is as if one had come in after the other, to the last bit.

// setupFrom is from how many individuals on it is worth it; below, they are let in one by one.
const setupFrom = 1 << 14

// everybody lets all of those in who are there at the start. Each has the stream of its number.
func (r *Run) everybody(ctx context.Context, streams random.Stream) error {
	from := setupFrom
	if r.setupFrom > 0 {
		from = r.setupFrom
	}
	if r.M.Size >= from || r.win != nil {
		return r.everybodyAtOnce(ctx, streams)
	}
	serial := uint64(0)
	for i := range r.M.StartGroups {
		b := &r.M.StartGroups[i]
		for range b.Count {
			id := r.admit(&b.Entry, streams.At(serial), nobodyElse)
			if r.OnEvent != nil {
				r.tell(Event{Kind: Started, State: b.To, Name: -1}, id, nobodyElse)
			}
			serial++
		}
	}
	return ctx.Err() // so few need no more memory than was asked about
}

// everybodyAtOnce does so by several cores.
func (r *Run) everybodyAtOnce(ctx context.Context, streams random.Stream) error {
	if err := r.furnishAll(ctx, streams); err != nil {
		return err
	}
	r.Alive, r.entered = r.M.Size, uint64(r.M.Size)
	for state, n := range r.Counts {
		r.Peaks[state].Count = n
	}
	if err := r.enlist(ctx); err != nil {
		return err
	}
	return r.pause(ctx, 0)
}

// furnishAll gives everybody what is its own. If more timers lie aside than may, because the sample by which they were laid out was misleading, it begins anew
// with none.
func (r *Run) furnishAll(ctx context.Context, streams random.Stream) error {
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
func (r *Run) furnishBlocks(ctx context.Context, streams random.Stream, cores int) (fits bool, err error) {
	all := crowd{streams: streams, begin: r.M.StartGroups}
	n := 0
	for i := range all.begin {
		n += all.begin[i].Count
		all.ends = append(all.ends, n)
	}
	r.Ids = int(r.first) + r.M.Size
	if r.win != nil {
		return r.furnishShards(ctx, &all, cores)
	}
	// Each has a replica of its own in which only the arrays by id are the same, a core's lines of the cache away from the next.
	type helper struct {
		Run
		first breach
		batch batch
		_     [64]byte
	}
	helpers := make([]*helper, cores)
	for w := range helpers {
		h := new(helper)
		h.Run = *r
		h.Counts = make([]int, len(r.Counts)+8)
		if r.aside != nil {
			h.aside = newAsides(1, 0)
		}
		helpers[w] = h
	}
	var aside atomic.Int64 // timers of all helpers
	err = r.Queue.ScheduleAll(ctx, calendar.ID(r.first), r.M.Size, cores, func(worker int, first calendar.ID, at []float64) error {
		if r.tooMany(int(aside.Load())) {
			return nil // they have no events: less is to be done after that than after an error
		}
		h, b := &helpers[worker].Run, &helpers[worker].batch
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
		for state := range r.Counts {
			r.Counts[state] += h.Counts[state]
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
	begin   []program.StartGroup
	ends    []int
}

// furnish furnishes those with ids from one up to another in batches, and calls back after each.
func (c *crowd) furnish(r *Run, b *batch, from, to int, each func()) {
	k := sort.SearchInts(c.ends, from-int(r.first)+1)
	for id := from; id < to; id += b.n {
		serial := id - int(r.first)
		for serial >= c.ends[k] {
			k++
		}
		b.fill(uint32(id), c.streams, uint64(serial), min(batchSize, to-id, c.ends[k]-serial))
		b.begin(r, &c.begin[k].Entry)
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
func (b *breach) of(r *Run) error {
	if b.err != nil {
		r.broke, r.most = b.err, -1
	}
	return b.err
}

// enlist puts everybody who was set up on the lists that there are: those of groups, of what is recorded, and of whoever listens.
func (r *Run) enlist(ctx context.Context) error {
	mixes := false
	for _, g := range r.groups {
		mixes = mixes || g != nil
	}
	if !mixes && r.By == nil && r.OnEvent == nil {
		return nil
	}
	for id := r.first; int(id) < r.Ids; id++ {
		for a, g := range r.groups {
			if g != nil {
				g.add(id, int(r.values[a].of(id)))
			}
		}
		state := r.person(id).state
		if r.By != nil {
			r.By.present(r, id, int(state), +1)
		}
		if r.OnEvent != nil {
			r.numbers[id] = uint64(id-r.first) + 1
			r.tell(Event{Kind: Started, State: state, Name: -1}, id, nobodyElse)
		}
		if id%often == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
