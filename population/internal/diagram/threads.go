package diagram

import "math"

// none is no item.
const none = -1

// threads lists rows of items, from column to column, that should be at one height because each has
// no other strong link: the bends of a long edge, and states with the short edges between them
// where no other way branches off.
func (s *sheet) threads() [][]int {
	var all [][]int
	for i := range s.items {
		if before := s.strongest(i, leftLinks); before != none && s.strongest(before, rightLinks) == i {
			continue // inside a thread
		}
		thread := []int{i}
		for after := s.next(i); after != none; after = s.next(after) {
			thread = append(thread, after)
		}
		if len(thread) > 1 {
			all = append(all, thread)
		}
	}
	return all
}

// next is the item right of this one in its thread.
func (s *sheet) next(i int) int {
	if after := s.strongest(i, rightLinks); after != none && s.strongest(after, leftLinks) == i {
		return after
	}
	return none
}

// strongest is the item at the other end of the only strong link on a side.
func (s *sheet) strongest(i int, links side) int {
	only := none
	for _, l := range links(&s.items[i]) {
		switch {
		case l.pull < pullStrong:
		case only != none:
			return none
		default:
			only = l.to
		}
	}
	return only
}

// straighten puts each thread at one height as far as the room between neighbours allows, and where
// it does not, at as few heights as possible.
func (s *sheet) straighten(threads [][]int, agree compromise) {
	for _, thread := range threads {
		if !s.spend(8 * len(thread)) {
			return
		}
		for len(thread) > 0 {
			n, least, most := s.together(thread)
			s.shift(thread[:n], least, most, agree)
			thread = thread[n:]
		}
	}
}

// together tells how many items of a thread, from the first on, fit at one height, and between
// which bounds it is. If rounding has left the first no room at all, it gets the bounds all the
// same.
func (s *sheet) together(thread []int) (n int, least, most float64) {
	least, most = s.room(thread[0])
	for n = 1; n < len(thread); n++ {
		up, down := s.room(thread[n])
		if max(least, up) > min(most, down) {
			break
		}
		least, most = max(least, up), min(most, down)
	}
	return n, least, most
}

// room is between which heights an item can be while its neighbours stay where they are.
func (s *sheet) room(i int) (least, most float64) {
	column, place := s.columns[s.items[i].column], s.position[i]
	least, most = math.Inf(-1), math.Inf(1)
	if place > 0 {
		least = s.items[column[place-1]].y + s.gap(column[place-1], i)
	}
	if place+1 < len(column) {
		most = s.items[column[place+1]].y - s.gap(i, column[place+1])
	}
	return least, most
}

// shift moves items of a thread together to a height between the bounds, towards what pulls on any
// of them.
func (s *sheet) shift(thread []int, least, most float64, agree compromise) {
	inside := map[int]bool{}
	for _, i := range thread {
		inside[i] = true
	}
	var wants []want
	for _, i := range thread {
		wants = append(wants, want{s.items[i].y, stay})
		for _, links := range []side{leftLinks, rightLinks} {
			for _, l := range links(&s.items[i]) {
				if !inside[l.to] {
					wants = append(wants, want{s.items[l.to].y, l.pull})
				}
			}
		}
	}
	y := min(max(agree.of(wants), least), most)
	for _, i := range thread {
		s.items[i].y = y
	}
}
