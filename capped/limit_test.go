//go:build !race

package capped

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// rates are from nearly 0 to nearly 1.
var rates = []float64{1e-12, 1e-6, 0.001, 0.1, 0.5, 0.75, 0.9, 0.99, short(10), short(13), 1 - 1e-9, 1 - 1e-12}

func total(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum
}

// expectation of a law on 0, 1, ….
func expectation(law []float64) float64 {
	sum := 0.0
	for i, p := range law {
		sum += float64(i) * p
	}
	return sum
}

// wantAll compares lists; what is missing is 0.
func wantAll(t *testing.T, what string, got, want []float64, relative, absolute float64) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		g, w := 0.0, 0.0
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if !(math.Abs(g-w) <= relative*math.Abs(w)+absolute) {
			t.Errorf("%s: entry %d is %v, want %v", what, i, g, w)
			return
		}
	}
}

// poisson is P(N = k), not by recursion.
func poisson(mean float64, k int) float64 {
	if mean == 0 {
		return map[bool]float64{true: 1}[k == 0]
	}
	log, _ := math.Lgamma(float64(k) + 1)
	return math.Exp(float64(k)*math.Log(mean) - mean - log)
}

// left is y−1+e^(−y), what a bin of capacity 1 leaves of y.
func left(y float64) float64 {
	if y > 0.5 {
		return y - 1 + math.Exp(-y)
	}
	sum := 0.0
	for k := 40; k >= 2; k-- {
		sum = (1 - sum) * y / float64(k)
	}
	return sum * y
}

// With c = 1 bins are empty after every round, and everything is in closed form.
func TestCapacityOne(t *testing.T) {
	for _, lambda := range rates {
		t.Run(fmt.Sprint(lambda), func(t *testing.T) {
			l := NewLimit(1, lambda)
			x := -math.Log1p(-lambda)
			pool := x - lambda
			if lambda < 0.5 { // λ²/2 + λ³/3 + …
				pool = 0
				for k := 100; k >= 2; k-- {
					pool += math.Pow(lambda, float64(k)) / float64(k)
				}
			}
			wantClose(t, "x", l.Requests, x, 1e-15)
			wantClose(t, "the pool", l.Pool, pool, 1e-13)
			wantClose(t, "the mean wait", l.Wait, pool/lambda, 1e-13)
			wantAll(t, "loads", l.Loads, []float64{1}, 0, 0)
			wantClose(t, "the relaxation", l.Relaxation(), -1/math.Log1p(lambda-1), 1e-4)
			if lambda > 1e-3 {
				wantClose(t, "the relaxation", l.Relaxation(), -1/math.Log1p(lambda-1), 1e-12)
			}
			if q := l.Queued(); len(q) != 0 {
				t.Errorf("%v are queued", q)
			}
			var waits, ages []float64
			for y := x; y > 1e-290; {
				next := left(y)
				waits = append(waits, math.Exp(-next)*-math.Expm1(next-y)/lambda)
				ages = append(ages, next-left(next))
				y = next
			}
			// What is squared in every round has twice the relative error.
			wantAll(t, "waits", l.Waits(), waits, 1e-10, 1e-290)
			wantAll(t, "ages", l.Ages(), ages, 1e-10, 1e-290)
			// The pool of the first rounds.
			y := 0.0
			for round, got := range l.FromEmpty(20) {
				y = left(y + lambda)
				wantClose(t, fmt.Sprint("the pool of round ", round), got, y, 1e-13)
			}
		})
	}
}

// transitions returns the matrix of the chain by definition: from every load, with every number of
// balls that ask.
func transitions(c int, x float64) *mat.Dense {
	p := mat.NewDense(c, c, nil)
	for load := range c {
		for asking := range 120 {
			to := max(0, min(load+asking, c)-1)
			p.Set(load, to, p.At(load, to)+poisson(x, asking))
		}
	}
	return p
}

// stationary solves π(P−I) = 0, Σπ = 1.
func stationary(p *mat.Dense) []float64 {
	c, _ := p.Dims()
	a, b := mat.NewDense(c, c, nil), mat.NewVecDense(c, nil)
	for i := range c {
		for j := range c {
			a.Set(j, i, p.At(i, j))
		}
		a.Set(i, i, p.At(i, i)-1)
	}
	for i := range c {
		a.Set(c-1, i, 1)
	}
	b.SetVec(c-1, 1)
	var pi mat.VecDense
	if err := pi.SolveVec(a, b); err != nil {
		panic(err)
	}
	return pi.RawVector().Data
}

