// Package rivals holds the pending-event sets that Go programs use today or could use, each as well
// made as we know how. The benchmarks compare package calendar with them, and a comparison is worth
// what its rivals are.
//
//	set              Schedule      Next          Cancel        bytes per event
//	container/heap   O(log n)      O(log n)      O(log n)      28
//	4-ary heap       O(1) usually  O(log n)      O(1)          40 + at most 24 for each cancelled one
//	pairing heap     O(1)          O(log n) am.  O(log n) am.  32
//	radix heap       O(1)          O(64) am.     O(1)          50 + at most 24 for each cancelled one
//	skip list        O(log n)      O(1)          O(log n)      about 30
//	B-tree           O(log n)      O(log n)      O(log n)      50 to 70
//
// All keep the order that package calendar promises and pass its conformance suite. None may be
// used from several goroutines at once. Ids are dense: memory is proportional to the largest.
package rivals

import "github.com/almanac-sim/almanac/calendar/calendartest"

// A Rival is a pending-event set to compare with.
type Rival struct {
	Name  string
	About string // one line
	// New makes an empty set whose clock stands at start, with room for ids below capacity. It
	// grows beyond that by itself.
	New func(start float64, capacity int) calendartest.Set
}

// All lists the rivals.
func All() []Rival {
	return []Rival{
		{
			Name:  "container/heap",
			About: "binary heap of the standard library, with indexes",
			New:   func(start float64, capacity int) calendartest.Set { return NewBinary(start, capacity) },
		},
		{
			Name:  "4-ary heap",
			About: "implicit heap of values with four children, lazy cancellation",
			New:   func(start float64, capacity int) calendartest.Set { return NewQuaternary(start, capacity) },
		},
		{
			Name:  "pairing heap",
			About: "two-pass pairing heap in one array",
			New:   func(start float64, capacity int) calendartest.Set { return NewPairing(start, capacity) },
		},
		{
			Name:  "radix heap",
			About: "monotone radix heap on the bits of the time, lazy cancellation",
			New:   func(start float64, capacity int) calendartest.Set { return NewRadix(start, capacity) },
		},
		{
			Name:  "skip list",
			About: "skip list in one array, a quarter of the nodes rise",
			New:   func(start float64, capacity int) calendartest.Set { return NewSkip(start, capacity) },
		},
		{
			Name:  "btree",
			About: "B-tree of github.com/tidwall/btree, without locks",
			New:   func(start float64, capacity int) calendartest.Set { return NewBTree(start, capacity) },
		},
	}
}
