// Package store holds the containers that the engine keeps a run's individuals in.
//
// They are flat arrays indexed by id, or keyed by it: none holds a pointer per individual, so that
// the garbage collector has nothing to follow, and none allocates once it has its full size. A
// container knows nothing of states, clocks or contacts. Its contents depend only on the calls made
// to it, so that a run is the same everywhere.
//
// No container may be used by two goroutines at once. In a run by windows each shard has its own
// BucketLists and its own SparseTable, and writes only the values of its own ids in a Column. A
// FreeList, Groups and PersonTime belong to the run and are changed by one goroutine, between the
// parallel steps; while nothing changes them, all shards may read them.
//
//	contactlog.go    ContactLog: who met whom and when, for some time, 24 bytes each
//	column.go        Column: the values of one attribute, 1 or 2 bytes each; Extend, for any array
//	freelist.go      FreeList: the free slots, first in, first out, 4 bytes each
//	groups.go        Groups: individuals by group, to choose a member uniformly, 8 bytes each
//	heap.go          DueHeap: what is due, earliest first, 16 bytes each
//	lists.go         BucketLists: a list of ids for each window, 4 bytes an id
//	seats.go         Seats: individuals in places of any size, about 10 bytes each
//	links.go         Links: who is linked with whom, about 23 bytes for each link
//	pairset.go       a set of pairs, for links of those who have many
//	weights.go       Weights: a choice among links in proportion to their weights
//	sparse.go        SparseTable: the timers that few individuals have, 24 to 48 bytes each
//	persontime.go    PersonTime: person-time, exact in fixed point
//	weightedtime.go  WeightedTime: the integral of a sum of weights over time, exact in fixed point
//
// Saved states hold their contents:
//
//	saved.go         sums as words
//	savedlinks.go    Links as columns
//	savedlog.go      ContactLog as columns
//	savedseats.go    Seats as columns
package store
