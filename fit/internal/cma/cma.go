// Package cma is the covariance matrix adaptation evolution strategy, CMA-ES, in ask-and-tell form.
package cma

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/fit/internal/matrix"
	"github.com/almanac-sim/almanac/fit/internal/proposal"
	"github.com/almanac-sim/almanac/fit/internal/rank"
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// A Strategy is CMA-ES as in [Hansen16]: points are drawn from a normal distribution whose mean,
// covariance and step size follow the better half of them. Ask returns a generation of points; Tell
// takes their values. The points can be evaluated anywhere: the strategy depends on its random
// stream and on the values alone.
//
// It is not gonum's CmaEsChol, whose points do not follow its step size: see TestAgainstGonum.
//
// [Hansen16]: https://arxiv.org/abs/1604.00772
type Strategy struct {
	stream     random.Stream
	Mean       []float64
	Step       float64 // σ
	cov        [][]float64
	pc, ps     []float64 // the evolution paths, of the covariance and of the step
	Generation int       // generations evaluated so far

	weights                  []float64 // of the better half, best first
	muEff                    float64   // μ_eff, the effective number of the weights
	cc, cs, c1, cmu, damping float64
	chi                      float64 // E‖N(0, I)‖

	normals, moves [][]float64 // of the last generation: z and y = Lz, with x = mean + σy
}

// New starts a strategy at a mean, with covariance step²·I.
func New(mean []float64, step float64, size int, stream random.Stream) *Strategy {
	d := len(mean)
	n := float64(d)
	e := &Strategy{stream: stream, Mean: slices.Clone(mean), Step: step, cov: matrix.Identity(d),
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
	e.muEff = 1 / squares
	e.cc = (4 + e.muEff/n) / (n + 4 + 2*e.muEff/n)
	e.cs = (e.muEff + 2) / (n + e.muEff + 5)
	e.c1 = 2 / (float64((n+1.3)*(n+1.3)) + e.muEff)
	e.cmu = min(1-e.c1, 2*(e.muEff-2+1/e.muEff)/(float64((n+2)*(n+2))+e.muEff))
	e.damping = 1 + 2*max(0, math.Sqrt((e.muEff-1)/(n+1))-1) + e.cs
	e.chi = math.Sqrt(n) * (1 - 1/(4*n) + 1/(21*n*n))
	return e
}

// Ask draws a generation of points.
func (e *Strategy) Ask(size int) ([][]float64, error) {
	lower, ok := matrix.Factorize(e.cov)
	if !ok {
		return nil, fmt.Errorf("fit: the covariance of the search is no longer positive definite after %d generations",
			e.Generation)
	}
	e.normals, e.moves = make([][]float64, size), make([][]float64, size)
	points := make([][]float64, size)
	for k := range points {
		z := proposal.Normals(&e.stream, len(e.Mean))
		y := make([]float64, len(z))
		x := slices.Clone(e.Mean)
		for i := range y {
			for j := range i + 1 {
				y[i] += float64(lower[i][j] * z[j])
			}
			x[i] += float64(e.Step * y[i])
		}
		e.normals[k], e.moves[k], points[k] = z, y, x
	}
	return points, nil
}

// Tell updates the strategy with the values of the last generation, lower being better.
func (e *Strategy) Tell(values []float64) {
	order := rank.Order(values) // infinities and NaN last
	d := len(e.Mean)
	y, z := make([]float64, d), make([]float64, d) // the weighted means of the better half
	for i, w := range e.weights {
		for j := range d {
			y[j] += float64(w * e.moves[order[i]][j])
			z[j] += float64(w * e.normals[order[i]][j])
		}
	}
	e.Generation++
	for j := range d {
		e.Mean[j] += float64(e.Step * y[j])
		e.ps[j] = float64((1-e.cs)*e.ps[j]) + float64(math.Sqrt(e.cs*(2-e.cs)*e.muEff)*z[j])
	}
	length := math.Sqrt(matrix.SquaredNorm(e.ps))
	// The covariance path is stalled while the step-size path is long, so that the covariance does
	// not grow along the direction of travel when the step size is far too small.
	moving := 0.0
	if length/math.Sqrt(1-detmath.Pow(1-e.cs, 2*float64(e.Generation))) < (1.4+2/(float64(d)+1))*e.chi {
		moving = 1
	}
	for j := range d {
		e.pc[j] = float64((1-e.cc)*e.pc[j]) + float64(moving*math.Sqrt(e.cc*(2-e.cc)*e.muEff)*y[j])
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
	e.Step *= detmath.Exp(min(1, e.cs/e.damping*(length/e.chi-1)))
}

// Spread is the largest standard deviation of a coordinate.
func (e *Strategy) Spread() float64 {
	most := 0.0
	for i := range e.Mean {
		most = max(most, e.Step*math.Sqrt(e.cov[i][i]))
	}
	return most
}
