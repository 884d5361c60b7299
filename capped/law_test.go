//go:build !race

package capped

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/capped/cappedtest"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// unlikely is the probability below which a test of hypotheses fails. There are some hundred such
// tests here; by chance alone one of them would fail for one seed in ten thousand.
const unlikely = 1e-6

// tail returns the probability that a chi-square variable with some degrees of freedom is at least
// x.
func tail(x float64, degrees int) float64 {
	if degrees == 0 {
		return 1
	}
	return distuv.ChiSquared{K: float64(degrees)}.Survival(x)
}

// fits compares counts with probabilities; cells in which fewer than 10 are expected are counted
// together.
func fits[K comparable](counts map[K]int, law map[K]float64) float64 {
	n := 0
	for _, k := range counts {
		n += k
	}
	x, cells := 0.0, 0
	rest, expectedRest := 0, 0.0
	for key, k := range counts {
		if law[key] == 0 && k > 0 {
			return 0 // it cannot happen and did
		}
	}
	for key, p := range law {
		if expected := p * float64(n); expected < 10 {
			rest += counts[key]
			expectedRest += expected
		} else {
			x += (float64(counts[key]) - expected) * (float64(counts[key]) - expected) / expected
			cells++
		}
	}
	if expectedRest > 5 {
		x += (float64(rest) - expectedRest) * (float64(rest) - expectedRest) / expectedRest
		cells++
	}
	return tail(x, cells-1)
}

// alike compares two samples of the same size; cells with fewer than 20 in both are counted
// together.
func alike[K comparable](a, b map[K]int) float64 {
	keys := map[K]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	x, cells := 0.0, 0
	restA, restB := 0, 0
	add := func(i, j int) {
		if i+j > 0 {
			x += float64((i-j)*(i-j)) / float64(i+j)
			cells++
		}
	}
	for k := range keys {
		if a[k]+b[k] < 20 {
			restA += a[k]
			restB += b[k]
		} else {
			add(a[k], b[k])
		}
	}
	add(restA, restB)
	return tail(x, max(cells-1, 0))
}

// The law of the numbers of bins with 0, 1, 2, … balls, by enumeration of the bins^balls equally
// likely cases.
func enumerate(balls, bins int) map[string]float64 {
	seen := map[[16]uint8]int{}
	load := make([]int, bins)
	var throw func(left int)
	throw = func(left int) {
		if left == 0 {
			var counts [16]uint8
			for _, l := range load {
				counts[l]++
			}
			seen[counts]++
			return
		}
		for i := range load {
			load[i]++
			throw(left - 1)
			load[i]--
		}
	}
	throw(balls)
	law := map[string]float64{}
	for counts, k := range seen {
		law[named(counts)] = float64(k) / math.Pow(float64(bins), float64(balls))
	}
	return law
}

// named is an occupancy by how many bins have as many balls, without those that none has.
func named(counts [16]uint8) string {
	some := len(counts)
	for some > 1 && counts[some-1] == 0 {
		some--
	}
	return fmt.Sprint(counts[:some])
}

// An occupancy has the law of thrown balls, for both ways of drawing it.
func TestOccupancyLaw(t *testing.T) {
	draws := testscale.Size(15_000, 50_000)
	for _, c := range [][2]int{{1, 1}, {1, 5}, {3, 2}, {5, 3}, {8, 4}, {4, 12}, {12, 2}, {7, 7}} {
		balls, bins := c[0], c[1]
		law := enumerate(balls, bins)
		for _, direct := range []bool{true, false} {
			o := occupancy{random: random.New(uint64(balls), uint64(bins))}
			seen := map[[16]uint8]int{}
			for range draws {
				o.counts = append(o.counts[:0], bins)
				all := 0
				if !direct {
					all = o.independent(balls, bins)
				}
				var loads [16]uint8
				for l, k := range o.correct(balls, bins, all) {
					if k < 0 || k > bins || k > 0 && l > balls {
						t.Fatalf("%d balls, %d bins, direct %v: %d bins have %d", balls, bins, direct, k, l)
					}
					if k > 0 {
						loads[l] = uint8(k)
					}
				}
				seen[loads]++
			}
			counts := map[string]int{}
			for loads, k := range seen {
				counts[named(loads)] = k
			}
			if p := fits(counts, law); p < unlikely {
				t.Errorf("%d balls, %d bins, direct %v: p = %.2g", balls, bins, direct, p)
			}
		}
	}
}

