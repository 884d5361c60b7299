package rivals

import (
	"math/bits"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/calendar"
)

// Skip is a skip list [Pugh90] in which a quarter of the nodes of a level rise to the next, its
// nodes in one array by id and their links in another.
//
// Events with equal times leave in the order they were scheduled: a sequence number breaks the tie.
//
// Schedule and Cancel cost O(log n) comparisons, Next O(1). An event takes about 30 bytes: a node
// of 24 and 4/3 links of 4.
//
// It differs from the usual in that an id keeps its height for good. Heights need only be
// independent of the order of times, and this way links are never allocated twice. They are drawn
// from a fixed seed.
//
// [Pugh90]: https://doi.org/10.1145/78973.78977
type Skip struct {
	clock
	nodes  []skipNode // that of an id is at id+1; the first is the head, which comes before all
	links  []uint32
	height int // of the tallest node so far
	r      *rand.PCG
}

type skipNode struct {
	at     float64
	seq    uint64 // zero if the id has no pending event
	tower  uint32 // where its links begin, the lowest first; a link of zero is the end of the list
	height uint32
}

// maxHeight is enough for 4¹⁶ events, as many as there are ids.
const maxHeight = 16

// NewSkip returns an empty set whose clock stands at start.
func NewSkip(start float64, capacity int) *Skip {
	q := &Skip{
		clock:  clock{now: start + 0},
		nodes:  make([]skipNode, 1, capacity+1),
		links:  make([]uint32, maxHeight, maxHeight+capacity+capacity/2),
		height: 1,
		r:      rand.NewPCG(1, 2),
	}
	q.nodes[0].height = maxHeight
	return q
}

// enrol gives nodes to all ids up to this one.
func (q *Skip) enrol(id calendar.ID) {
	for len(q.nodes) < int(id)+2 {
		height := min(1+bits.TrailingZeros64(q.r.Uint64())/2, maxHeight)
		q.height = max(q.height, height)
		q.nodes = append(q.nodes, skipNode{tower: uint32(len(q.links)), height: uint32(height)})
		for range height {
			q.links = append(q.links, 0)
		}
	}
}

func (q *Skip) pending(id calendar.ID) bool {
	return int(id)+1 < len(q.nodes) && q.nodes[id+1].seq != 0
}

// Schedule adds an event for an id that has none.
func (q *Skip) Schedule(id calendar.ID, at float64) error {
	if err := q.refuse(at, q.pending(id)); err != nil {
		return err
	}
	q.insert(id, at)
	return nil
}

func (q *Skip) insert(id calendar.ID, at float64) {
	q.enrol(id)
	x := uint32(id + 1)
	n := &q.nodes[x]
	n.at, n.seq = at+0, q.nextSeq()
	q.n++
	height := int(n.height)
	at = n.at

	prev := uint32(0) // the tower of the node before
	for level := q.height - 1; level >= 0; level-- {
		next := q.links[int(prev)+level]
		for next != 0 && q.nodes[next].at <= at { // behind its equals
			prev = q.nodes[next].tower
			next = q.links[int(prev)+level]
		}
		if level < height {
			q.links[int(n.tower)+level] = next
			q.links[int(prev)+level] = x
		}
	}
}

// Reschedule moves an id's event behind all others of its new time, or schedules one if there was
// none.
func (q *Skip) Reschedule(id calendar.ID, at float64) error {
	if err := q.refuse(at, false); err != nil {
		return err
	}
	q.Cancel(id)
	q.insert(id, at)
	return nil
}

// Cancel removes an id's event and reports whether there was one.
func (q *Skip) Cancel(id calendar.ID) bool {
	if !q.pending(id) {
		return false
	}
	x := uint32(id + 1)
	n := &q.nodes[x]
	prev := uint32(0)
	for level := q.height - 1; level >= 0; level-- {
		next := q.links[int(prev)+level]
		for next != 0 && next != x {
			e := &q.nodes[next]
			if e.at > n.at || e.at == n.at && e.seq > n.seq {
				break
			}
			prev = e.tower
			next = q.links[int(prev)+level]
		}
		if next == x {
			q.links[int(prev)+level] = q.links[int(n.tower)+level]
		}
	}
	n.seq = 0
	q.n--
	return true
}

// Renumber gives the event of one id to another, behind all others of its time.
func (q *Skip) Renumber(from, to calendar.ID) error { return renumber(q, from, to, q.insert) }

// Next removes the earliest event and advances the clock to it.
func (q *Skip) Next() (id calendar.ID, at float64, ok bool) {
	x := q.links[0]
	if x == 0 {
		return 0, 0, false
	}
	n := &q.nodes[x]
	copy(q.links[:n.height], q.links[n.tower:]) // it is the first on all of its levels
	n.seq = 0
	q.n--
	q.now = n.at
	return calendar.ID(x - 1), n.at, true
}

// Peek returns the earliest event and leaves everything as it was.
func (q *Skip) Peek() (id calendar.ID, at float64, ok bool) {
	x := q.links[0]
	if x == 0 {
		return 0, 0, false
	}
	return calendar.ID(x - 1), q.nodes[x].at, true
}

// Due returns the time at which an id's event is due.
func (q *Skip) Due(id calendar.ID) (at float64, ok bool) {
	if !q.pending(id) {
		return 0, false
	}
	return q.nodes[id+1].at, true
}
