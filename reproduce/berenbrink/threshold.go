package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// thresholdSteps is how many rounds THRESHOLD[1] takes for 2^power balls and as many bins.
type thresholdSteps struct {
	power    int
	mean, se float64
	most     int
	want     float64 // by the mean field
}

// threshold runs it some times.
func (r *runner) threshold(e effort, power int) (thresholdSteps, error) {
	s := thresholdSteps{power: power}
	repeats := e.rounds(r.Options, 2000, 40)
	if power > 20 {
		repeats = e.rounds(r.Options, 100, 40)
	}
	sum, squares := 0.0, 0.0
	for k := range repeats {
		if r.Context.Err() != nil {
			return s, r.Context.Err()
		}
		p, err := capped.NewProcess(capped.Config{Bins: 1 << power, Capacity: 1, Rate: 1, Kind: capped.Threshold,
			Seed: r.seed(1_000_000*power + k)})
		if err != nil {
			return s, err
		}
		for p.Round().Pool > 0 {
		}
		rounds := p.Rounds()
		sum += float64(rounds)
		squares += float64(rounds * rounds)
		s.most = max(s.most, rounds)
	}
	n := float64(repeats)
	s.mean = sum / n
	// One of n that is off by one is the least spread that could have been missed.
	s.se = math.Sqrt(max(squares/n-s.mean*s.mean, 1/n) / (n - 1))
	s.want = thresholdField(power)
	r.Ran()
	return s, nil
}

// thresholdField is the mean number of rounds by the mean field: y per bin are left, and a round later y − 1 + e^(−y). It is
// the sum of the probabilities that some of the 2^power balls are left.
func thresholdField(power int) float64 {
	sum := 0.0
	for y := 1.0; y > 0; {
		sum -= math.Expm1(-math.Ldexp(y, power))
		if y > 1e-3 {
			y += math.Expm1(-y)
		} else {
			y = y * y / 2 * (1 - y/3*(1-y/4)) // the same without losing digits
		}
	}
	return sum
}

// thresholdFar is log₂n for a number of balls that only the mean field can do.
const thresholdFar = 1000

// judgeThreshold compares with log₂log₂n and with ln ln n.
func judgeThreshold(f *reproduce.Finding, steps []thresholdSteps) {
	table := reproduce.Table{Name: "rounds of THRESHOLD[1] for n balls and n bins", Columns: []string{"log₂n", "mean", "SE", "at most",
		"by the mean field", "log₂log₂n", "ln ln n"}}
	measured, field := plot.Series{Name: "THRESHOLD[1]"}, plot.Series{Name: "mean field"}
	binary, natural := plot.Series{Name: "log₂log₂n"}, plot.Series{Name: "ln ln n"}
	off := 0.0
	for _, s := range steps {
		logs, lns := math.Log2(float64(s.power)), math.Log(float64(s.power)*math.Ln2)
		table.Rows = append(table.Rows, []float64{float64(s.power), s.mean, s.se, float64(s.most), s.want, logs, lns})
		off = max(off, reproduce.Estimate{Mean: s.mean, SE: s.se}.Off(s.want, thresholdRest(s.power)))
		n := float64(s.power)
		measured.Add(n, s.mean)
		binary.Add(n, logs)
		natural.Add(n, lns)
	}
	first := steps[0]
	for power := first.power; power <= steps[len(steps)-1].power; power++ {
		field.Add(float64(power), thresholdField(power))
	}
	logs := math.Log2(float64(thresholdFar) / float64(first.power))
	by := thresholdField(thresholdFar) - first.want
	span := fmt.Sprintf("from 2%s to 2%s balls", reproduce.Superscript(first.power), reproduce.Superscript(thresholdFar))
	f.Check("rounds of THRESHOLD[1] off the mean field, in standard errors, at most", off, 0, reproduce.Sigmas,
		"4.5 standard errors of independent runs, beyond 1/√n and a hundredth: the mean field is that of infinitely many bins")
	f.Check("growth of the rounds of THRESHOLD[1] by the mean field less that of log₂log₂n, "+span, by-logs, 0, 1,
		"rounds are whole, and their mean goes up in steps: one round")
	f.Tables = append(f.Tables, table)
	f.Chart("threshold", plot.Chart{Title: "Rounds of THRESHOLD[1]", XLabel: "log₂ of the number of balls and bins",
		YLabel: "rounds", FromZero: true, LegendBeside: true,
		Series: []plot.Series{field, measured, binary, natural}})
	last := steps[len(steps)-1]
	f.Notes = append(f.Notes, fmt.Sprintf("THRESHOLD[1] places 2%s balls in %.2f rounds and 2%s in %.2f, as the mean field says; "+
		"that has %.2f for 2%s. So the rounds grow as log₂log₂n, which is %.2f more for these than for 2%s, and not as ln ln n of "+
		"section I-A, which is %.2f more: with y balls a bin left, y²/2 are left a round later, so that it takes log₂ ln n + O(1) "+
		"rounds, 1/ln 2 = 1.44 times ln ln n, and a constant does not make up for that.",
		reproduce.Superscript(first.power), first.mean, reproduce.Superscript(last.power), last.mean, first.want+by, reproduce.Superscript(thresholdFar), logs,
		reproduce.Superscript(first.power), math.Log(float64(thresholdFar)/float64(first.power))))
}

// thresholdRest is what the rounds may be off the mean field besides.
func thresholdRest(power int) float64 { return math.Pow(2, -float64(power)/2) + 0.01 }
