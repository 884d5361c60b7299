// Package engine runs a compiled model: one [Run] is one replica.
//
//	r := engine.NewRun(&options, budget)
//	rec := engine.NewRecording(program)
//	err := r.Simulate(ctx, program, seed, index, past, &rec, hooks) // from start to last row
//
// The engine reads a [program.Program] and nothing of the model file. It may assume that the
// program is complete: every state, attribute and name is a number in range, every table has its
// values worked out, rates are not negative, chances are between 0 and 1. It reports what happens
// by numbers ([Event]); package population puts them into words.
//
// # What it guarantees
//
// The result depends on the program, the seed and the number of the replica alone: not on the
// number of cores, the layout of timers, prefetching, or whether the run is by windows. An
// individual's draws depend only on its own stream. At one instant events happen in the order that
// ties.go describes.
//
// # How an event happens
//
// Following Lehman, Keen and Barnes (2012), individuals live in flat arrays indexed by id, and the
// calendar holds only the earliest event of each. [Run.Advance] takes the next event (run.go),
// fires the clock (fire.go), which changes a state, makes a contact (contact.go) or adds an
// individual (enter.go), counts it (tallies.go), and schedules the next event of the individual
// (clocks.go). A clock with a memory has a timer (timers.go); all that happens at a constant rate
// is one clock that is drawn again whenever it is needed.
//
// A rate that depends on counts is drawn by thinning; where the file has no bound of it, the bound
// grows with the population (sizes.go).
//
// A large run is carried out by windows on several cores (windows.go), with the same result.
//
// # Change these together
//
// Some things stand twice, once for one event after the other and once for windows or for speed:
//
//   - fire and firedAction (fire.go); do and fireAlone (shard.go); become and changeAlone
//     (shard.go)
//   - contact, chooseOther, anyone and anyoneCached (contact.go); resolveContact (resolve.go);
//     nextContact (prefetch.go): all choose the same individual from the same seed
//   - initialise (enter.go) and batch.initialise (batch.go)
//   - enter (enter.go) and enterAlone (shard.go); schedule (clocks.go) and scheduleNext (shard.go)
//
// FuzzWindows and TestSetupDependsOnCores compare them.
//
// # Files
//
//   - run.go: Run and its life: start, advance, dispatch
//   - individuals.go: the words and attributes of individuals; their slots
//   - timers.go, clocks.go: where running clocks are stored; starting and drawing them, varying
//     rates
//   - sizes.go: bounds of rates that grow with the population
//   - fire.go, enter.go, contact.go: what a clock does; births and immigration; contacts
//   - effect.go: what happens to one individual, by whatever makes it happen
//   - near.go: contacts among neighbours, and rates for each pair of them
//   - places.go, placemoves.go: who is in which place, and what is recorded of it; joining, changing
//     and leaving places
//   - room.go, lines.go: whether there is room for a change, and presence in a place as tables and
//     conditions read it; queues
//   - networks.go, networkstart.go, networksample.go: who is linked with whom; the links at the
//     start; a sample of them to be drawn
//   - tracing.go: calls to people near an individual, errands, and contacts that are remembered
//   - people.go, dealt.go: individuals of a file; values that are drawn before the set-up
//   - supplies.go: what clocks, contacts and interventions use up
//   - since.go: the time since an individual came into some states, which curves are read by;
//     numbers
//   - machines.go: further states of individuals with clocks of their own
//   - functions.go: what functions in Go that a program supplies see of a run
//   - ties.go: events at the same instant
//   - follow.go: what follows the changes of states
//   - interventions.go, conditions.go: what an intervention does, and those at a time; those that
//     wait for a condition
//   - tallies.go, recording.go: counts; rows, and events for a listener
//   - observe.go: observers, which look at events and change nobody; the sources of clocks
//   - tree.go, linelist.go, sightings.go: who infected whom; what is recorded of each individual;
//     what is seen of events, and surveys
//   - outcomes.go: costs, QALYs and other sums over time and events; person-time in states
//   - setup.go, batch.go: initialising everybody at the start, on several cores
//   - fork.go: copies of a run with another future; runs that go on with a past
//   - save.go, saveplaces.go, savenetworks.go, savetracing.go, saveobservers.go: writing the state
//     of a run to a file; lines.go has the part of queues
//   - restore.go, restoreindividuals.go, restorecounts.go, shape.go: reading it; what a program
//     must have to go on with it
//   - memory.go, budget.go: how much memory and how many cores a run may use
//   - pace.go: a clock that stands still
//   - prefetch.go: prefetching the individuals that contacts are with
//   - windows.go, shard.go, resolve.go, merge.go: one run on several cores, by windows of time
//   - check.go, conserve.go: the invariants; that counts follow from the individuals, and that the
//     parts of a sum add up to it
package engine
