package static

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Least squares by repeated weighting, so that a width at which something else had the machine does
// not bend the rest: first with Huber's weights, which have one solution, then from there with
// Tukey's, which leave out what is far off. Constants are the usual ones, which lose 5 % where
// errors are normal [HR09].
//
// [HR09]: Huber and Ronchetti, Robust statistics, second edition, Wiley 2009, chapter 7.

const (
	huberAt   = 1.345
	tukeyAt   = 4.685
	mostTurns = 50
)

// robust finds the three factors, zero if not in use, for which the columns of rows best add up to
// target, and their standard errors.
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

// scaleOf is the standard deviation of the residuals as their median has it, which outliers do not
// change. As many residuals as there are factors are nearly zero by the fit itself, and left out.
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

var errTooAlike = errors.New("static: the widths are too much alike to tell the costs apart")

// columnSizes are the norms of the columns, by which they are divided: seconds per event are small
// numbers.
func columnSizes(rows [][3]float64) (sizes [3]float64) {
	for _, row := range rows {
		for k := range sizes {
			sizes[k] = math.Hypot(sizes[k], row[k])
		}
	}
	return sizes
}

// standardErrors are those of a fit with Tukey's weights: (AᵀA)⁻¹ times the mean square of ψ over
// the square of the mean of ψ′.
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