// Many balls: the number of empty bins has the mean and the variance of the classical occupancy
// problem,
//
//	n(1−1/n)^m and n(n−1)(1−2/n)^m + n(1−1/n)^m − n²(1−1/n)^2m,
//
// and the balls are as many as were thrown; so for the number of bins with exactly one ball,
// m(1−1/n)^(m−1).
func TestOccupancyMoments(t *testing.T) {
	for _, c := range [][2]int{{24, 3}, {100, 100}, {1000, 200}, {30_000, 32_768}, {200_000, 32_768}, {1 << 20, 1 << 26},
		{5000, 7}, {100_000, 100}} {
		draws := 4000
		m, n := float64(c[0]), float64(c[1])
		power := func(k, m float64) float64 { return math.Exp(m * math.Log1p(-k/n)) }
		mean := n * power(1, m)
		// The variance by terms that do not cancel: n·q(1−q) + n(n−1)(q₂ − q²).
		q := power(1, m)
		variance := n*q*(1-q) + n*(n-1)*q*q*math.Expm1(m*(math.Log1p(-2/n)-2*math.Log1p(-1/n)))
		one := m * power(1, m-1)
		o := occupancy{random: random.New(11, uint64(c[0]), uint64(c[1]))}
		var sum, squares, ones, onesSquares float64
		for range draws {
			counts := o.draw(c[0], c[1])
			balls, bins := 0, 0
			for k, some := range counts {
				if some < 0 {
					t.Fatal(counts)
				}
				balls += k * some
				bins += some
			}
			if balls != c[0] || bins != c[1] {
				t.Fatalf("%d balls in %d bins, not %d in %d", balls, bins, c[0], c[1])
			}
			x := float64(counts[0]) - mean
			sum += x
			squares += x * x
			y := float64(append(counts, 0)[1]) - one
			ones += y
			onesSquares += y * y
		}
		d := float64(draws)
		if se := math.Sqrt(variance / d); math.Abs(sum/d) > 4.5*se+1e-9 {
			t.Errorf("%v: empty bins off by %.2f standard errors", c, sum/d/se)
		}
		if variance > 1 { // and so the number is nearly normal
			if z := (squares/d - variance) / (variance * math.Sqrt(2/d)); math.Abs(z) > 4.5 {
				t.Errorf("%v: the variance of empty bins is %.4g, want %.4g (%.1f standard errors)", c, squares/d, variance, z)
			}
		}
		if se := math.Sqrt(onesSquares) / d; math.Abs(ones/d) > 4.5*se+1e-9 {
			t.Errorf("%v: bins with one ball off by %.2f standard errors", c, ones/d/se)
		}
	}
}

// A state is the observable state of a system after some rounds.
type state struct{ loads, ages, waits string }

// small runs many small systems for a few rounds each and counts the states they end in.
func small(runs int, run func(seed uint64) state) (counts map[state]int) {
	counts = map[state]int{}
	for seed := range uint64(runs) {
		counts[run(seed)]++
	}
	return counts
}

// The processes have the law of the literal ones: systems so small that whole states recur, run for
// a few rounds from the beginning, and counted. The states hold the loads, the pool by age, and the
// waiting times of all balls served.
func TestSameLawAsLiteral(t *testing.T) {
	const rounds, bins = 5, 4
	runs := testscale.Size(3_000, 20_000)
	for _, c := range []Config{
		{Capacity: 1, Rate: 0.75}, {Capacity: 2, Rate: 0.9}, {Capacity: 3, Rate: 0.8}, {Capacity: 9, Rate: 0.99},
		{Kind: Greedy, Choices: 1, Rate: 0.75}, {Kind: Greedy, Choices: 2, Rate: 0.99}, {Kind: Greedy, Choices: 3, Rate: 0.9},
		{Kind: Threshold, Capacity: 1, Rate: 2}, {Kind: Threshold, Capacity: 2, Rate: 2.5},
	} {
		c.Bins = bins
		want := small(runs, func(seed uint64) state {
			s := cappedtest.New(bins, seed)
			source := newSource(&c)
			var waits []int
			for round := 1; round <= rounds; round++ {
				switch {
				case c.Kind == Capped:
					s.Capped(c.Capacity, source.batch(round))
				case c.Kind == Greedy:
					s.Greedy(c.Choices, source.batch(round))
				case round == 1:
					s.Threshold(c.Capacity, source.batch(round))
				default:
					s.Threshold(c.Capacity, 0)
				}
				for _, w := range s.Waits {
					waits = grown(waits, w)
					waits[w]++
				}
			}
			loads, ages := []int{0}, []int(nil)
			for _, queue := range s.Bins {
				loads = grown(loads, len(queue))
				loads[len(queue)]++
			}
			for _, b := range s.Pool {
				ages = grown(ages, s.Now-b.Label)
				ages[s.Now-b.Label]++
			}
			return state{fmt.Sprint(loads), fmt.Sprint(ages), fmt.Sprint(waits)}
		})
		for _, by := range []bool{false, true} {
			c.ByBin = by
			got := small(runs, func(seed uint64) state {
				c.Seed = seed
				p := start(t, c)
				var waits, ages []int
				for range rounds {
					p.Round()
					waits = p.Waits(waits)
				}
				for age, count := range p.Ages() {
					ages = grown(ages, age)
					ages[age] += count
				}
				return state{fmt.Sprint(p.Loads()), fmt.Sprint(ages), fmt.Sprint(waits)}
			})
			if p := alike(got, want); p < unlikely {
				t.Errorf("%s: not alike, p = %.2g, %d and %d states", c.name(), p, len(got), len(want))
			}
		}
	}
}

