package engine

import (
	"context"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// pick does something to so many of those whom an intervention is about, chosen uniformly without repetition, or to all if there are no more.
//
// If many more could be chosen, ids are tried at random until enough have been found, which takes time in proportion to what is picked.
// Otherwise, and if too many are tried in vain, one pass decides about each in turn, with the probability that so many still have to be found
// among so many that still come [FMR62]. Which of the two does not depend on who was found, so that the choice is uniform all the same.
//
// All that is random comes from a stream of the intervention: nobody's luck depends on whether it was chosen.
//
// [FMR62]: https://doi.org/10.1080/01621459.1962.10480667, also Knuth, volume 2, section 3.4.2, algorithm S
func (r *Run) pick(ctx context.Context, d *program.Intervention, count int, s random.Stream) error {
	const few = 16   // one in so many, or fewer
	among := r.Alive // at least as many as there are to choose from
	if d.Who != nil {
		among = 0
		for state, n := range r.Counts {
			if d.Who[state] {
				among += n
			}
		}
	}
	if count == 0 || among == 0 {
		return nil
	}
	found := map[uint32]bool{}
	if count <= among/few {
		ids := r.Ids - int(r.first)
		for tries := 0; tries < ids && len(found) < count; tries++ {
			if id := r.first + uint32(s.Below(uint64(ids))); r.concerns(d, id) {
				found[id] = true
			}
			if err := r.pause(ctx, tries); err != nil {
				return err
			}
		}
		if len(found) == count {
			order := make([]uint32, 0, count)
			for id := range found {
				order = append(order, id)
			}
			slices.Sort(order)
			for _, id := range order {
				r.undergo(id, d)
			}
			return nil
		}
	}
	if len(d.Where) > 0 {
		among = 0
		for id := r.first; int(id) < r.Ids; id++ {
			if r.concerns(d, id) {
				among++
			}
		}
	}
	need, left := count-len(found), among-len(found)
	for id := r.first; int(id) < r.Ids; id++ {
		if err := r.pause(ctx, int(id)); err != nil {
			return err
		}
		switch {
		case found[id]:
			r.undergo(id, d)
		case need > 0 && r.concerns(d, id):
			if need >= left || s.Below(uint64(left)) < uint64(need) {
				need--
				r.undergo(id, d)
			}
			left--
		}
	}
	return nil
}
