package population_test

import (
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population"
)

// turning is a model in which nothing is drawn after the start: a fork goes on as its original does.
// The unknown decides what a survey finds.
const turning = `name: turning
time: {unit: day, start: 0, end: 60}
population: {size: 300, start: {well: {count: 200, since: {uniform: {low: 0 days, high: 10 days}}}, ill: rest}}
parameters: {sensitive: 90%}
states:
  well: {race: [{after: 10 days, to: ill, name: onset}]}
  ill: {race: [{after: 7 days, to: well}]}
observe:
  reports: {of: onset, chance: 100%, after: 3 days}
  blood: {at: 5 days, every: 5 days, count: 100, chance: {by: state, well: 5%, ill: sensitive}}
  swab: {at: 5 days, every: 5 days, count: 50, chance: {by: state, well: 0%, ill: 50%}}
record: {every: 1 day, values: {share: count(ill) / total}}
fit:
  data: cases.csv
  unknown: {sensitive: {uniform: {low: 10%, high: 100%}}}
  match:
    - {column: blood, of: drawn, survey: blood}
    - {column: swab, of: taken, survey: swab}
    - {column: cases, seen: reports, error: poisson}
    - {column: onsets, incidence: onset, error: poisson}
    - {column: ill, state: ill, error: poisson}
    - {column: share, value: share, error: {normal: {sd: 10%}}}
`

// A fit that goes on with a state expects what the fit of the same run from the start expects, of
// all that is after the state.
func TestFitFromStateIsFitFromStart(t *testing.T) {
	const seed, from = 3, 22.0
	s := saveState(t, turning, "22 days", population.Options{Seed: seed})
	on, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	expected := func(m *population.Model, times []float64, x float64) (all [][]float64) {
		t.Helper()
		f, err := m.Fit(population.FitOptions{})
		if err != nil {
			t.Fatal(err)
		}
		trial, err := modelfit.Of(f).Trials(times).Run(t.Context(), []float64{x}, seed)
		if err != nil {
			t.Fatal(err)
		}
		followed, err := modelfit.Of(f).Follow(t.Context(), times, []float64{x}, seed)
		if err != nil {
			t.Fatal(err)
		}
		defer followed.Close()
		for row := range times {
			means, err := followed.Step(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i, mean := range means {
				if math.Abs(mean-trial.Means[i][row]) > 1e-12 {
					t.Errorf("at %v a run that is followed expects %v of column %d, and a trial %v", times[row], mean, i,
						trial.Means[i][row])
				}
			}
		}
		return trial.Means
	}
	times := []float64{25, 30, 34.5, 40, 55}
	for _, x := range []float64{0.9, 0.3} {
		want := expected(compiled(t, turning), append([]float64{from}, times...), x)
		got := expected(on, times, x)
		for i := range want {
			if slices.Max(want[i][1:]) == 0 {
				t.Errorf("nothing is expected of column %d", i)
			}
			for row, at := range times {
				if math.Abs(got[i][row]-want[i][1+row]) > 1e-12 {
					t.Errorf("sensitive %v: at %v %v is expected of column %d from the state, %v from the start", x, at,
						got[i][row], i, want[i][1+row])
				}
			}
		}
	}
}
