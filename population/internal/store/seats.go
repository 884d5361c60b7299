package store

import (
	"math/bits"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/cpu"
)

// Seats keeps individuals in places of any size. A place has a block of 2ᵏ seats, of which the
// first are taken. Adding takes the next seat, and moves to a block twice as large if there is
// none; removing moves the last member to the seat that becomes free, and to a block half as large
// if three quarters of it are empty. Adding and removing take amortised constant time, and finding
// the place or the seat of an individual takes constant time. An individual takes 4 bytes for its
// seat and up to 8, on average about 6, for the block; a place takes 16 bytes.
//
// The blocks of a size lie in one array. The address of a seat is the level k and its position in
// that array, so that the block, and with it the place, follow from it.
//
// Invariants: blocks[k][i] == id for the address (k, i) of each member id, and Outside for every
// seat that is not taken; a place with members has exactly one block; no two places have the same
// number.
//
// Seats must not be used from several goroutines at once.
type Seats struct {
	at     []uint32    // by id: the address of its seat, Outside or Elsewhere
	blocks [][]uint32  // by level: ids
	owner  [][]uint32  // by level and block: the place
	free   [][]uint32  // by level: unused blocks
	places []place     // those that are gone included
	gone   []uint32    // places to be used again
	bySize map[int]int // how many places there are of each size above 0
	now    int         // places that there are
	all    int         // members of all places
	next   uint32      // the number of the next place
	room   [][]uint32  // by group: places with room; nil if they are not kept
	inRoom []uint32    // by place: 1 + the position in its list, 0 if it is in none
	most   int         // members of a place
	keep   bool        // places stay when all members have left
}

// A place is a place of a kind.
type place struct {
	base   uint32 // the address of its first seat, or Outside if it has no block
	n      uint32
	number uint32
	group  uint32
}

// What an individual has in place of a seat.
const (
	Outside   uint32 = 1<<32 - 1 // it does not belong to any place
	Elsewhere uint32 = 1<<32 - 2 // it may be in one, and is not
)

// A level takes 5 bits of an address, and the position 27.
const (
	seatBits = 27
	maxSeats = 1<<seatBits - 1
)

// NewSeats returns no places. Most is how many members one may have. Lists of the places with room
// are kept if listed; keep says that a place stays when all have left.
func NewSeats(most int, listed, keep bool) *Seats {
	s := &Seats{bySize: map[int]int{}, most: most, keep: keep, next: 1}
	if listed {
		s.room = [][]uint32{}
	}
	return s
}

// Reserve makes room for so many ids.
func (s *Seats) Reserve(ids int) {
	n := len(s.at)
	if ids <= n {
		return
	}
	s.at = lengthen(s.at, ids-n)
	for i := range s.at[n:] {
		s.at[n+i] = Outside
	}
}

// Seated reports whether an individual has a seat.
func (s *Seats) Seated(id uint32) bool { return s.at[id] < Elsewhere }

// Belongs reports whether an individual is in a place, or may be.
func (s *Seats) Belongs(id uint32) bool { return s.at[id] != Outside }

// Unseat says what an individual without a seat is: Outside or Elsewhere.
func (s *Seats) Unseat(id, what uint32) { s.at[id] = what }

// Place returns the place of an individual that has a seat.
func (s *Seats) Place(id uint32) uint32 {
	level, i := split(s.at[id])
	return s.owner[level][i>>level]
}

// Number returns the number of a place, which no other has had.
func (s *Seats) Number(place uint32) uint32 { return s.places[place].number }

// Group returns the group that a place was founded for.
func (s *Seats) Group(place uint32) uint32 { return s.places[place].group }

// Members returns how many members a place has.
func (s *Seats) Members(place uint32) int { return int(s.places[place].n) }

// Around returns the members of the place of an individual, the position of its own seat and the
// number of seats. It must have one.
func (s *Seats) Around(id uint32) (members []uint32, own, seats int) {
	level, i := split(s.at[id])
	first := i &^ (1<<level - 1)
	n := int(s.places[s.owner[level][i>>level]].n)
	return s.blocks[level][first : first+n], i - first, 1 << level
}

// Block returns all seats of the place of an individual, Outside where nobody is, and the position
// of its own seat. It must have one. Unlike Around, it needs no memory but that of the seats.
func (s *Seats) Block(id uint32) (seats []uint32, own int) {
	level, i := split(s.at[id])
	first := i &^ (1<<level - 1)
	return s.blocks[level][first : first+1<<level], i - first
}

// Addresses returns an array with something for each id that is read first whenever an individual
// is looked at, for prefetching it.
func (s *Seats) Addresses() []uint32 { return s.at }

