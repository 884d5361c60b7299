// Package analysis estimates the accuracy of the means and quantiles of a simulation run.
//
//	desk.Waits().KeepObservations(8192, s.Now)
//	err := s.Run(ctx, 50_000)
//	o, _ := desk.Waits().Observations()
//	wait := analysis.Observations(o)
//	fmt.Println(wait.Low, wait.High, wait.Enough(), wait.Problems)
//
// Successive customers of a queue are not independent, and the interval that [sim.Tally.CI] gives
// for their mean is much too narrow. There are two remedies: several independent runs, as in
// package sim/replicate, and one long run that is cut into batches. This package is for the second,
// and for quantiles in both:
//
//   - [MSER5] finds how much of the beginning to leave out.
//   - [Mean] is the interval of a mean from one run, by batch means. [TimeSeries] and
//     [Observations] take what a simulation has kept.
//   - [Quantile], [QuantileOfReplications] and [QuantileOfIndependent] are intervals of quantiles.
//   - [RunTo] runs a simulation until a mean or a quantile is known to a relative precision. For
//     replications there is replicate.ToRelativeHalfWidth.
//   - [Estimate.Problems] says whether a run is too short for its interval, and why.
//
// Nothing is random: the same numbers give the same estimates. The functions share no state and may
// be called from several goroutines at once.
//
// # Accuracy of the intervals
//
// For waiting times of M/M/1 that starts empty, the table shows the share of 95 % intervals that
// covered the true mean, the share of runs that passed the check, and the share that passed with an
// interval that did not cover it:
//
//	load  customers    runs  covered  passed  passed and wrong
//	0.5         500    2000    0.777   0.013             0.011
//	0.5        2000    2000    0.901   0.349             0.054
//	0.5        8000    2000    0.947   0.844             0.050
//	0.5       32000    2000    0.958   0.968             0.042
//	0.5      128000    1000    0.965   0.997             0.035
//	0.9       16000    1000    0.820   0.001             0.001
//	0.9       64000    1000    0.905   0.234             0.044
//	0.9      256000    1000    0.957   0.791             0.040
//	0.9     1024000     500    0.960   0.950             0.040
//
// (go test -tags soak -run TestCoverageTable ./sim/analysis). The interval of a run that is too
// short covers the true mean too rarely. The check refuses nearly all such runs, so that the share
// of runs that pass and are wrong is hardly above the level. If only a few of many runs pass, those
// few are biased: by chance they had few long queues, and look less correlated than they are. So do
// not repeat runs of the same length with other seeds until one passes; run for longer.
//
// # Files
//
//	estimate.go  Estimate, Mean, Observations, TimeSeries and options
//	batches.go   batch means, and von Neumann's test
//	quantile.go  quantiles
//	runto.go     RunTo
//	warmup.go    MSER5
package analysis
