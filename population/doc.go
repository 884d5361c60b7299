// Package population runs individual-based models that are written in a file: who the individuals
// are, and what happens to them. Every individual is simulated exactly, in continuous time.
//
//	m, err := population.Load("examples/sir.yaml", population.Set("beta", "0.4 per day"))
//	result, err := m.Run(ctx, population.Options{Seed: 1, Replicas: 100})
//	infectious := result.State(1) // mean, standard deviation, quantiles over the replicas, row by row
//
// [Load] or [Compile] turn a file, and the tables that it names ([Files]), into a [Model]; [Set],
// [Size], [Until] and [Scenario] replace what the file says. What is wrong with a model is reported
// as [Problems], all at once. [Model.Explain] describes it in plain words. [Model.Run] runs it: a
// [Result] has means and quantiles over the replicas, and each [Run] by itself. [Options] can
// observe every event. [Model.Begin] runs a replica step by step and can fork it. The package
// example is a small study.
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
// above its most ends the run. A probability that varies is read when it is used.
//
// At one instant, immigration comes first, in the order of the file, then the clocks of
// individuals, in the order of their slots; then the contacts among these take effect, so that an
// individual's own clock comes before what others do to it. What becomes due at the same instant
// meanwhile follows in the same order, round by round. Then come interventions, in the order of the
// file, and then the recorded row: a row shows everything that happened by its time. An
// intervention that waits for a condition happens directly after the event that makes it true.
//
// # What depends on what
//
// The same file, changes, seed and version give the same result for any number of workers, on every
// machine of the same architecture. The draws of an individual depend only on the seed, the
// replica, the individual and how many draws it has made. Individuals of the start are known by
// their number, children by their parent and its draws, immigrants by their source and the number
// before them. So a change that affects one individual does not shift the draws of others. A
// contact is one draw of the individual that makes it. Interventions draw from streams of their
// own.
//
// # What it costs
//
// An event takes constant time: about 0.1 µs in small populations and 0.25 µs with 60 million
// individuals, who take about 50 bytes each. An individual takes 16 bytes, 8 more for each clock
// that many individuals carry, 12 in the calendar, and 16 more there if it has an event before the
// end. [Model.Memory] estimates what a run takes, and a run that does not fit does not begin. A run
// that outgrows memory, whose clock stands still, or that has more individuals than it may ends
// with an error and with what was recorded until then.
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
// docs/design/engine.md follows a model from its file to a picture, and says where to add things.
//
// The files of this package: model.go, changes.go and parameters.go (models and what can be
// changed), run.go, runner.go, process.go and progress.go (running), result.go, result_json.go,
// run_bytes.go and event.go (what comes of it), memory.go, explain.go, scenario.go, problems.go,
// version.go, fit*.go (what a model is fitted to), and modelfit.go (what only package study may do
// with a fit).
package population
