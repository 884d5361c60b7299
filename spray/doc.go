// Package spray has the SprayList: a relaxed priority queue that many goroutines fill and empty at
// once.
//
// When p goroutines all ask for the first element, they collide there: at most one can have it.
// [List] is a concurrent skip list whose [List.Spray] takes one of the first O(p·log³p) elements,
// found by a short random walk down the list, so that goroutines rarely meet. The walk, and its
// theory, are from Jerry Li's report "SprayLists: Provably Correct Approximate Priority Queues in a
// Shared Memory Setting".
//
// For events in time, whose keys are float64 and which need no exact minimum, package relaxed is six
// to twelve times as fast.
package spray
