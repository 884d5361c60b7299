// Package relaxedtest measures how relaxed a concurrent priority queue is.
//
//	meter := relaxedtest.Meter{Goroutines: 8, Fill: 100_000, Operations: 1_000_000}
//	report, err := relaxedtest.Replay(meter.Run(queue))
//	fmt.Println(report.Rank.Mean, report.Delay.Max)
//
// A [Meter] puts any queue with the methods Insert and Remove under load from many goroutines and
// records a [Trace]: every operation, with the times between which it took effect. [Replay] reads
// the trace and counts, for every removal, the elements before the removed one (its rank error),
// and for every element, the removals that overtook it (its delay). It also finds elements that
// were lost, removed twice or never inserted. Traces can be saved and replayed later.
//
// # Files
//
//	meter.go   Meter and Recorder: a queue under load
//	trace.go   Trace: what was recorded, written and read
//	replay.go  Replay and Report
//	order.go   a Fenwick tree and heaps, for counting ranks
//	player.go  playing a trace: operations in the order of time, and what is in the queue
package relaxedtest