// Prefetch prefetches the seats of the place of an individual.
func (s *Seats) Prefetch(id uint32) {
	if a := s.at[id]; a < Elsewhere {
		level, i := split(a)
		cpu.PrefetchLines(unsafe.Pointer(&s.blocks[level][i]), 1)
	}
}

// Keeps reports whether places stay when all have left.
func (s *Seats) Keeps() bool { return s.keep }

// SeatsOf returns the number of seats of the place of an individual, 1 if it has none. It follows
// from the address alone.
func (s *Seats) SeatsOf(id uint32) int {
	a := s.at[id]
	if a >= Elsewhere {
		return 1
	}
	return 1 << (a >> seatBits)
}

// Counts returns how many places and members there are.
func (s *Seats) Counts() (places, members int) { return s.now, s.all }

// BySize returns how many places there are of each size above 0. It must not be changed.
func (s *Seats) BySize() map[int]int { return s.bySize }

// Room returns the places of a group that have room.
func (s *Seats) Room(group uint32) []uint32 {
	if int(group) >= len(s.room) {
		return nil
	}
	return s.room[group]
}

// InRoom returns the position of a place among those of its group that have room, −1 if it has
// none.
func (s *Seats) InRoom(place uint32) int { return int(s.inRoom[place]) - 1 }

// Found founds a place for a group.
func (s *Seats) Found(group uint32) uint32 {
	p := place{base: Outside, number: s.next, group: group}
	s.next++
	s.now++
	var k uint32
	if n := len(s.gone); n > 0 {
		k = s.gone[n-1]
		s.gone = s.gone[:n-1]
		s.places[k] = p
	} else {
		k = uint32(len(s.places))
		s.places = append(s.places, p)
	}
	s.list(k)
	return k
}

// FoundWith founds a place for a group, with members who have no seat.
func (s *Seats) FoundWith(group uint32, ids []uint32) uint32 {
	k := s.Found(group)
	n := len(ids)
	if n == 0 {
		return k
	}
	level := bits.Len(uint(n - 1))
	s.move(k, level)
	p := &s.places[k]
	_, first := split(p.base)
	copy(s.blocks[level][first:], ids)
	for i, id := range ids {
		s.at[id] = address(level, first+i)
	}
	p.n = uint32(n)
	s.all += n
	s.resized(0, n)
	s.list(k)
	return k
}

// Add gives an individual without a seat one in a place. It returns those whose number of seats has
// changed by it, itself not included.
func (s *Seats) Add(id, k uint32) (changed []uint32) {
	p := &s.places[k]
	n := int(p.n)
	level := -1
	if p.base != Outside {
		level, _ = split(p.base)
	}
	if level < 0 || n == 1<<level {
		changed = s.move(k, level+1)
		level++
	}
	_, first := split(p.base)
	s.blocks[level][first+n] = id
	s.at[id] = address(level, first+n)
	p.n++
	s.all++
	s.resized(n, n+1)
	s.list(k)
	return changed
}

// Remove takes an individual from its seat. What is what it has then. It returns those whose number
// of seats has changed by it.
func (s *Seats) Remove(id, what uint32) (changed []uint32) {
	k := s.Place(id)
	p := &s.places[k]
	level, i := split(s.at[id])
	_, first := split(p.base)
	p.n--
	s.all--
	n := int(p.n)
	last := s.blocks[level][first+n]
	s.blocks[level][i] = last
	s.at[last] = address(level, i)
	s.blocks[level][first+n] = Outside
	s.at[id] = what
	s.resized(n+1, n)
	switch {
	case n == 0:
		s.release(p)
		if !s.keep {
			s.unlist(k)
			s.now--
			s.gone = append(s.gone, k)
			return nil
		}
	case level > 2 && 4*n <= 1<<level:
		changed = s.move(k, level-1)
	}
	s.list(k)
	return changed
}

// resized counts that a place has another number of members.
func (s *Seats) resized(from, to int) {
	if from > 0 {
		if s.bySize[from]--; s.bySize[from] == 0 {
			delete(s.bySize, from)
		}
	}
	if to > 0 {
		s.bySize[to]++
	}
}

