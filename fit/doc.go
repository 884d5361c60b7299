// Package fit finds the parameters of a model from data.
//
// A [Problem] is what is unknown, with a [Prior] for each, and what was seen: columns of numbers
// over time. A [Simulator] runs the model once at given values of the unknowns, and says what would
// be reported on average; the [Law] of the reports stands beside. [Run] gives a
// [Result]: a weighted sample of the posterior, or a best point. [RunLocal] does so for a model of this
// program in one call; Run takes a registered kind, so that other processes can do the work.
//
// # What is promised
//
// A fit is a sequence of stages, each of which is one job of package ensemble: its replicas are
// runs of the model, or blocks of steps of a chain. What a replica gives is a function of the stage
// and its number, what is asked next depends on all answers in the order of their numbers, and when
// to stop depends on counts. So the result is the same, byte for byte, for any number of workers. A
// fit that was interrupted is given again: stages that are done are answered by the hub, the one
// that was not goes on.
//
// The package knows no kind of model.
package fit
