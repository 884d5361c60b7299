package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// waitingLemmas follows the balls that are in the pool after a round until the last one has a
// place.
//
// They are never delayed by younger ones. So for c = 1 they go as the balls of THRESHOLD[1], which
// come all at once: with y per bin, 1−e^(−y) per bin are given a place in a round.
func waitingLemmas(r *runner) reproduce.Finding {
	sizes := []int{1 << 10, r.bins}
	if r.bins <= 1<<10 {
		sizes = sizes[1:]
	}
	var all []*drains
	for _, n := range sizes {
		for _, c := range []int{1, 2, 3, 5} {
			for _, i := range []int{2, 6, 10, 13} {
				all = append(all, &drains{n: n, c: c, lambda: halved(i), lemma3: r.theory.lemma3})
			}
		}
		for _, balls := range []float64{3, 10, 30, 100} {
			all = append(all, &drains{n: n, c: 1, balls: balls, lemma3: r.theory.lemma3})
		}
	}
	r.Runs(len(all))
	rounds, repeats := r.rounds(3000, 200), r.rounds(200, 10)
	for stream, d := range all {
		if d.balls > 0 {
			r.drainBatch(d, repeats, stream)
		} else {
			r.drainPools(d, rounds, stream)
		}
		r.Ran()
	}
	var f reproduce.Finding
	table := reproduce.Table{Name: "rounds until survivors are gone", Columns: []string{"n", "c", "λ, 0 for a batch",
		"starts",
		"pool per bin at the start", "rounds of Lemma 3", "to 2n, mean", "at most", "to n/(2e), mean", "at most",
		"to none, mean", "at most", "log₂log₂n"}}
	starts, late := 0, 0
	nearest, fourth, beyond := 0.0, 0, math.Inf(-1)
	for _, d := range all {
		logs := math.Log2(math.Log2(float64(d.n)))
		table.Rows = append(table.Rows, []float64{float64(d.n), float64(d.c), d.lambda, float64(d.count), d.pool,
			d.pool / d.lemma3,
			d.mean[0], float64(d.most[0]), d.mean[1], float64(d.most[1]), d.mean[2], float64(d.most[2]), logs})
		starts += d.count
		late += d.late
		nearest, fourth = max(nearest, d.nearest), max(fourth, d.most[1])
		beyond = max(beyond, float64(d.most[2])-logs)
	}
	f.Check(fmt.Sprintf("starts of %d with more than 2n survivors after m(t)/(n−n/e) rounds", starts), float64(late), 0,
		0,
		"Lemma 3: the probability is e^(−Ω(n))")
	f.Between("rounds from 2n to n/(2e) survivors, at most", float64(fourth), 0, float64(r.theory.lemma4), 0,
		"Lemma 4: the probability of more is e^(−Ω(n))")
	f.For(reproduce.Printed).AtMost("rounds from n/(2e) survivors to none beyond log₂log₂n, at most", beyond,
		r.theory.lemma5)
	f.Measured = fmt.Sprintf("Of %d pools %d had more than 2n survivors after m(t)/(n−n/e) rounds (the slowest took "+
		"%.2f of these); from 2n to "+
		"n/(2e) it took %d rounds at most, and from there to none log₂log₂n %+.2f at most.", starts, late, nearest,
		fourth, beyond)
	f.Tables = append(f.Tables, table)
	f.Notes = append(f.Notes,
		fmt.Sprintf("Lemma 3 gives the survivors 1/(1−1/e) = 1.58 rounds for each ball a bin, and they take at most "+
			"%.2f of that: "+
			"as long as there are many, nearly every bin gets one of them, and not only 1−1/e of the bins.", nearest),
		fmt.Sprintf("Lemma 4 gives 19 rounds, for n/10 balls in each, and %d is the most that was seen: from 2n survivors "+
			"0.86 n "+
			"have a place after one round.", fourth),
		fmt.Sprintf("Lemma 5: from n/(2e) on it takes log₂log₂n %+.2f rounds at most. If y per bin are left, y²/2 "+
			"are left "+
			"a round later. Logarithms to base 2 are what is meant: with natural ones the O(1) would grow with n.", beyond))
	f.Chart("survivors", drainChart(r.effort, all))
	return f
}

// drains is how long it took for the survivors of some pools to go.
type drains struct {
	n, c   int
	lambda float64
	balls  float64 // per bin, if it is a batch
	lemma3 float64 // how many go in a round by Lemma 3, per bin

	count     int
	pool      float64    // per bin, at the start, on average
	mean      [3]float64 // rounds down to 2n, from there to n/(2e), and from there to none
	most      [3]int
	late      int     // starts that took longer than Lemma 3 says
	nearest   float64 // the largest share of its rounds that Lemma 3 needed
	surviving []float64
}

// A drain is a pool whose survivors are being followed.
type drain struct {
	from, size int // the round, and the balls
	at         [3]int
}

