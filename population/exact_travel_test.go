package population_test

import (
	"fmt"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// withFiles compiles a model that reads these files, and runs it.
func withFiles(t *testing.T, o population.Options, all map[string]string, text string) exactRun {
	t.Helper()
	m, err := population.Compile("model.yaml", []byte(text), files(all))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return exactRun{r, t}
}

// Test 1 of section 6: moves with the weights of a file.
func TestExactMigration(t *testing.T) {
	n := testscale.Size(20_000, 2_000_000)
	r := withFiles(t, population.Options{Seed: 1}, map[string]string{
		"od.csv": "region,to,people\na,b,70\na,c,30\nb,a,12\nc,a,5\nc,b,5\n",
	}, fmt.Sprintf(`
name: migration
time: {unit: year, end: 5}
population: {size: %d, start: {x: rest}}
attributes: {region: {a: 100%%, b: 0%%, c: 0%%}}
states: {x: {}}
always: [{rate: 0.4 per year, move: {region: {by: region, file: od.csv, column: people}}}]
record: {every: 5 years, by: region}
`, n))
	for g, p := range []float64{0.476231, 0.382973, 0.140797} {
		series := r.In(g).State(0)
		checkShare(t, fmt.Sprintf("region %d", g), series.Mean[r.last()], float64(n), p)
	}
}

// Test 2 of section 6: trips of 8 hours.
func TestExactTrips(t *testing.T) {
	n := testscale.Size(10_000, 2_000_000)
	for _, c := range []struct {
		stay string
		at   map[int]float64 // by row
	}{
		{"8 hours", map[int]float64{1: 0.393469, 2: 0.393277, 20: 0.4}},
		{"{gamma: {mean: 8 hours, shape: 4}}", map[int]float64{20: 0.4}},
	} {
		r := exactSimulate(t, 1, 1, `
name: trips
time: {unit: day, end: 5}
population: {size: %d, start: {x: rest}}
attributes: {home: {north: 40%%, south: 60%%}, region: {same as: home}}
states: {x: {}}
machines:
  trip:
    start: {resting: rest}
    states:
      resting: {race: [{rate: 2 per day, to: away, move: {region: {by: home, north: south, south: north}}}]}
      away: {race: [{after: %s, to: resting, move: {region: home}}]}
record: {every: 6 hours, by: [[home, region]]}
`, n, c.stay)
		for row, p := range c.at {
			checkShare(t, fmt.Sprintf("away after %v days", r.Times[row]), r.counts(row, "trip=away")[0], float64(n), p)
			// Those who are away are those in the other region.
			elsewhere := r.In(1).State(0).Mean[row] + r.In(2).State(0).Mean[row]
			if elsewhere != r.counts(row, "trip=away")[0] {
				t.Errorf("%v are elsewhere, and %v away", elsewhere, r.counts(row, "trip=away")[0])
			}
		}
		if r.In(1).State(0).Mean[0]+r.In(2).State(0).Mean[0] != 0 {
			t.Error("somebody begins in another region than at home")
		}
	}
}

// Test 3 of section 6: a traveller meets one who stays.
func TestExactTraveller(t *testing.T) {
	r := withFiles(t, population.Options{Seed: 1, Replicas: testscale.Size(8000, 400_000)}, map[string]string{
		"two.csv": "who,state,region,kind\ntraveller,infectious,north,roams\nhermit,susceptible,south,stays\n",
	}, `
name: traveller
time: {unit: day, end: 4}
population: {people: {file: two.csv, columns: {id: who}}}
attributes: {region: {north: 50%, south: 50%}, kind: {roams: 50%, stays: 50%}}
states: {susceptible: {}, infectious: {}}
always:
  - {rate: 0.5 per day, where: {region: north, kind: roams}, move: {region: south}}
  - {rate: 0.5 per day, where: {region: south, kind: roams}, move: {region: north}}
transmission: [{from: infectious, among: region, rate: 0.8 per day, to: {susceptible: infectious}}]
record: {every: 1 day}
`)
	checkMean(t, "not infected by 1 day", r.counts(1, "susceptible"), 0.884238)
	checkMean(t, "not infected by 4 days", r.counts(4, "susceptible"), 0.425233)
}

// Those who enter begin with the value of the other attribute, whatever gives it; and what is given
// itself is not replaced.
func TestSameAs(t *testing.T) {
	const model = `
name: same
time: {unit: year, end: 5}
population:
  size: 300
  groups:
    - {share: 50%, with: {home: north}, start: {x: rest}}
    - {share: 50%, with: {region: south}, start: {x: rest}}
attributes: {home: {north: 40%, south: 60%}, region: {same as: home}, work: {same as: region}}
states: {x: {}}
births:
  - {rate: 0.2 per year, enter: x, inherit: [home], name: child}
  - {rate: 0.2 per year, enter: x, with: {home: {north: 30%, south: rest}}, name: other}
record: {every: 1 year}
`
	m, err := population.Compile("model.yaml", []byte(model))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	_, err = m.Run(t.Context(), population.Options{Seed: 1, OnEvent: func(e population.Event) {
		home, region, work := e.Values[0], e.Values[1], e.Values[2]
		seen[e.Name+home+region+work]++
		switch {
		case work != region:
			t.Errorf("%d works in %s and is in %s", e.Individual, work, region)
		case e.Individual > 150 && e.Individual <= 300:
			if region != "south" {
				t.Errorf("%d begins in %s", e.Individual, region)
			}
		case home != region:
			t.Errorf("%d begins in %s and lives in %s", e.Individual, region, home)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"northnorthnorth", "northsouthsouth", "southsouthsouth", "childnorthnorthnorth",
		"childsouthsouthsouth", "othernorthnorthnorth", "othersouthsouthsouth"} {
		if seen[what] == 0 {
			t.Errorf("there is no %s", what)
		}
	}
}
