package examples_test

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// In gonorrhoea.yaml as many steady partnerships end as their number and their rate say; casual
// ones are as many as begin in the mean of three weeks (Little's law); and notification of partners
// lowers the prevalence.
func TestGonorrhoeaFollowsItsLaws(t *testing.T) {
	const replicas, days, year = 4, 30.0, 365.25
	run := func(changes ...population.Change) *population.Result {
		m, err := population.Load("gonorrhoea.yaml", changes...)
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Run(t.Context(), population.Options{Seed: 1, Replicas: replicas})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	with := run()
	const first = 12 // rows, after which the partnerships are as in the long run
	compare := func(what string, difference func(run *population.Run, last int) float64) {
		var sum, squares float64
		for i := range with.Runs {
			x := difference(&with.Runs[i], with.Rows()-2) // the last row is less than 30 days later
			sum, squares = sum+x, squares+x*x
		}
		mean := sum / replicas
		se := math.Sqrt((squares/replicas - mean*mean) / (replicas - 1))
		t.Logf("%s: off by %.3g ± %.2g", what, mean, se)
		if !(math.Abs(mean) <= 4*se+0.01) {
			t.Errorf("%s: off by %.3g ± %.2g", what, mean, se)
		}
	}
	links := func(run *population.Run, network, last int) (sum float64) { // times days, by the trapezoidal rule
		for row := first; row < last; row++ {
			sum += days * float64(run.Network(row, network).Links+run.Network(row+1, network).Links) / 2
		}
		return sum
	}
	compare("ends of steady partnerships", func(run *population.Run, last int) float64 {
		ended := float64(run.Network(last, 0).Ended - run.Network(first, 0).Ended)
		return ended/(links(run, 0, last)*0.25/year) - 1
	})
	compare("casual partnerships", func(run *population.Run, last int) float64 {
		formed := float64(run.Network(last, 1).Formed - run.Network(first, 1).Formed)
		return links(run, 1, last)/(formed*21) - 1
	})
	without := run(population.Scenario("without notification"))
	state := 1 // infectious
	last := with.Rows() - 2
	for i := range with.Runs {
		a, b := with.Runs[i].Count(last, state), without.Runs[i].Count(last, state)
		if a*3 > b*2 {
			t.Errorf("%d are infectious with notification, %d without", a, b)
		}
	}
}
