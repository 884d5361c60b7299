package examples_test

import (
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// What the comments of the examples say is known about them is so: each of the means over the
// replicas is at most four standard errors off what the equations for large numbers say. What
// chance makes of these in finite numbers is less than a standard error here.
func TestKnown(t *testing.T) {
	for _, c := range []struct {
		model    string
		changes  []population.Change
		replicas int
		// the share of those who are not in the first state any more at the end; otherwise how many
		// there are, from year 20 on
		final bool
		want  []float64 // by group, or of all
	}{
		{"campaign", scenario("no campaign"), 10, true, size([][]float64{{1.4}}, []float64{1}, 50.0/50_000)},
		// in the equations the dead are met, too
		{"covid", scenario("always open", population.Set("dies", "0%")), 6, true, covid()},
		{"fishery", scenario("no fishing", population.Size(2340), population.Set("capacity", "3000")), 8, false,
			[]float64{3000 * (1 - 0.2*math.Exp(4*0.3)/3)}},
		{"patches", scenario("connected"), 20, false, []float64{550.8, 55.9}},
		{"patches", scenario("apart"), 20, false, []float64{2000 * (1 - 1/1.5), 0}},
	} {
		m, err := population.Load(c.model+".yaml", c.changes...)
		if err != nil {
			t.Fatal(err)
		}
		result, err := m.Run(t.Context(), population.Options{Seed: 1, Replicas: c.replicas})
		if err != nil {
			t.Fatal(err)
		}
		for g, want := range c.want {
			var sum, squares float64
			for i := range result.Runs {
				run := &result.Runs[i]
				if len(c.want) > 1 {
					run = run.In(g)
				}
				x, rows := 0.0, 0
				if c.final {
					x = 1 - float64(run.Count(run.Rows()-1, 0))/float64(run.Total(0))
				} else {
					for row := slices.Index(result.Times, 20); row < run.Rows(); row++ {
						x, rows = x+float64(run.Total(row)), rows+1
					}
					x /= float64(rows)
				}
				sum, squares = sum+x, squares+x*x
			}
			n := float64(c.replicas)
			mean := sum / n
			se := math.Sqrt(max(0, squares/n-mean*mean) / (n - 1))
			t.Logf("%s, group %d: %.5g ± %.2g, want %.5g", c.model, g, mean, se, want)
			if !(math.Abs(mean-want) <= 4*se) {
				t.Errorf("%s, group %d: %.5g ± %.2g, want %.5g", c.model, g, mean, se, want)
			}
		}
	}
}

func scenario(name string, more ...population.Change) []population.Change {
	return append([]population.Change{population.Scenario(name)}, more...)
}

// covid are the shares of children, adults and elders that are infected in the end if nothing is
// closed.
func covid() []float64 {
	const contacts = 0.385 * 7
	shares, susceptible := []float64{0.2, 0.6, 0.2}, []float64{0.5, 1, 1}
	next := [][]float64{{0.50, 0.40, 0.10}, {0.13, 0.70, 0.17}, {0.10, 0.50, 0.40}}
	for i := range next {
		for j := range next[i] {
			next[i][j] *= contacts * susceptible[j]
		}
	}
	return size(next, shares, 20.0/100_000)
}

// size is the final size of an epidemic in groups with the given shares of the population: who is
// in group i infects next[i][j] of group j, as long as all of them are susceptible. A few of all
// groups are infected at the start.
func size(next [][]float64, shares []float64, start float64) []float64 {
	z := make([]float64, len(shares))
	for range 1000 {
		was := slices.Clone(z)
		for j := range z {
			force := 0.0
			for i := range was {
				force += next[i][j] * shares[i] * was[i] / shares[j]
			}
			z[j] = 1 - (1-start)*math.Exp(-force)
		}
	}
	return z
}
