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

// A delete locks the element's predecessor at each of its heights, an insertion that of its place. Two deletes at once meet if
// one element comes right after the other at some height of both, two insertions if they have the same predecessor. Those that
// meet wait for one another, and in the worst case all of a group do that are connected so.
//
// Sprays do not look at the height of where they land, so that of the neighbours of an element, at each of its heights, each is
// deleted too with a probability of about p·Σ share², which for p uniform choices among n is p/n. With two neighbours and a
// mean height of 2 a delete meets 4·p·Σ share² others.

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
	r.Runs(len(points))
	for i, c := range points {
		for k := range r.count(min(200, 2e6/float64(c.walk.Reach())), 6) {
			r.Checkpoint()
			rng := r.Stream(uint64(i), uint64(k))
			c.round(&rng)
		}
		r.Ran()
	}
	return judgeLocks(points)
}

var lockKinds = []string{"deletes, BasicSpray", "insertions, random", "insertions at one place", "deletes, PerfectSpray"}

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
		number := map[int32]int{}
		for range c.p {
			x := list.land(at, c.walk, rng)
			if _, ok := number[int32(x)]; !ok && x > 0 {
				number[int32(x)] = g.add()
				heights += int(list.heights[x])
			}
		}
		for x := range number {
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
	for _, n := range count {
		mean += float64(n*n) / float64(len(g.to))
		largest = max(largest, n)
	}
	return mean, largest
}

func judgeLocks(points []*lockPoint) reproduce.Finding {
	var f reproduce.Finding
	tables, series := make([]reproduce.Table, len(lockKinds)), make([]plot.Series, len(lockKinds))
	for i, name := range lockKinds {
		tables[i] = reproduce.Table{Name: name, Columns: []string{"p", "lists", "others that one meets, mean", "standard error",
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
			// Σ 4^(1−k)·(2·2^(k−1) − 1) over the heights k that both have, by gaps of which the longer ones are hit more often.
			want = 8.0 / 3 * float64(c.p-1) / float64(c.walk.Reach())
		}
		if c.kind == 0 {
			// What is seldom seen has a standard error of its own.
			one := 2 / float64(len(c.met)*c.p)
			off = max(off, math.Abs(met.Mean-want)/max(met.SE, math.Sqrt(want*one)))
			tall = max(tall, height.Off(2, 0))
		}
		tables[c.kind].Rows = append(tables[c.kind].Rows, []float64{float64(c.p), float64(len(c.met)), met.Mean, met.SE, want,
			height.Mean, group.Mean, group.SE, float64(c.largest),
			float64(c.largest) / logp(c.p)})
		series[c.kind].Add(float64(c.p), group.Mean)
		longest[c.kind] = float64(c.largest) / logp(c.p) // for the largest p
		if first[c.kind] == nil {
			first[c.kind] = c
		}
		last[c.kind] = c
	}
	group := func(c *lockPoint) reproduce.Estimate { return reproduce.Mean(c.group) }
	f.Measured = fmt.Sprintf("Of p = %d deletes after BasicSprays each meets %.3f others on average and %.2f with p = 16, takes 2 "+
		"locks, and waits for no more than %d (p = %d); random insertions as few. "+
		"%d insertions at one place all wait for one another.", last[0].p, reproduce.Mean(last[0].met).Mean,
		reproduce.Mean(first[0].met).Mean, last[0].largest-1, last[0].p, last[2].p)
	because := "a constant does not grow with p: 4.5 standard errors"
	for _, kind := range []int{0, 1} {
		d := group(last[kind]).Minus(group(first[kind]))
		f.Between(fmt.Sprintf("%s: mean size of a group with p = %d less that with p = 16", lockKinds[kind], last[kind].p), d.Mean,
			-1, 0, reproduce.Sigmas*d.SE, because)
		f.Between(fmt.Sprintf("%s: largest group of all lists over log p, p = %d", lockKinds[kind], last[kind].p), longest[kind], 0,
			1, 0, "polylogarithmic at worst: here log p")
	}
	f.Check("deletes, BasicSpray: mean height off 2, in standard errors, at most", tall, 0, reproduce.Sigmas, "locks that a delete "+
		"takes; 4.5 standard errors of independent lists")
	f.Check(fmt.Sprintf("insertions at one place: size of the group, p = %d", last[2].p), group(last[2]).Mean, float64(last[2].p),
		1e-9, "a chain of all p, but for rounding")
	f.For(reproduce.Control).Check("deletes, BasicSpray: others that one meets off 4·p·Σ share², in standard errors, at most", off,
		0, reproduce.Sigmas,
		"4.5 standard errors of independent lists")
	f.Tables = append(f.Tables, tables...)
	f.Notes = append(f.Notes, fmt.Sprintf("PerfectSprays land closer together: with p = %d a delete meets %.2f others, and the "+
		"largest group is %d.", last[3].p, reproduce.Mean(last[3].met).Mean, last[3].largest),
		"Time is in locks and in processes that are waited for, not in seconds. A list without locks, as spray.List is, has nobody "+
			"wait; what meets there tries again.")
	f.Chart("groups", plot.Chart{Title: "Processes that wait for one another, of p at once", XLabel: "p", YLabel: "mean size of a " +
		"group", LogX: true, LogY: true, LegendBeside: true, Series: series})
	return f
}
