// Package tablefile reads the CSV files that a model names: tables of values by time or by group,
// matrices, people and links.
//
// [Files] reads each of them once. A table is in memory as a whole, within [MaxBytes]; a file of
// people or links is a [File] that is read from beginning to end, and may be larger than memory. A
// [Cache] keeps what was made of these for other compilations of the same model. What the columns
// mean is known where the tables are read, in packages syntax and people.
package tablefile
