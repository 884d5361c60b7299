// Package results writes the tables of a run, and reads what almanac run wrote.
//
//	d, err := results.Open("results")        // the directory of almanac run --out
//	ill, _ := d.Summary.States.Get("infectious")
//	for row, err := range d.Series() { … }   // series.csv, .parquet or .json, one row at a time
//
// There are these tables:
//
//   - series: how many individuals were in each state over time
//   - flows: how many made each transition, or each named event
//   - outcomes: what each outcome, such as a cost, has accrued
//   - supplies: how much there was of what is used up, if the model has supplies
//   - observed: what was seen of events and of people, if the model observes anything
//   - tree, people: who infected whom, and a line list, if the model records them
//   - places: how many places of each kind there were, and who was in them, if the model has places
//   - networks: how many links there were, if the model has networks
//   - events: everything that happened to an individual
//   - counts over time at the points of a sweep, by [PointWriter]
//
// # Contract
//
// Tables are tidy: a row is one number, and the other columns identify it. If a model records by
// group, there is a column for each attribute. It is empty (null in Parquet and JSON) where a row
// does not depend on it; rows in which all are empty are totals. Tables are written and read row by
// row, so a table may be larger than memory. The formats hold the same values; Parquet takes a
// tenth to a quarter of the size of CSV, and Parquet and JSON keep the types of columns. The same
// result gives the same bytes.
//
// docs/reference/results.md describes all files and columns.
//
// # Files
//
//	read.go     Open, Directory, and reading tables
//	summary.go  Summary: what almanac run --json prints
//	table.go    Format, and writing a table
//	schema.go   the columns of the tables
//	write.go    WriteSeries, WriteFlows, WriteOutcomes, WriteSupplies, WriteNetworks,
//	            WriteValues, EventWriter
//	places.go   PlaceRow, WritePlaces
//	observed.go WriteObserved, TreeWriter, PeopleWriter
//	points.go   PointWriter: counts over time at the points of a sweep
//	parquet.go  Parquet
//	json.go     JSON
package results
