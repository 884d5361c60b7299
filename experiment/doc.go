// Package experiment plans runs of a model and evaluates them: which factors matter, which of
// several systems is best, and which whole numbers are best.
//
//	experiment.Register("bank", day, ensemble.Parameter{Name: "tellers", Value: 2})
//	directory, err := ensemble.OpenDirectory("results", ensemble.DirectoryOptions{})
//	lab, err := experiment.NewLab(experiment.LabOptions{Model: "bank", Executor: directory, Seed: 1})
//	best, err := experiment.Select(ctx, lab.Source("cost"), points,
//		experiment.SelectOptions{Delta: 2, Alpha: 0.05})
//
// It has four tools:
//
//   - [Full], [Fraction] and [FractionBy] are designs of factors and levels. [Design.Effects] and
//     [Design.Means] are the effects of each factor, with intervals. [Design.Resolution] says which
//     effects a fraction cannot separate.
//   - [Select] finds the best of several systems with a guaranteed probability, by procedure KN of
//     Kim and Nelson.
//   - [Minimize] searches the best point in a box of whole numbers, by R-SPLINE of Wang, Pasupathy
//     and Schmeiser.
//   - [Spread] distributes points over ranges.
//
// All of them take observations from a [Source]: values of replicas at points. A [Lab] is a source
// that runs a function on package ensemble, on all cores or on many machines.
//
// # Contract
//
// Replicas with the same number have the same random numbers at all points (common random numbers).
// The methods here make use of that, or do not depend on it.
//
// Decisions depend only on the observations, and these on model, point, seed and replica. So the
// answer is the same for any number of workers. An experiment that was interrupted continues when
// it is run again with the same directory or hub: observations that exist are read, not computed.
//
// docs/guide/experiments.md is the guide.
//
// # Files
//
//	factor.go    Factor, Design and Full
//	fraction.go  Fraction, FractionBy, resolution
//	effects.go   Interval, Effects and Means
//	select.go    Select
//	minimize.go  Minimize
//	lab.go       Source and Lab
package experiment