// In the long run too, in a system of some size: the mean pool, the mean wait, the mean of the
// longest waits, and the variance of the pool of both engines and of the literal process, each
// within 4.5 standard errors of each other, which come from batches.
func TestSameLongRunAsLiteral(t *testing.T) {
	const bins, batches, length, burn = 100, 40, 250, 300
	for _, c := range []Config{
		{Capacity: 1, Rate: 0.95}, {Capacity: 2, Rate: 0.95}, {Capacity: 4, Rate: 0.98},
		{Kind: Greedy, Choices: 2, Rate: 0.9},
	} {
		c.Bins = bins
		measure := func(round func() (pool int, waits []int)) (all [4][]float64) {
			for range burn {
				round()
			}
			for range batches {
				var sum [4]float64
				served := 0.0
				var pools []float64
				for range length {
					pool, waits := round()
					longest := 0
					for w, k := range waits {
						sum[1] += float64(w * k)
						served += float64(k)
						if k > 0 {
							longest = w
						}
					}
					sum[0] += float64(pool)
					sum[2] += float64(longest)
					pools = append(pools, float64(pool))
				}
				mean := sum[0] / length
				for _, x := range pools {
					sum[3] += (x - mean) * (x - mean)
				}
				sum[1] *= length / served // a mean over balls
				for i := range sum {
					all[i] = append(all[i], sum[i]/length)
				}
			}
			return all
		}
		s, source := cappedtest.New(bins, 1), newSource(&c)
		want := measure(func() (int, []int) {
			if c.Kind == Greedy {
				s.Greedy(c.Choices, source.batch(s.Now+1))
			} else {
				s.Capped(c.Capacity, source.batch(s.Now+1))
			}
			var waits []int
			for _, w := range s.Waits {
				waits = grown(waits, w)
				waits[w]++
			}
			balls := 0 // in the pool and in bins
			for _, queue := range s.Bins {
				balls += len(queue)
			}
			return len(s.Pool) + balls, waits
		})
		for _, by := range []bool{false, true} {
			c.ByBin, c.Seed = by, 1
			p := start(t, c)
			got := measure(func() (int, []int) {
				pool := p.Round().Pool
				for load, count := range p.Loads() {
					pool += load * count
				}
				return pool, p.Waits(nil)
			})
			for i, what := range []string{"the number of balls", "the mean wait", "the longest wait",
				"the variance of the number of balls"} {
				a, b := ofBatches(got[i], 1), ofBatches(want[i], 1)
				if z := (a.Mean - b.Mean) / math.Hypot(a.Error, b.Error); math.Abs(z) > 4.5 {
					t.Errorf("%s: %s is %.4g ± %.2g, literally %.4g ± %.2g", c.name(), what, a.Mean, a.Error, b.Mean, b.Error)
				}
			}
		}
	}
}

// The choices of bins are uniform, also where a multiplication alone would not be, and do not
// depend on how many are asked for at a time.
func TestChoices(t *testing.T) {
	for _, bins := range []int{1, 2, 3, 7, 1000, 3 << 29} {
		c := Config{Bins: bins, Seed: uint64(bins)}
		a, b := c.choices(1), c.choices(1)
		const draws = 120_000
		cells := min(bins, 30)
		counts, law := map[int]int{}, map[int]float64{}
		for cell := range bins {
			if cell >= 1000 {
				break
			}
			law[cell*cells/bins] += 1 / float64(bins)
		}
		if bins > 1000 {
			for cell := range cells {
				law[cell] = 1 / float64(cells)
			}
		}
		size := 1
		for n := 0; n < draws; {
			some := a.some(size)
			for _, bin := range some {
				if one := b.some(1)[0]; one != bin {
					t.Fatalf("%d bins: choice %d is %d, or %d one at a time", bins, n, bin, one)
				}
				if int(bin) >= bins {
					t.Fatalf("bin %d of %d", bin, bins)
				}
				counts[int(int64(bin)*int64(cells)/int64(bins))]++
				n++
			}
			size = size*5%1031 + 1
		}
		if p := fits(counts, law); p < unlikely {
			t.Errorf("%d bins: p = %.2g", bins, p)
		}
	}
	// 2³² words are 8 for every 3 of 3·2²⁹ bins: without rejection two of three neighbours would
	// have 3 words, and the other one 2.
	c := Config{Bins: 3 << 29, Seed: 1}
	choices, counts := c.choices(1), map[int]int{}
	for range 100_000 {
		counts[int(choices.some(1)[0])%3]++
	}
	if p := fits(counts, map[int]float64{0: 1.0 / 3, 1: 1.0 / 3, 2: 1.0 / 3}); p < unlikely {
		t.Errorf("bins modulo 3: %v", counts)
	}
}
