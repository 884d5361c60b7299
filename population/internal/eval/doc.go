// Package eval evaluates values: it works out what a [syntax.Value] stands for at some time of a
// run, for some individual.
//
// A [Scope] knows what the parameters stand for at that time, the cell of the individual, and, in
// its [Frame], what all scopes of a model have in common. Package compile sets up the scope of the
// start and derives all others from it: Scope.With changes parameters, as interventions do,
// Scope.ForCell is for an individual, Scope.Meeting for one that meets another.
//
// Scope.Rate, Scope.Chance, Scope.Law and others evaluate a value as what is expected at its place,
// in the unit of the model, and check its dimension and its range. A value that cannot be evaluated
// is added to the list of problems, once for all phases and cells, at the place that caused it: the
// file, an option, or the intervention that changed a parameter last.
//
// # Files
//
//   - scope.go: [Scope], [Frame]; names, quantities, rates, probabilities, durations, times
//   - tables.go: tables by attributes
//   - law.go: distributions of durations
//   - whole.go: whole numbers and their distributions
//   - numbers.go: laws of the numbers of individuals, and rates with these numbers
//   - terms.go: expressions, seasons, steps and lines, with their dimensions
//   - since.go: curves by a time since
//   - timevarying.go: rates and probabilities that vary: their range, and bounds for thinning
//   - depends.go: what a value depends on: attributes, time, counts
//   - complexity.go: how much work it is to evaluate a parameter or a distribution
//   - errors.go: where a problem is reported, and how messages describe values
//
// Most tests compile a small model and evaluate its parameters.
package eval
