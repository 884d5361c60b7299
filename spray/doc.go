// Package spray has the SprayList: a relaxed priority queue for many goroutines, with keys of any
// ordered type.
//
//	l := spray.New[string, Job](spray.Concurrency(64))
//	h := l.Insert("b", job)
//	key, job, ok := l.Spray()    // one of the first
//	key, job, ok = l.DeleteMin() // exactly the first
//
// When p goroutines all remove the first element of an exact queue, they collide there. [List] is a
// concurrent skip list whose [List.Spray] takes one of the first elements, found by a short random
// walk, so that goroutines rarely meet. For float64 keys without exact removals, package relaxed is
// six to twelve times as fast.
//
// # Contract
//
// Spray takes one of the first 2p or so elements, for a concurrency of p, and at regular intervals
// the first, so that no element starves. Elements with equal keys keep the order in which they were
// inserted, and DeleteMin removes them in that order.
//
// Insert, Delete and Search visit O(log n) nodes, Spray and DeleteMin a constant number. With a key
// and a value of 8 bytes each, an element takes 85 to 105 bytes. A warm list allocates nothing.
//
// All methods may be called from any number of goroutines at once, without registration. An element
// is removed by exactly one call. If ok is false, the list was empty at some moment during the
// call, but another goroutine may be about to insert. [Blocking] is a List whose Spray waits, and
// which detects the end of all work.
//
// # The paper
//
// The walk and its theory are from Jerry Li's report "SprayLists: Provably Correct Approximate
// Priority Queues in a Shared Memory Setting". The default walk is shorter than those of the
// report, which [Spraying] selects, and nodes are reused; [List] lists the differences.
//
// docs/guide/relaxed.md is the guide, and docs/design/relaxed.md explains the structure.
//
// # Files
//
//	list.go     List, New, and memory for elements
//	blocking.go Blocking: a List whose Spray waits, and detects the end of all work
//	node.go     nodes, towers and their atomic words; clearing values
//	insert.go   Insert, in numbered steps
//	delete.go   Delete and DeleteMin: claiming, freezing, unlinking
//	search.go   Search, finding a position, and unlinking runs of deleted nodes
//	walk.go     Walk and its kinds, and Spray
//	sweep.go    sweeping the front
//	reclaim.go  reuse of nodes, and the node quota
//	hints.go    hints: where a search can begin
//	layout.go   how hints are laid out over the keys, and when that changes
//	stats.go    Stats and Heights
//	handle.go   Handle
//	options.go  options of New
package spray
