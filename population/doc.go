// Package population runs individual-based models that are written in a file: who the individuals are, and what happens to
// them. Every individual is simulated exactly, in continuous time, on one [calendar.Queue].
//
//	m, err := population.Load("examples/sir.yaml", population.Set("beta", "0.4 per day"))
//	result, err := m.Run(ctx, population.Options{Seed: 1, Replicas: 100})
//	infectious := result.State(1) // mean, standard deviation, least and most over the replicas, row by row
//
// [Load] or [Compile] make a [Model] of a file and of the tables that it names ([Files]), with [Set], [Size], [Until] and [Scenario] in place of
// what it says; what is wrong with it comes as [Problems], all at once. [Model.Explain] says what it means in plain words. [Model.Run]
// runs it, and a [Result] has means and quantiles
// over the replicas, and each [Run] by itself; [Options] can watch every event. The package example is a whole study in small.
//
// The format of the file is described in docs/models.md, docs/guide.md goes from a first model to a study, and examples/measures is a
// program. For models in which individuals queue, seize and are interrupted, see package sim.
//
// # What is exact
//
// There is no time step, no rescaling of the population and no approximation. Clocks with a memory are drawn when they start and
// strike when they said. Clocks without one (all that happens at a rate) are drawn anew whenever something changes, which
// has the same law. A contact is with one of the other living individuals, each with the same probability; an individual is chosen in
// constant time, within a group as well.
//
// What depends on an individual's attributes is looked up by them: those of its clocks that have no memory follow when an attribute changes,
// all others go on as they were drawn. Rates that change with time or with how many there are are drawn by thinning, which is exact as well:
// candidates come at the rate of a bound that holds for a while, and each counts with the probability that makes up for it. A rate that
// comes to be above its most ends the run. A probability that changes is read when it is used.
//
// At the same instant, arrivals come first, in the order of the file, and then the clocks of individuals, in the order of the
// places that they have in the population; then the contacts among these take effect, so that one's own clock comes before what
// others do to one. What comes to be due at that very instant meanwhile follows, in the same order, round by round. Then
// come interventions, in the order of the file, and then the row that is recorded. So a row shows all that happened by its time. An
// intervention that waits for its condition happens directly after the event that makes it true, before any other.
//
// # What depends on what
//
// The same file, changes, seed and version give the same result, for any number of workers, on every machine of the same
// architecture. The draws of an individual depend only on the seed, the replica, the individual and how many draws it has made: those who
// are there at the start are known by their number, children by their parent and its draws, immigrants by the source that they
// come from and how many came before. So a change that touches one individual does not shift the luck of the others. A contact is
// one draw of its maker, whomever it is with and whatever comes of it. Whom an intervention picks is drawn from a stream of its own.
//
// A replica can be run piece by piece ([Model.Begin]), and where it stops changes nothing. It can be forked there: the fork has the same
// past, and draws from its own luck all that is to come, given the past ([Process.Fork]).
//
// # What it costs
//
// An event takes constant time: about 0.1 µs in small populations, 0.25 µs with 60 million individuals, who take about 50
// bytes each. An individual takes 16 bytes, 8 more for each clock that many individuals carry, 16 in the calendar if
// something will happen to it before the end, and 12 there in any case. [Model.Memory] estimates what a run takes, and a run for
// which there is not enough memory does not begin. One that outgrows it, whose clock stands still, or in which there are more
// individuals than there may be, ends with an error and with what was recorded until then.
//
// # The engine
//
// Following Lehman, Keen and Barnes (2012), sections 3 to 6, individuals live in flat arrays indexed by their id, ids of those who
// left are given out again, first in, first out, and only the earliest of an individual's pending events is in the calendar. It differs
// from theirs in that the calendar tunes itself (see package calendar), in that an event beyond the end of the run is not put into it, and in
// that the model is data: it is compiled to tables, one set for each time between interventions.
package population
