package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// threshold is how many rounds THRESHOLD[1] takes.
//
// With y balls per bin, 1−e^(−y) per bin are given a place, and y − 1 + e^(−y) ≤ y²/2 are left. So
// z = y/2 is squared in every round, from some round on, and all balls have a place when z^(2^t) is
// below 1/n: after t = log₂ ln n + O(1) rounds. As log₂ x = ln x/ln 2, that is 1.44·ln ln n + O(1),
// which is ln ln n + O(1) for no constant.
//
// With high probability it takes no longer: to have 1/n of a ball left instead of one doubles
// ln(1/z), which is one round.
func threshold(r *runner) reproduce.Finding {
	batches := []int{5, 8, 10, 12, 15, 20, 25, 30}
	if r.scale < 1 {
		batches = []int{5, 8, 10, 15, 20}
	}
	r.Runs(len(batches))
	var steps []thresholdSteps
	for _, power := range batches {
		steps = append(steps, r.threshold(power))
	}
	var f reproduce.Finding
	table := reproduce.Table{Name: "rounds of THRESHOLD[1] for n balls and n bins", Columns: []string{"log₂n",
		"simulated mean", "SE", "at most",
		"exact, 0 if not computed", "by the mean field", "log₂log₂n", "ln ln n"}}
	exact, field := 0.0, 0.0
	for _, s := range steps {
		logs, lns := math.Log2(float64(s.power)), math.Log(float64(s.power)*math.Ln2)
		table.Rows = append(table.Rows, []float64{float64(s.power), s.mean.Mean, s.mean.SE, float64(s.most), s.exact, s.field,
			logs, lns})
		if s.exact > 0 {
			exact = max(exact, s.mean.Off(s.exact, 0))
		}
		if s.power >= 10 {
			field = max(field, s.mean.Off(s.field, thresholdRest(s.power)))
		}
	}
	f.Tables = append(f.Tables, table)
	f.For(reproduce.Control).Check("simulated rounds off the exact mean, in standard errors, at most", exact, 0,
		reproduce.Sigmas,
		"4.5 standard errors of independent runs")
	f.For(reproduce.Control).Check(
		"simulated rounds off the mean field, from 2¹⁰ balls on, in standard errors, at most", field, 0, reproduce.Sigmas,
		"4.5 standard errors of independent runs, beyond (log₂n)²/n, by which the mean field may be off")

	far := reproduce.Table{Name: "rounds by the mean field", Columns: []string{"log₂log₂n", "rounds",
		"less log₂log₂n", "less ln ln n"}}
	rounds, binary, natural := plot.Series{Name: "THRESHOLD[1]"}, plot.Series{Name: "log₂log₂n + 1"},
		plot.Series{Name: "ln ln n + 1"}
	for k := thresholdNear; k <= thresholdFar; k += 4 {
		log := math.Ldexp(1, k)
		t := thresholdField(log)
		far.Rows = append(far.Rows, []float64{float64(k), t, t - float64(k), t - math.Log(log*math.Ln2)})
		rounds.Add(float64(k), t)
		binary.Add(float64(k), float64(k)+1)
		natural.Add(float64(k), math.Log(log*math.Ln2)+1)
	}
	f.Tables = append(f.Tables, far)
	by := rounds.Y[len(rounds.Y)-1] - rounds.Y[0]
	span := fmt.Sprintf("from 2^(2%s) to 2^(2%s) balls", reproduce.Superscript(thresholdNear),
		reproduce.Superscript(thresholdFar))
	says := r.theory.logLogThreshold(math.Ldexp(1, thresholdFar)) - r.theory.logLogThreshold(math.Ldexp(1, thresholdNear))
	f.For(reproduce.Printed).AtMost("growth of the rounds beyond that of the printed ln ln n, "+span, math.Abs(by-says),
		reproduce.Chosen("capped: growth of an O(1), rounds"))
	f.For(reproduce.Corrected).AtMost("growth of the rounds beyond that of log₂log₂n, "+span,
		math.Abs(by-(thresholdFar-thresholdNear)), reproduce.Chosen("capped: growth of an O(1), rounds"))
	first, last := steps[0], steps[len(steps)-1]
	f.Measured = fmt.Sprintf("2%s balls take %.2f rounds and 2%s take %.2f, as the mean field says; %s that grows by "+
		"%.1f rounds, where log₂log₂n grows "+
		"by %d and ln ln n by %.1f.", reproduce.Superscript(first.power), first.mean.Mean, reproduce.Superscript(last.power),
		last.mean.Mean, span, by,
		thresholdFar-thresholdNear, math.Ln2*(thresholdFar-thresholdNear))
	f.Notes = append(f.Notes,
		"The logarithm outside must be to base 2: what is left over is squared in every round, so that it takes log₂ ln "+
			"n + O(1) rounds, which is "+
			"1/ln 2 = 1.44 times ln ln n. The base of the logarithm inside is in the O(1). Read as log log n without a base, "+
			"as in Lemma 5, the claim holds.",
		fmt.Sprintf("The sizes that can be simulated do not decide it: from 2%s to 2%s balls ln ln n grows by %.2f, "+
			"log₂log₂n by %.2f, and the rounds by %.2f, "+
			"where one more is due to rounds being whole.", reproduce.Superscript(first.power),
			reproduce.Superscript(last.power),
			math.Log(float64(last.power)/float64(first.power)), math.Log2(float64(last.power)/float64(first.power)),
			last.mean.Mean-first.mean.Mean))
	f.Chart("threshold", plot.Chart{Title: "Rounds of THRESHOLD[1] by the mean field",
		XLabel: "log₂log₂ of the number of balls and bins",
		YLabel: "rounds", FromZero: true, LegendBeside: true, Series: []plot.Series{rounds, binary, natural}})
	return f
}

