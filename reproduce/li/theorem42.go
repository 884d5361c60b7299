package li

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

// Two sprays are about to walk at level k, at height k·log log p, and below; one is at the head and the other at an element
// that is some way ahead. They can meet if the longest walk of the first leads to where the second has to go at least. The
// longest walk leads E_0 + … + E_k on, which is σ·E_k but for E_0·(1 − σ/2), and further than (1+α) times that with the
// probability of Lemma 4.1 at some height.
//
// The theorem prints α·σ·E_k, for any fixed α. With α < 1 the second is within reach, and they meet with a probability of about
// (1−α)/E_k: a power of 1/p, and not negligible. The proof begins with 1+α and loses the 1 in its last line.

func theorem42(r *runner) reproduce.Finding {
	var points []*apartPoint
	for _, at := range [][2]int{{2, 1}, {2, 2}, {3, 1}, {3, 2}, {4, 1}, {4, 2}, {5, 1}} {
		c := newApartPoint(r.effort, at[0], at[1])
		if r.scale < 1 && c.walk.Reach() > 50_000 {
			continue
		}
		points = append(points, c)
	}
	r.Runs(len(points))
	for i, c := range points {
		r.apart(c, i)
		r.Ran()
	}
	return judgeTheorem42(points)
}

// apartAlphas are the α of the correction.
var apartAlphas = []float64{0.25, 0.5, 0.75}

// An apartPoint is two sprays that are some way apart.
type apartPoint struct {
	loglog, l, k int
	walk         spray.Walk // of what is left
	sigmaE       float64    // σ·E_k
	meet         []float64  // probability that they do, as printed, in each list
	can          []tally    // lists in which they can, for each of apartAlphas
}

func newApartPoint(e effort, loglog, k int) *apartPoint {
	c := &apartPoint{loglog: loglog, l: 1 << loglog, k: k, can: make([]tally, len(apartAlphas))}
	L := float64(c.l)
	steps := c.l * c.l * c.l
	c.walk = spray.Walk{Heights: heightsDown(k*loglog, loglog), Least: 1, Most: steps}
	c.sigmaE = e.theory.sigma(L) * math.Ldexp(float64(steps), k*loglog-1)
	for i, alpha := range apartAlphas {
		c.can[i].bound = min(1, float64(k)*e.theory.below((1+alpha)*float64(steps), alpha/(1+alpha)))
	}
	return c
}

func (r *runner) apart(c *apartPoint, stream int) {
	for n := range r.count(min(1000, 2e6/float64(c.walk.Reach())), 4) {
		r.Checkpoint()
		rng := r.Stream(uint64(stream), uint64(n))
		list := randomSkiplist(c.walk, int(1.75*c.sigmaE)+3*c.walk.Reach(), &rng)
		ends := list.landing(c.walk)
		// ahead is the first of the elements of the first height that is so far away, or further.
		ahead := func(distance float64) int {
			i, _ := slices.BinarySearch(list.at[c.walk.Heights[0]], int32(math.Ceil(distance)))
			return i
		}
		meet := 0.0
		for x, s := range list.landingFrom(c.walk, ahead(r.theory.separated(0.5)*c.sigmaE)) {
			if x < len(ends) {
				meet += s * ends[x]
			}
		}
		c.meet = append(c.meet, meet)
		for i, alpha := range apartAlphas {
			second := ahead((1 + alpha) * c.sigmaE)
			c.can[i].of++
			for x, s := range list.landingFrom(c.walk, second) {
				if s > 0 {
					c.can[i].seen += reproduce.Above(float64(len(ends)), float64(x))
					break
				}
			}
		}
	}
}

// exponent is c if they meet with probability p^(−c·α²·f·log²p), for α = 1/2.
func (c *apartPoint) exponent() float64 {
	p := reproduce.Mean(c.meet).Mean
	if p == 0 {
		return 1e9
	}
	L := float64(c.l)
	return -math.Log2(p) / L / (L * L / 4)
}

