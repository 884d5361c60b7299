// Package analysis is for output analysis: how accurate the means and quantiles of a simulation run
// are.
//
// Successive customers of a queue are not independent, and the interval that [sim.Tally.CI] would
// give for their mean is much too narrow. There are two ways out: several independent runs, which
// is what package sim/replicate does, and one long run that is cut into batches. This package is
// for the second, and for quantiles in both:
//
//   - [MSER5] finds how much of the beginning to leave out.
//   - [Mean] is the interval of a mean from one run, by batch means. [TimeSeries] and
//     [Observations] take what a simulation has kept.
//   - [Quantile], [QuantileOfReplications] and [QuantileOfIndependent] are intervals of quantiles.
//   - [RunTo] runs a simulation until a mean or a quantile is known to a share of it. For
//     replications there is replicate.ToRelativeHalfWidth.
//   - [Estimate.Problems] says if a run is too short to believe the interval, and why.
//
// Nothing here is drawn at random: the same numbers give the same answers.
//
// # How far it can be trusted
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
// (go test -tags soak -run TestCoverageTable ./sim/analysis). An interval of a run that is too
// short covers less than it says, and the check is for that: so few pass that those that pass and
// are wrong are hardly more than the level allows. Where the check lets only a few of many runs
// pass, those are not as good as others: a run looks less correlated than it should if it had few
// long queues by chance. So do not run again and again, with other seeds and the same length, until
// one passes; run for longer.
package analysis
