package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/fit/internal/rank"
	"github.com/almanac-sim/almanac/fit/internal/weight"
	"github.com/almanac-sim/almanac/internal/detmath"
)

// leastBudget is the least that a fit can take: one temperature of the cloud, one measurement of
// the variance, the fewest runs for an estimate, a warm-up and the first block.
const leastBudget = (cloudSize*(1+cloudSteps)+pilotPoints*pilotTimes)*cloudRuns + leastEstimates*fewestRuns

// leastEstimates is the number of estimates after the number of runs is chosen.
const leastEstimates = chainCount*(1+warmBlocks*warmSteps+blockSteps) + bestEstimates

// A shortage says that a budget has no room for that many more runs.
type shortage struct{ more int }

func (s shortage) Error() string { return fmt.Sprintf("fit: %d more runs", s.more) }

// checkBudget returns a shortage if the budget has no room for that many more runs.
func (f *pmmhFit) checkBudget(runs int) error {
	if f.e.o.Budget == 0 || f.e.runs+runs <= f.e.o.Budget {
		return nil
	}
	return shortage{runs}
}

// refusal says that the budget is too small, and which would do. That follows from the variance of
// the log likelihood; if it is not known yet, it is measured with what is left of the budget.
func (f *pmmhFit) refusal(ctx context.Context, short shortage) error {
	made, runs, enough, how := f.e.runs, f.runs, 0, ""
	if f.chosen > 0 {
		enough = f.chosen + f.typicalRuns()
	} else {
		if err := f.measure(ctx); err != nil {
			return err
		}
		if f.likely > 0 {
			temperatures := f.temperaturesLeft()
			how = fmt.Sprintf(", with %d runs for each likelihood, which its variance asks for, and %d more temperatures",
				f.likely, temperatures)
			before := made
			if made == 0 {
				before = cloudSize * cloudRuns
			}
			f.runs, f.result.Variance = f.likely, wantedVariance
			enough = before + temperatures*cloudSize*cloudSteps*cloudRuns +
				pilotPoints*pilotTimes*(cloudRuns+2*f.likely) + f.typicalRuns()
		}
	}
	least := f.e.o.Budget + f.e.o.Budget/2 // more than what was too small
	text := fmt.Sprintf("fit: a budget of %d runs is too small for pmmh: %d were made, and it needs %d more to go on, "+
		"with %d runs for each likelihood; ", f.e.o.Budget, made, short.more, runs)
	switch {
	case enough > 0:
		text += fmt.Sprintf("about %s would do for an effective sample of %d%s", roundUp(max(enough, least)), leastESS, how)
	case made == 0:
		text += fmt.Sprintf("that is the least, and a model may need many times as many: with a budget of %d or more it "+
			"measures how many, and without a budget it takes as many as it needs", measureBudget)
	default:
		text += "without a budget it takes as many as it needs"
	}
	return budgetError{text + "; the method abc does with fewer"}
}

// The variance is measured at the best points of the cloud so far, which are nearest to the
// posterior.
const (
	measurePoints = 4
	measureTimes  = 8 // estimates at each
	measureBudget = (cloudSize + measurePoints*measureTimes) * cloudRuns
)

// measure measures the variance of the log likelihood within what is left of the budget, if it is
// not known: at points of the cloud, or of the prior if there is no cloud yet.
func (f *pmmhFit) measure(ctx context.Context) error {
	if f.likely > 0 || f.cloud == nil && f.e.o.Budget < measureBudget {
		return nil
	}
	if f.cloud == nil {
		if err := f.drawCloud(ctx); err != nil {
			if errors.As(err, new(shortage)) {
				return nil
			}
			return err
		}
	}
	times := min(measureTimes, (f.e.o.Budget-f.e.runs)/(measurePoints*cloudRuns))
	if times < 2 {
		return nil
	}
	order := make([]int, len(f.cloud))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return rank.Compare(f.logs[b], f.logs[a]) })
	var points [][]float64
	for _, k := range order[:measurePoints] {
		points = append(points, f.cloud[k])
	}
	logs, err := f.likelihoods(ctx, "the variance of the likelihood", points, times)
	if err != nil {
		return err
	}
	f.expect(f.runs, pooledVariance(logs, measurePoints))
	return nil
}

// pooledVariance is the mean of the variances at the points; values has one value of each point,
// then the next of each. Points with infinite values are left out if they are at most a quarter;
// otherwise it is infinite.
func pooledVariance(values []float64, points int) float64 {
	sum, counted := 0.0, 0
	for k := range points {
		var own []float64
		for i := k; i < len(values); i += points {
			own = append(own, values[i])
		}
		if v := varianceOf(own); !math.IsInf(v, 1) {
			sum += v
			counted++
		}
	}
	if 4*counted < 3*points {
		return math.Inf(1)
	}
	return sum / float64(counted)
}

func varianceOf(v []float64) float64 {
	if slices.ContainsFunc(v, func(x float64) bool { return math.IsInf(x, 0) }) {
		return math.Inf(1)
	}
	mean, sum := 0.0, 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sum += float64((x - mean) * (x - mean))
	}
	return sum / float64(len(v)-1)
}

// expect notes how many runs of each estimate will probably be chosen if the log likelihood has
// that variance with some: it is about proportional to 1/runs.
func (f *pmmhFit) expect(runs int, variance float64) {
	if !math.IsInf(variance, 1) {
		f.likely = min(max(int(math.Ceil(float64(runs)*variance/wantedVariance)), fewestRuns), mostRuns)
	}
}

// temperaturesLeft is the number of temperatures to come until the power of the likelihood is 1, as
// it would be for a normal posterior. From the power b to rb, the effective share of the weights is
// (√(2r−1)/r)^d with d unknowns, and r is chosen so that it is a half.
func (f *pmmhFit) temperaturesLeft() int {
	beta, first := f.beta, 0
	if beta == 0 {
		beta, first = weight.PowerFor(f.logs, cloudSize/2, 1), 1
	}
	// √(2r−1)/r = s has the solution r = (1 + √(1−s²))/s².
	square := detmath.Exp(-2 * math.Ln2 / float64(len(f.e.problem.Unknowns)))
	ratio := (1 + math.Sqrt(1-square)) / square
	left := first
	for ; beta < 1 && left < coolings; beta *= ratio {
		left++
	}
	return left
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
