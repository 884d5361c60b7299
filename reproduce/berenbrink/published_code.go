package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// publishedCode is what the published versions of the authors' simulator miss of the long run. It
// is a statement of ours: the paper speaks of its figures, for which see burnIn.
//
// For c = 1 the requests per bin x change by e^(−x) − (1−λ) in a round, and so eˣ grows to 1/(1−λ)
// as 1−e^(−(1−λ)t): it takes 1/(1−λ) rounds for a factor of e, 8192 at λ = 1−2⁻¹³, and about 1/c of
// that for other c. The simulator that the paper refers to [Hahn21] begins empty and has the mean
// of the last 1000 rounds, whatever λ is; how many there are differs between its versions.
//
// [Hahn21]: https://github.com/t-c-hahn/balls-and-bins-simulation
func publishedCode(r *runner) reproduce.Finding {
	g := panels{rates: []int{2, 10, 13}}
	keys := g.keys()
	r.Runs(len(keys) + 1)
	var points []burnInPoint
	for _, k := range keys {
		points = append(points, r.burnIn(k[0], k[1]))
	}
	last := r.longRun(1, 13, 4, 1)
	var f reproduce.Finding
	table := reproduce.Table{Name: "pool per bin and waits, from an empty start and in the long run", Columns: []string{
		"c", "i of λ = 1−2⁻ⁱ", "relaxation time", "pool in rounds 1001–2000", "by the mean field",
		"pool after round 2000",
		"by the mean field", "long run", "rounds 1001–2000 against it, %", "mean wait in rounds 1001–2000", "long run",
		"longest of a round, mean", "long run"}}
	off := 0.0
	var worst burnInPoint
	for _, p := range points {
		table.Rows = append(table.Rows, []float64{float64(p.c), float64(p.i), p.limit.Relaxation(), p.mean, p.fieldMean, p.at,
			p.fieldAt, p.limit.Pool, 100 * (p.mean/p.limit.Pool - 1), p.wait, p.limit.Wait, p.longest, longestOf(p.limit, p.n)})
		deviation := math.Sqrt(0.5 / float64(p.n))
		rest := restOf(p.limit, p.n)
		off = max(off, reproduce.Estimate{Mean: p.mean, SE: deviation}.Off(p.fieldMean, rest),
			reproduce.Estimate{Mean: p.at, SE: deviation}.Off(p.fieldAt, rest))
		if p.c == 1 && p.i == 13 {
			worst = p
		}
	}
	f.Tables = append(f.Tables, table, versionTable(r.effort, points))
	for k, v := range r.theory.versions {
		missing := map[bool]float64{}
		for _, p := range points {
			missing[false] = max(missing[false], math.Abs(p.missing(k)))
			if p.in4() {
				missing[true] = max(missing[true], math.Abs(p.missing(k)))
			}
		}
		own := f.For(reproduce.Own)
		own.AtLeast(fmt.Sprintf("points of Figure 5: what is missing of a pool in the long run, at most, in %%, %v", v),
			100*missing[false], r.theory.stable)
		if k == len(r.theory.versions)-1 {
			own.AtLeast(fmt.Sprintf("points of Figure 4: what is missing of a pool in the long run, at most, in %%, %v", v),
				100*missing[true], r.theory.stable)
		}
	}
	control := f.For(reproduce.Control)
	control.Check("pool off the mean field of the same rounds, in standard deviations, at most", off, 0, reproduce.Sigmas,
		"the pool's standard deviation in the long run is √(n/2) for c = 1 and λ near 1, and less otherwise and for "+
			"a mean; "+
			"beyond (2x+1)/n, since the mean field is that of infinitely many bins")
	pool := last.pool()
	control.Check("pool in the long run, c = 1, λ = "+halvedName(13), pool.Mean, last.limit.Pool,
		reproduce.Sigmas*pool.SE+restOf(last.limit, last.n), becauseLimit)
	biased := biasedPool(biasedBins, biasedRate, 1) - biasedPool(biasedBins, biasedRate, 0)
	control.Check(fmt.Sprintf("pool per bin that > for ≥ takes away, %d bins, c = 1, λ = %s", biasedBins,
		halvedName(biasedRate)), biased,
		math.Log1p(1.0/biasedBins)-math.Log1p(float64(int(1)<<biasedRate)/biasedBins), 0.005,
		"exact, beside −ln(1 + 1/(n(1−λ))) + ln(1 + 1/n): as the empty bins count as one more, e+1 of them fall as e "+
			"did, from n+1 to n(1−λ)+1; with a probability of "+
			"e^(−4) none is empty, and then none counts")
	noteBurnIn(r.effort, &f, points, worst, biased)
	f.Chart("pool", burnInChart(points))
	return f
}

// A version of the authors' simulator: the commit from which on it is so, after how many rounds it
// ends, and the pool per bin and the mean wait that it writes for c = 1 and λ = 1−2⁻¹³.
type version struct {
	commit     string
	rounds     int
	pool, wait float64
}

