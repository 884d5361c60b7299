package analysis

// A WarmUp is how much of the beginning of a run should be left out, because it still depends on
// how the run began.
type WarmUp struct {
	Skip      int       // how many values to leave out
	Batch     int       // how many values a batch has: five, or one of a short run
	Statistic []float64 // what was minimised, by how many batches are left out
	// there is a minimum before the middle. Otherwise the run is too short to tell, and Skip is
	// half of it
	Found bool
}

// fewForBatches is below how many values batches of five are too few.
const fewForBatches = 50

// MSER5 finds how much of the beginning to leave out, by the rule MSER-5 [W97] (compared with
// others in K. P. White, M. J. Cobb and S. C. Spratt, A comparison of five steady-state truncation
// heuristics for simulation, WSC 2000). The values are grouped into batches of five. The number of
// batches to leave out is the one that minimises the marginal standard error of the mean of the
// rest: the sum of squared distances from that mean over the square of their number. Leaving out
// more makes it larger because fewer values remain, leaving out less because values far from the
// rest add much.
//
// Only the first half is searched: in the second half the statistic is computed from few values,
// and not reliable [WR10]. If it is smallest at the middle, it might be smaller still later. Pass x
// from the first value on, of statistics that were not reset.
//
// [W97]: https://doi.org/10.1177/003754979706900601
// [WR10]: https://doi.org/10.1057/jos.2010.19
func MSER5(x []float64) WarmUp {
	w := WarmUp{Batch: 5}
	if len(x) < fewForBatches {
		w.Batch = 1
	}
	k := len(x) / w.Batch
	means := make([]float64, k)
	for i := range means { // from the first on: what is left over is at the end
		means[i] = mean(x[i*w.Batch : (i+1)*w.Batch])
	}
	// From the last to the first, by Welford's recurrence; the statistic is of interest in the
	// first half.
	half := k / 2
	w.Statistic = make([]float64, half+1)
	m, squares, best := 0.0, 0.0, half
	for d := k - 1; d >= 0; d-- {
		n := float64(k - d)
		distance := means[d] - m
		m += distance / n
		squares += float64(distance * (means[d] - m))
		if d > half {
			continue
		}
		if w.Statistic[d] = squares / (n * n); w.Statistic[d] <= w.Statistic[best] {
			best = d
		}
	}
	if w.Found = best < half; w.Found {
		w.Skip = best * w.Batch
	} else {
		w.Skip = len(x) / 2
	}
	return w
}
