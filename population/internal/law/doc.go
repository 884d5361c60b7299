// Package law has the distributions of durations that a model file can name: how long a clock runs,
// how old an individual is, how long it has been in a state.
//
// A [Law] is immutable data in the model's unit of time. It has no random source of its own: a draw
// takes its numbers from the stream that the caller passes, always in the same order, and uses
// package detmath for its functions. The same law and stream give the same bits on every machine.
// Any number of goroutines may use a Law at once.
//
// The package assumes parameters that the compiler has checked: durations and rates are not
// negative, shapes, scales and standard deviations are above 0, the ages of a hazard begin at 0 and
// ascend, and the shares of a mixture add up to 1 but for rounding. [Law.Valid] reports what is
// left to check. A draw is never negative and never NaN. It may be +Inf: see [Law.WhyEndless].
//
// Files:
//
//	law.go          Law; what a distribution provides; how to add one; dispatch to the families
//	tail.go         what the families share where probabilities underflow
//	density.go      the densities of the families that have a largest density
//
// and one file for each family:
//
//	exactly.go      always the same duration
//	exponential.go  exponential
//	function.go     a survival function that a Go program supplies
//	gamma.go        gamma, and Erlang where the shape is whole
//	gompertz.go     Gompertz and Makeham
//	hazard.go       life tables
//	lognormal.go    log-normal
//	mixture.go      mixtures of the others
//	uniform.go      uniform
//	weibull.go      Weibull
package law