// simulatorVersions are those that draw the figures, in their order. The last is so until the end
// of the repository, commit 6daa157.
//
// Pool and wait were found by compiling main.cpp of each version (g++ 12.2.0 -std=c++11 -O2, with
// <cmath> and <vector> included) with a main that runs BallsInBins(32768, 1, 32764) and prints
// average(). Its generator has the default seed, so that each run of it writes the same.
func simulatorVersions() []version {
	return []version{{"55c1ea5", 1003, 4.919721, 4.917089}, {"e920aeb", 11_000, 7.559968, 7.560872},
		{"f8518a7", 2000, 6.189121, 6.189565}}
}

func (v version) String() string { return fmt.Sprintf("%d rounds (%s)", v.rounds, v.commit) }

// What the simulator that the paper refers to does, in its last version.
const (
	simulatorBins   = 1 << 15
	simulatorRounds = 2000
	simulatorMean   = 1000 // of so many rounds at the end
)

// A burnInPoint is a process that began empty.
type burnInPoint struct {
	c, i, n            int
	limit              *capped.Limit
	mean, wait, at     float64   // pool per bin and wait, mean of rounds 1001–2000, and the pool after round 2000
	fieldMean, fieldAt float64   // pool by the mean field
	byVersion          []float64 // pool by the mean field in the rounds that each version averages over
	longest            float64   // of a round, the mean of these rounds
	rounds, pool       []float64 // to be drawn
}

// missing is what a version's pool lacks of the long run, as a share of that.
func (p burnInPoint) missing(version int) float64 { return 1 - p.byVersion[version]/p.limit.Pool }

// What is computed of the simulator's > for ≥: as few empty bins as there are of 2¹⁵ at λ = 1−2⁻¹³,
// four.
const biasedBins, biasedRate = 64, 4

// in4 reports whether a point is in Figure 4; all of them are in Figure 5.
func (p burnInPoint) in4() bool { return p.i <= panelRates }

func (r *runner) burnIn(c, i int) burnInPoint {
	b := burnInPoint{c: c, i: i, n: r.bins, limit: r.theory.capped(c, halved(i))}
	p := reproduce.Must(capped.NewProcess(capped.Config{Bins: r.bins, Capacity: c, Rate: halved(i),
		Seed: r.seed(100*i + c)}))
	n := float64(r.bins)
	served, waits := 0, 0
	t := 0
	r.each(p, simulatorRounds, func(round capped.Round) {
		b.at = float64(round.Pool) / n
		if t++; t > simulatorRounds-simulatorMean {
			b.mean += b.at / simulatorMean
			b.longest += float64(round.WaitMax) / simulatorMean
			served += round.Served
			waits += round.WaitSum
		}
		if logarithmicRound(t) {
			b.rounds, b.pool = append(b.rounds, float64(t)), append(b.pool, b.at)
		}
	})
	b.wait = float64(waits) / float64(served)
	longest := simulatorRounds
	for _, v := range r.theory.versions {
		longest = max(longest, v.rounds)
	}
	// After 15 relaxation times nothing changes any more but in the seventh digit.
	field := b.limit.FromEmpty(min(longest, max(simulatorRounds, simulatorMean+int(15*b.limit.Relaxation()))))
	lastMean := func(rounds int) float64 {
		rounds = min(rounds, len(field))
		sum := 0.0
		for _, pool := range field[rounds-simulatorMean : rounds] {
			sum += pool / simulatorMean
		}
		return sum
	}
	b.fieldAt, b.fieldMean = field[simulatorRounds-1], lastMean(simulatorRounds)
	for _, v := range r.theory.versions {
		b.byVersion = append(b.byVersion, lastMean(v.rounds))
	}
	r.Ran()
	return b
}

// logarithmicRound says whether a round is drawn: ten or more in every factor of two.
func logarithmicRound(t int) bool {
	step := 1
	for t >= 20*step {
		step *= 2
	}
	return t%step == 0
}

