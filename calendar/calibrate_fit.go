package calendar

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// goodMisfit is up to which root mean square of relative errors the costs are said to fit. Repetitions on a machine that
// others use are 5 to 10 % apart, so less would refuse what is noise. And as much is harmless: b is known from the narrow widths
// and c from the wide ones, where they are nearly all of the time; if both are wrong by 15 %, in opposite ways, so is
// δ_opt, and with b = c = d an event takes 0.4 % more than the least, since the curve is flat there.
const goodMisfit = 0.15

// leastCost is what stands for a cost that came out as less, or negative, so that δ_opt exists: a picosecond, in which nothing is done.
const leastCost = 1e-12

// fitCalibration finds the costs that describe the times best.
func fitCalibration(n int, d Discipline, points []CalibrationPoint) (*Calibration, error) {
	for _, p := range points {
		if err := positive("a time measured", p.Measured); err != nil {
			return nil, err
		}
	}
	c := &Calibration{N: n, Discipline: d, Points: points}
	rows, ones := relativeRows(n, points), slices.Repeat([]float64{1}, len(points))
	use := []int{0, 1, 2}
	costs, stdErr, err := robust(rows, ones, use)
	var why []string
	// A cost that is not positive, but for rounding, is no cost: the others are fitted without it, the most negative one first.
	for err == nil && len(use) > 1 {
		worst := slices.MinFunc(use, func(i, j int) int { return compareCosts(costs[i], costs[j]) })
		if costs[worst] > leastCost {
			break
		}
		why = append(why, fmt.Sprintf("%s came out as %.3g ns", [3]string{"b", "c", "d"}[worst], costs[worst]*1e9))
		use = slices.DeleteFunc(use, func(i int) bool { return i == worst })
		costs, stdErr, err = robust(rows, ones, use)
	}
	if err != nil {
		return nil, err
	}
	c.Costs = Costs{max(costs[0], leastCost), max(costs[1], leastCost), max(costs[2], 0)}
	c.StdErr = Costs{stdErr[0], stdErr[1], stdErr[2]}
	c.judge(why)
	return c, nil
}

func compareCosts(a, b float64) int {
	if a < b {
		return -1
	}
	return 1
}

// relativeRows are, for each point, how often each cost occurs, over the time measured: least squares on these against ones weighs
// each point by 1/measured², so that errors count in per cent.
func relativeRows(n int, points []CalibrationPoint) [][3]float64 {
	rows := make([][3]float64, len(points))
	for i, p := range points {
		empty, entries := p.steps(n)
		rows[i] = [3]float64{empty / p.Measured, entries / p.Measured, 1 / p.Measured}
	}
	return rows
}

// steps is how many empty buckets are visited and entries looked at for each event: the function h of section A.5; and, with
// the number of buckets that there are, the entries of later years, which are (1+x)/x·L_M by Lemma 3.1, where
// L_M = x/(e^(Mδ/μ)−1) for exponential jumps (Corollary 3.1).
func (p CalibrationPoint) steps(n int) (empty, entries float64) {
	empty, entries = perEvent(n, 1, p.Width)
	if p.Buckets > 0 {
		entries += (1 + p.X) / math.Expm1(float64(p.Buckets)*p.Width)
	}
	return empty, entries
}

// judge compares what was measured with what the costs predict.
func (c *Calibration) judge(why []string) {
	squares := 0.0
	c.BestTime = math.Inf(1)
	for i := range c.Points {
		p := &c.Points[i]
		empty, entries := p.steps(c.N)
		p.Predicted = c.Costs.Empty*empty + c.Costs.Entry*entries + c.Costs.Fixed
		off := (p.Measured - p.Predicted) / p.Measured
		squares += off * off
		if p.Measured < c.BestTime {
			c.BestX, c.BestTime = p.X, p.Measured
		}
	}
	c.Misfit = math.Sqrt(squares / float64(len(c.Points)))
	c.PredictedX = math.Sqrt(2 * c.Costs.Empty / c.Costs.Entry)
	c.PredictedTime = c.Costs.Entry + math.Sqrt(2*c.Costs.Empty*c.Costs.Entry) + c.Costs.Fixed
	c.Off = timeAt(c.Points, c.PredictedX)/c.BestTime - 1
	if c.Misfit > goodMisfit {
		why = append(why, fmt.Sprintf("times and predictions are %.0f %% apart", 100*c.Misfit))
	}
	c.Fits, c.Why = len(why) == 0, strings.Join(why, "; ")
}

// timeAt is the time measured at a width: between two points straight on logarithmic scales, beyond them that of the last.
func timeAt(points []CalibrationPoint, x float64) float64 {
	i, found := slices.BinarySearchFunc(points, x, func(p CalibrationPoint, x float64) int {
		if p.X == x {
			return 0
		}
		return compareCosts(p.X, x)
	})
	switch {
	case found:
		return points[i].Measured
	case i == 0:
		return points[0].Measured
	case i == len(points):
		return points[i-1].Measured
	}
	a, b := points[i-1], points[i]
	share := math.Log(x/a.X) / math.Log(b.X/a.X)
	return math.Exp((1-share)*math.Log(a.Measured) + share*math.Log(b.Measured))
}

