package fit

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// An evolution is the covariance matrix adaptation evolution strategy, CMA-ES, as [Hansen16] has
// it: points are drawn from a normal law, and its mean, covariance and step follow the better half
// of them. It is written as ask and tell: a generation of points is asked for, they are tried
// wherever there is room, and what they gave is told. It depends on its stream and on what it is
// told alone.
//
// It is not gonum's CmaEsChol, whose points do not follow its step: see TestEvolution.
//
// [Hansen16]: https://arxiv.org/abs/1604.00772
type evolution struct {
	stream random.Stream
	mean   []float64
	step   float64 // σ
	cov    [][]float64
	pc, ps []float64 // the evolution paths, of the covariance and of the step
	age    int       // generations that were told

	weights                  []float64 // of the better half, best first
	mass                     float64   // μ_eff: how many equal weights they are worth
	cc, cs, c1, cmu, damping float64
	chi                      float64 // E‖N(0, I)‖

	normals, moves [][]float64 // of the generation that was asked for: z and y = Lz, so that x = mean + σy
}

// newEvolution begins at a mean, with covariance step²·I.
func newEvolution(mean []float64, step float64, size int, stream random.Stream) *evolution {
	d := len(mean)
	n := float64(d)
	e := &evolution{stream: stream, mean: slices.Clone(mean), step: step, cov: identity(d),
		pc: make([]float64, d), ps: make([]float64, d), weights: make([]float64, size/2)}
	sum, squares := 0.0, 0.0
	for i := range e.weights {
		e.weights[i] = detmath.Log(float64(size+1)/2) - detmath.Log(float64(i+1))
		sum += e.weights[i]
	}
	for i := range e.weights {
		e.weights[i] /= sum
		squares += float64(e.weights[i] * e.weights[i])
	}
	// Equations 49 to 58 and table 1 of [Hansen16], without negative weights.
	e.mass = 1 / squares
	e.cc = (4 + e.mass/n) / (n + 4 + 2*e.mass/n)
	e.cs = (e.mass + 2) / (n + e.mass + 5)
	e.c1 = 2 / (float64((n+1.3)*(n+1.3)) + e.mass)
	e.cmu = min(1-e.c1, 2*(e.mass-2+1/e.mass)/(float64((n+2)*(n+2))+e.mass))
	e.damping = 1 + 2*max(0, math.Sqrt((e.mass-1)/(n+1))-1) + e.cs
	e.chi = math.Sqrt(n) * (1 - 1/(4*n) + 1/(21*n*n))
	return e
}

// ask draws a generation.
func (e *evolution) ask(size int) ([][]float64, error) {
	lower, ok := factorize(e.cov)
	if !ok {
		return nil, fmt.Errorf("fit: the covariance of the search is no longer positive definite after %d generations", e.age)
	}
	e.normals, e.moves = make([][]float64, size), make([][]float64, size)
	points := make([][]float64, size)
	for k := range points {
		z := gaussians(&e.stream, len(e.mean))
		y := make([]float64, len(z))
		x := slices.Clone(e.mean)
		for i := range y {
			for j := range i + 1 {
				y[i] += float64(lower[i][j] * z[j])
			}
			x[i] += float64(e.step * y[i])
		}
		e.normals[k], e.moves[k], points[k] = z, y, x
	}
	return points, nil
}

// tell says what the points of the last generation are worth, less being better.
func (e *evolution) tell(values []float64) {
	order := sorted(values) // NaN and infinity are worse than any number
	d := len(e.mean)
	y, z := make([]float64, d), make([]float64, d) // the weighted means of the better half
	for i, w := range e.weights {
		for j := range d {
			y[j] += float64(w * e.moves[order[i]][j])
			z[j] += float64(w * e.normals[order[i]][j])
		}
	}
	e.age++
	for j := range d {
		e.mean[j] += float64(e.step * y[j])
		e.ps[j] = float64((1-e.cs)*e.ps[j]) + float64(math.Sqrt(e.cs*(2-e.cs)*e.mass)*z[j])
	}
	length := math.Sqrt(square(e.ps))
	// The path of the covariance stands still while the step is far too short, lest it take the
	// length of the way for its direction.
	moving := 0.0
	if length/math.Sqrt(1-detmath.Pow(1-e.cs, 2*float64(e.age))) < (1.4+2/(float64(d)+1))*e.chi {
		moving = 1
	}
	for j := range d {
		e.pc[j] = float64((1-e.cc)*e.pc[j]) + float64(moving*math.Sqrt(e.cc*(2-e.cc)*e.mass)*y[j])
	}
	keep := 1 - e.c1 - e.cmu + float64((1-moving)*e.c1*e.cc*(2-e.cc))
	for i := range d {
		for j := i; j < d; j++ {
			v := float64(keep*e.cov[i][j]) + float64(e.c1*e.pc[i]*e.pc[j])
			for k, w := range e.weights {
				v += float64(e.cmu * w * e.moves[order[k]][i] * e.moves[order[k]][j])
			}
			e.cov[i][j], e.cov[j][i] = v, v
		}
	}
	e.step *= detmath.Exp(min(1, e.cs/e.damping*(length/e.chi-1)))
}

// spread is the largest standard deviation of a coordinate.
func (e *evolution) spread() float64 {
	most := 0.0
	for i := range e.mean {
		most = max(most, e.step*math.Sqrt(e.cov[i][i]))
	}
	return most
}

// identity is the matrix of d×d with ones on its diagonal.
func identity(d int) [][]float64 {
	m := make([][]float64, d)
	for i := range m {
		m[i] = make([]float64, d)
		m[i][i] = 1
	}
	return m
}

// factorize is L of LLᵀ = c, after Cholesky; c is symmetric, and false means that it is not
// positive definite. It is not gonum's, whose sums have another order on each kind of machine.
func factorize(c [][]float64) ([][]float64, bool) {
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