func judgeTheorem42(points []*apartPoint) reproduce.Finding {
	var f reproduce.Finding
	printed := reproduce.Table{Name: "two sprays σ·E_k/2 apart", Columns: []string{"log p", "k", "σ·E_k", "lists", "they meet with probability",
		"standard error", "that times E_k", "as a power of 1/p", "c"}}
	corrected := reproduce.Table{Name: "two sprays (1+α)·σ·E_k apart", Columns: []string{"log p", "k", "α", "lists", "in which they can meet",
		"Chernoff bounds"}}
	series := []plot.Series{{Name: "c, for k = 1"}, {Name: "c, for k = 2"}}
	excess := 0.0
	var first, last *apartPoint
	for _, c := range points {
		m := reproduce.Mean(c.meet)
		L := float64(c.l)
		printed.Rows = append(printed.Rows, []float64{L, float64(c.k), c.sigmaE, float64(len(c.meet)), m.Mean, m.SE,
			m.Mean * c.sigmaE * (L - 1) / L, -math.Log2(max(m.Mean, 1e-300)) / L, c.exponent()})
		series[c.k-1].Add(L, min(10, c.exponent()))
		if c.k == 1 {
			if first == nil {
				first = c
			}
			last = c
		}
		for i, t := range c.can {
			corrected.Rows = append(corrected.Rows, []float64{L, float64(c.k), apartAlphas[i], float64(t.of), t.share(), t.bound})
			excess = max(excess, t.excess())
		}
	}
	can, of := withAlphaHalf(points)
	f.Measured = fmt.Sprintf("σ·E_k/2 apart two sprays meet with a probability of %.2g at log p = %d and %.2g at %d (k = 1), about 1/(2·E_k): c "+
		"falls from %.2g to %.2g. (1+α)·σ·E_k apart, α = 1/2, they can meet in %d of %d lists of log p ≥ 8.", reproduce.Mean(first.meet).Mean,
		first.l, reproduce.Mean(last.meet).Mean, last.l, first.exponent(), last.exponent(), can, of)
	f.Between(fmt.Sprintf("c as printed, α = 1/2, k = 1, at log p = %d over that at %d", first.l, last.l), first.exponent()/last.exponent(),
		0, 2, 0, "c is a constant above 0, and does not fall; up to twice for what stands before the exponential")
	f.For(reproduce.Corrected).Between("lists in which two sprays (1+α)·σ·E_k apart can meet, beyond the Chernoff bounds, in "+
		"standard errors, at most",
		excess, 0, reproduce.Sigmas, 0, "a bound, and 4.5 standard errors of the count")
	f.Tables = append(f.Tables, printed, corrected)
	f.Notes = append(f.Notes,
		"The proof begins with (1+α)·ΣE_i and writes α in its last line; with 1+α the theorem holds. With α > 1 what is printed holds too.",
		"The sum of the E_i is a little more than σ·E_k, by E_0·(1 − σ/2), since E_0 is not half as E_k is for k = 0: for k = 1 by a "+
			"share of about 1/log p. So α has to be more than that, "+
			"which for a fixed α is so for large p.",
		"Levels are read as in the report's notation, k of height k·log log p, and log p is a power of two, so that log log p is whole.")
	f.Chart("exponent", plot.Chart{Title: "c, if two sprays σ·E_k/2 apart meet with probability p^(−c·log²p/4)", XLabel: "log p", YLabel: "c",
		LogX: true, FromZero: true, LegendBeside: true, Series: series})
	return f
}

// withAlphaHalf is in how many lists with log p ≥ 8 two sprays 3/2·σ·E_k apart can meet, and how many there are.
func withAlphaHalf(points []*apartPoint) (can, of int) {
	for _, c := range points {
		if c.l >= 8 {
			can, of = can+c.can[1].seen, of+c.can[1].of
		}
	}
	return can, of
}