// Least squares by repeated weighting, so that a width at which something else had the machine does not bend the rest: first
// with Huber's weights, which have one solution, then from there with Tukey's, which leave out what is far off. Constants are the
// usual ones, which lose 5 % where errors are normal [HR09].
//
// [HR09]: Huber and Ronchetti, Robust statistics, second edition, Wiley 2009, chapter 7.

const (
	huberAt   = 1.345
	tukeyAt   = 4.685
	mostTurns = 50
)

// robust finds the three factors, zero if not in use, for which the columns of rows best add up to target, and their standard errors.
func robust(rows [][3]float64, target []float64, use []int) (factors, stdErr [3]float64, err error) {
	weights := slices.Repeat([]float64{1}, len(rows))
	if factors, err = weighted(rows, target, weights, use); err != nil {
		return factors, stdErr, err
	}
	for _, weigh := range []func(u float64) float64{huber, tukey} {
		for range mostTurns {
			residuals := residuals(rows, target, factors)
			scale := scaleOf(residuals, len(use))
			if scale < 1e-12 { // exact, since targets are about 1
				return factors, stdErr, nil
			}
			for i, r := range residuals {
				weights[i] = weigh(r / scale)
			}
			old := factors
			if factors, err = weighted(rows, target, weights, use); err != nil {
				return factors, stdErr, err
			}
			if closeTo(old, factors) {
				break
			}
		}
	}
	stdErr, err = standardErrors(rows, residuals(rows, target, factors), use)
	return factors, stdErr, err
}

func huber(u float64) float64 { return min(1, huberAt/math.Abs(u)) }

func tukey(u float64) float64 {
	t := max(0, 1-u*u/(tukeyAt*tukeyAt))
	return t * t
}

// closeTo reports whether another turn would change nothing that matters.
func closeTo(a, b [3]float64) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-9*math.Abs(b[i]) {
			return false
		}
	}
	return true
}

func residuals(rows [][3]float64, target []float64, factors [3]float64) []float64 {
	all := make([]float64, len(rows))
	for i, row := range rows {
		all[i] = target[i] - row[0]*factors[0] - row[1]*factors[1] - row[2]*factors[2]
	}
	return all
}

// scaleOf is the standard deviation of the residuals as their median has it, which outliers do not change. As many residuals as
// there are factors are nearly zero by the fit itself, and left out.
func scaleOf(residuals []float64, factors int) float64 {
	sizes := make([]float64, len(residuals))
	for i, r := range residuals {
		sizes[i] = math.Abs(r)
	}
	slices.Sort(sizes)
	sizes = sizes[min(factors, len(sizes)-1):]
	return sizes[len(sizes)/2] / 0.6745
}

// weighted is linear least squares with weights, by QR.
func weighted(rows [][3]float64, target, weights []float64, use []int) (factors [3]float64, err error) {
	a, b := mat.NewDense(len(rows), len(use), nil), mat.NewVecDense(len(rows), nil)
	scale := columnSizes(rows)
	for i, row := range rows {
		w := math.Sqrt(weights[i])
		for k, column := range use {
			a.Set(i, k, w*row[column]/scale[column])
		}
		b.SetVec(i, w*target[i])
	}
	var qr mat.QR
	qr.Factorize(a)
	var x mat.VecDense
	if err := qr.SolveVecTo(&x, false, b); err != nil {
		return factors, errTooAlike
	}
	for k, column := range use {
		factors[column] = x.AtVec(k) / scale[column]
	}
	return factors, nil
}

var errTooAlike = errors.New("calendar: the widths are too much alike to tell the costs apart")

// columnSizes are the norms of the columns, by which they are divided: seconds per event are small numbers.
func columnSizes(rows [][3]float64) (sizes [3]float64) {
	for _, row := range rows {
		for k := range sizes {
			sizes[k] = math.Hypot(sizes[k], row[k])
		}
	}
	return sizes
}

// standardErrors are those of a fit with Tukey's weights: (AᵀA)⁻¹ times the mean square of ψ over the square of the mean of ψ′.
func standardErrors(rows [][3]float64, residuals []float64, use []int) (stdErr [3]float64, err error) {
	scale := scaleOf(residuals, len(use))
	squares, slope := 0.0, 0.0
	for _, r := range residuals {
		u := r / scale
		squares += math.Pow(u*tukey(u), 2)
		if t := 1 - u*u/(tukeyAt*tukeyAt); t > 0 {
			slope += t * (t - 4*u*u/(tukeyAt*tukeyAt))
		}
	}
	n := float64(len(rows))
	slope = max(slope/n, 0.1) // below that the residuals are not those of any fit
	variance := scale * scale * squares / max(1, n-float64(len(use))) / (slope * slope)

	sizes := columnSizes(rows)
	gram := mat.NewSymDense(len(use), nil)
	for _, row := range rows {
		for k, i := range use {
			for l := k; l < len(use); l++ {
				gram.SetSym(k, l, gram.At(k, l)+row[i]/sizes[i]*row[use[l]]/sizes[use[l]])
			}
		}
	}
	var cholesky mat.Cholesky
	var inverse mat.SymDense
	if !cholesky.Factorize(gram) || cholesky.InverseTo(&inverse) != nil {
		return stdErr, errTooAlike
	}
	for k, i := range use {
		stdErr[i] = math.Sqrt(variance*inverse.At(k, k)) / sizes[i]
	}
	return stdErr, nil
}
