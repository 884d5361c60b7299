package population_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// peopleModel has all that can be said of who is there, who comes and what is planned.
const peopleModel = `name: people
time: {unit: year, start: 2000, end: 2020}
population:
  size: 120
  age: {by: region, north: {uniform: {low: 0 years, high: 70 years}}, other: 20 years}
  groups:
    - {share: 40%, with: {region: north},
       start: {recent: {share: 10%, since: {uniform: {low: 0 years, high: 5 years}}}, ill: 3, well: rest}}
    - {share: 60%, with: {region: south}, start: {recent: {count: 5, since: 2 years}, well: {share: rest}}}
parameters:
  uptake: 80%
  doses: 4
  limit: 20
  beta: 1.5 per year
  low: 0.2 per year
attributes:
  region: {north: 50%, south: 50%}
  sex: {f: 50%, m: 50%}
states:
  well: {}
  recent:
    split:
      - {chance: 20%, after: {gamma: {mean: 1 year, shape: 2}}, to: ill}
      - {otherwise: true, after: 5 years, to: well}
    race: [{after: {gompertz: {rate: 0.01 per year, growth: 0.1 per year}}, to: out}]
  ill: {race: [{rate: 0.5 per year, to: well}]}
  safe: {}
transmission: [{from: ill, rate: beta, to: {well: recent}}]
always:
  - {after: {gompertz: {rate: 0.0001 per year, growth: 0.09 per year, makeham: 0.001 per year}}, to: out, name: death}
births: {rate: 0.05 per year, enter: {safe: uptake, well: rest}, inherit: [region], name: birth}
immigration: {rate: 2 per year, enter: {safe: {by: region, north: 10%, south: 20%}, well: rest}, with: {region: south}}
interventions:
  - {every: 1 year, who: well, where: {region: north}, count: doses, to: safe, name: campaign}
  - {at: 2005, enter: {ill: 50%, recent: rest}, with: {region: north, sex: f}, count: 6}
  - {when: {ill: above limit}, again: true, set: {beta: low}, name: close}
  - {when: {ill: below 3%, total: above 20}, again: true, set: {beta: 1.5 per year, limit: 10}, name: open}
  - {when: {safe: above 50%}, who: safe, coverage: {by: sex, f: 30%, m: 0%}, to: well, name: waning}
  - {at: 2001, every: 1 month, until: 2002.5, who: everyone, where: {region: north}, count: 2 * doses,
     move: {region: south}, name: moving}
  - {at: 2003, every: 2 years, who: [ill, recent], count: 1, to: out}
record: {every: 1 year}
`

