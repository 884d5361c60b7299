// Package epoch reclaims the nodes of a concurrent structure: a node that was unlinked is used
// again only when no operation can know of it any more.
//
// Nodes lie in an [Arena] and are named by numbers, so that they are no work for the garbage
// collector and a link is one word. Every operation enters a [Domain] as a [Participant], which it
// has to itself until it leaves. A node that has been unlinked everywhere is retired with the
// number of the current epoch. The epoch advances only when every participant that is inside has
// seen it. So when it has advanced twice, every operation that might have found the node is over,
// and the node is free [Fraser04].
//
// Nodes are passed on in bundles of [Batch], so that a goroutine that inserts can use what others
// have removed:
//
//	remover: bag ──full──▶ limbo of the epoch ──two epochs later──▶ free ──▶ inserter: Free
//
// An operation shows an epoch that is not after the one at its beginning, g. While it lasts, the
// epoch becomes g+1 at most: for g+2, every goroutine that looked at the participants after it
// became g+1 would have to find it showing that. So a bundle is put into the limbo of e only while
// the epoch is e or e+1. The goroutine that advances the epoch from e+1 to e+2 therefore finds all
// that was retired in e there, and takes it; it shows e+1 itself, so that the epoch does not
// advance any further until it is done. Four limbos are enough: e, e+1, e+2, and the next one.
//
// An operation that is halted in the middle holds up the epoch, and with it the nodes that were
// retired. How many new nodes may be made meanwhile is for the structure to say.
//
// # Files
//
//	arena.go        Arena: a growing array of things that never move
//	stack.go        Stack: a lock-free stack of numbered things
//	participant.go  Participant, and how an operation enters and leaves
//	reclaim.go      retiring nodes, advancing the epoch, nodes to use again
//
// [Fraser04]: https://www.cl.cam.ac.uk/techreports/UCAM-CL-TR-579.html
package epoch
