// Package compile turns the syntax tree of a model file into a program: it looks names up, evaluates
// values, checks dimensions, dependencies and limits, and builds the tables that a run reads.
//
// # What it assumes and what it guarantees
//
// The syntax tree comes from package syntax, which has checked its form. A part that could not be
// read is marked Bad and has been reported; it is skipped here. All other problems are added to a
// diag.List, each once, at the place in the file or the option of the command line that caused it.
// If the list is empty at the end, every name of the program is resolved, every rate and probability
// is in its range at all times that are known beforehand, and the tables are within the limits.
// Compiling draws no random numbers, and the same file and changes give the same program.
//
// # Phases and scopes
//
// A phase is the time between two interventions that set parameters. Each phase has tables of its
// own (program.Phase). Phases with the same values of the parameters share them, so a pair of
// interventions that alternate makes two phases. An intervention that is triggered by a condition
// may happen at any time; schedule finds all phases that can be reached.
//
// A [Scope] evaluates values: it knows what the parameters stand for in a phase, and for which
// individual tables are read. A cell is a combination of values of those attributes that something
// depends on. What depends on no attribute is evaluated once for a phase, all else once for each
// cell.
//
// # Files
//
// The entry, and what is common to all sections:
//
//   - compile.go: [Text], [File], [Model]; the order of the work, and the phases
//   - names.go: looks up states, attributes and their values, and the names that are counted under
//   - cells.go: numbers cells, and builds tables by cells
//   - limits.go: limits of table entries, and of the complexity of parameters and distributions
//
// One file for each section of a model:
//
//   - population.go: attributes, groups at the start, ages, time already spent in a state
//   - states.go: clocks of states (race and split) and of always
//   - contacts.go: transmission, mixing
//   - entries.go: births and immigration, and the state and attributes of those who enter
//   - interventions.go: the schedule of interventions, their effects and thresholds
//   - record.go: the times of rows, and the groups to record by
//   - flows.go: the flows that a program can cause
//
// Evaluating values:
//
//   - scope.go: [Scope]; names, quantities, rates, probabilities, durations, times
//   - scope_tables.go: tables by attributes
//   - scope_law.go: distributions
//   - scope_terms.go: expressions, seasons, steps and lines, with their dimensions
//   - scope_timevarying.go: rates and probabilities that vary: their range, and bounds for thinning
//   - scope_depends.go: what a value depends on: attributes, time, counts
//   - scope_errors.go: where a problem is reported, and how messages describe values
//
// # Where to add something
//
//   - A new kind of clock: read it in syntax.Clock and compile it in states.go. If it is
//     exponential, make it a rateEvent (newRateEvent); the state needs no timer for it. Otherwise
//     it is a program.Clock: cellTable builds it, hasTimer and State.Timers count its timer.
//   - A new distribution: Scope.distribution in scope_law.go.
//   - A new contact structure: next to mixing in contacts.go, which fills in a program.Contact. If it
//     changes states in a new way, possibleFlows in flows.go must know the flow.
//   - A new way to enter: entries.go; the constants ByBirth and so on of package program, and
//     possibleFlows.
//   - A new form of time-varying value: a term in scope_terms.go, and program.Term with its bounds.
//   - A new limit: limits.go. What makes tables larger must call reserveEntries before it allocates.
package compile
