package population_test

import (
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// Whoever is infected among the members of a place is in the place of the infector, by the line
// list; contacts with the whole population are among nobody in particular, and some infect where
// contacts at home could not. People of a file have its ids.
func TestTreeSaysAmongWhom(t *testing.T) {
	const model = `
name: among
time: {unit: day, end: 30}
population: {people: {file: people.csv}, start: {susceptible: rest}}
places: {household: {}}
states: {susceptible: {}, infectious: {race: [{after: 4 days, to: immune}]}, immune: {}}
transmission:
  - {from: infectious, among: household, rate each: 0.5 per day, to: {susceptible: infectious}, name: infection}
  - {from: infectious, rate: 0.5 per day, to: {susceptible: infectious}, name: infection}
record: {every: 1 day, people: true, tree: {of: infection}}
`
	people := "id,state,household\n"
	for i := range 60 {
		state := ""
		if i == 0 {
			state = "infectious"
		}
		people += string(rune('a'+i%26)) + string(rune('a'+i/26)) + "," + state + "," + string(rune('A'+i%20)) + "\n"
	}
	m, err := population.Compile("model.yaml", []byte(model), files(map[string]string{"people.csv": people}))
	if err != nil {
		t.Fatal(err)
	}
	place, id := map[uint64]int{}, map[uint64]string{}
	var rows []population.Infection
	_, err = m.Run(t.Context(), population.Options{Seed: 1,
		OnInfection: func(e population.Infection) { rows = append(rows, e) },
		OnPerson:    func(p population.Person) { place[p.Number], id[p.Number] = p.Places[0], p.ID }})
	if err != nil {
		t.Fatal(err)
	}
	atHome, elsewhere := 0, 0
	for _, e := range rows {
		same := place[e.Infected] == place[e.By]
		switch {
		case e.Among == "household" && same:
			atHome++
		case e.Among == "" && !same:
			elsewhere++
		case e.Among != "":
			t.Errorf("%d is in place %d and was infected among %q by %d of place %d", e.Infected, place[e.Infected], e.Among,
				e.By, place[e.By])
		}
	}
	if atHome < 5 || elsewhere < 5 {
		t.Errorf("%d were infected at home and %d elsewhere, of %d", atHome, elsewhere, len(rows))
	}
	if id[1] != "aa" || id[60] != "hc" {
		t.Errorf("ids are %q and %q", id[1], id[60])
	}
}
