package engine

import (
	"testing"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// Whatever is counted wrongly in a run or in its rows is found at its end.
func TestWrongCountsAreFound(t *testing.T) {
	damages := map[string]func(r *Run, rec *Recording){
		"the living":        func(r *Run, _ *Recording) { r.Alive++ },
		"a state":           func(r *Run, _ *Recording) { r.Counts[0]++; r.Peaks[0].Count++ },
		"a flow":            func(r *Run, _ *Recording) { r.Flows[0]++ },
		"a name of a group": func(r *Run, _ *Recording) { r.ByGroup.Groups[1].Named[0]++ },
		"a flow of a group": func(r *Run, _ *Recording) { r.ByGroup.Groups[1].Flows[0]++ },
		"a group":           func(r *Run, _ *Recording) { r.ByGroup.Groups[1].Counts[0]++ },
		"who has entered":   func(r *Run, _ *Recording) { r.entered++ },
		"person-time": func(r *Run, _ *Recording) {
			r.outcomes.states[0].Add(1, 0)
			r.outcomes.states[0].Add(-1, 1<<40)
		},
		"events of an outcome": func(r *Run, _ *Recording) {
			r.outcomes.events[0].Add(store.Uint128{})
			r.outcomes.events[0].AddInt64(1)
		},
		"a place to go to":  func(r *Run, _ *Recording) { r.places.moves = []program.PlaceMove{{}} },
		"a row":             func(_ *Run, rec *Recording) { rec.All.Counts[0]++ },
		"a row of a group":  func(_ *Run, rec *Recording) { rec.Groups[0].Counts[0]++ },
		"a flow of a row":   func(_ *Run, rec *Recording) { rec.All.Flows[0]++ },
		"the last row":      func(r *Run, rec *Recording) { rec.All.Named[len(rec.All.Named)-1]++ },
		"members in a row":  func(_ *Run, rec *Recording) { rec.Places[0].Members++ },
		"links in a row":    func(_ *Run, rec *Recording) { rec.Networks[0].Links++ },
		"a supply in a row": func(_ *Run, rec *Recording) { rec.Supplies[len(rec.Supplies)-1].Used = 0 },
	}
	m := programOf(t, conserved)
	r := &Run{sparseRule: usualSparse, verifies: true}
	for name, damage := range damages {
		rec := NewRecording(m)
		if err := r.Simulate(t.Context(), m, 3, 0, nil, &rec, quiet); err != nil {
			t.Fatal(err)
		}
		if damage(r, &rec); r.verify(&rec) == nil {
			t.Errorf("%s is wrong, and it is not found", name)
		}
	}
}

// Everybody of the start has the value of a seat.
func TestWrongMembersAreFound(t *testing.T) {
	m := programOf(t, conserved)
	r := &Run{sparseRule: usualSparse, verifies: true}
	if err := r.Start(t.Context(), m, 3, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.verifyStart(); err != nil {
		t.Fatal(err)
	}
	for id := r.firstID; int(id) < r.Used; id++ {
		r.attributes[0].Set(id, 1) // there are no two of m
	}
	if err := r.checkMade(0); err == nil {
		t.Error("all have one value, and it is not found")
	}
}

// conserved is a model with everything that adds up.
const conserved = `
name: conserved
time: {unit: day, end: 8}
population: {size: 60, start: {ill: 20, well: rest}}
attributes: {sex: {f: 50%, m: 50%}}
places: {household: {by: sex, made of: [{share: 50%, f: 1, m: 1}, {share: 50%, f: 2}], join: new}}
networks: {friends: {random: {mean: 2}}}
supplies: {doses: {every: 1 day, count: 2}}
machines: {care: {start: {no: rest}, enter: no, states: {no: {race: [{rate: 0.2 per day, to: yes}]}, yes: {}}}}
states:
  well: {race: [{rate: 0.2 per day, to: ill, uses: doses, name: falling ill}]}
  ill: {race: [{rate: 0.3 per day, to: well}, {rate: 0.05 per day, to: out}]}
births: {rate: 0.05 per day, enter: well, inherit: [household]}
outcomes: {cost: {time: {by: care, no: 1 per day, yes: 2 per day}, events: {falling ill: 3}}}
record: {every: 1 day, by: [sex, care], time: true}
`
