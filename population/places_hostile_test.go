package population_test

import (
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// checked runs a model to its end, with a look at the invariants every half unit of time.
func checked(t *testing.T, m *population.Model, seed uint64, look func(p *population.Process)) {
	t.Helper()
	p := begun(t, m, seed, 0)
	defer p.Close()
	for time := m.Start() + 0.5; time <= m.End(); time += 0.5 {
		if err := p.Advance(t.Context(), time); err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err != nil {
			t.Fatalf("seed %d at %v: %v", seed, time, err)
		}
		look(p)
	}
}

// Where what happens instead has no room either, nothing happens: by a clock, a contact, a call and
// an intervention. It is counted as turned away once, of the first kind that lacks room.
func TestFullOfTheFull(t *testing.T) {
	const model = `
name: chain
time: {unit: day, end: 10}
population: {size: 60, start: {patient: 2, seen: 3, ill: 10, well: rest}}
places: {ward: {number: 1, capacity: 2, where: {state: patient}}, hall: {number: 1, capacity: 3, where: {state: seen}}}
states: {well: {}, ill: {%s}, patient: {}, seen: {}, done: {}}
%s
`
	for name, parts := range map[string][2]any{
		"clock": {"race: [{rate: 1 per day, to: patient, full: seen, name: event}]", ""},
		"contact": {"",
			"transmission: [{from: ill, rate: 1 per day, to: {well: patient}, full: seen, name: event}]"},
		"contact with a move": {"",
			"attributes: {a: {x: 1}}\ntransmission: [{from: ill, rate: 1 per day, to: {well: patient}, move: {a: x}, " +
				"full: seen, name: event}]"},
		"call": {"race: [{rate: 1 per day, to: done, name: test}]",
			"networks: {all: {random: {mean: 20}}}\n" +
				"tracing: [{when: test, through: {all: 100%}, to: {well: patient}, full: seen, name: event}]"},
		"intervention": {"",
			"interventions: [{at: 1 day, every: 1 day, who: well, count: 5, to: patient, full: seen, name: event}]"},
	} {
		m := exactCompile(t, model, parts[0], parts[1])
		away := 0
		checked(t, m, 1, func(p *population.Process) {
			ward, hall := p.Places(0), p.Places(1)
			if a, b := p.Count(stateOf(t, m, "patient")), p.Count(stateOf(t, m, "seen")); a != 2 || b != 3 ||
				ward.Members != 2 || hall.Members != 3 || hall.TurnedAway > 0 {
				t.Fatalf("%s: %d are patients, %d seen; %+v, %+v", name, a, b, ward, hall)
			}
			away = int(ward.TurnedAway)
		})
		if away == 0 {
			t.Errorf("%s: nobody is turned away", name)
		}
	}
}

// Who waits to go to another ward does not keep others from a bed in their own.
func TestLineForAnotherWard(t *testing.T) {
	m := exactCompile(t, `
name: transfers
time: {unit: day, end: 60}
population: {size: 12, start: {bed: 2, arrived: rest}}
places: {ward: {number: 2, capacity: 3, where: {state: [bed, restless]}}}
states:
  arrived: {race: [{rate: 1 per day, to: bed, full: waiting, queue: true, name: admission}]}
  waiting: {race: [{rate: 0.01 per day, to: arrived}]}
  bed: {race: [{rate: 1 per day, to: arrived},
    {rate: 2 per day, to: bed, move: {ward: any}, full: restless, queue: true, name: transfer}]}
  restless: {race: [{rate: 0.5 per day, to: arrived}]}
record: {every: 1 day}
`)
	waited := 0
	for seed := range uint64(5) {
		checked(t, m, seed, func(p *population.Process) {
			if w := p.Count(stateOf(t, m, "waiting")); w > 0 {
				waited++
				if n := p.Places(0).Members; n < 6 {
					t.Fatalf("%d wait, and %d of 6 beds are taken", w, n)
				}
			}
		})
	}
	if waited == 0 {
		t.Error("nobody waits")
	}
}

// Whoever moves to another household leaves the room of the old one, whatever moves it: those in a
// room are of one household.
func TestPlacesWithinPlaces(t *testing.T) {
	m := exactCompile(t, `
name: rooms
time: {unit: day, end: 20}
population: {size: 100, start: {well: rest}}
attributes: {region: {north: 50%%, south: 50%%}}
places:
  household: {size: {2: 50%%, 6: 50%%}, alike: [region], join: any}
  room: {size: 2, alike: [household], join: any}
  bunk: {size: 1, alike: [room], join: new}
states: {well: {race: [{rate: 0.1 per day, to: well, move: {household: new}}]}}
transmission:
  - {rate: 0.1 per day, inherit: [room, region, household], name: moves in}
  - {among: household, rate: 0.1 per day, inherit: [room], name: shares}
always:
  - {rate: 0.1 per day, move: {household: new}}
  - {rate: 0.1 per day, move: {region: north}}
  - {rate: 0.2 per day, move: {household: any}}
interventions: [{at: 5 days, every: 5 days, who: everyone, count: 20, move: {household: new}}]
births: {rate: 0.02 per day, enter: well, inherit: [region, household, room]}
record: {every: 1 day}
`)
	for seed := range uint64(3) {
		checked(t, m, seed, func(p *population.Process) {
			if a, b := p.Places(0).Members, p.Places(1).Members; a != b {
				t.Fatalf("%d are in a household, %d in a room", a, b)
			}
		})
	}
}

// An after that fires while there is no room does not fire again, also if it is exponential.
func TestAfterStrikesOnce(t *testing.T) {
	r := exactSimulate(t, 1, 1, `
name: once
time: {unit: day, end: 60}
population: {size: 50, start: {cared: 1, well: rest}}
places: {ward: {number: 1, capacity: 1, where: {state: cared}}}
states: {well: {race: [{after: {exponential: {mean: 1 day}}, to: cared}]}, cared: {}}
record: {every: 60 days}
`)
	if n := r.Runs[0].Places(1, 0).TurnedAway; n != 49 {
		t.Errorf("%d were turned away, want each of 49 once", n)
	}
}

// Whoever leaves places of one kind is counted and told of, also beside a kind that it is in none of.
func TestLeavingPlacesOfTwoKinds(t *testing.T) {
	for _, move := range []string{"{club: none, choir: none}", "{choir: none, club: none}"} {
		m := compiled(t, `
name: two kinds
time: {unit: day, end: 3}
population: {size: 10, start: {here: rest}}
places: {club: {number: 1}, choir: {number: 1, join: none}}
states: {here: {}}
interventions: [{at: 1 day, every: 1 day, who: everyone, move: `+move+`, name: leaving}]
`)
		events := 0
		r, err := m.Run(t.Context(), population.Options{OnEvent: func(e population.Event) {
			if e.Kind == population.Moved && e.Name == "leaving" {
				events++
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if n := r.Runs[0].Named(r.Rows()-1, 0); n != 10 || events != 10 {
			t.Errorf("%s: 10 leave the club once, counted as %d, with %d events", move, n, events)
		}
	}
}

// A move to a new household changes who is alike, so that a move to any school at the same time is
// to a new one.
func TestMoveToAnyOfAnotherHousehold(t *testing.T) {
	m := compiled(t, `
name: alike
time: {unit: day, end: 2}
population: {size: 12, start: {here: rest}}
places:
  household: {size: 3, join: new}
  school: {size: 3, alike: [household], join: any}
states: {here: {}}
interventions: [{at: 1 day, who: everyone, move: {household: new, school: any}}]
`)
	r, err := m.Run(t.Context(), population.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for k, name := range []string{"household", "school"} {
		if p := r.Runs[0].Places(r.Rows()-1, k); p.Number != 12 || p.Members != 12 {
			t.Errorf("%d in %d places of kind %s, wanted 12 in 12", p.Members, p.Number, name)
		}
	}
}
