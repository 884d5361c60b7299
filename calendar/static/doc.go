// Package static is the calendar queue of the papers: M buckets of width δ, which the caller
// chooses and which never change. It holds the structure, its theory, and its calibration on the
// machine at hand.
//
// It is for studying the papers, and for callers that know the distribution of their times and
// count every byte. Everybody else wants [calendar.Queue], which chooses its buckets itself.
//
//	c, err := static.Calibrate(ctx, static.CalibrateOptions{N: 100_000})
//	q, err := c.New(100_000, meanJump)
//
// # The structure
//
// [New] makes a [Queue] from a [Config]. A [Discipline] says how a bucket keeps its list of events,
// and [Work] counts the steps that the papers analyse.
//
// # The theory
//
// The theory is that of Erickson, Ladner and LaMarca: how long an event takes on average, and which
// width and which number of buckets make that least. Numbers of theorems, equations and corollaries
// are those of the 1994 paper; the formula for any width is in the journal version.
//
// N events are pending at all times: whenever one is dispatched, another is scheduled a jump ahead
// of the clock. Jumps are independent, with mean μ and a bounded density near 0. A bucket is δ
// wide, and x = Nδ/μ is about how many events are due within one. The discipline is the unordered
// list.
//
// [Costs] has the formulas, and [Jump] describes a distribution of jumps. [Calibrate] measures the
// costs, and [Calibration.New] makes a Queue of the width and the number of buckets that they
// imply.
//
// # Files
//
//	queue.go      Queue: its arrays, and the calls that schedule, cancel and dispatch
//	bucket.go     the list of a bucket
//	search.go     days and years: from one bucket to the next
//	sort.go       just-in-time sorting
//	work.go       the steps that were counted
//	config.go     Config and Discipline; memory
//	costs.go      Costs and Jump
//	theory.go     cost per event with unlimited buckets, and the best width
//	excess.go     cost of a finite number of buckets, and how many are enough
//	calibrate.go  timing the structure at many widths
//	fit.go        fitting the costs to the times
//	robust.go     robust least squares
package static