// left notes how many survive after some rounds, and says whether it is none.
func (s *drain) left(n, rounds, survivors int) bool {
	for k, limit := range [3]float64{2 * float64(n), float64(n) / (2 * math.E), 0} {
		if s.at[k] < 0 && float64(survivors) <= limit {
			s.at[k] = rounds
		}
	}
	return survivors == 0
}

// add counts a pool that is gone.
func (d *drains) add(s *drain) {
	d.count++
	d.pool += float64(s.size) / float64(d.n)
	took := [3]int{s.at[0], s.at[1] - s.at[0], s.at[2] - s.at[1]}
	for k, rounds := range took {
		d.mean[k] += float64(rounds)
		d.most[k] = max(d.most[k], rounds)
	}
	given := int(math.Ceil(float64(s.size) / (float64(d.n) * d.lemma3))) // rounds are whole
	d.late += reproduce.Above(float64(took[0]), float64(given))
	d.nearest = max(d.nearest, float64(took[0])/float64(given))
}

// finish makes means of sums.
func (d *drains) finish() {
	d.pool /= float64(d.count)
	for k := range d.mean {
		d.mean[k] /= float64(d.count)
	}
	for k := range d.surviving {
		d.surviving[k] /= float64(d.count) * float64(d.n)
	}
}

// survived adds what survives after some rounds, for the mean over all starts.
func (d *drains) survived(rounds, survivors int) {
	for len(d.surviving) <= rounds {
		d.surviving = append(d.surviving, 0)
	}
	d.surviving[rounds] += float64(survivors)
}

// drainPools follows the pool of every round, some rounds long.
func (r *runner) drainPools(d *drains, rounds, stream int) {
	p := reproduce.Must(capped.NewProcess(capped.Config{Bins: d.n, Capacity: d.c, Rate: d.lambda, Seed: r.seed(stream),
		Warm: true}))
	var open []drain
	var older []int // how many balls in the pool are of that age or more
	follow := func(round capped.Round) {
		older = older[:0]
		for age, count := range p.Ages() {
			for len(older) <= age {
				older = append(older, 0)
			}
			older[age] += count
		}
		for age := len(older) - 2; age >= 0; age-- {
			older[age] += older[age+1]
		}
		still := open[:0]
		for _, s := range open {
			after, survivors := p.Rounds()-s.from, 0
			if after < len(older) {
				survivors = older[after]
			}
			d.survived(after, survivors)
			if s.left(d.n, after, survivors) {
				d.add(&s)
			} else {
				still = append(still, s)
			}
		}
		open = still
		if p.Rounds() <= rounds && round.Pool > 0 {
			s := drain{from: p.Rounds(), size: round.Pool, at: [3]int{-1, -1, -1}}
			s.left(d.n, 0, s.size)
			d.survived(0, s.size)
			open = append(open, s)
		}
	}
	r.each(p, rounds, follow)
	for len(open) > 0 {
		r.each(p, 1, follow)
	}
	d.finish()
}

// drainBatch follows so many balls that come all at once, some times.
func (r *runner) drainBatch(d *drains, repeats, stream int) {
	for k := range repeats {
		p := reproduce.Must(capped.NewProcess(capped.Config{Bins: d.n, Capacity: 1, Rate: d.balls, Kind: capped.Threshold,
			Seed: r.seed(1000*(k+1) + stream)}))
		s := drain{size: int(d.balls) * d.n, at: [3]int{-1, -1, -1}}
		s.left(d.n, 0, s.size)
		d.survived(0, s.size)
		for gone := false; !gone; {
			r.each(p, 1, func(round capped.Round) {
				d.survived(p.Rounds(), round.Pool)
				gone = s.left(d.n, p.Rounds(), round.Pool)
			})
		}
		d.add(&s)
	}
	d.finish()
}

// drainLeast is the least that is drawn: a third of a ball of 2¹⁵.
const drainLeast = 1e-5

func drainChart(e effort, all []*drains) plot.Chart {
	chart := plot.Chart{Title: "Survivors of a pool, " + powerName(e.bins) + " bins", XLabel: "rounds later",
		YLabel: "survivors per bin", LogY: true, LegendBeside: true}
	for _, d := range all {
		batch := d.balls == 10
		if d.n != e.bins || !batch && (d.lambda != halved(13) || d.c > 3) {
			continue
		}
		s := plot.Series{Name: fmt.Sprintf("c = %d, λ = %s", d.c, halvedName(13))}
		if batch {
			s.Name = "c = 1, batch of 10 n"
		}
		for k, y := range d.surviving {
			if y > drainLeast {
				s.Add(float64(k), y)
			}
		}
		chart.Series = append(chart.Series, s)
	}
	lemmas := plot.Series{Name: "Lemmas 3 and 4, 10 n"}
	y, k := 10.0, 0
	for ; y > 2; k++ {
		lemmas.Add(float64(k), y)
		y -= 1 - 1/math.E
	}
	for y = 2; y > 1/(2*math.E); k++ {
		lemmas.Add(float64(k), y)
		y -= 0.1
	}
	chart.Series = append(chart.Series, lemmas)
	return chart
}
