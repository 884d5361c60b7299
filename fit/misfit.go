package fit

import "math"

// The misfit of a point is the negative log likelihood of the data given the expected course of the model there, −log p(y | E[course]).
//
// It is not the expectation E[−log p(y | course)] over runs, which grows with the scatter of the runs about their mean, and so has its
// minimum where the model scatters least, not where it is true: for a normal law with standard
// deviation s it is too large by Var[course]/2s² at every row. With the expected course in place of
// a course, Poisson's law, the negative binomial one with a given dispersion and the normal one
// with a given standard deviation are linear exponential families: the misfit, averaged over data,
// is least where the expected course is that of the truth, whatever the law of the runs [GMT84]. A
// normal law whose deviation is a share of the mean is not one of them, and its minimum is off by
// the order of Var[course]/mean².
//
// What it does not see is the likelihood's other half, how probable a course is: unknowns that act
// on the scatter alone are not found, and for small populations, in which an outbreak comes or
// fails to come, the expected course is a poor description of any. The methods abc and pmmh are for
// those.
//
// With K runs, the plain estimate from their mean is too large by a term of order 1/K, since −log p
// is convex in the mean. The jackknife [Quenouille56] takes it away, here to second order in how
// far a run is from the mean: the misfit is the mean of K pseudo-values, whose scatter is its
// error. For a normal law that is the jackknife itself; for counts the jackknife proper goes astray
// where a mean comes from few runs, as what is left without them may be next to 0, while the term
// of second order is at most half of what was counted: means of numbers that are not negative have
// a relative error of 1 at most. No misfit is below that of the saturated model, whose means are
// the data. Pseudo-values of runs with the same seeds at two points are compared in pairs.
//
// [GMT84]: https://doi.org/10.2307/1913471
// [Quenouille56]: https://doi.org/10.1093/biomet/43.3-4.353

// A trial is a point that is being tried, by runs with the same seeds as other trials have.
type trial struct {
	z            []float64
	laws         []Law
	trajectories [][]float64 // what each run would report where something was seen, column after column
	impossible   bool        // there is no model here

	pseudo []float64 // pseudo-values of the first runs
	bias   float64   // by how much their mean is below the misfit of the mean course
}

// add takes the course of one more run.
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

// pseudoValues are the pseudo-values of the misfit from the first k runs.
func (t *trial) pseudoValues(p *Problem, k int) []float64 {
	if len(t.pseudo) != k {
		t.pseudo, t.bias = p.pseudoValues(t.laws, t.trajectories[:k])
	}
	return t.pseudo
}

// misfit is the estimate from all runs, and its standard error: +∞ where there is no model, and an
// error of 0 from one run.
func (t *trial) misfit(p *Problem) (value, err float64) {
	if t.impossible {
		return math.Inf(1), 0
	}
	return meanAndError(t.pseudoValues(p, len(t.trajectories)))
}

// correction is by how much the misfit of the mean of the runs is above the estimate: half the scatter of
// the mean, in units of the law's. A minimum over d unknowns that was found with these runs is away
// from that of the expectation by what d of the seen numbers have of it.
func (t *trial) correction(p *Problem) float64 {
	if t.impossible || len(t.trajectories) < 2 {
		return 0
	}
	t.pseudoValues(p, len(t.trajectories))
	return max(t.bias, 0)
}

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

// pseudoValues are f + f′·d − f″·d²/2(K−1) for each run, d being how far it is from the mean of all
// K, and f the misfit with its derivatives by the mean, summed over the data; and by how much their
// mean is below the misfit of the mean course.
func (p *Problem) pseudoValues(laws []Law, courses [][]float64) (values []float64, shifted float64) {
	k := float64(len(courses))
	values = make([]float64, len(courses))
	whole, least := 0.0, 0.0
	for i, y := range p.observations() {
		mean := 0.0
		for _, c := range courses {
			mean += c[i] / k
		}
		l := laws[y.column]
		whole += negLogDensity(l, y.value, mean, k)
		least += saturated(l, y.value)
		if len(courses) == 1 || belowFloor(l, y.value, mean, k) {
			continue // one run, or what is taken for a mean: there is nothing to correct it by
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

// derivatives are the first two derivatives of −log p(y | mean) by the mean.
func derivatives(l Law, y, mean float64) (first, second float64) {
	switch {
	case l.Counts() && mean == 0: // nothing came, nor was anything seen
		return 0, 0
	case l.Family == Poisson:
		return 1 - y/mean, y / (mean * mean)
	case l.Family == NegativeBinomial:
		q := (l.Arg + y) / (l.Arg + mean)
		return q - y/mean, y/(mean*mean) - q/(l.Arg+mean)
	case !l.Share:
		return (mean - y) / (l.Arg * l.Arg), 1 / (l.Arg * l.Arg)
	case mean == 0:
		return 0, 0
	}
	r, v := y/mean, l.Arg*l.Arg
	return (1 - r*(r-1)/v) / mean, ((float64(3*r*r)-float64(2*r))/v - 1) / (mean * mean)
}

// saturated is the least −log p(y | mean) over all means. There is none for what is measured as 0 with an error that is a share of the mean.
func saturated(l Law, y float64) float64 {
	mean := y
	if l.Family == Gaussian && l.Share {
		if y == 0 {
			return math.Inf(-1)
		}
		mean = y * 2 / (1 + math.Sqrt(1+float64(4*l.Arg*l.Arg))) // where the first derivative is 0
	}
	return -l.LogDensity(y, mean)
}

// negLogDensity is −log p(y | mean). A mean of few runs may be 0 where something was seen, which would rule out the point for good; what was
// seen nowhere in K runs is taken to be half a report in K, and no less where a report came.
func negLogDensity(l Law, y, mean, k float64) float64 {
	if belowFloor(l, y, mean, k) {
		mean = 0.5 / k
	}
	return -l.LogDensity(y, mean)
}

// belowFloor reports whether a mean of K runs is below what is taken for one.
func belowFloor(l Law, y, mean, k float64) bool {
	return y > 0 && (l.Counts() || l.Share) && mean < 0.5/k
}
