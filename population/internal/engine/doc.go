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
//     foresee (prefetch.go): all choose the same individual from the same seed
//   - initialise (enter.go) and batch.initialise (batch.go)
//   - enter (enter.go) and enterAlone (shard.go); schedule (clocks.go) and scheduleNext (shard.go)
//
// FuzzWindows and TestSetupDependsOnCores compare them.
//
// # Files
//
//   - run.go: Run and its life: start, advance, dispatch
//   - individuals.go, slots.go: the words and attributes of individuals; their ids
//   - timers.go, clocks.go: where running clocks are stored; starting and drawing them, varying
//     rates
//   - fire.go, enter.go, contact.go: what a clock does; births and immigration; contacts
//   - near.go: contacts among those who are near each other, and rates for each pair of them
//   - places.go, placecounts.go: who is in which place; what is recorded of it
//   - tracing.go: calls to those near somebody, errands, and contacts that are remembered
//   - networks.go, networkstart.go, networksample.go: who is linked with whom; the links of the
//     start; a sample of them to be drawn
//   - presence.go: whether somebody is in a place, as tables and conditions ask
//   - room.go, lines.go: whether there is room for what would happen; those who wait in turn
//   - supplies.go: what clocks, contacts and interventions use up
//   - since.go: the time since an individual came into some states, which curves are read by;
//     numbers
//   - machines.go, richcontact.go: further states of individuals with clocks of their own; contacts
//     that change them
//   - ties.go: events at the same instant
//   - interventions.go: what an intervention does, and those at a time
//   - conditions.go: interventions that wait for a condition
//   - tallies.go, recording.go, event.go: counts, rows, and events for a listener
//   - observe.go: what looks at events and changes nobody; the sources of clocks
//   - tree.go, linelist.go, sightings.go: who infected whom; what is recorded of each individual;
//     what is seen of events, and surveys
//   - outcomes.go: costs, QALYs and other sums over time and events; person-time in states
//   - setup.go, batch.go: initialising everybody at the start, on several cores
//   - fork.go, past.go: copies of a run with another future; runs that go on with a past
//   - save.go, saveplaces.go and the like, restore.go, restoreindividuals.go, restorecounts.go,
//     shape.go: the state of a run in a file; what a program must have to go on with it
//   - memory.go, budget.go, workers.go: how much memory and how many cores a run may use
//   - pace.go: a clock that stands still
//   - prefetch.go: prefetching the individuals that contacts are with
//   - windows.go, shard.go, resolve.go, merge.go: one run on several cores, by windows of time
//   - check.go: the invariants
package engine
