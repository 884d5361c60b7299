package engine

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// dealValues decides the values of attributes that places are made of, for all individuals of the
// start. They depend on who is put where, and that on the other attributes: individuals are set up
// once to know these, again after each kind that is made of something, as the next may ask for its
// values, and once more afterwards. Places that such places lie in are filled here and once more
// afterwards, with the same result.
//
// The values are there before anybody is set up, for those who belong to no such place. So every
// set-up draws the same numbers for the same things: none for these values.
func (r *Run) dealValues(streams random.Stream) {
	m := r.Program
	made := func(k program.Place) bool { return k.By >= 0 }
	if !slices.ContainsFunc(m.Places, made) {
		return
	}
	r.dealtValues = make([][]uint16, len(m.Attributes))
	for k := range m.Places {
		a := m.Places[k].By
		if a < 0 || m.SameAs != nil && m.SameAs[a] >= 0 { // it is copied, which draws nothing
			continue
		}
		values := make([]uint16, m.Size)
		for serial := range values {
			own := streams.At(uint64(serial)).At(1<<60 + uint64(a))
			values[serial] = uint16(lookup.SearchCumulative(r.phase.Attributes[a], own.Float64()))
		}
		r.dealtValues[a] = values
	}
	end := r.firstID + uint32(m.Size)
	setUp := func() {
		r.eachStart(func(serial int, in *program.Entry) {
			id := r.firstID + uint32(serial)
			r.initialise(id, in, streams.At(uint64(serial)), noID)
			r.stopTimers(id, 0)
		})
	}
	setUp()
	around := aroundMade(m.Places)
	for k := range m.Places {
		if made(m.Places[k]) {
			r.dealPlaces(k, end)
			if slices.ContainsFunc(m.Places[k+1:], made) {
				setUp()
			}
		}
		if around[k] {
			r.fillKind(k, end)
		}
	}
	if slices.Contains(around, true) {
		r.places = r.newPlaces(streams)
	}
	for id := r.firstID; id < end; id++ {
		r.status(id).state = program.NoState
		r.cacheState(id, program.NoState)
	}
}

// dealPlaces decides the values that the seats in places of a kind give, to those with ids below
// end.
func (r *Run) dealPlaces(k int, end uint32) {
	a := r.Program.Places[k].By
	values := r.dealtValues[a]
	if values == nil {
		values = make([]uint16, r.Program.Size)
		for i := range values {
			values[i] = r.attributes[a].Of(r.firstID + uint32(i)) // of those who do not belong
		}
		r.dealtValues[a] = values
	}
	r.eachGroup(k, end, func(group uint32, ids []uint32) {
		r.eachHousehold(k, group, len(ids), func(from int, seats program.Household) {
			for i, v := range seats {
				values[ids[from+i]-r.firstID] = v
			}
		})
	})
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
