//go:build !race

package capped

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestGreedyOneChoice(t *testing.T) {
	for _, lambda := range []float64{1e-6, 0.1, 0.5, 0.75, 0.9, 0.99, short(10)} {
		l := GreedyLimit(1, lambda)
		name := fmt.Sprintf("λ = %v: ", lambda)
		if l.Capacity != 0 || l.Choices != 1 || l.Pool != 0 || l.Requests != lambda {
			t.Errorf("%sthe limit is %d, %d, %v, %v", name, l.Capacity, l.Choices, l.Pool, l.Requests)
		}
		wantClose(t, name+"Σ loads", total(l.Loads), 1, 1e-12)
		wantClose(t, name+"E[L]", expectation(l.Loads), lambda*lambda/(2*(1-lambda)), 1e-11)
		wantClose(t, name+"the wait", l.Wait, expectation(l.Loads)/lambda, 1e-11)
		// The generating function G: zG = G·e^(λ(z−1)) + (1−λ)(z−1), because L+N is one less
		// afterwards, unless it is 0.
		z, sum := 0.5, 0.0
		for i := len(l.Loads) - 1; i >= 0; i-- {
			sum = sum*z + l.Loads[i]
		}
		wantClose(t, name+"E[2^(−L)]", sum, (1-lambda)*(z-1)/(z-math.Exp(lambda*(z-1))), 1e-12)
		wantClose(t, name+"Σ waits", total(l.Waits()), 1, 1e-12)
		wantClose(t, name+"the mean of the waits", expectation(l.Waits()), l.Wait, 1e-11)
		wantClose(t, name+"the relaxation", l.Relaxation(), -1/(math.Log(lambda)+1-lambda), 1e-9)
	}
	// −ln(λe^(1−λ)) is (1−λ)²/2 at first, which the difference of 1 and 1 does not have.
	wantClose(t, "the relaxation", GreedyLimit(1, 1-1e-4).Relaxation(), 2e8/(1+2e-4/3), 1e-7)
	wantClose(t, "where the series ends", walkGap(0.05), -math.Log(0.95)-0.05, 1e-12)
	wantClose(t, "where the series ends", walkGap(math.Nextafter(0.05, 0)), walkGap(math.Nextafter(0.05, 1)), 1e-12)
}

// choose is the mean field of GREEDY[d] by definition: every choice of d loads, of which the least
// gets the ball.
func choose(loads []float64, d int, lambda float64) []float64 {
	gets := make([]float64, len(loads)) // balls for the bins of a load
	var pick func(left int, share float64, least int)
	pick = func(left int, share float64, least int) {
		if left == 0 {
			gets[least] += lambda * share
			return
		}
		for load, s := range loads {
			pick(left-1, share*s, min(least, load))
		}
	}
	pick(d, 1, len(loads)-1)
	next := make([]float64, len(loads))
	for load, share := range loads {
		for n := range 60 {
			if share > 0 {
				next[min(max(0, load+n-1), len(next)-1)] += share * poisson(gets[load]/share, n)
			}
		}
	}
	return next
}

func TestGreedyByBruteForce(t *testing.T) {
	for d, lambda := range map[int]float64{1: 0.3, 2: 0.9, 3: 0.8} {
		l, name := GreedyLimit(d, lambda), fmt.Sprintf("GREEDY[%d], λ = %v: ", d, lambda)
		loads := make([]float64, 24)
		loads[0] = 1
		rounds := 200
		for round, got := range l.FromEmpty(rounds) {
			loads = choose(loads, d, lambda)
			if round < 20 || round == rounds-1 {
				wantClose(t, fmt.Sprint(name, "the load of round ", round), got, expectation(loads), 1e-10)
			}
		}
		wantAll(t, name+"loads", l.Loads, loads, 1e-9, 1e-12)
		wantClose(t, name+"the wait", l.Wait, expectation(loads)/lambda, 1e-9)
	}
}

