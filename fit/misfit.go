package fit

import "math"

// A trial is a point that is evaluated by runs with the same seeds as other trials.
//
// Its misfit is the negative log likelihood of the data given the expected trajectory, −log p(y |
// E[trajectory]).
//
// It is not the expectation E[−log p(y | trajectory)] over runs. That grows with the variance of
// the runs about their mean, so its minimum is where the model varies least, not at the truth: for
// a normal law with standard deviation s it is too large by Var[trajectory]/2s² at every row. Given
// the expected trajectory, the Poisson law, the negative binomial law with a given dispersion and
// the normal law with a given standard deviation are linear exponential families: the misfit,
// averaged over data, is least where the expected trajectory is the true one, whatever the
// distribution of the runs [GMT84]. A normal law whose deviation is a share of the mean is not one
// of them; its minimum is off by the order of Var[trajectory]/mean².
//
// The misfit ignores how probable a trajectory is. Unknowns that affect only the variance are not
// identified, and in small populations, where an outbreak may or may not occur, the expected
// trajectory describes none well. The methods abc and pmmh are for those.
//
// With K runs, the plug-in estimate from their mean is too large by a term of order 1/K, because
// −log p is convex in the mean. The jackknife [Quenouille56] removes it, here to second order in
// the deviation of a run from the mean: the misfit is the mean of K pseudo-values, and their spread
// gives its error. For a normal law this is the exact jackknife. For counts the exact jackknife
// fails where a mean comes from few runs, because the mean without them may be near 0, while the
// second-order term is at most half the count: the relative error of a mean of non-negative numbers
// is at most 1. No misfit is below that of the saturated model, whose means are the data.
// Pseudo-values of runs with the same seeds at two points are compared in pairs.
//
// [GMT84]: https://doi.org/10.2307/1913471
// [Quenouille56]: https://doi.org/10.1093/biomet/43.3-4.353
type trial struct {
	z            []float64
	laws         []Law
	trajectories [][]float64 // expected reports of each run at the observations, column by column
	impossible   bool        // there is no model at this point

	pseudo []float64 // pseudo-values of the first runs
	bias   float64   // misfit of the mean trajectory minus the mean of pseudo
}

// add adds the trajectory of another run.
func (t *trial) add(p *Problem, course Trajectory) {
	t.laws = t.laws[:0]
	for _, r := range course.Columns {
		t.laws = append(t.laws, r.Law)
	}
	var means []float64
	for _, y := range p.observations() {
		means = append(means, course.Columns[y.column].Mean[y.row])
	}
	t.trajectories = append(t.trajectories, means)
}

// pseudoValues returns the pseudo-values of the misfit from the first k runs.
func (t *trial) pseudoValues(p *Problem, k int) []float64 {
	if len(t.pseudo) != k {
		t.pseudo, t.bias = p.pseudoValues(t.laws, t.trajectories[:k])
	}
	return t.pseudo
}

// misfit is the estimate from all runs and its standard error: +∞ where there is no model, and an
// error of 0 from one run.
func (t *trial) misfit(p *Problem) (value, err float64) {
	if t.impossible {
		return math.Inf(1), 0
	}
	return meanAndError(t.pseudoValues(p, len(t.trajectories)))
}

// correction is the misfit of the mean trajectory minus the estimate: half the variance of the
// mean, in units of the law's. A minimum over d unknowns found with these runs differs from the
// true one by the share of it that d of the observations have.
func (t *trial) correction(p *Problem) float64 {
	if t.impossible || len(t.trajectories) < 2 {
		return 0
	}
	t.pseudoValues(p, len(t.trajectories))
	return max(t.bias, 0)
}

// meanAndError is the mean and its standard error, 0 for a single value.
func meanAndError(v []float64) (mean, err float64) {
	n := float64(len(v))
	for _, x := range v {
		mean += x / n
	}
	if len(v) < 2 {
		return mean, 0
	}
	return mean, math.Sqrt(varianceOf(v) / n)
}

