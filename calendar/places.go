package calendar

import (
	"math/bits"
)

// A place holds the value of one event after the other. Each use has its own number, so that a
// handle of an earlier use is known to be stale.
type place[V any] struct {
	value V
	use   uint32 // odd while an event is here
	next  uint32 // while free: the next free place of the page plus one, 0 if there is none
}

// retired is the use number after which a place is not used again, so that numbers never repeat.
const retired = ^uint32(0) - 1

// Places lie in pages, so that more of them are made without moving those there are, and pages that
// are not needed can go. Of such a page one number stays, from which the uses of its places go on
// if there is need of it again.
const (
	placePageBits = 12
	placePageLen  = 1 << placePageBits
)

type placePage[V any] struct {
	places []place[V] // nil if it was let go
	free   uint32     // the first free place plus one, 0 if there is none
	used   uint32
	floor  uint32 // no place of it was used more often than this
}

type places[V any] struct {
	pages []placePage[V]
	// A bit for each page that has room. No word before first has one. Places of the first page
	// with room are used first, so that the last pages become empty and can go.
	roomy []uint64
	first int
	held  int // pages there are
	empty int // pages without an event
}

// at is place i, or nil if there is none.
func (ps *places[V]) at(i uint32) *place[V] {
	if p := int(i >> placePageBits); p < len(ps.pages) {
		if page := ps.pages[p].places; int(i%placePageLen) < len(page) {
			return &page[i%placePageLen]
		}
	}
	return nil
}

// vacancy is the place that take will take.
func (ps *places[V]) vacancy() uint64 {
	p := ps.roomyPage()
	if p == len(ps.pages) {
		return uint64(p) << placePageBits
	}
	page := &ps.pages[p]
	if page.free > 0 {
		return uint64(p)<<placePageBits + uint64(page.free-1)
	}
	return uint64(p)<<placePageBits + uint64(len(page.places))
}

// roomyPage is the first page that has room, which may have to be made.
func (ps *places[V]) roomyPage() int {
	for ps.first < len(ps.roomy) && ps.roomy[ps.first] == 0 {
		ps.first++
	}
	if ps.first == len(ps.roomy) {
		return len(ps.pages)
	}
	return ps.first*64 + bits.TrailingZeros64(ps.roomy[ps.first])
}

// markRoomy sets the bit of page p.
func (ps *places[V]) markRoomy(p int) {
	ps.roomy[p/64] |= 1 << (p % 64)
	ps.first = min(ps.first, p/64)
}

// take puts a value into the vacancy, and returns the number of this use.
func (ps *places[V]) take(v V) (use uint32) {
	p := ps.roomyPage()
	if p == len(ps.pages) {
		ps.pages = append(ps.pages, placePage[V]{})
		if p%64 == 0 {
			ps.roomy = append(ps.roomy, 0)
		}
		ps.markRoomy(p)
	}
	page := &ps.pages[p]
	if page.places == nil {
		ps.held++
		if p > 0 { // the first one grows: a small agenda should be small
			page.places = make([]place[V], 0, placePageLen)
		}
	} else if page.used == 0 {
		ps.empty--
	}
	i := page.free - 1
	if page.free > 0 {
		page.free = page.places[i].next
	} else {
		i = uint32(len(page.places))
		page.places = append(page.places, place[V]{use: page.floor})
	}
	page.used++
	if page.free == 0 && len(page.places) == placePageLen {
		ps.roomy[p/64] &^= 1 << (p % 64)
	}
	at := &page.places[i]
	at.value = v
	at.use++
	return at.use
}

// vacate frees a place and returns the value that was there.
func (ps *places[V]) vacate(i uint32) V {
	p := int(i >> placePageBits)
	page := &ps.pages[p]
	at := &page.places[i%placePageLen]
	v := at.value
	var none V
	at.value = none
	at.use++
	page.floor = max(page.floor, at.use)
	if at.use != retired {
		at.next = page.free
		page.free = i%placePageLen + 1
		ps.markRoomy(p)
	}
	if page.used--; page.used == 0 {
		if ps.empty++; 2*ps.empty > ps.held && ps.held > 2 {
			ps.giveBack()
		}
	}
	return v
}

// giveBack drops the pages without an event, except for the first and those with a place that is
// retired.
func (ps *places[V]) giveBack() {
	for p := range ps.pages {
		page := &ps.pages[p]
		if p > 0 && page.places != nil && page.used == 0 && page.floor != retired {
			*page = placePage[V]{floor: page.floor}
			ps.markRoomy(p)
			ps.held--
			ps.empty--
		}
	}
}
