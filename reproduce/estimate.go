package reproduce

import "math"

// Sigmas is how many standard errors a mean may be off. Chance alone goes further once in 150 000
// checks where the standard error is known; with Student's distribution once in 17 000 for 40
// batches, in 10 000 for 30, and in 4000 for 20.
const Sigmas = 4.5

// An Estimate is a mean and its standard error.
type Estimate struct {
	Mean, SE float64
	// One is the contribution of a single counted thing to the mean, for counts that may be too few
	// for batches to give the standard error.
	One float64
}

// Mean estimates the mean of independent numbers.
func Mean(x []float64) Estimate {
	n := float64(len(x))
	mean, squares := 0.0, 0.0
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return Estimate{Mean: mean, SE: math.Sqrt(squares / (n - 1) / n)}
}

// BatchMeans estimates the mean from the means of successive batches of one run. If batches are
// correlated, as with heavy tails, the standard error is increased by their autocorrelations, up to
// the first that is not positive (Geyer's initial positive sequence).
func BatchMeans(x []float64) Estimate {
	n := float64(len(x))
	mean := 0.0
	for _, v := range x {
		mean += v / n
	}
	squares := products(x, mean, 0)
	if squares == 0 {
		return Estimate{Mean: mean}
	}
	grows := 1.0
	for lag := 1; lag <= len(x)/2; lag++ {
		p := products(x, mean, lag)
		if p <= 0 {
			break
		}
		grows += 2 * p / squares
	}
	return Estimate{Mean: mean, SE: math.Sqrt(squares / (n * (n - 1)) * grows)}
}

// products adds up the products of deviations from the mean, some batches apart.
func products(x []float64, mean float64, lag int) float64 {
	sum := 0.0
	for i, v := range x[lag:] {
		sum += (v - mean) * (x[i] - mean)
	}
	return sum
}

// Minus returns the difference of two independent estimates.
func (e Estimate) Minus(o Estimate) Estimate {
	return Estimate{Mean: e.Mean - o.Mean, SE: math.Hypot(e.SE, o.SE)}
}

// Outside returns how many standard errors an estimate lies outside of bounds, 0 within them. If
// the lower bound is true, at least that many things are expected, and their number has at least
// the square root of that as its standard deviation; so counting none where three are expected is
// not significant, even if all batches agree.
func (e Estimate) Outside(low, high float64) float64 {
	off := max(low-e.Mean, e.Mean-high)
	se := max(e.SE, math.Sqrt(max(0, low)*e.One))
	switch {
	case !(off > 0):
		return 0
	case se == 0:
		return far
	}
	return off / se
}

// far is a number of standard errors, where there is no error.
const far = 1e9

// Off returns how many standard errors an estimate is off a number, beyond a distance that is
// allowed.
func (e Estimate) Off(want, allowed float64) float64 { return e.Outside(want-allowed, want+allowed) }

// Above returns 1 if x is above y and 0 otherwise, to be added to a count.
func Above(x, y float64) int {
	if x > y {
		return 1
	}
	return 0
}
