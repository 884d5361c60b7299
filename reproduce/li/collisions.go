package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

func collisions(r *runner) reproduce.Finding {
	largest := 512
	if r.scale < 1 {
		largest = 128
	}
	var all []*collisionPoint
	for kind := range collisionKinds {
		for _, p := range powers(2, largest) {
			all = append(all, newCollisionPoint(r.effort, kind, p))
		}
	}
	r.Runs(len(all))
	for i, c := range all {
		r.collisions(c, i)
		r.Ran()
	}
	return judgeCollisions(all)
}

var collisionKinds = []string{"PerfectSpray", "BasicSpray", "FullSpray"}

// A collisionPoint is p processes that spray at once.
type collisionPoint struct {
	kind    int
	p       int
	walk    spray.Walk
	failed  []float64 // share of the first round, in each list
	exact   []float64 // what is expected in that list
	rounds  []float64 // until all have an element, where that comes
	stuck   int       // lists where it does not come
	longest int
	uniform float64 // share that fails if all within reach were hit alike
}

func newCollisionPoint(e effort, kind, p int) *collisionPoint {
	c := &collisionPoint{kind: kind, p: p}
	switch kind {
	case 0:
		c.walk = e.theory.perfect(p)
	case 1:
		c.walk = e.theory.basic(p, 1)
	default:
		c.walk = e.theory.full(p, 1)
	}
	within := 1.0
	for _, h := range c.walk.Heights {
		within += math.Ldexp(float64(c.walk.Most-least(c.walk, h)), h-1)
	}
	c.uniform = 1 + within/float64(p)*math.Expm1(float64(p)*math.Log1p(-1/within))
	return c
}

// collisionPatience is after how many rounds no more are tried.
const collisionPatience = 200

// never says that no spray gets an element.
func (c *collisionPoint) never() bool { return c.walk.Padding >= c.walk.Reach() }

// place is the element that a spray takes which ends at x, or 0 if it fails.
func (c *collisionPoint) place(x int) int {
	if c.walk.Padding > 0 {
		return max(0, x-c.walk.Padding)
	}
	return max(1, x)
}

func (r *runner) collisions(c *collisionPoint, stream int) {
	if c.never() {
		return
	}
	for k := range r.count(min(250, 2e6/float64(c.walk.Reach())), 20) {
		r.Checkpoint()
		rng := r.Stream(uint64(stream), uint64(k))
		// What is removed makes walks go further.
		list := randomSkiplist(c.walk, c.walk.Reach()*5/4+4*c.p, &rng)
		c.exact = append(c.exact, c.expected(list.landing(c.walk)))
		failed, rounds := c.compete(list, &rng)
		c.failed = append(c.failed, failed)
		if rounds > collisionPatience {
			c.stuck++
			continue
		}
		c.rounds = append(c.rounds, float64(rounds))
		c.longest = max(c.longest, rounds)
	}
}

// expected is the share of p sprays that fail, by the share of sprays on each element.
func (c *collisionPoint) expected(share []float64) float64 {
	hit := make([]float64, len(share)+1)
	for x, s := range share {
		hit[c.place(x)] += s
	}
	hit[0] = 0 // which gets nothing
	return failing(hit, c.p)
}

// failing is the share of p sprays that get no element, if of those that land on one element one gets it: an element is not hit with
// probability (1−share)^p.
func failing(share []float64, p int) float64 {
	got := 0.0
	for _, s := range share {
		got -= math.Expm1(float64(p) * math.Log1p(-min(s, 1)))
	}
	return 1 - got/float64(p)
}

// compete goes on until all processes have an element. It returns the share that failed in the first round, and the rounds.
func (c *collisionPoint) compete(list *skiplist, rng *random.Stream) (failed float64, rounds int) {
	heights := c.walk.Heights
	for left := c.p; left > 0 && rounds <= collisionPatience; rounds++ {
		taken := make([]bool, list.elements()+1)
		without := left
		for range left {
			x := list.land(heights, c.walk, rng)
			for x < 0 { // the list is used up
				for range list.elements()/8 + 16 {
					list.add(drawHeight(rng))
				}
				taken = append(taken, make([]bool, list.elements()+1-len(taken))...)
				x = list.land(heights, c.walk, rng)
			}
			if place := c.place(x); place > 0 && !taken[place+c.walk.Padding] {
				taken[place+c.walk.Padding] = true
				without--
			}
		}
		if rounds == 0 {
			failed = float64(without) / float64(c.p)
		}
		if left = without; left > 0 {
			list = list.without(taken)
		}
	}
	return failed, rounds
}