// move moves a place to a block of a level, and returns its members.
func (s *Seats) move(k uint32, level int) []uint32 {
	for len(s.blocks) <= level {
		s.blocks, s.owner, s.free = append(s.blocks, nil), append(s.owner, nil), append(s.free, nil)
	}
	var block int
	if n := len(s.free[level]); n > 0 {
		block = int(s.free[level][n-1])
		s.free[level] = s.free[level][:n-1]
		s.owner[level][block] = k
	} else {
		block = len(s.owner[level])
		if (block+1)<<level > 1<<seatBits {
			panic("store: more seats than addresses")
		}
		s.owner[level] = append(s.owner[level], k)
		s.blocks[level] = lengthen(s.blocks[level], 1<<level)
		for i := range 1 << level {
			s.blocks[level][block<<level+i] = Outside
		}
	}
	p := &s.places[k]
	first, n := block<<level, int(p.n)
	members := s.blocks[level][first : first+n]
	if n > 0 {
		old, i := split(p.base)
		copy(members, s.blocks[old][i:i+n])
		for j, id := range members {
			s.at[id] = address(level, first+j)
		}
	}
	s.release(p)
	p.base = address(level, first)
	return members
}

// release gives the block of a place back.
func (s *Seats) release(p *place) {
	if p.base != Outside {
		level, i := split(p.base)
		for k := range s.blocks[level][i : i+1<<level] {
			s.blocks[level][i+k] = Outside
		}
		s.free[level] = append(s.free[level], uint32(i>>level))
		p.base = Outside
	}
}

// list lists a place if it has room, and removes it from its list if not.
func (s *Seats) list(k uint32) {
	if s.room == nil {
		return
	}
	p := &s.places[k]
	for int(k) >= len(s.inRoom) {
		s.inRoom = append(s.inRoom, 0)
	}
	listed := s.inRoom[k] > 0
	switch has := int(p.n) < s.most; {
	case has && !listed:
		for int(p.group) >= len(s.room) {
			s.room = append(s.room, nil)
		}
		s.room[p.group] = append(s.room[p.group], k)
		s.inRoom[k] = uint32(len(s.room[p.group]))
	case !has && listed:
		s.unlist(k)
	}
}

// unlist removes a place from the list of those with room.
func (s *Seats) unlist(k uint32) {
	if s.room == nil || int(k) >= len(s.inRoom) || s.inRoom[k] == 0 {
		return
	}
	i := s.inRoom[k] - 1
	list := s.room[s.places[k].group]
	last := list[len(list)-1]
	list[i] = last
	s.inRoom[last] = i + 1
	s.inRoom[k] = 0
	s.room[s.places[k].group] = list[:len(list)-1]
}

// Bytes returns how many bytes it takes.
func (s *Seats) Bytes() int {
	words := cap(s.at) + cap(s.gone) + cap(s.inRoom) + 4*cap(s.places)
	for _, lists := range [][][]uint32{s.blocks, s.owner, s.free, s.room} {
		for _, list := range lists {
			words += cap(list)
		}
	}
	return 4 * words
}

// Copy returns a copy.
func (s *Seats) Copy() *Seats {
	c := *s
	lists := func(all [][]uint32) [][]uint32 {
		if all == nil {
			return nil
		}
		own := make([][]uint32, len(all))
		for i := range all {
			own[i] = append([]uint32(nil), all[i]...)
		}
		return own
	}
	c.at = append([]uint32(nil), s.at...)
	c.blocks, c.owner, c.free, c.room = lists(s.blocks), lists(s.owner), lists(s.free), lists(s.room)
	c.places, c.gone = append([]place(nil), s.places...), append([]uint32(nil), s.gone...)
	c.bySize = make(map[int]int, len(s.bySize))
	for n, k := range s.bySize {
		c.bySize[n] = k
	}
	c.inRoom = append([]uint32(nil), s.inRoom...)
	return &c
}

// Check verifies the invariants.
func (s *Seats) Check() bool {
	members, places := 0, 0
	for k := range s.places {
		p := &s.places[k]
		if p.base == Outside {
			continue
		}
		places++
		level, first := split(p.base)
		if int(p.n) > 1<<level || s.owner[level][first>>level] != uint32(k) {
			return false
		}
		for j := range int(p.n) {
			if id := s.blocks[level][first+j]; s.at[id] != address(level, first+j) {
				return false
			}
		}
		members += int(p.n)
	}
	total := members
	for _, seats := range s.blocks {
		for _, id := range seats {
			if id != Outside {
				members--
			}
		}
	}
	if members != 0 {
		return false
	}
	return total == s.all && (s.keep || places == s.now) && places <= s.now
}

func address(level, i int) uint32 { return uint32(level)<<seatBits | uint32(i) }

func split(a uint32) (level, i int) { return int(a >> seatBits), int(a & maxSeats) }

// SeatsFor returns the number of seats of a block for n members.
func SeatsFor(n int) uint32 { return 1 << bits.Len(uint(max(n, 1)-1)) }
