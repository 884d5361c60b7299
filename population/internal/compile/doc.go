// Package compile turns the syntax tree of a model file into a program: it looks up names, follows
// the parameters through the interventions, checks dependencies and limits, and builds the tables
// that a run reads. Package eval evaluates the values.
//
// # What it assumes and what it guarantees
//
// The syntax tree comes from package syntax, which has checked its form. A part that could not be
// read is marked Bad and has been reported; it is skipped here. All other problems are added to a
// diag.List, each once, at the place in the file or at the option of the command line that caused
// it. If the list is empty at the end, every name is resolved, every rate and probability that
// depends on time only is in its range throughout the run, and the tables are within the limits.
// (A rate that depends on counts is compared with its most during the run.) Compiling draws no
// random numbers: the same file and changes give the same program.
//
// # Phases, scopes and cells
//
// A phase is the time between two interventions that set parameters. Each phase has tables of its
// own (program.Phase), but phases with the same values of the parameters share them: interventions
// that switch a parameter on and off many times make two phases. An intervention that is triggered
// by a condition may happen at any time; schedule finds all phases that can be reached.
//
// An [eval.Scope] evaluates values. It knows what the parameters stand for in a phase, and the
// individual that tables are read for. A cell is a combination of values of those attributes that
// something depends on. What depends on no attribute is evaluated once for a phase, all else once
// for each cell.
//
// # Files
//
// The entry, and what all sections need:
//
//   - compile.go: [Text], [File], [Model]; the order of the work, and the phases
//   - names.go: looks up states, attributes and their values, the functions that a program
//     supplies, and names that events are counted under
//   - cells.go: numbers cells, and builds tables by cells
//   - limits.go: the limits of what a file can ask for, and how table entries are counted
//
// One file for each section of a model:
//
//   - population.go: attributes, groups at the start, ages, time already spent in a state
//   - states.go: the clocks of states (race and split) and of always
//   - contacts.go: transmission, and among whom contacts are
//   - matrix.go: matrices of mixing
//   - entries.go: births, children of clocks and immigration: how many enter, in which state and
//     with which attributes
//   - supplies.go: what clocks, contacts and interventions use up, and when it is delivered
//   - numbers.go: attributes that are numbers: their laws, and who is given one
//   - machines.go: machines: their clocks, and who is in which of their states at the start and
//     when entering
//   - places.go: kinds of places, and how people are put into them
//   - tracing.go: calls to those near somebody, and what makes them
//   - networks.go: links of the start, how many there can be, and how they end
//   - gives.go: what move and with give
//   - bands.go: attributes that follow the age
//   - interventions.go: the schedule of interventions, and their effects
//   - conditions.go: what interventions with when wait for
//   - outcomes.go: outcomes: discounts, weights by cell, and the events that add to them
//   - observe.go: what is observed, trees, people, and the sources of clocks
//   - people.go: the people that a table lists
//   - record.go: the times of rows, the groups to record by, and values of the whole population
//   - flows.go: the flows that a program can cause, of states and of machines
//
// # Where to add something
//
// A new feature is read by package syntax, compiled here into the tables of package program, run by
// package engine and described by package explain. In this package:
//
//   - A new kind of clock: states.go. If it is exponential, make it a rateEvent (newRateEvent); it
//     needs no timer. Otherwise it is a program.Clock: hasTimer must report it, cellTable builds it
//     and counts it in State.Timers, and stateTable must know the attributes it depends on.
//   - A new contact structure: contacts.go, next to mixing, which fills in a program.Contact. If it
//     changes states in a new way, possibleFlows in flows.go must add the flow.
//   - A new way to enter: entries.go. The flow needs a constant beside program.ByBirth, a name in
//     listFlows, and a line in possibleFlows.
//   - A new distribution: Scope.distribution in law.go of package eval.
//   - A new form of time-varying value: Scope.term in terms.go of package eval.
//   - A new limit: limits.go. Whatever makes tables larger must call reserveEntries before it
//     allocates.
package compile
