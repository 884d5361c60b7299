// Package results writes what a run of a model recorded as tables, and reads back what almanac run
// wrote.
//
//	d, err := results.Open("results")        // the directory of almanac run --out
//	ill, _ := d.Summary.States.Get("infectious")
//	for row, err := range d.Series() { … }   // series.csv or series.parquet, one row at a time
//
// The tables are tidy: a row is one number, and the other columns say of what. series has how many
// were in a state, flows how many went a way or did what goes by a name, events everything that
// happened to anybody. Where a model records by group there is a column for each attribute, empty
// (null in Parquet) where a row is not about it: rows in which all of them are empty are about
// everybody. They are written and read row by row, so that a table may be larger than memory.
//
// CSV is what everything reads. Parquet is a tenth to a quarter of its size and keeps the types of
// columns; both hold the same.
package results