// The check says all of it in words.
func TestPeopleInWords(t *testing.T) {
	m, err := population.Compile("people.yaml", []byte(peopleModel))
	if err != nil {
		t.Fatal(err)
	}
	text := m.Explain()
	for _, want := range []string{
		"Ages at the start: uniform between 0 years and 70 years for region north, exactly 20 years for region south.\n",
		"At the start there are\n  48 of region north: 40 well, 5 recent, 3 ill\n  72 of region south: 67 well, 5 recent\n",
		"  recent: 10 at the start\n    5 of them have been so for a time that is uniform between 0 years and 5 years, " +
			"and their clocks go on from there\n" +
			"    5 of them have been so for a time that is exactly 2 years, and their clocks go on from there\n",
		"leaves the population after a time that is Gompertz with rate 0.0001 per year and growth 0.09 per year and 0.001 " +
			"per year at all ages, mean 66.82 years [death]\n",
		"  each living individual has children at 0.05 per year, who begin as safe with probability 80% (uptake), " +
			"otherwise well [birth]\n    they have the parent's region\n",
		"  individuals of region south arrive at 2 per year as safe with probability 10% for region north, 20% for region " +
			"south, otherwise well\n",
		"  year 2000, and every year from then on [campaign]\n" +
			"    4 (doses) of those who are well and of region north, chosen at random (all of them, if there are fewer), " +
			"become safe\n",
		"  year 2001, and every month from then on until year 2002.5 [moving]\n" +
			"    8 (2 * doses) of all of region north, chosen at random (all of them, if there are fewer), move to region " +
			"south\n",
		"  year 2003, and every 2 years from then on\n    1 of those who are ill or recent, chosen at random (all of " +
			"them, if there are fewer), leave the population\n",
		"  year 2005\n    6 individuals of region north and sex f enter as ill with probability 50%, otherwise recent\n",
		"  each time it becomes true that more than 20 (limit) are ill; once then, not again while it stays true " +
			"[close]\n    beta becomes 0.2 per year (low)\n",
		"  each time it becomes true that fewer than 3% of the living are ill and more than 20 are alive; once " +
			"then, not again while it stays true [open]\n",
		"  as soon as more than 50% of the living are safe, once [waning]\n" +
			"    whoever is safe, each with probability 30% for sex f, 0% for sex m, becomes well\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say\n%s", want)
		}
	}
	if strings.Contains(text, "Is this meant?") {
		t.Error("there is a doubt")
	}
	if t.Failed() {
		t.Log(text)
	}
	for _, c := range []struct{ old, new, want string }{
		{"well: {share: rest}", "well: {share: rest, since: 1 year}",
			"population: group 2: start: well: since changes nothing, because no clock of well has a memory"},
		{"  safe: {}\n", "  safe: {}\n  lost: {}\n", "nobody is ever lost"},
		{"  safe: {}\n", "  safe: {}\n  lost: {}\n", "intervention close never happens, because nobody is ever lost"},
	} {
		text := strings.Replace(strings.Replace(peopleModel, c.old, c.new, 1), "{ill: above limit}",
			"{ill: above limit, lost: above 0}", strings.Count(c.new, "lost"))
		m, err := population.Compile("people.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(m.Explain(), c.want) {
			t.Errorf("it does not doubt that\n%s", c.want)
		}
	}
}

// Numbers at the start may be parameters: the run is the one of the number written out, for --set
// and scenarios, too.
func TestStartByParameter(t *testing.T) {
	const model = `name: m
time: {unit: day, start: 0, end: 40}
population: {size: 400, start: {b: SEEDS, c: {count: COUNT, since: 1 day}, a: rest}}
parameters: {seeds: 7, part: 2%, beta: 0.5 per day}
states: {a: {}, b: {race: [{after: 5 days, to: c}]}, c: {}}
transmission: [{from: b, rate: beta, to: {a: b}}]
scenarios: {many: {seeds: 20}}
`
	write := func(seeds, count string) string {
		return strings.NewReplacer("SEEDS", seeds, "COUNT", count).Replace(model)
	}
	by := write("seeds", "2 * seeds")
	for _, test := range []struct {
		name, a, b string
		changes    []population.Change
	}{
		{"parameter", by, write("7", "14"), nil},
		{"set", by, write("12", "24"), []population.Change{population.Set("seeds", "12")}},
		{"scenario", by, write("20", "40"), []population.Change{population.Scenario("many")}},
		{"percentage", write("part", "seeds"), write("2%", "7"), nil},
	} {
		want, got := runText(t, test.b), runText(t, test.a, test.changes...)
		if want != got {
			t.Errorf("%s: the run is another than with the numbers written out:\n%s\n%s", test.name, got, want)
		}
	}
	if runText(t, by) == runText(t, by, population.Set("seeds", "8")) {
		t.Error("one more at the start makes no difference")
	}
}

// runText is the counts of a run, for comparison.
func runText(t *testing.T, source string, changes ...population.Change) string {
	t.Helper()
	m, err := population.Compile("m.yaml", []byte(source), changes...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), population.Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for row := range r.Runs[0].Rows() {
		for i := range m.States() {
			fmt.Fprintf(&b, "%d ", r.Runs[0].Count(row, i))
		}
	}
	return b.String()
}
