// Package spray has relaxed priority queues that many goroutines fill and empty at once.
//
// When p goroutines all ask for the first element, they collide there: at most one can have it. [List] is a SprayList: a concurrent
// skip list whose [List.Spray] takes one of the first O(p·log³p) elements, found by a short random walk down the list, so that
// goroutines rarely meet. The walk, and its theory, are from Jerry Li's report "SprayLists: Provably Correct Approximate
// Priority Queues in a Shared Memory Setting".
//
// [Calendar] is for events in time: a MultiQueue of calendar queues, a few for each process, from whose earliest events
// [Calendar.Next] takes one, at constant cost. It returns what, then when, as [calendar.Agenda] does; List returns key and value, as
// maps do.
package spray
