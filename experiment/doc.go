// Package experiment plans runs of a model, and tells what came of them: which factors matter,
// which of some systems is best, and which whole numbers are.
//
//   - [Full], [Fraction] and [FractionBy] are designs of factors and levels; [Design.Effects] and
//     [Design.Means] say what each does, with intervals. A fraction tells its [Design.Resolution],
//     and which effects it cannot tell apart.
//   - [Select] finds the best of several systems with a probability that is guaranteed, by the
//     procedure KN of Kim and Nelson.
//   - [Minimize] looks for the best point of a box of whole numbers, by R-SPLINE of Wang, Pasupathy
//     and Schmeiser.
//
// All of them take observations from a [Source]: numbers of replicas at points. Replicas of the
// same number share their luck at all points (common random numbers), and what is computed here
// makes use of that, or does not depend on it.
//
// A [Lab] is a source that runs a function on package ensemble: on all cores, or on as many
// machines as there are.
//
//	experiment.Register("bank", day, ensemble.Parameter{Name: "tellers", Value: 2})
//	directory, err := ensemble.OpenDirectory("results", ensemble.DirectoryOptions{})
//	lab, err := experiment.NewLab(experiment.LabOptions{Model: "bank", Executor: directory, Seed: 1})
//	best, err := experiment.Select(ctx, lab.Source("cost"), points, experiment.SelectOptions{Delta: 2, Alpha: 0.05})
//
// What is decided depends on the observations alone, and they on model, point, seed and replica. So
// the answer is the same for any number of workers. An experiment that was interrupted, by whatever
// it was, goes on when it is done again with the same directory, or the same hub: what has been
// observed is read, and not run.
package experiment
