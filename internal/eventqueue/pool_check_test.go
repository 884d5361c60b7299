package eventqueue

import "fmt"

// own verifies that chunk c is there, and was not found before.
func (v *verifier) own(c uint32) error {
	p := &v.q.pool
	if v.owned == nil {
		v.owned = make([]uint64, (p.fresh+63)/64)
	}
	switch {
	case c == 0 || c >= p.fresh || p.slabs[c/slabChunks] == nil:
		return fmt.Errorf("chunk %d of %d is not there", c, p.fresh)
	case v.owned[c/64]>>(c%64)&1 == 1:
		return fmt.Errorf("chunk %d is in two places", c)
	}
	v.owned[c/64] |= 1 << (c % 64)
	return nil
}

// pool verifies that every chunk is in one bucket, free, given back, or was never used, and that
// slabs are there or given back.
func (v *verifier) pool() error {
	p := &v.q.pool
	if p.used != v.chunks-1 {
		return fmt.Errorf("%d chunks in buckets, counted as %d", v.chunks-1, p.used)
	}
	for _, c := range p.free {
		if err := v.own(c); err != nil {
			return fmt.Errorf("free: %w", err)
		}
	}
	if n := v.chunks + len(p.free) + len(p.holes)*slabChunks; len(p.slabs) > 0 && n != int(p.fresh) {
		return fmt.Errorf("%d chunks in buckets, free or given back, of %d", n, p.fresh)
	}
	holes := make(map[uint32]bool)
	for _, s := range p.holes {
		holes[s] = true
	}
	room := 0
	for s, slab := range p.slabs {
		if (slab == nil) != holes[uint32(s)] {
			return fmt.Errorf("slab %d is given back: %v, and is among the holes: %v", s, slab == nil, holes[uint32(s)])
		}
		room += len(slab) / chunkSlots
	}
	if len(holes) != len(p.holes) || room != p.room() || p.fresh > p.total {
		return fmt.Errorf("%d slabs given back, of which %d are different, and room for %d chunks, counted as %d",
			len(p.holes), len(holes), room, p.room())
	}
	return nil
}
