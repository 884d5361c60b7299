package fit

import (
	"errors"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// leastBudget is what is needed if all goes well: one temperature of the cloud, one look at the
// variance, the fewest runs for an estimate, a warm-up and the first block of steps that count.
const leastBudget = (cloudSize*(1+cloudSteps)+pilotPoints*pilotTimes)*cloudRuns + leastEstimates*fewestRuns

// leastEstimates are those that follow when the number of runs for each is chosen.
const leastEstimates = chainCount*(1+warmBlocks*warmSteps+blockSteps) + bestEstimates

// afford reports whether a budget that was asked for has room for so many runs. How many would do
// follows from the variance of the log likelihood; until that is known, nobody can say.
func (f *pmmhFit) afford(runs int) error {
	need := f.e.runs + runs
	if f.e.o.Budget == 0 || need <= f.e.o.Budget {
		return nil
	}
	enough := "without a budget it takes as many as it needs"
	if f.chosen > 0 {
		enough = fmt.Sprintf("about %s would do for an effective sample of %d", roundUp(f.chosen+f.usual()), leastESS)
	}
	return budgetError{fmt.Sprintf("fit: a budget of %d runs is too small for pmmh: %d were made, and it needs %d more "+
		"to go on, with %d runs for each likelihood; %s; the method abc does with fewer",
		f.e.o.Budget, f.e.runs, runs, f.runs, enough)}
}

// ErrBudget is what an error is, by [errors.Is], if the budget is too small for the method. Its
// text says what would do.
var ErrBudget = errors.New("fit: the budget is too small")

// A budgetError says how.
type budgetError struct{ text string }

func (e budgetError) Error() string        { return e.text }
func (e budgetError) Is(target error) bool { return target == ErrBudget }

// usual is how many runs are usually made from when their number for an estimate is chosen until
// the effective size is leastESS.
func (f *pmmhFit) usual() int {
	steps := leastESS * usualMixing * inefficiency(f.result.Variance)
	return f.runs * (leastEstimates + max(0, int(steps)-chainCount*blockSteps))
}

// usualMixing is how many times as many steps as by [inefficiency] count as one: what it adds that
// proposals are not drawn from the posterior. By seven models and 24 fits it is 0.6 to 4.1.
const usualMixing = 3

// inefficiency is how many steps of a chain count as one if proposals come from the posterior
// itself, and the logarithm of the likelihood has such a variance: the mean of 2/a − 1, a being the
// probability to leave a state [PSGK12]. With normal noise w that a is E[min(1, exp(w′ − w))], w′
// being N(−v/2, v) where it is proposed, and w N(v/2, v) where the chain stands.
//
// [PSGK12]: https://doi.org/10.1016/j.jeconom.2012.06.004
func inefficiency(v float64) float64 {
	if v = min(v, worstVariance); v == 0 {
		return 1
	}
	const cells, most = 400, 8.0 // the middles of cells between so many standard deviations
	s, sum := math.Sqrt(v), 0.0
	for i := range cells {
		z := most * (2*(float64(i)+0.5)/cells - 1)
		w := float64(v/2) + float64(s*z)
		leave := detmath.NormalCDF(-(w+float64(v/2))/s) + float64(detmath.Exp(-w)*detmath.NormalCDF((w-float64(v/2))/s))
		sum += float64(2 * most / cells * detmath.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * (2/leave - 1))
	}
	return sum
}

// wouldTake is how many runs an effective size of leastESS would take, if the chains go on as they
// did.
func (f *pmmhFit) wouldTake(samples [][][]float64, least float64) string {
	sampling := float64(len(samples) * len(samples[0]) * f.runs)
	return roundUp(f.e.runs + int(sampling*(leastESS/max(least, 1)-1)))
}

// roundUp writes a number with two digits that are not 0, rounded up.
func roundUp(n int) string {
	unit := 1
	for n > 100*unit {
		unit *= 10
	}
	return fmt.Sprint((n + unit - 1) / unit * unit)
}
