// Package relaxedtest measures how relaxed a concurrent priority queue is.
//
// A [Meter] puts any queue that has Insert and Remove under load from many goroutines and records a
// [Trace]: every operation, with the times between which it took effect. [Replay] goes through the
// trace afterwards and counts, for every removal, how many elements came before the one removed
// (its rank error) and how many removals overtook each element (its delay), and finds elements that
// were lost, doubled or made up. Traces can be saved and replayed later.
//
// # Files
//
//	meter.go   Meter and Recorder: a queue under load
//	trace.go   Trace: what was recorded, written and read
//	replay.go  Replay and Report
//	order.go   a Fenwick tree and heaps, for counting ranks
//	player.go  playing a trace: operations in the order of time, and what is in the queue
package relaxedtest
