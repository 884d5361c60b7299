// Package syntax reads a model file: it turns YAML into a syntax tree.
//
// The tree, a [File], holds what is written and where: sections, values, names, quantities. Names
// are not looked up and values are not worked out: packages compile and eval do that, and package
// fitting reads the section fit with the same [Reader]. docs/reference/models.md describes the
// format.
//
// The input may be any bytes. No input makes the package panic, and limits bound what a few lines
// can cost through aliases, nesting and names.
//
// All problems of a file are reported at once. A problem goes to the reader's [diag.List] with its
// place; reading then goes on. What could not be read is marked Bad in the tree, so that later
// stages do not report it again. Package compile goes on with such a tree, to find more problems;
// no model runs whose list is not empty. Code that has to know whether a part was read without a
// problem compares List.Count with what it was before.
//
// # Files
//
// The file as a whole:
//
//	file.go     File, the tree; Parse, which reads the sections in order
//	reader.go   Reader, access to YAML: the document, mappings, lists, texts, names; one line of YAML
//	changes.go  what replaces parts of a file: --set, --scenario, --size, --until
//	later.go    what replaces parts of it from a time of the run on
//
// A section with the types of the tree that it becomes:
//
//	time.go           time: unit, start, end; times on the clock, intervals of the calendar
//	population.go     population: size, start, groups, age, most; people, and the file of people
//	parameters.go     parameters and scenarios
//	attributes.go     attributes, also those that are numbers; where, whom, move and with
//	places.go         places: kinds of places
//	networks.go       networks: links between individuals, and their files
//	supplies.go       supplies: what is used up
//	machines.go       machines: more states of an individual, beside those of states
//	clocks.go         states and always: the clocks of race, split and always
//	entries.go        births and immigration; enter
//	tracing.go        tracing: calls to those near somebody
//	transmission.go   transmission: contacts and mixing
//	interventions.go  interventions: schedule, and action; what one with when waits for
//	outcomes.go       outcomes: weights of time and of events
//	record.go         record; observe; source
//
// A value, and a file for each of its forms:
//
//	value.go         Value: which form it has
//	distribution.go  {gamma: {mean: 5 days, shape: 2}}, {poisson: {mean: 2.4}}, {1: 30%, 2: 70%}
//	table.go         {by: age, child: 0.1%, other: 8%}; groups whose numbers are in a file
//	varying.go       {seasonal: …}, {steps: …}, {line: …}, {since: …}; {value: …, most: …}
//	expression.go    0.5 * beta
//
// Quantities, as 5 days or 30%, are those of package quantity, and package tablefile reads the
// files that a model names.
//
// Most tests of this package are those of package population, which read whole files and compare
// the problems that are reported.
//
// # Where to add something
//
// A key of a clock: in clocks.go, a field of [Clock], the key in raceKeys, splitKeys or
// alwaysKeys, and a line in Reader.clocks that reads it. Package compile then gives it a meaning. A
// key of another section: the same in the file of that section.
//
// A distribution: in distribution.go, an entry of [Families], and the kinds of new arguments
// in argKinds. If it is not written with named arguments, readDistribution needs a case of its own.
// Package eval builds it, and package law draws from it.
//
// A section: its key in Parse, and a file with its types and a method of Reader that is named after
// the key.
//
// A form of a value: a field of [Value] with its cases in IsQuantity, Each and Key; the key that
// tells it from the others in Reader.mapping; and a file of its own.
package syntax