// versionTable is what each version lacks.
func versionTable(e effort, points []burnInPoint) reproduce.Table {
	table := reproduce.Table{Name: "what is missing of the pool in the long run, by the mean field, %",
		Columns: []string{"c", "i of λ = 1−2⁻ⁱ"}}
	for _, v := range e.theory.versions {
		table.Columns = append(table.Columns, v.String())
	}
	for _, p := range points {
		row := []float64{float64(p.c), float64(p.i)}
		for k := range e.theory.versions {
			row = append(row, 100*p.missing(k))
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// unstable lists the points of a version that are more than 1 % off the long run, of Figure 4 or of
// Figure 5 alone.
func unstable(points []burnInPoint, version int, in4 bool, stable reproduce.Threshold) string {
	list := ""
	for _, p := range points {
		if missing := p.missing(version); p.in4() == in4 && 100*missing > stable.Value {
			list += fmt.Sprintf(", c = %d at λ = %s (%.1f %% less)", p.c, halvedName(p.i), 100*missing)
		}
	}
	if list == "" {
		return "none"
	}
	return list[2:]
}

func noteBurnIn(e effort, f *reproduce.Finding, points []burnInPoint, worst burnInPoint, biased float64) {
	least := math.Inf(1)
	for k := range e.theory.versions {
		least = min(least, worst.missing(k))
		f.Notes = append(f.Notes, fmt.Sprintf("The version of %v: of the points that are in Figures 4 and 5 these lack "+
			"more than 1 %% of the pool: %s; and of those that are in Figure 5 alone, on the left: %s.", e.theory.versions[k],
			unstable(points, k, true, e.theory.stable), unstable(points, k, false, e.theory.stable)))
	}
	f.Measured = fmt.Sprintf("CAPPED, begun empty, has a pool of %.2f n in rounds 1001–2000 for c = 1 at λ = %s "+
		"(our own "+
		"simulation), and of %.2f n in the long run: %.0f %% are missing, and %.0f %% in the rounds of the version that "+
		"ends "+
		"after 11,000.", worst.mean, halvedName(13), worst.limit.Pool, 100*(1-worst.mean/worst.limit.Pool), 100*least)
	f.Notes = append(f.Notes,
		fmt.Sprintf("The reason is the relaxation time, which is 1/(1−λ) for c = 1: %.0f rounds at λ = %s, of which "+
			"2000 are a "+
			"quarter. After them balls wait for %.2f rounds and not %.2f, and the longest wait of a round is %.2f and not %.2f.",
			worst.limit.Relaxation(), halvedName(13), worst.wait, worst.limit.Wait, worst.longest,
			longestOf(worst.limit, worst.n)),
		"What the paper concludes from its figures does not depend on it: a pool that is still filling is smaller, and the "+
			"long run is "+
			"below the "+
			"lines of Figures 4 and 5 too (capped-figure-4, capped-figure-5).",
		fmt.Sprintf("Besides, all versions find the bin of a ball by r > loads[i], where r ≥ loads[i] would be right "+
			"for r from "+
			"0 to n−1. So the bins of the smallest load there is count as one more than they are. Where few bins are "+
			"empty, that "+
			"fills them: with %d bins and λ = %s, which leaves %d empty, the pool per bin is %.3f smaller. With 2¹⁵ bins it "+
			"would be %.3f at λ = 1−2⁻¹⁰ and %.3f at λ = 1−2⁻¹³, for c = 1 and once stable.", biasedBins,
			halvedName(biasedRate), biasedBins>>biasedRate, -biased, math.Log1p(1.0/32), math.Log1p(1.0/4)))
}

func burnInChart(points []burnInPoint) plot.Chart {
	chart := plot.Chart{Title: "Pool from an empty start", XLabel: "round", YLabel: "pool per bin", LogX: true,
		FromZero:     true,
		LegendBeside: true}
	drawn := map[[2]int]burnInPoint{}
	for _, p := range points {
		drawn[[2]int{p.c, p.i}] = p
	}
	for _, k := range [][2]int{{1, 13}, {1, 10}, {1, 6}, {3, 13}} {
		p := drawn[k]
		name := fmt.Sprintf("c = %d, %s", p.c, halvedName(p.i))
		field := plot.Series{Name: name + ", mean field", Same: true, Dashed: true}
		for t, pool := range p.limit.FromEmpty(50_000) {
			if logarithmicRound(t + 1) {
				field.Add(float64(t+1), pool)
			}
		}
		chart.Series = append(chart.Series, plot.Series{Name: name + ", simulated", X: p.rounds, Y: p.pool}, field)
	}
	chart.Series = append(chart.Series, plot.Series{Name: "2000 rounds", X: []float64{simulatorRounds, simulatorRounds},
		Y: []float64{0, 10}})
	return chart
}

// biasedPool is the mean pool per bin of CAPPED(1, 1−2⁻ⁱ) in the long run, exactly, if the empty
// bins count as so many more than they are: 1 in the authors' simulator, and 0 as it should be. The
// pool is a Markov chain: m balls leave e bins empty with a probability that follows from that of
// m−1, and then n−e of them are deleted.
func biasedPool(n, i, more int) float64 {
	arrivals := n - n>>i
	most := n * (2*i + 4) // balls thrown: far beyond ln(1/(1−λ)) a bin
	laws := make([][]float64, most+1)
	laws[0] = make([]float64, n+1)
	laws[0][n] = 1
	for m := 1; m <= most; m++ {
		laws[m] = make([]float64, n+1)
		for e, p := range laws[m-1] {
			found := 0.0
			if e > 0 {
				found = min(1, float64(e+more)/float64(n))
				laws[m][e-1] += p * found
			}
			laws[m][e] += p * (1 - found)
		}
	}
	pool, next := make([]float64, most+1), make([]float64, most+1)
	pool[int(float64(n)*math.Ln2*float64(i))-arrivals] = 1
	mean := 0.0
	for range 20 << i { // relaxation times
		clear(next)
		mean = 0
		for m, p := range pool[:most-arrivals+1] {
			if p < 1e-20 {
				continue
			}
			for e, q := range laws[m+arrivals] {
				left := m + arrivals - (n - e)
				if q > 1e-20 {
					next[left] += p * q
					mean += p * q * float64(left) / float64(n)
				}
			}
		}
		pool, next = next, pool
	}
	return mean
}
