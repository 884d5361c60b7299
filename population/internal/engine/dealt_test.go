package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// whoIsMade is a model with places that are made of something; each of the tests puts in more.
const whoIsMade = `
name: made
time: {unit: day, start: 0, end: 2}
population: {size: 400, start: {i: 20, s: rest}}
attributes: {sex: {f: 50%, m: 50%}, region: {n: 50%, s: 50%}, role: {x: 30%, y: 70%}, born: {same as: sex}}
machines:
  iso: {start: {alone: 30%, free: rest}, enter: {alone: 20%, free: rest},
    states: {free: {race: [{rate: 1 per day, to: alone}]}, alone: {race: [{after: {gamma: {mean: 1 day, shape: 2}}, to: free}]}}}
  test: {start: {done: 50, not: rest}, enter: not, states: {done: {}, not: {}}}
places:
  household: {by: sex, made of: [{share: 50%, f: 1, m: 1}, {share: 50%, f: 2}], join: new, WHERE}
  school: {size: 10, where: {sex: f}, join: any}
  PLACE
networks: {friends: {random: {mean: 1}}}
states: {s: {race: [CLOCK]}, i: {split: [{after: 2 days, to: r, otherwise: true}]}, r: {}}
transmission: [{from: i, rate: 2 per day, to: {s: i}, WHOM}]
births: {rate: 0.2 per day, enter: s, count: 2, inherit: [sex]}
immigration: {rate: 9 per day, enter: {s: 60%, i: rest}, count: {1: 40%, 3: 60%}}
record: {every: 1 day, by: [sex, iso]}
`

// People are drawn once: what they are is not drawn again after they were counted, whatever reads
// who is in a place or has links. And their places are made of what the file says.
func TestPeopleAreDrawnOnce(t *testing.T) {
	const clock, whom = "{rate: 0.1 per day, to: r}", "name: met"
	for _, c := range []struct{ where, place, clock, whom string }{
		{clock: clock}, // no presence is read
		{clock: "{rate: 0.1 per day, to: r, where: {household: none}}"},
		{clock: "{rate: 0.1 per day, to: r, where: {friends: none}}"},
		{clock: "{rate: {by: household, any: 0.1 per day, none: 0 per day}, to: r}"},
		{clock: "{after: {gamma: {mean: 1 day, shape: 3}}, to: r, where: {school: any}}"},
		{clock: clock, whom: "whom: {school: none}"},
		{clock: clock, whom: "where: {friends: any}"},
		{where: "where: {region: n}", clock: clock},
		{where: "where: {region: n, iso: free}", clock: "{rate: 1 per day, to: r, where: {household: none}}"},
		{where: "alike: [region, iso]", clock: "{rate: 1 per day, to: r, where: {household: any}}"},
		{where: "where: {state: s}", place: "team: {by: role, made of: [{share: 100%, x: 1, y: 2}], where: {sex: f}, join: any}",
			clock: "{rate: 1 per day, to: r, where: {team: none}}"},
		{where: "where: {role: y}", place: "team: {by: region, made of: [{share: 40%, n: 3}, {share: 60%, n: 1, s: 1}], " +
			"where: {born: f}, alike: [sex, role], join: none}", clock: "{rate: 1 per day, to: r, where: {team: any}}"},
		{place: "couple: {by: born, made of: [{share: 100%, f: 1, m: 1}], where: {region: s}, join: none}",
			clock: "{rate: 1 per day, to: r, where: {couple: any}}"},
	} {
		if c.whom == "" {
			c.whom = whom
		}
		text := strings.NewReplacer(", WHERE", strings.TrimSuffix(", "+c.where, ", "), "PLACE", c.place, "CLOCK", c.clock,
			", WHOM", ", "+c.whom).Replace(whoIsMade)
		m := programOf(t, text)
		var all [2][]seen
		for i, from := range []int{1 << 20, 1} {
			r := Run{sparseRule: usualSparse, setupFrom: from, cores: 2}
			started := 0
			r.OnEvent = func(h *Event) {
				if h.Kind == Started {
					started++
				}
				all[i] = append(all[i], seenIn(m, h))
			}
			if err := r.Start(t.Context(), m, 3, 0); err != nil {
				t.Fatal(err)
			}
			if err := r.Check(); err != nil {
				t.Fatalf("%+v: at the start: %v", c, err)
			}
			if started != m.Size {
				t.Errorf("%+v: %d individuals of the start are reported", c, started)
			}
			for k := range m.Places {
				checkMadeOf(t, &r, k, fmt.Sprintf("%+v", c))
			}
			walk(t, &r, m, 3, 0.5) // which starts again, with the same memory
		}
		if n := len(all[0]); !alike(all[0], all[1]) || n == 0 {
			t.Errorf("%+v: other events if individuals are set up in blocks", c)
		}
	}
}

// checkMadeOf verifies that the places of a kind at the start are made of what the file says, but
// for one of each group, which may be cut short.
func checkMadeOf(t *testing.T, r *Run, k int, what string) {
	t.Helper()
	kind, seats := &r.Program.Places[k], r.places.kinds[k]
	if kind.By < 0 {
		return
	}
	short, found := map[uint32]int{}, 0
	for id := r.firstID; int(id) < r.Used; id++ {
		if !seats.Seated(id) {
			continue
		}
		members, own, _ := seats.Around(id)
		if own != 0 {
			continue
		}
		found++
		var values program.Household
		for _, member := range members {
			values = append(values, r.attributes[kind.By].Of(member))
		}
		slices.Sort(values)
		isWhole := func(of program.Household) bool {
			of = slices.Clone(of)
			slices.Sort(of)
			return slices.Equal(values, of)
		}
		if slices.ContainsFunc(kind.Made, isWhole) {
			continue
		}
		if short[seats.Group(seats.Place(id))]++; short[seats.Group(seats.Place(id))] > 1 {
			t.Errorf("%s: a %s is made of %v", what, kind.Name, values)
			return
		}
	}
	if found < 10 {
		t.Errorf("%s: there are %d of %s", what, found, kind.Name)
	}
}
