package engine

import (
	"math/bits"
	"runtime/debug"

	"github.com/almanac-sim/almanac/calendar"
)

// Places. Everybody who lives has a place: an id, which is also where its words are. Nobody else has it at the same time, and it
// follows from what happened before, not from how a run is carried out; so it is the name by which ties are decided (ties.go).
//
// A place that is left goes to the end of a line, and whoever enters takes the first of the line. At the start there are a twentieth
// more places than individuals, and whenever somebody enters and finds nothing in the line, a twentieth more are added. Those
// that nobody ever had come first in the line, always, since they are only added when it is empty: they need not stand in it,
// and their memory is not touched before somebody has them.
//
// First in, first out, because a place is then not taken again for as long as possible: what happens to those who enter
// within a short time does not depend on who left within it.

// moreIn says how many places more there are: one for so many individuals.
const moreIn = 20

// morePlaces is how many places are added when so many have one.
func morePlaces(individuals int) int { return (individuals + moreIn - 1) / moreIn }

// placesAhead is how many entrants before it is taken the memory of a place is asked for.
const placesAhead = 4

// takePlace is the place of someone who enters.
func (r *Run) takePlace() uint32 {
	if r.Ids == r.places {
		if r.free.n > 0 {
			// In a large population the memory of a place was last touched long ago, and it is known long before whose it will be.
			if r.free.n > placesAhead && r.Queue != nil {
				r.Queue.PrefetchID(calendar.ID(r.free.at(placesAhead)))
			}
			return r.free.take()
		}
		r.places += max(1, morePlaces(r.Alive))
		r.makeRoom()
	}
	if r.Ids+1 == r.room {
		r.enlarge()
	}
	r.Ids++
	return uint32(r.Ids - 1)
}

// makeRoom gives the system memory back that is free, before much more is taken. The calendar of a large population holds what it held at the
// start, and needs less and less of it as the end comes closer; the collector would not run for that. 60 million take 3.1 GB at their peak in place of
// 3.3. It takes some milliseconds for each ten million.
func (r *Run) makeRoom() {
	if r.Alive >= 1<<20 {
		if r.Queue != nil {
			r.Queue.Trim()
		}
		debug.FreeOSMemory()
	}
}

// A line is a queue of ids: first in, first out. It keeps the room that it once had.
type line struct {
	ring []uint32 // a power of two
	head int
	n    int
}

// put adds an id at the end.
func (l *line) put(id uint32) {
	if l.n == len(l.ring) {
		longer := make([]uint32, 1<<bits.Len(uint(max(l.n, 7))))
		k := copy(longer, l.ring[l.head:])
		copy(longer[k:], l.ring[:l.head])
		l.ring, l.head = longer, 0
	}
	l.ring[(l.head+l.n)&(len(l.ring)-1)] = id
	l.n++
}

// at is the one behind so many others, which must be there.
func (l *line) at(k int) uint32 { return l.ring[(l.head+k)&(len(l.ring)-1)] }

// take removes the first, which must be there.
func (l *line) take() uint32 {
	id := l.ring[l.head]
	l.head = (l.head + 1) & (len(l.ring) - 1)
	l.n--
	return id
}

// clear takes all out.
func (l *line) clear() { l.head, l.n = 0, 0 }
