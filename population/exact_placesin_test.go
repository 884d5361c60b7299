package population_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// Whoever moves to another house leaves the room that lies in the old one.
func TestRoomsFollowTheHouse(t *testing.T) {
	r := exactSimulate(t, 1, 20, `
name: rooms
time: {unit: day, end: 2}
population: {size: 12, start: {a: rest}}
places:
  house: {size: 4, join: new}
  room: {size: 2, alike: [house], join: any}
states: {a: {race: [{after: 1 day, to: b, move: {house: new}}]}, b: {race: [{after: 1 day, move: {house: any}}]}}
interventions: [{at: 0.5 days, who: everyone, count: 1, move: {house: new}}]
record: {every: 0.5 days}
`)
	for i := range r.Runs {
		for row, want := range []int{0, 2, 12} { // rooms of one at 0, 0.5 and 1 days
			if p := r.Runs[i].Places(row, 1); p.Sizes[1] != want || p.Members != 12 {
				t.Fatalf("row %d: rooms of one: %d, expected %d", row, p.Sizes[1], want)
			}
		}
		house, room := r.Runs[i].Places(4, 0), r.Runs[i].Places(4, 1)
		if room.Number != house.Number {
			t.Fatalf("%d rooms in %d houses, into which people moved one by one", room.Number, house.Number)
		}
	}
}

// Places that are made of something may lie in places of another kind: in blocks of three the
// second household is cut short.
func TestMadeOfInABlock(t *testing.T) {
	r := exactSimulate(t, 1, 20, `
name: blocks
time: {unit: day, end: 1}
population: {size: 12, start: {a: 6, b: rest}}
attributes: {age: {child: 50%%, adult: 50%%}, sex: {f: 50%%, m: 50%%}, band: {same as: age}}
places:
  block: {size: 3, where: {state: [a, b]}, join: none}
  flat: {size: 12, alike: [block], join: none}
  household: {by: age, made of: [{share: 100%%, adult: 1, child: 1}], alike: [flat], join: none}
states: {a: {}, b: {}}
record: {every: 1 day, by: [age, [age, band]]}
`)
	for i := range r.Runs {
		p, children := r.Runs[i].Places(0, 2), r.Runs[i].In(0).Total(0)
		if p.Sizes[1] != 4 || p.Sizes[2] != 4 || children != 4 {
			t.Fatalf("%d children, households %v", children, p.Sizes)
		}
		if same := r.Runs[i].In(2).Total(0) + r.Runs[i].In(5).Total(0); same != 12 {
			t.Fatalf("%d of 12 have the band that is the same as their age", same)
		}
	}
}

// Whoever inherits the place of a parent who has none needs no room.
func TestChildOfNoPlace(t *testing.T) {
	r := exactSimulate(t, 1, 5, `
name: child
time: {unit: day, end: 2}
population: {size: 3, start: {bed: 1, well: 2}}
places: {ward: {number: 1, capacity: 1, where: {state: [bed, born]}}}
states: {bed: {}, well: {race: [{after: 1 day, to: old, enter: born, inherit: [ward]}]}, old: {}, born: {}}
record: {every: 1 day}
`)
	for i := range r.Runs {
		if p := r.Runs[i].Places(2, 0); r.Runs[i].Count(2, r.state("born")) != 2 || p.Members != 1 || p.TurnedAway != 0 {
			t.Fatalf("%d children: %+v", r.Runs[i].Count(2, r.state("born")), p)
		}
	}
}

// The children of a clock are born into the place that it says, as those of births are.
func TestChildrenOfClocksInherit(t *testing.T) {
	r := exactSimulate(t, 1, 5, `
name: litter
time: {unit: day, end: 2}
population: {size: 6, start: {a: rest}}
places: {den: {size: 2, join: new}}
states:
  a: {race: [{after: 1 day, to: b, enter: c, count: 2, inherit: [den]}]}
  b: {split: [{chance: 100%%, after: 0.5 days, to: d, enter: c, inherit: all}]}
  c: {}
  d: {}
machines: {heat: {start: {yes: rest}, enter: no,
  states: {yes: {race: [{after: 0.75 days, to: no, enter: c, inherit: [den]}]}, no: {}}}}
always: [{after: 1.25 days, where: {state: b}, enter: c, count: 3, inherit: [den]}]
record: {every: 1 day}
`)
	for i := range r.Runs {
		for row, size := range []int{2, 8, 10} { // a litter of 2 and one of 1 by each of two; then one more by each
			if p := r.Runs[i].Places(row, 0); p.Sizes[size] != 3 || p.Number != 3 {
				t.Fatalf("row %d: dens %v, expected 3 of %d", row, p.Sizes, size)
			}
		}
	}
}

