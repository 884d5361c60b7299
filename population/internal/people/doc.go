// Package people reads files of people, and of what is between people, of any size.
//
//   - rows.go: Rows, the rows of a table in one pass
//   - texts.go: Texts, which numbers texts and finds them again
//   - table.go: Table, the people of a file: a column for everything that is said of them
//   - read.go: from rows to a table
//   - links.go: Links, the links of a file
//
// A file may have tens of millions of rows. Cells are encoded as they are read, so that a person
// takes the bytes of its values: 1 or 2 for a state or an attribute, 4 for a place, 8 for a number,
// and for an id its text and 9 to 15 more. Nothing that is read is a pointer.
package people