func judgeCollisions(all []*collisionPoint) reproduce.Finding {
	var f reproduce.Finding
	shares, rounds := make([]plot.Series, len(collisionKinds)), make([]plot.Series, len(collisionKinds))
	logs := plot.Series{Name: "log p"}
	tables := make([]reproduce.Table, len(collisionKinds))
	most, slowest := make([]float64, len(collisionKinds)), make([]float64, len(collisionKinds))
	last, off := make([]*collisionPoint, len(collisionKinds)), 0.0
	stuck, sixteen := 0, make([]float64, len(collisionKinds))
	for i, name := range collisionKinds {
		shares[i].Name, rounds[i].Name = name, name
		tables[i] = reproduce.Table{Name: "p sprays at once, " + name, Columns: []string{"p", "within reach", "lists", "share that fails",
			"standard error", "exact",
			"uniform choice", "exact over uniform", "rounds, mean", "at most", "lists in which some get none"}}
	}
	for _, c := range all {
		if c.never() {
			continue
		}
		i, p := c.kind, float64(c.p)
		failed, exact, took := reproduce.Mean(c.failed), reproduce.Mean(c.exact), reproduce.Mean(c.rounds)
		ratio := exact.Mean / c.uniform
		tables[i].Rows = append(tables[i].Rows, []float64{p, float64(c.walk.Reach()), float64(len(c.failed)), failed.Mean,
			failed.SE, exact.Mean, c.uniform,
			ratio, took.Mean, float64(c.longest), float64(c.stuck)})
		// One spray in all lists is the least that could have been missed.
		one := 1 / (p * float64(len(c.failed)))
		off = max(off, math.Abs(failed.Mean-exact.Mean)/max(failed.SE, math.Sqrt(exact.Mean*one), one))
		most[i] = max(most[i], exact.Mean)
		if i < 2 || c.p >= 16 {
			slowest[i] = max(slowest[i], took.Mean/(1+math.Log2(p)))
			stuck += c.stuck
		}
		last[i] = c
		if c.p == 16 {
			sixteen[i] = exact.Mean
		}
		shares[i].Add(p, exact.Mean)
		rounds[i].Add(p, took.Mean)
		if i == 0 {
			logs.Add(p, math.Log2(p))
		}
	}
	f.Measured = fmt.Sprintf("Of p = %d sprays at once %.1f %% of PerfectSprays fail, %.2f %% of BasicSprays and %.0f %% of "+
		"FullSprays, less than with p = 16 (%.0f, %.1f "+
		"and %.0f %%); all have an element after %.1f, %.1f and %.1f rounds on average.", last[0].p, 100*reproduce.Mean(last[0].exact).Mean,
		100*reproduce.Mean(last[1].exact).Mean, 100*reproduce.Mean(last[2].exact).Mean, 100*sixteen[0], 100*sixteen[1], 100*sixteen[2],
		reproduce.Mean(last[0].rounds).Mean, reproduce.Mean(last[1].rounds).Mean, reproduce.Mean(last[2].rounds).Mean)
	f.For(reproduce.Control).Check("share that fails off the exact one, in standard errors, at most", off, 0, reproduce.Sigmas,
		"4.5 standard errors of independent lists")
	for i, name := range collisionKinds {
		what, because := name+", largest share that fails", "a constant: with p = 2 all sprays end at the first element, and "+
			"half of them fail"
		limit := 0.5
		if i == 2 {
			what += ", p ≥ 4"
			limit, because = 0.8, "a constant: with p = 4 two of three sprays end in the padding, and some of the others collide"
		}
		f.Between(what, most[i], 0, limit, 1e-9, because)
		f.Between(fmt.Sprintf("%s, share that fails with p = %d over that with p = 16", name, last[i].p),
			reproduce.Mean(last[i].exact).Mean/sixteen[i], 0, 1, 0,
			"a constant does not grow with p; the shares are exact in each list, and fall")
		what = name + ", mean rounds until all have an element over 1 + log p, at most"
		if i == 2 {
			what += ", p ≥ 16"
		}
		f.Between(what, slowest[i], 0, 2, 0, "O(log p), with a constant of 2: where half of those that spray fail it takes log "+
			"p rounds, and 1.3 more for the last")
	}
	f.Check("lists in which some have no element after 200 rounds, FullSpray with p ≤ 8 left out", float64(stuck), 0, 0,
		"O(log p) is far from 200")
	f.Tables = append(f.Tables, tables...)
	noteCollisions(&f, last)
	f.Chart("failed", plot.Chart{Title: "Sprays that fail, of p at once", XLabel: "p", YLabel: "share", LogX: true, LogY: true,
		LegendBeside: true, Series: shares})
	f.Chart("rounds", plot.Chart{Title: "Rounds until all p processes have an element", XLabel: "p", YLabel: "rounds, mean",
		LogX: true, FromZero: true, LegendBeside: true, Series: append(rounds, logs)})
	return f
}

func noteCollisions(f *reproduce.Finding, last []*collisionPoint) {
	perfect, basic, full := last[0], last[1], last[2]
	f.Notes = append(f.Notes,
		fmt.Sprintf("With p = %d, %.1f %% of PerfectSprays fail in the first round, %.2f %% of BasicSprays, and %.1f %% of "+
			"FullSprays, nearly all of these in the padding. PerfectSpray goes to p·log p elements and BasicSpray to about "+
			"(p/2)·log³p: what it saves in collisions it goes further.", perfect.p,
			100*reproduce.Mean(perfect.exact).Mean, 100*reproduce.Mean(basic.exact).Mean, 100*reproduce.Mean(full.exact).Mean),
		fmt.Sprintf("Uniform choice within reach would have %.1f %% and %.2f %% for the first two: PerfectSpray is %.1f times "+
			"as bad, since it hits some elements much more often than others (spray-perfect-conjecture).", 100*perfect.uniform,
			100*basic.uniform, reproduce.Mean(perfect.exact).Mean/perfect.uniform),
		"With p = 2, PerfectSpray always takes the first element and BasicSpray the second, and FullSpray never takes any (spray-padding); "+
			"it is left out there. With p = 4 and 8 the rounds that FullSpray takes depend on the padding, which stays as it "+
			"is: if many of its elements are tall by chance, few sprays or none get through. With p = 4 there is none to get "+
			"through in one list of 256 and more, as where the first eight elements are all higher than 1.",
		"A spray that fails tries again in the next round. In spray.List it goes on to the next element instead, and few have "+
			"to try again.")
}