// Who is put into a place cannot depend on what the place is made of, however it does.
func TestMadeOfGoesInCircles(t *testing.T) {
	const model = `
name: circle
time: {unit: day, end: 1}
population: {size: 12, start: {a: rest}}
attributes: {age: {child: 50%, adult: 50%}, band: {same as: age}}
machines: {hiv: {start: {yes: {by: age, child: 5%, adult: 9%}, no: rest}, states: {yes: {}, no: {}}}}
places:
  block: {size: 3, alike: [BLOCK]}
  flat: {size: 2, alike: [block]}
  household: {by: age, made of: [{share: 100%, adult: 1, child: 1}], REST}
states: {a: {}}
`
	for _, c := range []struct{ block, rest, want string }{
		{"hiv", "where: {hiv: yes}", "places: household: where asks for hiv, by age, which made of gives"},
		{"hiv", "where: {band: child}", "places: household: where asks for band, by age, which made of gives"},
		{"hiv", "alike: [band]", "places: household: alike: made of gives band, by age"},
		{"hiv", "alike: [flat]",
			"places: household: alike: who is in which flat depends on hiv, by age, which made of gives"},
		{"age", "alike: [block]", "places: household: alike: who is in which block depends on age, which made of gives"},
	} {
		text := strings.NewReplacer("BLOCK", c.block, "REST", c.rest).Replace(model)
		if _, err := population.Compile("model.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.rest, err)
		}
	}
}

// Nor can it depend on what is drawn by random numbers after those of a distribution by it, and it
// can depend only on what kinds of places before it are made of.
func TestMadeOfInOrder(t *testing.T) {
	const model = `
name: order
time: {unit: day, end: 1}
population: {SIZE, age: AGE}
attributes: {sex: {f: 50%, m: 50%}, role: {x: 50%, y: 50%}, band: {age: {child: 0 years, adult: 20 years}}, RISK}
machines: {hiv: {start: {yes: 30%, no: rest}, states: {yes: {}, no: {}}}}
places:
  block: {size: 3, alike: [BLOCK], join: none}
  household: {by: sex, made of: [{share: 100%, f: 1, m: 1}], REST, join: none}
  team: {by: role, made of: [{share: 100%, x: 1, y: 1}], where: {TEAM}, join: none}
states: {a: {}}
`
	const bySex = "{by: sex, f: {exactly: 30 years}, m: {gamma: {mean: 30 years, shape: 2}}}"
	for _, c := range []struct{ age, risk, rest, team, block, want string }{
		{rest: "where: {band: child}"},
		{rest: "where: {hiv: yes}", team: "band: child"},
		{age: bySex, rest: "alike: [block]", want: "who is in which block depends on band, by sex, which made of gives"},
		{age: bySex, rest: "where: {band: child}", want: "places: household: where asks for band, by sex, which made of gives"},
		{age: bySex, rest: "where: {hiv: yes}", want: "places: household: where asks for hiv, by sex, which made of gives"},
		{risk: "risk: {number: {by: sex, f: 1, m: {gamma: {mean: 1, shape: 2}}}}", rest: "where: {hiv: yes}",
			want: "places: household: where asks for hiv, by sex, which made of gives"},
		{rest: "where: {role: x}",
			want: "places: household: where asks for role, which places: team gives; write team before household"},
		{rest: "alike: [role]", want: "places: household: alike: role, which places: team gives; write team before household"},
		{rest: "alike: [block]", block: "role",
			want: "places: household: alike: who is in which block depends on role, which places: team gives; write team before block"},
	} {
		text := strings.NewReplacer("SIZE", "size: 12, start: {a: rest}", "AGE", cmp.Or(c.age, "{exactly: 30 years}"),
			", RISK", strings.TrimSuffix(", "+c.risk, ", "), "REST", c.rest, "TEAM", cmp.Or(c.team, "sex: f"), "BLOCK",
			cmp.Or(c.block, "band")).Replace(model)
		_, err := population.Compile("model.yaml", []byte(text))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
	// The shares of a group may be by it, too.
	text := strings.NewReplacer("SIZE", "size: 12, groups: [{share: 100%, with: {role: {x: {by: sex, f: 10%, m: 20%}, y: rest}}, start: {a: rest}}]",
		"AGE", "{exactly: 30 years}", ", RISK", "", "REST", "where: {role: x}", "BLOCK", "band").Replace(model)
	i := strings.Index(text, "  team:")
	text = text[:i] + text[strings.Index(text, "states: {a"):]
	const want = "places: household: where asks for role, by sex, which made of gives"
	if _, err := population.Compile("model.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, expected %s", err, want)
	}
}
