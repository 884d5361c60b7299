// Package static has the calendar queue of the papers: M buckets of width δ, which the caller
// chooses and which never change. It holds the structure, its theory, and its calibration.
//
//	q, err := static.New(static.Config{Buckets: 2048, Width: 0.001, Capacity: 1000})
//	err = q.Schedule(7, 3.5)
//	w := q.Work() // steps, in the units of the papers
//
// It is for studying the papers, and for callers that know the distribution of their times and
// count every byte. All others should use [calendar.Queue], which chooses its buckets itself.
//
// # Contract
//
// Events leave in the exact order of their times, and events with equal times in the order in which
// they were scheduled, under every [Discipline]. With N pending events, jumps of mean μ, δ near
// √2·μ/N and M at least 2N, an operation takes constant time on average; with other choices it
// takes up to N + M steps. An event takes 16 bytes if there are as many buckets as events. A Queue
// must not be used from several goroutines at once.
//
// # The theory
//
// The theory is that of Erickson, Ladner and LaMarca: the mean cost of an event, and the width and
// number of buckets that minimise it. Numbers of theorems, equations and corollaries are those of
// the 1994 paper; the formula for any width is in the journal version.
//
// N events are always pending: whenever one is dispatched, another is scheduled a jump ahead of the
// clock. Jumps are independent, with mean μ and a bounded density near 0. About x = Nδ/μ events are
// due within one bucket. The discipline is the unordered list.
//
// [Costs] has the formulas, and [Jump] describes a distribution of jumps. [Calibrate] measures the
// costs on this machine, and [Calibration.New] makes a Queue with the best width and number of
// buckets for them:
//
//	c, err := static.Calibrate(ctx, static.CalibrateOptions{N: 100_000})
//	q, err := c.New(100_000, meanJump)
//
// [Queue] lists where the structure differs from the papers.
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
