package engine

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// dealValues decides the values of attributes that places are made of. They depend on who is put
// where, and that on the other attributes: everybody is set up once to know these, and again
// afterwards. Places that such places lie in are filled here and once more afterwards, with the
// same result.
func (r *Run) dealValues(streams random.Stream) {
	m := r.Program
	made := slices.ContainsFunc(m.Places, func(k program.Place) bool { return k.By >= 0 })
	if !made {
		return
	}
	id := r.firstID
	r.eachStart(func(serial int, in *program.Entry) {
		r.initialise(id, in, streams.At(uint64(serial)), noID)
		r.stopTimers(id, 0)
		id++
	})
	around, dealt := aroundMade(m.Places), r.places.dealt
	for k := range m.Places {
		if m.Places[k].By >= 0 {
			values := make([]uint16, m.Size)
			for i := range values {
				values[i] = r.attributes[m.Places[k].By].Of(r.firstID + uint32(i)) // of those who do not belong
			}
			r.eachGroup(k, id, func(group uint32, ids []uint32) {
				r.eachHousehold(k, group, len(ids), func(from int, seats program.Household) {
					for i, v := range seats {
						values[ids[from+i]-r.firstID] = v
					}
				})
			})
			dealt[m.Places[k].By] = values
		}
		if around[k] {
			r.fillKind(k, id)
		}
	}
	if slices.Contains(around, true) {
		r.places = r.newPlaces(streams)
		r.places.dealt = dealt
	}
	for id := r.firstID; int(id) < int(r.firstID)+m.Size; id++ {
		r.status(id).state = program.NoState
		r.cacheState(id, program.NoState)
	}
}

// aroundMade reports of each kind whether places that are made of something lie in places of it:
// members share these, directly or by another kind.
func aroundMade(all []program.Place) []bool {
	around := make([]bool, len(all))
	for k := len(all) - 1; k >= 0; k-- { // a kind lies in kinds before it
		if around[k] || all[k].By >= 0 {
			for _, other := range all[k].AlikeIn {
				around[other] = true
			}
		}
	}
	return around
}