// thresholdSteps is how many rounds THRESHOLD[1] takes for 2^power balls and as many bins.
type thresholdSteps struct {
	power int
	mean  reproduce.Estimate
	most  int
	exact float64 // the mean, and 0 if it is not computed
	field float64 // by the mean field
}

// threshold runs it some times.
func (r *runner) threshold(power int) thresholdSteps {
	s := thresholdSteps{power: power, field: thresholdField(float64(power))}
	if power <= 12 {
		s.exact = thresholdExact(1 << power)
	}
	repeats := r.rounds(2000, 40)
	if power > 20 {
		repeats = r.rounds(100, 40)
	}
	all := make([]float64, repeats)
	for k := range all {
		r.Checkpoint()
		p := reproduce.Must(capped.NewProcess(capped.Config{Bins: 1 << power, Capacity: 1, Rate: 1, Kind: capped.Threshold,
			Seed: r.seed(1_000_000*power + k)}))
		for p.Round().Pool > 0 {
		}
		all[k] = float64(p.Rounds())
		s.most = max(s.most, p.Rounds())
	}
	s.mean = reproduce.Mean(all)
	// One of them that is off by one is the least spread that could have been missed.
	s.mean.SE = max(s.mean.SE, 1/float64(repeats))
	r.Ran()
	return s
}

// thresholdExact is the mean number of rounds for n balls and n bins: with m balls a round more
// than with those that are left of them.
func thresholdExact(n int) float64 {
	mean := make([]float64, n+1)
	occupied(n, n, func(m int, law []float64) bool {
		for k := 1; k <= m; k++ {
			mean[m] += law[k] * (1 + mean[m-k])
		}
		return true
	})
	return mean[n]
}

// thresholdField is the mean number of rounds for 2^power balls by the mean field: the sum of the
// probabilities that some are left. What is left is kept as its logarithm, since there may be many
// more balls than there are numbers.
func thresholdField(power float64) float64 {
	sum := 0.0
	for log := 0.0; ; {
		balls := math.Exp(power*math.Ln2 + log)
		if balls < 1e-30 {
			return sum
		}
		sum -= math.Expm1(-balls)
		if y := math.Exp(log); y > 1e-3 {
			log = math.Log(y + math.Expm1(-y))
		} else {
			log = 2*log - math.Ln2 + math.Log1p(-y/3*(1-y/4)) // the same without losing digits
		}
	}
}

// The numbers of balls, as log₂ of their logarithms, between which the mean field says how the
// rounds grow.
const thresholdNear, thresholdFar = 4, 60

// thresholdRest is what the mean field may be off: what is left of the balls varies by a share of
// 1/√n, which doubles with every round to log₂n/√n, and the mean is off by the square of that.
func thresholdRest(power int) float64 {
	return float64(power*power) * math.Ldexp(1, -power)
}