func TestGreedySums(t *testing.T) {
	for _, d := range []int{2, 3, 5, 10, 1000} {
		for _, lambda := range rates {
			t.Run(fmt.Sprint(d, lambda), func(t *testing.T) {
				l := GreedyLimit(d, lambda)
				many := float64(d) // λ(S^d − …) has an error that grows with d
				wantClose(t, "Σ loads", total(l.Loads), 1, 1e-14)
				wantClose(t, "the mean load", expectation(l.Loads), lambda*l.Wait, 1e-13)
				wantClose(t, "Σ waits", total(l.Waits()), 1, many*1e-14)
				wantClose(t, "the mean of the waits", expectation(l.Waits()), l.Wait, many*1e-13)
				if l.Pool != 0 || len(l.Ages()) != 0 || l.Requests != lambda || l.Capacity != 0 || l.Choices != d {
					t.Errorf("%v are in the pool, %v thrown", l.Pool, l.Requests)
				}
				for s, row := range l.Queued() {
					// The loads above s are queued for s+1 rounds from now.
					got, want := total(row), total(l.Loads[s+1:])
					if !(math.Abs(got-want) <= many*1e-11*want+1e-18) {
						t.Errorf("%v are due in round %d, want %v", got, s, want)
					}
				}
				next := l.round(l.Loads)
				wantAll(t, "a round later", next, l.Loads, many*1e-12, many*1e-15)
				if d < 5 && lambda > 0.4 {
					if two := GreedyLimit(d+1, lambda); two.Wait >= l.Wait {
						t.Errorf("one more choice makes them wait longer: %v, not %v", two.Wait, l.Wait)
					}
				}
			})
		}
	}
}

func TestGreedyRelaxation(t *testing.T) {
	for d, lambdas := range map[int][]float64{2: {0.9, short(6), short(10)}, 3: {0.9, short(8)}, 8: {0.99}} {
		for _, lambda := range lambdas {
			l := GreedyLimit(d, lambda)
			if got := l.Relaxation(); got > 2000 {
				t.Errorf("d = %d, λ = %v: the relaxation is %v", d, lambda, got)
			}
			// By iteration, from a load that is off by 1 in 10⁶, after so many rounds that other
			// modes have decayed.
			loads := slices.Clone(l.Loads)
			loads[1] += 1e-6
			loads[0] -= 1e-6
			far := 10 + int(3*l.Relaxation())
			var sizes []float64
			for range 2 * far {
				loads = l.round(loads)
				sizes = append(sizes, math.Abs(expectation(loads)-expectation(l.Loads)))
			}
			if d < 8 { // or else eigenvalues are complex, and it swings
				got := float64(far) / math.Log(sizes[far-1]/sizes[2*far-1])
				wantClose(t, fmt.Sprintf("d = %d, λ = %v: the relaxation", d, lambda), l.Relaxation(), got, 0.01)
			}
		}
	}
	// Against eigenvalues of the derivative, complex ones too.
	for d, lambda := range map[int]float64{2: short(13), 4: short(8), 7: short(10), 12: 0.99, 16: short(12)} {
		l := GreedyLimit(d, lambda)
		rows := l.jacobian()
		m := mat.NewDense(len(rows), len(rows), nil)
		const step = 1e-7
		for j := range rows {
			if min(l.Loads[j], l.Loads[j+1]) < 100*step {
				for i := range rows {
					m.Set(i, j, rows[i][j]) // too small for differences
				}
				continue
			}
			var after [2][]float64
			for i, h := range []float64{step, -step} {
				loads := slices.Clone(l.Loads)
				loads[j+1] += h
				loads[j] -= h
				after[i] = tails(l.round(loads))
			}
			for i := range rows {
				m.Set(i, j, (after[0][i+1]-after[1][i+1])/(2*step))
			}
		}
		for i := range rows {
			wantAll(t, "the derivative", rows[i], m.RawRowView(i), 1e-5, 1e-6)
			m.SetRow(i, rows[i])
		}
		mu := radius(m)
		if mu < 1 {
			wantClose(t, fmt.Sprintf("d = %d, λ = %v: the relaxation", d, lambda), l.Relaxation(), -1/math.Log(mu), 1e-3)
		}
	}
	// With many choices all balls of a round go where there were few, and the process does not
	// settle.
	if got := GreedyLimit(16, short(13)).Relaxation(); !math.IsInf(got, 1) {
		t.Errorf("the relaxation is %v", got)
	}
}
