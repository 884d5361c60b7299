package li

import (
	"fmt"
	"math"
	"slices"

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
	inLists(r, all, func(c *collisionPoint) int {
		if c.never() {
			return 0
		}
		return r.count(min(200, 1e6/float64(c.walk.Reach())), 20)
	}, (*collisionPoint).measure)
	var f reproduce.Finding
	shares, rounds := make([]plot.Series, len(collisionKinds)), make([]plot.Series, len(collisionKinds))
	logs := plot.Series{Name: "log p"}
	tables := make([]reproduce.Table, len(collisionKinds))
	most, slowest := make([]float64, len(collisionKinds)), make([]float64, len(collisionKinds))
	last, off := make([]*collisionPoint, len(collisionKinds)), 0.0
	stuck, sixteen := 0, make([]float64, len(collisionKinds))
	for i, name := range collisionKinds {
		shares[i].Name, rounds[i].Name = name, name
		tables[i] = reproduce.Table{Name: "p sprays at once, " + name, Columns: []string{"p", "within reach", "lists",
			"share that fails",
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
		tables[i].Rows = append(tables[i].Rows, []float64{p, float64(c.walk.Reach()), float64(len(c.failed)),
			failed.Mean, failed.SE, exact.Mean, c.uniform, ratio, took.Mean, float64(c.longest), float64(c.stuck)})
		// One spray in all lists is the least that could have been missed.
		one := 1 / (p * float64(len(c.failed)))
		off = max(off, math.Abs(failed.Mean-exact.Mean)/max(failed.SE, math.Sqrt(exact.Mean*one), one))
		most[i] = max(most[i], exact.Mean)
		slowest[i] = max(slowest[i], took.Mean/(1+math.Log2(p)))
		stuck += c.stuck
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
	f.Measured = fmt.Sprintf("Of p = %d sprays at once %.1f %% of PerfectSprays fail, %.2f %% of BasicSprays and "+
		"%.0f %% of "+
		"FullSprays, less than with p = 16 (%.0f, %.1f "+
		"and %.0f %%); all have an element after %.1f, %.1f and %.1f rounds on average.", last[0].p,
		100*reproduce.Mean(last[0].exact).Mean,
		100*reproduce.Mean(last[1].exact).Mean, 100*reproduce.Mean(last[2].exact).Mean, 100*sixteen[0], 100*sixteen[1],
		100*sixteen[2],
		reproduce.Mean(last[0].rounds).Mean, reproduce.Mean(last[1].rounds).Mean, reproduce.Mean(last[2].rounds).Mean)
	f.For(reproduce.Control).Check("share that fails off the exact one, in standard errors, at most", off, 0,
		reproduce.Sigmas,
		"4.5 standard errors of independent lists")
	for i, name := range collisionKinds {
		what := name + ", largest share that fails"
		if i == 2 {
			what += ", p ≥ 4"
		}
		f.For(reproduce.Printed).AtMost(what, most[i], reproduce.Chosen("spray: constant share"))
		f.Between(fmt.Sprintf("%s, share that fails with p = %d over that with p = 16", name, last[i].p),
			reproduce.Mean(last[i].exact).Mean/sixteen[i], 0, 1, 0,
			"a constant does not grow with p; the shares are exact in each list, and fall")
		f.For(reproduce.Printed).AtMost(name+", mean rounds until all have an element over 1 + log p, at most", slowest[i],
			reproduce.Chosen("spray: logarithmic"))
	}
	f.Check("lists in which some have no element after 200 rounds", float64(stuck), 0, 0,
		"O(log p) is far from 200")
	f.Tables = append(f.Tables, tables...)
	noteCollisions(&f, last)
	f.Chart("failed", plot.Chart{Title: "Sprays that fail, of p at once", XLabel: "p", YLabel: "share", LogX: true,
		LogY:         true,
		LegendBeside: true, Series: shares})
	f.Chart("rounds", plot.Chart{Title: "Rounds until all p processes have an element", XLabel: "p",
		YLabel: "rounds, mean",
		LogX:   true, FromZero: true, LegendBeside: true, Series: append(rounds, logs)})
	r.realCollisions(&f)
	return f
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

// measure has all sprays in a list.
func (c *collisionPoint) measure(rng *random.Stream) {
	// What is removed makes walks go further.
	list := randomSkiplist(c.walk, c.walk.Reach()*5/4+4*c.p, rng)
	c.exact = append(c.exact, c.expected(list.landing(c.walk)))
	failed, rounds := c.compete(list, rng)
	c.failed = append(c.failed, failed)
	if rounds > collisionPatience {
		c.stuck++
		return
	}
	c.rounds = append(c.rounds, float64(rounds))
	c.longest = max(c.longest, rounds)
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

// failing is the share of p sprays that get no element, if of those that land on one element one
// gets it: an element is not hit with probability (1−share)^p.
func failing(share []float64, p int) float64 {
	got := 0.0
	for _, s := range share {
		got -= math.Expm1(float64(p) * math.Log1p(-min(s, 1)))
	}
	return 1 - got/float64(p)
}

// compete goes on until all processes have an element. It returns the share that failed in the
// first round, and the rounds.
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

func noteCollisions(f *reproduce.Finding, last []*collisionPoint) {
	perfect, basic, full := last[0], last[1], last[2]
	f.Notes = append(f.Notes,
		fmt.Sprintf("With p = %d, %.1f %% of PerfectSprays fail in the first round, %.2f %% of BasicSprays, and %.1f %% "+
			"of "+
			"FullSprays, nearly all of these in the padding. PerfectSpray goes to p·log p elements and BasicSpray to about "+
			"(p/2)·log³p: what it saves in collisions it goes further.", perfect.p,
			100*reproduce.Mean(perfect.exact).Mean, 100*reproduce.Mean(basic.exact).Mean,
			100*reproduce.Mean(full.exact).Mean),
		fmt.Sprintf("Uniform choice within reach would have %.1f %% and %.2f %% for the first two: PerfectSpray is "+
			"%.1f times "+
			"as bad, since it hits some elements much more often than others (spray-perfect-conjecture).",
			100*perfect.uniform,
			100*basic.uniform, reproduce.Mean(perfect.exact).Mean/perfect.uniform),
		"With p = 2, PerfectSpray always takes the first element and BasicSpray the second, and FullSpray never takes any "+
			"(spray-padding); "+
			"it is left out there. From p = 4 on some sprays get through every padding: with p = 4 the longest ends at "+
			"element 24 or later, and the padding has 16.",
		"A spray that fails tries again in the next round. In spray.List it goes on to the next element instead, and "+
			"few have "+
			"to try again.")
}

// A delete locks the element's predecessor at each of its heights, an insertion that of its place.
// Two deletes at once meet if one element comes right after the other at some height of both, two
// insertions if they have the same predecessor. Those that meet wait for one another, and in the
// worst case all of a group do that are connected so.
//
// Sprays do not look at the height of where they land, so that of the neighbours of an element, at
// each of its heights, each is deleted too with a probability of about p·Σ share², which for p
// uniform choices among n is p/n. With two neighbours and a mean height of 2 a delete meets 4·p·Σ
// share² others.

func deleteInsert(r *runner) reproduce.Finding {
	largest := 512
	if r.scale < 1 {
		largest = 128
	}
	var points []*lockPoint
	for kind := range lockKinds {
		for _, p := range powers(16, largest) {
			c := &lockPoint{kind: kind, p: p, walk: r.theory.basic(p, 1)}
			if lockKinds[kind] == "deletes, PerfectSpray" {
				c.walk = r.theory.perfect(p)
			}
			points = append(points, c)
		}
	}
	count := func(c *lockPoint) int { return r.count(min(200, 1e6/float64(c.walk.Reach())), 6) }
	inLists(r, points, count, (*lockPoint).round)
	var f reproduce.Finding
	tables, series := make([]reproduce.Table, len(lockKinds)), make([]plot.Series, len(lockKinds))
	for i, name := range lockKinds {
		tables[i] = reproduce.Table{Name: name, Columns: []string{"p", "lists", "others that one meets, mean",
			"standard error",
			"expected", "heights, mean", "size of the group, mean",
			"standard error", "largest of all", "over log p"}}
		series[i].Name = name
	}
	first, last := make([]*lockPoint, len(lockKinds)), make([]*lockPoint, len(lockKinds))
	longest, off, tall := make([]float64, len(lockKinds)), 0.0, 0.0
	for _, c := range points {
		met, height, group := reproduce.Mean(c.met), reproduce.Mean(c.height), reproduce.Mean(c.group)
		want := float64(c.p-1) / 2 // at one place, and height 1 alone would be as many pairs
		switch c.kind {
		case 0, 3:
			want = reproduce.Mean(c.want).Mean
		case 1:
			// Σ 4^(1−k)·(2·2^(k−1) − 1) over the heights k that both have, by gaps of which the
			// longer ones are hit more often.
			want = 8.0 / 3 * float64(c.p-1) / float64(c.walk.Reach())
		}
		if c.kind == 0 {
			// What is seldom seen has a standard error of its own.
			one := 2 / float64(len(c.met)*c.p)
			off = max(off, math.Abs(met.Mean-want)/max(met.SE, math.Sqrt(want*one)))
			tall = max(tall, height.Off(2, 0))
		}
		tables[c.kind].Rows = append(tables[c.kind].Rows, []float64{float64(c.p), float64(len(c.met)), met.Mean, met.SE,
			want, height.Mean, group.Mean, group.SE, float64(c.largest), float64(c.largest) / logp(c.p)})
		series[c.kind].Add(float64(c.p), group.Mean)
		longest[c.kind] = float64(c.largest) / logp(c.p) // for the largest p
		if first[c.kind] == nil {
			first[c.kind] = c
		}
		last[c.kind] = c
	}
	group := func(c *lockPoint) reproduce.Estimate { return reproduce.Mean(c.group) }
	f.Measured = fmt.Sprintf("Of p = %d deletes after BasicSprays each meets %.3f others on average and %.2f with p = "+
		"16, takes 2 "+
		"locks, and waits for no more than %d (p = %d); random insertions as few. "+
		"%d insertions at one place all wait for one another.", last[0].p, reproduce.Mean(last[0].met).Mean,
		reproduce.Mean(first[0].met).Mean, last[0].largest-1, last[0].p, last[2].p)
	because := "a constant does not grow with p: 4.5 standard errors"
	for _, kind := range []int{0, 1} {
		d := group(last[kind]).Minus(group(first[kind]))
		f.Between(fmt.Sprintf("%s: mean size of a group with p = %d less that with p = 16", lockKinds[kind], last[kind].p),
			d.Mean,
			-1, 0, reproduce.Sigmas*d.SE, because)
		f.For(reproduce.Printed).AtMost(fmt.Sprintf("%s: largest group of all lists over log p, p = %d", lockKinds[kind],
			last[kind].p), longest[kind], reproduce.Chosen("spray: longest chain"))
	}
	f.Check("deletes, BasicSpray: mean height off 2, in standard errors, at most", tall, 0, reproduce.Sigmas,
		"locks that a delete "+
			"takes; 4.5 standard errors of independent lists")
	f.Check(fmt.Sprintf("insertions at one place: size of the group, p = %d", last[2].p), group(last[2]).Mean,
		float64(last[2].p),
		1e-9, "a chain of all p, but for rounding")
	f.For(reproduce.Control).Check("deletes, BasicSpray: others that one meets off 4·p·Σ share², in standard errors, "+
		"at most", off, 0, reproduce.Sigmas, "4.5 standard errors of independent lists")
	f.Tables = append(f.Tables, tables...)
	f.Notes = append(f.Notes, fmt.Sprintf("PerfectSprays land closer together: with p = %d a delete meets %.2f others, "+
		"and the "+
		"largest group is %d.", last[3].p, reproduce.Mean(last[3].met).Mean, last[3].largest),
		"Time is in locks and in processes that are waited for, not in seconds. A list without locks, as spray.List is, "+
			"has nobody "+
			"wait; what meets there tries again.")
	f.Chart("groups", plot.Chart{Title: "Processes that wait for one another, of p at once", XLabel: "p",
		YLabel: "mean size of a " +
			"group", LogX: true, LogY: true, LegendBeside: true, Series: series})
	r.realLocks(&f)
	return f
}

var lockKinds = []string{"deletes, BasicSpray", "insertions, random", "insertions at one place",
	"deletes, PerfectSpray"}

// lockTop is the height up to which locks are looked at.
const lockTop = 20

// A lockPoint is p operations at once.
type lockPoint struct {
	kind int
	p    int
	walk spray.Walk

	met, want, height, group []float64 // means, in each list
	largest                  int       // of all groups
}

// round has p operations at once in a list.
func (c *lockPoint) round(rng *random.Stream) {
	n := c.walk.Reach() + c.walk.Reach()/4 + 64
	list := newSkiplist(max(lockTop, c.walk.Heights[0]), n)
	for list.elements() < n || list.longest(c.walk) < 0 {
		list.add(drawHeight(rng))
	}
	g := grouping{}
	heights := 0
	switch c.kind {
	case 1, 2:
		place := 1 + int(rng.Below(uint64(c.walk.Reach())))
		seen := map[[2]int]int{}
		for i := range c.p {
			if c.kind == 1 {
				place = 1 + int(rng.Below(uint64(c.walk.Reach())))
			}
			g.add()
			h := drawHeight(rng)
			heights += h
			for k := 1; k <= min(h, lockTop); k++ {
				before := [2]int{k, place}
				if k > 1 {
					before[1], _ = slices.BinarySearch(list.at[k], int32(place+1))
				}
				if j, ok := seen[before]; ok {
					g.join(i, j)
				}
				seen[before] = i
			}
		}
	default:
		at := c.walk.Heights
		number, hit := map[int32]int{}, []int32(nil)
		for range c.p {
			x := int32(list.land(at, c.walk, rng))
			if _, ok := number[x]; !ok && x > 0 {
				number[x], hit = g.add(), append(hit, x)
				heights += int(list.heights[x])
			}
		}
		for _, x := range hit {
			for k := 1; k <= min(int(list.heights[x]), lockTop); k++ {
				next := x + 1
				if k > 1 {
					i, _ := slices.BinarySearch(list.at[k], x)
					if i+1 == len(list.at[k]) {
						continue
					}
					next = list.at[k][i+1]
				}
				if j, ok := number[next]; ok {
					g.join(number[x], j)
				}
			}
		}
		pairs := 0.0
		for _, s := range list.landing(c.walk) {
			pairs += s * s
		}
		c.want = append(c.want, 4*float64(c.p)*pairs)
	}
	size, largest := g.sizes()
	n = len(g.to)
	c.met = append(c.met, 2*float64(g.joined)/float64(n))
	c.height = append(c.height, float64(heights)/float64(n))
	c.group = append(c.group, size)
	c.largest = max(c.largest, largest)
}

// A grouping is operations of which some wait for one another.
type grouping struct {
	to     []int // another one of the same group, or itself
	joined int   // pairs that meet, by height
}

func (g *grouping) add() int {
	g.to = append(g.to, len(g.to))
	return len(g.to) - 1
}

func (g *grouping) root(i int) int {
	for g.to[i] != i {
		i = g.to[i]
	}
	return i
}

func (g *grouping) join(i, j int) {
	g.joined++
	g.to[g.root(i)] = g.root(j)
}

// sizes is the mean size of the group that an operation is in, and the largest.
func (g *grouping) sizes() (mean float64, largest int) {
	count := make([]int, len(g.to))
	for i := range g.to {
		count[g.root(i)]++
	}
	squares := 0 // whole, so that the order in which groups were joined makes no difference
	for _, n := range count {
		squares += n * n
		largest = max(largest, n)
	}
	return float64(squares) / float64(len(g.to)), largest
}
