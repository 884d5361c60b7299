// Package population runs individual-based models from a file that says who the individuals are and
// what happens to them. Every individual is simulated exactly, in continuous time.
//
//	m, err := population.Load("examples/sir.yaml", population.Set("beta", "0.4 per day"))
//	result, err := m.Run(ctx, population.Options{Seed: 1, Replicas: 100})
//	infectious := result.State(1) // mean, sd and quantiles over the replicas, row by row
//
// [Load] and [Compile] turn a file, and the tables that it names ([Files]), into a [Model]. [Set],
// [Size], [Until] and [Scenario] replace values of the file. All errors of a model are reported at
// once, as [Problems]. [Model.Explain] describes the model in plain words. [Model.Run] runs it: a
// [Result] has means and quantiles over the replicas, and each [Run] by itself. [Options] can
// observe every event. [Model.Begin] runs a replica step by step and can fork it. The package
// example is a small study. [WithDuration], [WithChance] and [WithValue] let a program supply what
// a file cannot say.
//
// docs/reference/models.md describes the format of the file, docs/guide/first-model.md leads from a
// first model to a study, and examples/measures is a program. For models with queues and resources,
// see package sim.
//
// # What is exact
//
// There is no time step, no rescaling of the population and no approximation. Clocks with a memory
// are drawn when they start. Clocks without memory (everything that happens at a rate) are drawn
// again whenever something changes, which has the same law. A contact is with one of the other
// living individuals, each with the same probability; an individual is chosen in constant time,
// also within a group.
//
// Values that depend on attributes are looked up by the individual's values. When an attribute
// changes, clocks without memory go on at the new rate; all others keep the time that was drawn.
// Rates that vary with time or with counts are drawn by thinning, which is exact too: candidates
// come at the rate of an upper bound, and each is accepted with probability rate/bound. A rate
// above its upper bound ends the run. A probability that varies is read when it is used.
//
// At one instant, immigration comes first, in the order of the file, then the clocks of
// individuals, in the order of their slots; then the contacts among these take effect, so that an
// individual's own clock comes before what others do to it. What becomes due at the same instant
// meanwhile follows in the same order, round by round. Then come interventions, in the order of the
// file, and then the recorded row: a row shows everything that happened by its time. An
// intervention that waits for a condition happens directly after the event that makes it true.
//
// # Reproducibility
//
// The same file, changes, seed and version give the same result for any number of workers, on every
// machine. The draws of an individual depend only on the seed, the replica, the individual and how
// many draws it has made. Individuals of the start are identified by their number, children by
// their parent and its draws, immigrants by their source and the number before them. So a change
// that affects one individual does not shift the draws of others. A contact is one draw of the
// individual that makes it. Interventions draw from streams of their own.
//
// A Model is immutable and may be run from several goroutines at once.
//
// # Costs
//
// An event takes constant time: about 0.1 µs in small populations and 0.25 µs with 60 million
// individuals. An individual takes 16 bytes, 8 more for each clock that many individuals carry, 12
// in the calendar, and 16 more there if it has an event before the end: about 50 bytes with 60
// million. [Model.Memory] estimates the memory of a run, and a run that does not fit does not
// begin. A run ends with an error, and with what was recorded until then, if it outgrows memory, if
// its clock stands still, or if it has more individuals than allowed.
//
// # How it is built
//
// This package is the public face. Below it, imports point one way:
//
//   - internal/diag: problems with file, line and column
//   - internal/syntax: YAML to a syntax tree
//   - internal/law, internal/lookup: distributions and hazards; tables searched in constant time
//   - internal/program: the compiled model, flat tables
//   - internal/compile: syntax tree to program
//   - internal/engine, internal/store: one run; the containers it uses
//   - internal/explain, internal/diagram: the model in words and as a picture
//   - internal/fitting: the section fit
//   - results: what a run recorded, as tables
//
// docs/design/engine.md and docs/design/language.md follow a model from its file to a picture, and
// say where to add things.
//
// # Files
//
//	model.go, changes.go, parameters.go, scenario.go  Model, and what can be changed
//	functions.go                                      parts of a model that are functions in Go
//	state.go, state_same.go  State: saved states, and models that go on with them
//	run.go, runner.go, process.go, progress.go        running: Run, Runner, Process
//	result.go, result_json.go, run_bytes.go           what a run records: Result, Run
//	event.go, observe.go, people.go                   events; observations; ids of people
//	outcomes.go, supplies.go, queues.go, places.go, networks.go  what some models also record
//	fit.go, fit_at.go, fit_data.go, fit_follow.go, fit_trials.go, fit_where.go
//	                                                  what a model is fitted to
//	modelfit.go                                       what only package study may do with a fit
//	memory.go, explain.go, problems.go, version.go    Memory, Explain, Problems, the version
package population
