package fit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/random"
)

// A budget is kept. One that is too small is refused before it is exceeded, the smallest before
// anything is run. As soon as the variance of the log likelihood is known, the refusal says what
// would do, and that does, as far as it can be known: chains take 0.6 to 4.1 times as many steps as
// the variance says (usualMixing), so that the effective size is 73 to 500 where 100 is said.
func TestPMMHKeepsItsBudget(t *testing.T) {
	p := oneColumn(dyingData, Unknown{Name: "rate", Prior: LogUniform(0.05, 1)}, Unknown{Name: "share", Prior: Beta(4, 2)})
	fits := func(budget int, seed uint64) (*Result, error) {
		return fitDirectly(p, dying{50, len(dyingData)}, Options{Method: "pmmh", Seed: seed, Budget: budget})
	}
	refusal := func(budget int, seed uint64) string {
		r, err := fits(budget, seed)
		if !errors.Is(err, ErrBudget) || !strings.Contains(err.Error(), "too small for pmmh") {
			t.Fatalf("a budget of %d: %+v, %v", budget, r, err)
		}
		return err.Error()
	}
	for _, budget := range []int{1, leastBudget - 1} {
		if text := refusal(budget, 2); !strings.Contains(text, ": 0 were made") || strings.Contains(text, "about") ||
			!strings.Contains(text, fmt.Sprintf("it needs %d more", leastBudget)) {
			t.Errorf("a budget of %d: %s", budget, text)
		}
	}
	for seed := range uint64(4) {
		_, rest, _ := strings.Cut(refusal(9_500, seed), "about ")
		enough := 0
		if _, err := fmt.Sscan(rest, &enough); err != nil {
			t.Fatal(rest, err)
		}
		r, err := fits(enough, seed)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: about %d would do; %d runs have an effective size of %.0f", seed, enough, r.Runs,
			slices.Min(r.Chains.Bulk))
		if size := slices.Min(r.Chains.Bulk); r.Runs > enough || size < leastESS*usualMixing/4.1 ||
			size > leastESS*usualMixing/0.6 {
			t.Errorf("seed %d: about %d would do, and %d runs have an effective size of %.0f", seed, enough, r.Runs, size)
		}
	}
	for _, budget := range []int{20_000, 40_000} {
		if r, err := fits(budget, 2); err != nil || r.Runs > budget || r.Runs < budget/2 && slices.Min(r.Chains.Bulk) <
			chainESS {
			t.Errorf("a budget of %d: %+v, %v", budget, r, err)
		}
	}
}

// The inefficiency is that of a chain whose proposals come from the posterior, in a simulation of
// the noise alone: the variance of the mean of a quantity that does not depend on the noise, over
// chains, within 4.5 standard errors. Without noise it is 1.
func TestInefficiency(t *testing.T) {
	if got := inefficiency(1e-9); math.Abs(got-1) > 1e-3 {
		t.Errorf("without noise it is %v", got)
	}
	for _, v := range []float64{0.3, 1.5} {
		const chains, steps = 500, 1500
		luck := random.New(1, math.Float64bits(v))
		sum := 0.0
		for range chains {
			x, w := gaussian(&luck), v/2+math.Sqrt(v)*gaussian(&luck)
			mean := 0.0
			for range steps {
				if next := -v/2 + math.Sqrt(v)*gaussian(&luck); math.Log(luck.Positive()) < next-w {
					x, w = gaussian(&luck), next
				}
				mean += x / steps
			}
			sum += mean * mean * steps / chains
		}
		// A variance by so many chains has a relative standard error of √(2/chains).
		got, se := inefficiency(v), sum*math.Sqrt(2./chains)
		t.Logf("variance %g: %.3f, by simulation %.3f ± %.3f", v, got, sum, se)
		if math.Abs(got-sum) > 4.5*se {
			t.Errorf("variance %g: %.3f, by simulation %.3f ± %.3f", v, got, sum, se)
		}
	}
}

// What is said of a sample that is too small is what it takes from here on: the steps before count.
func TestWouldTake(t *testing.T) {
	f := &pmmhFit{e: &engine{runs: 30_000}, runs: 10}
	samples := make([][][]float64, 8)
	for c := range samples {
		samples[c] = make([][]float64, 250)
	}
	// 8 × 250 × 10 of the 30,000 runs gave 50: as many again give 100.
	if got := f.wouldTake(samples, 50); got != "50000" {
		t.Errorf("it would take %s runs, and should 50000", got)
	}
}

// The best point is not a matter of luck: candidates that seem good because their estimates were
// lucky are estimated again, and what is said of the best one has no luck in it either. Its log
// likelihood is, on average over 40 choices among 32 states that seem better than they are by 2 ±
// 1, the exact one less half the relative variance of 16 estimates, which is below 0.1, within 4.5
// standard errors; and it has lost at most 0.3 on average against the best of the 32.
func TestBestIsNotLucky(t *testing.T) {
	model := dying{50, len(dyingData)}
	p := oneColumn(dyingData, Unknown{Name: "rate", Prior: LogUniform(0.05, 1)}, Unknown{Name: "share", Prior: Beta(4, 2)})
	g := new(ensemble.Registry)
	g.AddKind(NewKind("test", "1", func([]byte) (*Problem, Simulator, error) { return p, model, nil }))
	var off, squares, lost, z2 float64
	const times = 40
	luck := random.New(1)
	for k := range times {
		f := &pmmhFit{e: &engine{problem: p, o: Options{Seed: uint64(k), Kind: "test", Registry: g,
			Executor: ensemble.InMemory{Slots: 2}}}, runs: 8}
		var states []*candidate
		most := math.Inf(-1)
		exactly := map[float64]float64{}
		for range 32 {
			z := []float64{0.15 + 0.5*gaussian(&luck), 0.5 + 0.7*gaussian(&luck)}
			x := p.values(z)
			c := &candidate{z: z, prior: p.priorDensity(x)}
			l := model.exact(x[0], x[1], dyingData)
			c.seems = l + c.prior + 2 + gaussian(&luck)
			states = append(states, c)
			exactly[z[0]] = l
			most = max(most, l+c.prior)
		}
		z, log, se, err := f.best(t.Context(), states)
		if err != nil {
			t.Fatal(err)
		}
		l := exactly[z[0]]
		off += (log - l) / times
		squares += (log - l) * (log - l) / times
		z2 += (log - l) * (log - l) / (se * se) / times
		lost += (most - l - p.priorDensity(p.values(z))) / times
	}
	se := math.Sqrt((squares - off*off) / times)
	t.Logf("the log likelihood is %+.3f ± %.3f off, the square of which is %.2f times what is said; %.3f were lost", off,
		se, z2, lost)
	if off > 4.5*se || off < -0.1-4.5*se {
		t.Errorf("the log likelihood at the best point is off by %+.3f ± %.3f on average", off, se)
	}
	if lost > 0.3 {
		t.Errorf("the best point has lost %.3f", lost)
	}
}
