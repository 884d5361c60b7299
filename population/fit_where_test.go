package population_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population"
)

const whereModel = `
name: where
time: {unit: day, end: 30}
population: {size: 2000, start: {ill: 40, well: rest}}
attributes: {region: {north: 30%, south: 50%, east: 20%}, age: {child: 30%, adult: 70%}}
parameters: {beta: 0.5 per day, rho: 40%, k: 1}
states:
  well: {}
  ill: {race: [{after: {gamma: {mean: 5 days, shape: 2}}, to: immune, name: healing}]}
  immune: {race: [{rate: 0.02 per day, to: well}]}
transmission: [{from: ill, rate: {by: region, north: beta, other: 0.3 per day}, to: {well: ill}}]
always: [{rate: 0.02 per day, move: {region: east}}]
interventions: [{when: {ill: above 99%}, set: {k: 2}, name: close}]
record: {every: 7 days, by: [age]}
fit:
  data: cases.csv
  unknown: {beta: {uniform: {low: 0.1 per day, high: 1 per day}}}
  match:
    - {column: all, incidence: well->ill, error: poisson}
    - {column: north, incidence: well->ill, where: {region: north}, observed: rho, error: poisson}
    - {column: some, state: ill, where: {region: [south, east], age: child}, error: poisson}
    - {column: healed, flow: healing, where: {age: adult, region: east}, error: poisson}
`

// Columns with where are what a run that records by group counts, in trials, in runs that are
// followed, and in forks.
func TestMatchWhere(t *testing.T) {
	grouped := compiled(t, strings.Replace(whereModel, "every: 7 days, by: [age]", "every: 1 day, by: [[region, age]]", 1))
	f, err := compiled(t, whereModel).Fit(population.FitOptions{
		Match: []string{"adults = state ill where age=adult, region=north|south observed 50% poisson"}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := grouped.Run(t.Context(), population.Options{Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	run, flows := &r.Runs[0], grouped.Flows()
	infection := slices.IndexFunc(flows, func(f population.Flow) bool { return f.String() == "well->ill" })
	sum := func(count func(*population.Run) float64, inside func(region, age string) bool) (all float64) {
		for k, g := range grouped.Groups() {
			if inside(g.Values[0], g.Values[1]) {
				all += count(run.In(k))
			}
		}
		return all
	}
	times := []float64{0, 3, 10, 11, 30}
	want := make([][]float64, 5)
	before := [2]float64{}
	for _, at := range times {
		row := int(at)
		infected := func(r *population.Run) float64 { return float64(r.Flow(row, infection)) }
		ill := func(r *population.Run) float64 { return float64(r.Count(row, 1)) }
		all, north := infected(run), sum(infected, func(region, _ string) bool { return region == "north" })
		want[0] = append(want[0], all-before[0])
		want[1] = append(want[1], 0.4*(north-before[1]))
		before = [2]float64{all, north}
		want[2] = append(want[2], sum(ill, func(region, age string) bool { return region != "north" && age == "child" }))
		want[3] = append(want[3], sum(func(r *population.Run) float64 { return float64(r.Named(row, 0)) },
			func(region, age string) bool { return region == "east" && age == "adult" }))
		want[4] = append(want[4], 0.5*sum(ill, func(region, age string) bool { return region != "east" && age == "adult" }))
	}
	if want[1][3] == 0 || want[2][2] == 0 || want[3][4] == 0 || want[0][2] <= want[1][2]/0.4 {
		t.Fatalf("nothing happens: %v", want)
	}
	trial, err := modelfit.Of(f).Trials(times).Run(t.Context(), []float64{0.5}, 4)
	if err != nil {
		t.Fatal(err)
	}
	w, err := modelfit.Of(f).Follow(t.Context(), times, []float64{0.5}, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for row := range times {
		means, err := w.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if trial.Means[i][row] != want[i][row] || means[i] != want[i][row] {
				t.Errorf("column %s, time %v: a trial has %v, a followed run %v, and the tables %v", f.Columns[i], times[row],
					trial.Means[i][row], means[i], want[i][row])
			}
		}
		if row == 3 { // a fork goes on from the counts of its groups
			fork, err := w.Fork(9)
			if err != nil {
				t.Fatal(err)
			}
			defer fork.Close()
			now := slices.Clone(means)
			if next, err := fork.Step(t.Context()); err != nil || next[3] < now[3] {
				t.Errorf("a fork has healed %v, after %v; %v", next[3], now[3], err)
			}
		}
	}
}

// What is wrong with where is said with its place.
func TestMatchWhereRefused(t *testing.T) {
	for old, c := range map[string][2]string{
		"where: {region: north}": {"where: {regoin: north}", `where: there is no attribute "regoin"; did you mean "region"?`},
		"[south, east]":          {"[south, west]", `where: there is no value of region "west"; `},
		"{age: adult, ":          {"{age: [], ", "where: age: expected at least one value"},
	} {
		_, err := compiled(t, strings.Replace(whereModel, old, c[0], 1)).Fit(population.FitOptions{})
		if err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v", c[0], err)
		}
	}
	m := compiled(t, whereModel)
	for flag, want := range map[string]string{
		"x = state ill where north poisson": "expected where ATTRIBUTE=VALUE",
		"x = incidence close where region=north poisson": `"close" only sets parameters, ` +
			`which happens to no individual`,
		"x = state ill where region=west poisson":                 `there is no value of region "west"`,
		"x = state ill where region=north, region=east poisson":   "region",
		"x = incidence well->ill where colour=red|blue poisson":   `there is no attribute "colour"`,
		"x = incidence well->ill where region=north observed 30%": "expected an error at the end",
	} {
		if _, err := m.Fit(population.FitOptions{Match: []string{flag}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", flag, err)
		}
	}
}
