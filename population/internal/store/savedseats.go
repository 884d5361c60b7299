package store

// SeatColumns are Seats as columns, for the file of a saved state. The rest follows from them.
type SeatColumns struct {
	At     []uint32   // by id, from the first on: the address of its seat, Outside or Elsewhere
	Places []uint32   // four numbers each: the address of the first seat, members, number and group
	Gone   []uint32   // places to be used again
	Free   [][]uint32 // by level: unused blocks
	Room   [][]uint32 // by group: places with room; nil if they are not kept
	Next   uint32     // the number of the next place
}

// Columns returns the seats of the ids from first to before end.
func (s *Seats) Columns(first, end int) SeatColumns {
	s.Reserve(end)
	c := SeatColumns{At: s.at[first:end], Gone: s.gone, Free: s.free, Room: s.room, Next: s.next}
	for len(c.Room) > 0 && len(c.Room[len(c.Room)-1]) == 0 { // a group may have had room
		c.Room = c.Room[:len(c.Room)-1]
	}
	for _, p := range s.places {
		c.Places = append(c.Places, p.base, p.n, p.number, p.group)
	}
	return c
}

// SetColumns sets the seats of the ids from first on, and reports whether the columns belong
// together: if not, s must not be used. Groups is how many groups there are. There must be no
// places yet, and room for the ids.
func (s *Seats) SetColumns(c SeatColumns, first, groups int) bool {
	if first+len(c.At) > len(s.at) || len(c.Places)%4 != 0 {
		return false
	}
	if !s.setPlaces(c, groups) || !s.setBlocks(c) {
		return false
	}
	for i, a := range c.At {
		id := uint32(first + i)
		if s.at[id] = a; a >= Elsewhere {
			continue
		}
		level, at := split(a)
		if level >= len(s.blocks) || at >= len(s.blocks[level]) || s.blocks[level][at] != Outside {
			return false
		}
		k := s.owner[level][at>>level]
		if k == Outside || at&(1<<level-1) >= int(s.places[k].n) {
			return false
		}
		s.blocks[level][at] = id
		s.all++
	}
	members := 0
	for k := range s.places {
		members += int(s.places[k].n)
		s.resized(0, int(s.places[k].n))
	}
	return members == s.all && s.setRoom(c)
}

// setPlaces sets the places.
func (s *Seats) setPlaces(c SeatColumns, groups int) bool {
	s.places, s.next = make([]place, len(c.Places)/4), c.Next
	for k := range s.places {
		w := c.Places[4*k:]
		p := place{w[0], w[1], w[2], w[3]}
		s.places[k] = p
		level, _ := split(p.base)
		switch {
		case p.number == 0 || p.number >= c.Next || uint(p.group) >= uint(groups):
			return false
		case p.base == Outside:
			if p.n > 0 {
				return false
			}
		case level >= len(c.Free) || p.n == 0 || p.n > 1<<level || level > 2 && 4*int(p.n) <= 1<<level:
			return false
		}
	}
	gone := make([]bool, len(s.places))
	for _, k := range c.Gone {
		if uint(k) >= uint(len(gone)) || gone[k] || s.keep {
			return false
		}
		gone[k] = true
	}
	for k := range s.places {
		if !s.keep && gone[k] != (s.places[k].base == Outside) {
			return false
		}
	}
	s.gone = append([]uint32(nil), c.Gone...)
	s.now = len(s.places) - len(s.gone)
	return true
}

// setBlocks makes the blocks of places. Seats that are not taken are Outside.
func (s *Seats) setBlocks(c SeatColumns) bool {
	if len(c.Free) > seatBits+1 {
		return false
	}
	counts := make([]int, len(c.Free))
	for level := range c.Free {
		counts[level] = len(c.Free[level])
	}
	for k := range s.places {
		if p := &s.places[k]; p.base != Outside {
			level, _ := split(p.base)
			counts[level]++
		}
	}
	for level, n := range counts {
		// A block above level 2 is more than a quarter full, and one more is there while a place moves.
		if most := 4*len(c.At) + 1<<level; n<<level > min(most, 1<<seatBits) {
			return false
		}
		s.blocks, s.owner = append(s.blocks, make([]uint32, n<<level)), append(s.owner, make([]uint32, n))
		s.free = append(s.free, append([]uint32(nil), c.Free[level]...))
		for i := range s.blocks[level] {
			s.blocks[level][i] = Outside
		}
		for i := range s.owner[level] {
			s.owner[level][i] = Elsewhere // not known yet
		}
		for _, block := range c.Free[level] {
			if uint(block) >= uint(n) || s.owner[level][block] != Elsewhere {
				return false
			}
			s.owner[level][block] = Outside
		}
	}
	for k := range s.places {
		p := &s.places[k]
		if p.base == Outside {
			continue
		}
		level, i := split(p.base)
		if i&(1<<level-1) != 0 || i>>level >= len(s.owner[level]) || s.owner[level][i>>level] != Elsewhere {
			return false
		}
		s.owner[level][i>>level] = uint32(k)
	}
	return true
}

// setRoom lists the places with room, in the order of the columns, and those that are not there.
func (s *Seats) setRoom(c SeatColumns) bool {
	if s.room == nil {
		return true
	}
	s.inRoom = make([]uint32, len(s.places))
	gone := make([]bool, len(s.places))
	for _, k := range s.gone {
		gone[k] = true
	}
	for group, list := range c.Room {
		for _, k := range list {
			if uint(k) >= uint(len(s.places)) || gone[k] || int(s.places[k].group) != group || s.inRoom[k] > 0 {
				return false
			}
			s.list(k)
		}
	}
	for k := range s.places {
		if !gone[k] {
			s.list(uint32(k))
		}
	}
	return true
}
