// Package explain describes a compiled model: in plain words, as a text with a section for each
// section of the file, and as a diagram of its states.
//
// It assumes a model that was compiled without problems. It evaluates values in the scope of the
// start, so what the words and labels say holds until an intervention sets a parameter. The text
// ends with warnings: what is allowed but is probably a mistake. The same model gives the same
// bytes.
//
// Files:
//
//   - explain.go: [Model]; the sections, in the order in which they are written
//   - phrases.go: phrases that several sections share
//   - values.go: values in words, by group of individuals where they differ
//   - batches.go: who enters together, and by clocks; bounds that follow from the size
//   - timevarying.go: values that vary, times and intervals in words
//   - since.go: values that depend on the time since something
//   - numbers.go: attributes that are numbers
//   - people.go: the file of people
//   - supplies.go: supplies, and what uses them
//   - machines.go, outcomes.go: machines and outcomes
//   - mixing.go: who has contacts with whom, and how often
//   - near.go: places, and contacts among their members
//   - observe.go: what is observed, trees, people, and the sources of clocks
//   - tracing.go: calls to those near somebody
//   - networks.go: networks
//   - warnings.go: what may be a mistake
//   - warnings_clocks.go: clocks that do not do what is meant, because of ages or of where
//   - diagram.go: [Diagram]; the transitions between states, and which states can be reached
//   - diagram_machines.go: the part of the diagram that shows a machine
//
// A new section of the model file gets a function in explain.go, and its transitions in [Ways].
package explain
