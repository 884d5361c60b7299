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
//	reader.go   Reader, access to YAML: the document, mappings, lists, texts, names
//	changes.go  what replaces parts of a file: --set, --scenario, --size, --until
//	oneline.go  YAML nodes written on one line
//
// A section with the types of the tree that it becomes:
//
//	parse_time.go           time: unit, start, end; times on the clock; dates
//	parse_population.go     population: size, start, groups, age, most
//	parse_parameters.go     parameters and scenarios
//	parse_attributes.go     attributes; also where, whom, move and with in other sections
//	csv_groups.go           tables by group in files
//	parse_places.go         places: kinds of places
//	parse_networks.go       networks: links between individuals
//	link_file.go            the files of networks
//	parse_supplies.go       supplies: what is used up
//	value_since.go          a value by the time since something
//	parse_numbers.go        attributes that are a number of its own for everyone
//	parse_machines.go       machines: more states of an individual, beside those of states
//	parse_clocks.go         states and always: the clocks of race, split and always
//	parse_entries.go        births and immigration; enter
//	parse_tracing.go        tracing: calls to those near somebody
//	parse_transmission.go   transmission: contacts and mixing
//	parse_interventions.go  interventions: schedule, and action
//	parse_conditions.go     interventions: what one with when waits for
//	parse_outcomes.go       outcomes: weights of time and of events
//	parse_record.go         record
//	parse_observe.go        observe; source; record: people and tree
//
// A value, and a file for each of its forms:
//
//	value.go               Value: which form it has
//	value_distribution.go  {gamma: {mean: 5 days, shape: 2}}
//	value_whole.go         {poisson: {mean: 2.4}}, {1: 30%, 2: 70%}: whole numbers
//	value_table.go         {by: age, child: 0.1%, other: 8%}
//	value_varying.go       {seasonal: …}, {steps: …}, {line: …}; {value: …, most: …}
//	value_expression.go    0.5 * beta
//	csv.go                 CSV files that steps and line are read from
//
// Quantities, as 5 days or 30%, are those of package quantity.
//
// Most tests of this package are those of package population, which read whole files and compare
// the problems that are reported.
//
// # Where to add something
//
// A key of a clock: in parse_clocks.go, a field of [Clock], the key in raceKeys, splitKeys or
// alwaysKeys, and a line in Reader.clocks that reads it. Package compile then gives it a meaning. A
// key of another section: the same in the file of that section.
//
// A distribution: in value_distribution.go, an entry of [Families], and the kinds of new arguments
// in argKinds. If it is not written with named arguments, readDistribution needs a case of its own.
// Package eval builds it, and package law draws from it.
//
// A section: its key in Parse, and a file parse_SECTION.go with its types and a method of Reader
// that is named after the key.
//
// A form of a value: a field of [Value] with its cases in IsQuantity, Each and Key; the key that
// tells it from the others in Reader.mapping; and a file value_FORM.go.
package syntax