// The chain by a dense linear solve, and x from the rate of deletions.
func TestLimitByLinearSolve(t *testing.T) {
	for c := 1; c <= 8; c++ {
		for _, lambda := range []float64{0.05, 0.5, 0.75, 0.9, 0.99, short(10)} {
			low, high := lambda, 20.0
			for range 60 {
				x := (low + high) / 2
				if 1-stationary(transitions(c, x))[0]*math.Exp(-x) > lambda {
					high = x
				} else {
					low = x
				}
			}
			l, name := NewLimit(c, lambda), fmt.Sprintf("c = %d, λ = %v: ", c, lambda)
			wantClose(t, name+"x", l.Requests, low, 1e-10)
			wantAll(t, name+"loads", l.Loads, stationary(transitions(c, low)), 1e-10, 1e-12)
			wantClose(t, name+"the wait", l.Wait, (low-lambda+expectation(l.Loads))/lambda, 1e-10)
		}
	}
	// c = 2 by hand: π₁·e^(−x) = π₀·(1−e^(−x)−x·e^(−x)).
	l := NewLimit(2, 0.9)
	x := l.Requests
	wantClose(t, "π₁/π₀", l.Loads[1]/l.Loads[0], math.Exp(x)-1-x, 1e-14)
	wantClose(t, "π₀·e^(−x)", l.Loads[0]*math.Exp(-x), 0.1, 1e-14)
}

// field is the mean field by definition: every load with every number of balls that ask.
type field struct {
	c      int
	lambda float64
	pool   float64
	loads  []float64
}

func newField(c int, lambda float64) *field {
	f := &field{c: c, lambda: lambda, loads: make([]float64, c)}
	f.loads[0] = 1
	return f
}

func (f *field) round() {
	x := f.pool + f.lambda
	next, rejected := make([]float64, f.c), 0.0
	for load, share := range f.loads {
		for asking := range 60 + int(3*x) {
			p := share * poisson(x, asking)
			accepted := min(f.c-load, asking)
			rejected += p * float64(asking-accepted)
			next[max(0, load+accepted-1)] += p
		}
	}
	f.pool, f.loads = rejected, next
}

func TestLimitByBruteForce(t *testing.T) {
	for c, lambdas := range map[int][]float64{1: {0.75, 0.95}, 2: {0.5, 0.95}, 3: {0.3, 0.75, 0.95}, 7: {0.5, 0.9},
		20: {0.8}} {
		for _, lambda := range lambdas {
			l, name := NewLimit(c, lambda), fmt.Sprintf("c = %d, λ = %v: ", c, lambda)
			f := newField(c, lambda)
			rounds := 100 + int(35*l.Relaxation())
			for round, pool := range l.FromEmpty(rounds) {
				f.round()
				if round < 50 || round == rounds-1 {
					wantClose(t, fmt.Sprint(name, "the pool of round ", round), pool, f.pool, 1e-11)
				}
			}
			wantClose(t, name+"the pool", l.Pool, f.pool, 1e-10)
			wantAll(t, name+"loads", l.Loads, f.loads, 1e-10, 1e-13)
		}
	}
}

// Identities that hold for all parameters. The law of the waiting times is not computed by Little's
// law.
func TestSums(t *testing.T) {
	for _, c := range []int{1, 2, 3, 5, 10, 40, 200} {
		for _, lambda := range rates {
			t.Run(fmt.Sprint(c, lambda), func(t *testing.T) {
				l := NewLimit(c, lambda)
				if l.Capacity != c || l.Choices != 1 || l.Rate != lambda || len(l.Loads) != c {
					t.Errorf("the limit is of %d, %d, %v and has %d loads", l.Capacity, l.Choices, l.Rate, len(l.Loads))
				}
				wantClose(t, "Σ loads", total(l.Loads), 1, 1e-14)
				wantClose(t, "π₀·e^(−x)", l.Loads[0]*math.Exp(-l.Requests), 1-lambda, 1e-12)
				wantClose(t, "x", l.Requests, lambda+l.Pool, 1e-14)
				pool, wait := MeanField(c, lambda)
				if pool != l.Pool || wait != l.Wait {
					t.Errorf("the mean field is %v, %v, not %v, %v", pool, wait, l.Pool, l.Wait)
				}
				waits := l.Waits()
				wantClose(t, "Σ waits", total(waits), 1, 1e-13)
				wantClose(t, "the mean of the waits", expectation(waits), l.Wait, 1e-13)
				wantClose(t, "Σ ages", total(l.Ages()), l.Pool, 1e-13)
				queued := l.Queued()
				if len(queued) != c-1 {
					t.Fatalf("%d rounds are queued", len(queued))
				}
				for s, row := range queued {
					if got, want := total(row), total(l.Loads[s+1:]); !(math.Abs(got-want) <= 1e-13*want+1e-24) {
						t.Errorf("%v are due in round %d, want %v", got, s, want)
					}
				}
				for _, list := range append(queued, waits, l.Ages(), l.Loads) {
					if len(list) > 0 && slices.Min(list) < 0 {
						t.Errorf("%v is negative", slices.Min(list))
					}
				}
			})
		}
	}
}

