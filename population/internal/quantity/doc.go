// Package quantity has what a model file can measure: numbers, percentages, durations, rates and
// dates, with their units and dimensions.
//
// It reads them from text, converts them to another unit, and words them for messages. It knows
// nothing of YAML, of parameters, or of a model; package syntax reads values, which may be more
// than a quantity.
//
// A whole number of one unit converts exactly to another wherever the result is a float64, so that
// an end after 52 weeks is the same as one after 364 days.
//
// # Files
//
//	quantity.go   5 days, 0.5 per day, 30%: Quantity, its Kind and its Unit
//	dimension.go  Dimension: powers of time, for arithmetic
//	dates.go      2020-03-01: dates, the Epoch of a clock that starts at one, calendar months
package quantity
