// Package matrix has the linear algebra of proposals: covariances and their Cholesky factors. It is
// not gonum's, whose sums have another order on each kind of machine.
package matrix

import (
	"math"
)

// Covariance is the covariance of points whose weights add up to 1.
func Covariance(points [][]float64, weights []float64) [][]float64 {
	d, mean := len(points[0]), Mean(points, weights)
	c := make([][]float64, d)
	for j := range c {
		c[j] = make([]float64, d)
		for k := range j + 1 {
			for i, p := range points {
				c[j][k] += float64(weights[i] * (p[j] - mean[j]) * (p[k] - mean[k]))
			}
			c[k][j] = c[j][k]
		}
	}
	return c
}

// Cholesky returns L with LLᵀ = factor·c. A direction without variance gets a thousandth of the
// standard deviation of that coordinate, or of the prior's, so that L is never singular.
func Cholesky(c [][]float64, factor float64) [][]float64 {
	d := len(c)
	l := make([][]float64, d)
	for j := range d {
		l[j] = make([]float64, d)
		for k := range j + 1 {
			s := c[j][k] * factor
			for i := range k {
				s -= float64(l[j][i] * l[k][i])
			}
			if j > k {
				l[j][k] = s / l[k][k]
			} else {
				l[j][j] = math.Sqrt(math.Max(s, float64(1e-6*c[j][j]*factor)+1e-12))
			}
		}
	}
	return l
}

// Solve returns L⁻¹z.
func Solve(l [][]float64, z []float64) []float64 {
	x := make([]float64, len(z))
	for i := range z {
		s := z[i]
		for j := range i {
			s -= float64(l[i][j] * x[j])
		}
		x[i] = s / l[i][i]
	}
	return x
}

// SquaredNorm is Σz².
func SquaredNorm(z []float64) (s float64) {
	for _, x := range z {
		s += float64(x * x)
	}
	return s
}

// Mean is the mean of points whose weights add up to 1.
func Mean(points [][]float64, weights []float64) []float64 {
	mean := make([]float64, len(points[0]))
	for k, z := range points {
		for i, v := range z {
			mean[i] += float64(weights[k] * v)
		}
	}
	return mean
}

// Factorize returns the Cholesky factor of a symmetric matrix, and false if it is not positive
// definite.
func Factorize(c [][]float64) ([][]float64, bool) {
	l := make([][]float64, len(c))
	for i := range c {
		l[i] = make([]float64, len(c))
		for j := range i + 1 {
			s := c[i][j]
			for k := range j {
				s -= float64(l[i][k] * l[j][k])
			}
			switch {
			case j < i:
				l[i][j] = s / l[j][j]
			case !(s > 0) || math.IsInf(s, 1):
				return nil, false
			default:
				l[i][i] = math.Sqrt(s)
			}
		}
	}
	return l, true
}

// Identity is the d×d identity matrix.
func Identity(d int) [][]float64 {
	m := make([][]float64, d)
	for i := range m {
		m[i] = make([]float64, d)
		m[i][i] = 1
	}
	return m
}
