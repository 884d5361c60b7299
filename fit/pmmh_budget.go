package fit

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// leastBudget is the least that a fit can take: one temperature of the cloud, one measurement of
// the variance, the fewest runs for an estimate, a warm-up and the first block.
const leastBudget = (cloudSize*(1+cloudSteps)+pilotPoints*pilotTimes)*cloudRuns + leastEstimates*fewestRuns

// leastEstimates is the number of estimates after the number of runs is chosen.
const leastEstimates = chainCount*(1+warmBlocks*warmSteps+blockSteps) + bestEstimates

// checkBudget returns an error if the budget has no room for that many more runs. The budget that
// would do follows from the variance of the log likelihood, once that is known.
func (f *pmmhFit) checkBudget(runs int) error {
	need := f.e.runs + runs
	if f.e.o.Budget == 0 || need <= f.e.o.Budget {
		return nil
	}
	enough := "without a budget it takes as many as it needs"
	if f.chosen > 0 {
		enough = fmt.Sprintf("about %s would do for an effective sample of %d", roundUp(f.chosen+f.typicalRuns()), leastESS)
	}
	return budgetError{fmt.Sprintf("fit: a budget of %d runs is too small for pmmh: %d were made, and it needs %d more "+
		"to go on, with %d runs for each likelihood; %s; the method abc does with fewer",
		f.e.o.Budget, f.e.runs, runs, f.runs, enough)}
}

// typicalRuns is the typical number of runs, after the number for an estimate is chosen, until the
// effective size is leastESS.
func (f *pmmhFit) typicalRuns() int {
	steps := leastESS * typicalMixing * inefficiency(f.result.Variance)
	return f.runs * (leastEstimates + max(0, int(steps)-chainCount*blockSteps))
}

// typicalMixing is how many times the [inefficiency] grows because proposals are not drawn from the
// posterior. In 24 fits of seven models it was 0.6 to 4.1.
const typicalMixing = 3

// inefficiency is the number of steps of a chain per independent draw if proposals come from the
// posterior itself and the log likelihood estimate has variance v: the mean of 2/a − 1, where a is
// the probability to leave a state [PSGK12]. With normal noise, a is E[min(1, exp(w′ − w))], where
// w′ is N(−v/2, v) at the proposal and w is N(v/2, v) at the state.
//
// [PSGK12]: https://doi.org/10.1016/j.jeconom.2012.06.004
func inefficiency(v float64) float64 {
	if v = min(v, worstVariance); v == 0 {
		return 1
	}
	const cells, most = 400, 8.0 // midpoint rule over ±8 standard deviations
	s, sum := math.Sqrt(v), 0.0
	for i := range cells {
		z := most * (2*(float64(i)+0.5)/cells - 1)
		w := float64(v/2) + float64(s*z)
		leave := detmath.NormalCDF(-(w+float64(v/2))/s) + float64(detmath.Exp(-w)*detmath.NormalCDF((w-float64(v/2))/s))
		sum += float64(2 * most / cells * detmath.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * (2/leave - 1))
	}
	return sum
}

// runsNeeded is the number of runs an effective size of leastESS would take at the present rate.
func (f *pmmhFit) runsNeeded(samples [][][]float64, least float64) string {
	sampling := float64(len(samples) * len(samples[0]) * f.runs)
	return roundUp(f.e.runs + int(sampling*(leastESS/max(least, 1)-1)))
}

// roundUp formats a number rounded up to two significant digits.
func roundUp(n int) string {
	unit := 1
	for n > 100*unit {
		unit *= 10
	}
	return fmt.Sprint((n + unit - 1) / unit * unit)
}
