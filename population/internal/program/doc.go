// Package program is a compiled model: flat tables of numbers, in which every name is resolved and
// every value is computed in the model's unit of time.
//
// Package compile writes a [Program], and nothing changes it afterwards. Package engine reads it;
// any number of runs and goroutines may share one. The methods here are lookups that do not depend
// on the state of a run.
//
// # What a reader may assume
//
// These hold for every Program of a file that compiled without problems:
//
//   - States, attributes and the values of an attribute are numbered from 0 in the order of the
//     file. A state is a uint16; [NoState], [SameState] and [Unchanged] are not states.
//   - Times are since the start of the run, but for Program.Start, Program.End and
//     Scheduled.ModelTime.
//   - Rates are finite and not negative, and probabilities are between 0 and 1. Every law.Law is
//     valid, or exponential with rate 0: a clock that never fires.
//   - Cumulative sums (Clock.CumulativeChance, Contact.MixingRows, Phase.Attributes,
//     EntryShares.Sums) ascend, and the last one that has a share is +Inf: a search for a number
//     below 1 always finds an entry, and never one without a share.
//   - All phases have the same States, Always, Immigration and Contacts, in the same order. A state
//     has the same clocks in Race and Split in every phase and every cell, so that they can be
//     compared one by one, and an individual carries the same number of timers.
//   - The clocks of Program.Bands come first in Phase.Always, in the same order and the same in
//     every phase.
//   - The clocks of a state of a machine are the same in every phase and every cell, too.
//   - Phase.Thresholds[i] belongs to Program.Triggered[i].
//   - Program.Scheduled is in the order of time, and of the file where times are equal.
//   - Intervention.Effects has an entry for every phase in which the intervention can happen.
//   - The flows from one source are together in Program.Flows, by ascending target: see
//     Program.FlowOf.
//   - Equal rates that change share one *TimeVarying, and cells of a state with equal tables share
//     one *State: pointers can be compared in place of values.
//   - The counts of Program.StartGroups add up to Program.Size.
//
// # Files
//
//	program.go       Program: the whole model; flows, attributes, groups
//	phase.go         Phase: the tables between two changes of parameters
//	state.go         State: the clocks of a state
//	always.go        AlwaysClock: a clock that runs in every state
//	presence.go      Presence: whether somebody is in a place
//	near.go          Neighbourhood, Neighbours: among whom contacts are, and rates for each pair
//	place.go         Place: a kind of places
//	tracing.go       Tracing, Calls: calls to those near somebody
//	network.go       Network: links between individuals, and how many are to be expected
//	supply.go        Use: what a clock or a contact takes from a supply
//	machine.go       Machine: one more state of every individual; what a Move gives
//	band.go          Band: an attribute that follows the age
//	people.go        People: the individuals at the start, if a file lists them
//	waiting.go       Waiting: what an individual may queue for
//	action.go        Action: what a clock does when it fires; Contact
//	entry.go         Entry: how an individual enters; Immigration, StartGroup
//	whole.go         Whole: how many enter together
//	intervention.go  Intervention: when it happens, and its Effect in each phase
//	outcome.go       Outcome: a number that grows with time and by events; DiscountClock
//	observe.go       Observation: what is seen; Source, People
//	cells.go         tables by combinations of attribute values
//	timevarying.go   TimeVarying: a rate or probability that changes with time or with counts
//	since.go         Since: the time since something; bounds of what changes with it
//	number.go        Number: an attribute that is a number of its own for everyone
//	term.go          Term: the expression of a TimeVarying
//	term_bounds.go   bounds of a Term over an interval, for thinning
package program
