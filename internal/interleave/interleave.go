//go:build !race

// Package interleave lets tests run something between the steps of concurrent operations.
//
// Code calls [Point] before a compare-and-swap, where what was read may have changed since, and
// after it, where others see what is half done. With the race detector, Point runs what the test
// has set by [Between]. Without it, Point is empty, and nothing is left of it in the program.
package interleave

// Enabled reports whether Point does anything.
const Enabled = false

// Point is a place between two steps.
func Point() {}

// Between runs f. With the race detector, Point calls steps meanwhile.
func Between(steps, f func()) { f() }
