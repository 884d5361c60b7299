package static

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// goodMisfit is up to which root mean square of relative errors the costs are said to fit.
// Repetitions on a machine that others use are 5 to 10 % apart, so less would refuse what is noise.
// And as much is harmless: b is known from the narrow widths and c from the wide ones, where they
// are nearly all of the time; if both are wrong by 15 %, in opposite ways, so is δ_opt, and with b
// = c = d an event takes 0.4 % more than the least, since the curve is flat there.
const goodMisfit = 0.15

// leastCost is what stands for a cost that came out as less, or negative, so that δ_opt exists: a
// picosecond, in which nothing is done.
const leastCost = 1e-12

// fitCalibration finds the costs that describe the times best.
func fitCalibration(n int, d Discipline, points []CalibrationPoint) (*Calibration, error) {
	for _, p := range points {
		if err := positive("a time measured", p.Measured); err != nil {
			return nil, err
		}
	}
	c := &Calibration{N: n, Discipline: d, Points: points}
	rows, ones := relativeRows(n, points), slices.Repeat([]float64{1}, len(points))
	use := []int{0, 1, 2}
	costs, stdErr, err := robust(rows, ones, use)
	var why []string
	// A cost that is not positive, but for rounding, is no cost: the others are fitted without it,
	// the most negative one first.
	for err == nil && len(use) > 1 {
		worst := slices.MinFunc(use, func(i, j int) int { return cmp.Compare(costs[i], costs[j]) })
		if costs[worst] > leastCost {
			break
		}
		why = append(why, fmt.Sprintf("%s came out as %.3g ns", [3]string{"b", "c", "d"}[worst], costs[worst]*1e9))
		use = slices.DeleteFunc(use, func(i int) bool { return i == worst })
		costs, stdErr, err = robust(rows, ones, use)
	}
	if err != nil {
		return nil, err
	}
	c.Costs = Costs{max(costs[0], leastCost), max(costs[1], leastCost), max(costs[2], 0)}
	c.StdErr = Costs{stdErr[0], stdErr[1], stdErr[2]}
	c.judge(why)
	return c, nil
}

// relativeRows are, for each point, how often each cost occurs, over the time measured: least
// squares on these against ones weighs each point by 1/measured², so that errors count in per cent.
func relativeRows(n int, points []CalibrationPoint) [][3]float64 {
	rows := make([][3]float64, len(points))
	for i, p := range points {
		empty, entries := p.steps(n)
		rows[i] = [3]float64{empty / p.Measured, entries / p.Measured, 1 / p.Measured}
	}
	return rows
}

// steps is how many empty buckets are visited and entries looked at for each event: the function h
// of section A.5; and, with the number of buckets that there are, the entries of later years, which
// are (1+x)/x·L_M by Lemma 3.1, where L_M = x/(e^(Mδ/μ)−1) for exponential jumps (Corollary 3.1).
func (p CalibrationPoint) steps(n int) (empty, entries float64) {
	empty, entries = perEvent(n, 1, p.Width)
	if p.Buckets > 0 {
		entries += (1 + p.X) / math.Expm1(float64(p.Buckets)*p.Width)
	}
	return empty, entries
}

// judge compares what was measured with what the costs predict.
func (c *Calibration) judge(why []string) {
	squares := 0.0
	c.BestTime = math.Inf(1)
	for i := range c.Points {
		p := &c.Points[i]
		empty, entries := p.steps(c.N)
		p.Predicted = c.Costs.Empty*empty + c.Costs.Entry*entries + c.Costs.Fixed
		off := (p.Measured - p.Predicted) / p.Measured
		squares += off * off
		if p.Measured < c.BestTime {
			c.BestX, c.BestTime = p.X, p.Measured
		}
	}
	c.Misfit = math.Sqrt(squares / float64(len(c.Points)))
	c.PredictedX = math.Sqrt(2 * c.Costs.Empty / c.Costs.Entry)
	c.PredictedTime = c.Costs.Entry + math.Sqrt(2*c.Costs.Empty*c.Costs.Entry) + c.Costs.Fixed
	c.Off = timeAt(c.Points, c.PredictedX)/c.BestTime - 1
	if c.Misfit > goodMisfit {
		why = append(why, fmt.Sprintf("times and predictions are %.0f %% apart", 100*c.Misfit))
	}
	c.Fits, c.Why = len(why) == 0, strings.Join(why, "; ")
}

// timeAt is the time measured at a width: between two points straight on logarithmic scales, beyond
// them that of the last.
func timeAt(points []CalibrationPoint, x float64) float64 {
	i, found := slices.BinarySearchFunc(points, x, func(p CalibrationPoint, x float64) int { return cmp.Compare(p.X, x) })
	switch {
	case found:
		return points[i].Measured
	case i == 0:
		return points[0].Measured
	case i == len(points):
		return points[i-1].Measured
	}
	a, b := points[i-1], points[i]
	share := math.Log(x/a.X) / math.Log(b.X/a.X)
	return math.Exp((1-share)*math.Log(a.Measured) + share*math.Log(b.Measured))
}
