// Package ladder has what the exact queue (internal/eventqueue) and the relaxed one (relaxed) share
// of their ladders of buckets: the entry, and sorting the few entries of a bucket that is opened.
//
// The levels themselves are two implementations. The exact queue has a clock, buckets that count
// their stale entries, and memory in slabs that are given back; the relaxed one has no clock,
// refines and rolls its first level, and keeps small. Chunks differ too: 32 slots in the exact
// queue, 16 in the relaxed one (docs/decisions/0005-relaxed-queue.md).
package ladder

// An Entry is an event as it lies in a bucket: its time as a key (package timekey), the number of
// its record or slot, and the version that this must have for the entry to be valid.
type Entry struct {
	Key         uint64
	ID, Version uint32
}
