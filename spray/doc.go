// Package spray has the SprayList: a relaxed priority queue that many goroutines fill and empty at
// once.
//
// When p goroutines all ask for the first element, they collide there: at most one can have it.
// [List] is a concurrent skip list whose [List.Spray] takes one of the first O(p·log³p) elements,
// found by a short random walk down the list, so that goroutines rarely meet. The walk, and its
// theory, are from Jerry Li's report "SprayLists: Provably Correct Approximate Priority Queues in a
// Shared Memory Setting".
//
// For events in time, whose keys are float64 and which need no exact minimum, package relaxed is
// six to twelve times as fast.
//
// # Files
//
//	list.go     List, New, and room for elements
//	blocking.go Blocking: a List whose Spray waits, and knows when all work is done
//	node.go     nodes, towers, and the words that others see; clearing values
//	insert.go   Insert, in numbered steps
//	delete.go   Delete and DeleteMin: claiming, freezing, unlinking
//	search.go   Search, the search for a place, and how dead runs are unlinked
//	walk.go     Walk and its kinds, and Spray
//	sweep.go    sweeping the front
//	reclaim.go  nodes that are used again, and how many there may be
//	hints.go    hints: where a search can begin
//	layout.go   how hints are laid out over the keys, and when that changes
//	stats.go    Stats
//	handle.go   Handle
//	options.go  options of New
package spray