func TestMonotone(t *testing.T) {
	for _, lambda := range rates {
		before := NewLimit(1, lambda)
		for c := 2; c <= 30; c++ {
			l := NewLimit(c, lambda)
			if l.Pool >= before.Pool && before.Pool > 0 {
				t.Errorf("λ = %v: the pool grows from %v to %v at c = %d", lambda, before.Pool, l.Pool, c)
			}
			for i := range before.Loads {
				if l.Loads[i] > before.Loads[i]*(1+1e-13) {
					t.Errorf("λ = %v: with c = %d more bins hold %d than with less", lambda, c, i)
				}
			}
			before = l
		}
	}
	for _, c := range []int{1, 2, 3, 10} {
		pool, wait := 0.0, 0.0
		for _, lambda := range rates {
			p, w := MeanField(c, lambda)
			if p <= pool && lambda > 1e-6 || w <= wait {
				t.Errorf("c = %d: at λ = %v the pool is %v and the wait %v, less than before", c, lambda, p, w)
			}
			pool, wait = p, w
		}
	}
}

// With a large capacity there is no pool, and CAPPED is GREEDY[1].
func TestManyPlaces(t *testing.T) {
	for _, lambda := range []float64{0.001, 0.5, 0.9} {
		l, g := NewLimit(200, lambda), GreedyLimit(1, lambda)
		wantClose(t, "the wait", l.Wait, g.Wait, 1e-12)
		wantAll(t, "loads", l.Loads, g.Loads, 1e-10, 1e-15)
		wantAll(t, "waits", l.Waits(), g.Waits(), 1e-10, 1e-15)
		wantClose(t, "the relaxation", l.Relaxation(), g.Relaxation(), 0.03)
	}
	for _, test := range []struct {
		lambda, pool, wait float64
	}{{0.9, 1.1088e-181, 4.5}, {0.999, 1.97858e-05, 469.185}, {1 - 1e-12, 0.00562206, 1910.40}} {
		l := NewLimit(2000, test.lambda)
		wantClose(t, "the pool", l.Pool, test.pool, 1e-5)
		wantClose(t, "the wait", l.Wait, test.wait, 1e-5)
		wantClose(t, "the mean of the waits", expectation(l.Waits()), l.Wait, 1e-12)
	}
	// Where the capacity is as good as infinite.
	for _, lambda := range []float64{0.01, 0.5, 0.85} {
		wantClose(t, "the relaxation of 1001", NewLimit(1001, lambda).Relaxation(), NewLimit(1000, lambda).Relaxation(), 1e-3)
		wantClose(t, "the relaxation of 1001", NewLimit(1001, lambda).Relaxation(), GreedyLimit(1, lambda).Relaxation(), 1e-3)
	}
}

// The law of a Poisson variable, also with a mean of which e^(−mean) is 0.
func TestPoissonLaw(t *testing.T) {
	for _, x := range []float64{0, 1e-200, 1e-9, 0.5, 1, 36, 599, 601, 2000} {
		var n poissonLaw
		n.set(3) // and something else before
		n.set(x)
		wantClose(t, "the sum", total(n.is), 1, 1e-11)
		if x > 1e-100 {
			wantClose(t, "the mean", n.over[0], x, 1e-11)
		}
		for k := range n.is {
			if want := poisson(x, k); want > 1e-250 {
				wantClose(t, fmt.Sprintf("P(N = %d)", k), n.is[k], want, 1e-11)
			}
			wantClose(t, "P(N ≥ k)", n.from[k], n.is[k]+n.tail(k+1), 1e-11)
			if k+1 < len(n.is) {
				wantClose(t, "E[(N−k)⁺]", n.over[k], n.over[k+1]+n.from[k+1], 1e-15)
			}
		}
	}
}
