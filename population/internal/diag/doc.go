// Package diag holds the problems of a model: what is wrong, and where.
//
// A [List] collects problems while a file is read and compiled. It keeps each once and the first
// hundred in all, and gives them back in the order of the file as [Problems], an error. A problem
// is at a [Place]: a line and a column of a file, or a flag of the command line, which has neither.
//
// Messages repeat what a file says, and a file may say anything. [Shorten], [Quote] and [ListNames]
// bound what they repeat, so that no message is longer than a person reads.
//
//	problem.go  Problem, Problems, Place, List
//	wording.go  the parts of messages: texts of the file, lists of names, unknown names
package diag