// pseudoValues returns f + f′·d − f″·d²/2(K−1) for each run, where d is its deviation from the mean
// of all K and f the misfit, with derivatives in the mean, summed over the data. bias is the misfit
// of the mean trajectory minus the mean of the pseudo-values.
func (p *Problem) pseudoValues(laws []Law, courses [][]float64) (values []float64, shifted float64) {
	k := float64(len(courses))
	values = make([]float64, len(courses))
	whole, least := 0.0, 0.0
	for i, y := range p.observations() {
		mean := 0.0
		for _, c := range courses {
			mean += c[i] / k
		}
		l := p.law(laws[y.column], y.column, y.row)
		whole += negLogDensity(l, y.value, mean, k)
		least += saturated(l, y.value)
		if len(courses) == 1 || belowFloor(l, y.value, mean, k) {
			continue // a single run, or a floored mean: no correction
		}
		slope, bend := derivatives(l, y.value, mean)
		for r, c := range courses {
			d := c[i] - mean
			values[r] += float64(slope*d) - bend*d*d/(2*(k-1))
		}
	}
	for _, v := range values {
		shifted -= v / k
	}
	lift := 0.0
	if least > whole-shifted {
		lift = least - (whole - shifted)
	}
	for r := range values {
		values[r] += whole + lift
	}
	return values, shifted - lift
}

// derivatives are the first two derivatives of −log p(y | mean) in the mean.
func derivatives(l Law, y, mean float64) (first, second float64) {
	switch {
	case l.Counts() && mean == 0: // none expected, none observed
		return 0, 0
	case l.Family == Poisson:
		return 1 - y/mean, y / (mean * mean)
	case l.Family == Binomial && mean >= l.Arg: // all expected, all observed
		return 0, 0
	case l.Family == Binomial:
		rest := l.Arg - mean
		return (l.Arg-y)/rest - y/mean, y/(mean*mean) + (l.Arg-y)/(rest*rest)
	case l.Family == NegativeBinomial:
		q := (l.Arg + y) / (l.Arg + mean)
		return q - y/mean, y/(mean*mean) - q/(l.Arg+mean)
	case !l.Relative:
		return (mean - y) / (l.Arg * l.Arg), 1 / (l.Arg * l.Arg)
	case mean == 0:
		return 0, 0
	}
	r, v := y/mean, l.Arg*l.Arg
	return (1 - r*(r-1)/v) / mean, ((float64(3*r*r)-float64(2*r))/v - 1) / (mean * mean)
}

// saturated is the least −log p(y | mean) over all means; −∞ for a measurement of 0 whose error is
// a share of the mean.
func saturated(l Law, y float64) float64 {
	mean := y
	if l.Family == Gaussian && l.Relative {
		if y == 0 {
			return math.Inf(-1)
		}
		mean = y * 2 / (1 + math.Sqrt(1+float64(4*l.Arg*l.Arg))) // where the first derivative is 0
	}
	return -l.LogDensity(y, mean)
}

// negLogDensity is −log p(y | mean). A mean of few runs may be 0 where reports were observed, which
// would exclude the point for good. A mean below half a report in K runs is therefore raised to
// that if y is positive.
func negLogDensity(l Law, y, mean, k float64) float64 {
	if belowFloor(l, y, mean, k) {
		full := mean > l.Arg/2
		mean = 0.5 / k
		if l.Family == Binomial {
			mean = min(mean, l.Arg/2)
			if full { // all are expected, and fewer were observed
				mean = l.Arg - mean
			}
		}
	}
	return -l.LogDensity(y, mean)
}

// belowFloor reports whether negLogDensity raises the mean of K runs; or lowers it, if a binomial
// law expects all and fewer were observed.
func belowFloor(l Law, y, mean, k float64) bool {
	if l.Family == Binomial && y < l.Arg && mean > l.Arg-0.5/k {
		return true
	}
	return y > 0 && (l.Counts() || l.Relative) && mean < 0.5/k
}
