package timers

import "fmt"

// check verifies what is always so of a shard while its lock is free:
//
//   - a bucket is a circular list, linked in both directions, of slots with a pending timer;
//   - its bit is set if it has timers, and no bucket begins before the wheel's time or s.earliest;
//   - a timer is in a bucket that does not begin after its deadline;
//   - every pending timer is in one bucket, and there are s.pending of them;
//   - every other slot of a page is a head, free, or was used too often, and has no function;
//   - the runtime timer is set, at or before the earliest bucket or the end of the rest.
func (s *shard) check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.running {
		return nil
	}
	seen := map[uint32]bool{}
	for b := range uint32(levels * buckets) {
		level, begins := b/buckets, s.begins(b)
		seen[b] = true
		n := 0
		for id, last := s.at(b).next(), b; ; n++ {
			at := s.at(id)
			if at.prev() != last {
				return fmt.Errorf("bucket %d: slot %d is after %d and has %d before it", b, id, last, at.prev())
			}
			if id == b {
				break
			}
			if seen[id] {
				return fmt.Errorf("slot %d is in two places", id)
			}
			seen[id] = true
			word := at.word.Load()
			if word&timeMask == 0 || at.f == nil {
				return fmt.Errorf("bucket %d: slot %d has no timer", b, id)
			}
			if at.bucket() != b {
				return fmt.Errorf("slot %d is in bucket %d, and says %d", id, b, at.bucket())
			}
			if to := s.set.clock.deadline(at, word, s.wheel.now); to < begins {
				return fmt.Errorf("bucket %d begins at %d, and slot %d in it is due at %d", b, begins, id, to)
			}
			id, last = at.next(), id
		}
		if n > 0 && s.occupied[b/64]&(1<<(b%64)) == 0 {
			return fmt.Errorf("bucket %d is not marked", b)
		}
		if n > 0 && (begins < s.wheel.now || begins < s.earliest || level > 0 && begins == s.wheel.now) {
			return fmt.Errorf("bucket %d begins at %d, the wheel is at %d, the earliest at %d", b, begins, s.wheel.now,
				s.earliest)
		}
	}
	if n := len(seen) - levels*buckets; n != s.pending {
		return fmt.Errorf("%d timers in the wheel, and %d pending", n, s.pending)
	}
	if s.pending > 0 && s.wake > max(s.earliest, s.ran+restLen) {
		return fmt.Errorf("wakes at %d, the earliest is %d", s.wake, s.earliest)
	}
	return s.checkPages(seen)
}

func (s *shard) checkPages(seen map[uint32]bool) error {
	held, empty := 0, 0
	roomy := map[uint32]bool{}
	for _, p := range s.roomy {
		if roomy[p] || !s.states[p].roomy {
			return fmt.Errorf("page %d is in the list of pages with room twice, or is not marked", p)
		}
		roomy[p] = true
	}
	for p, state := range s.states {
		page := (*s.table.Load())[p].Load()
		if page == nil {
			if state.used != 0 || !roomy[uint32(p)] || state.free != noSlot {
				return fmt.Errorf("page %d was dropped: %+v", p, state)
			}
			continue
		}
		held++
		if state.used == 0 {
			empty++
		}
		free := uint32(0)
		for id := state.free; id != noSlot; id = s.at(id).next() {
			if free++; seen[id] || free > pageLen {
				return fmt.Errorf("slot %d is free and in use, or free twice", id)
			}
		}
		if free+state.used != pageLen || (free > 0) != roomy[uint32(p)] {
			return fmt.Errorf("page %d has %d free slots: %+v", p, free, state)
		}
		for i := range page.slots {
			at, id := &page.slots[i], uint32(p<<pageBits+i)
			gen := at.word.Load() >> genShift
			if gen <= state.floor || !seen[id] && (at.word.Load()&(timeMask|sharedBit) != 0 || at.f != nil) {
				return fmt.Errorf("slot %d is not in use and has a timer, or generation %d is not above %d", id, gen, state.floor)
			}
		}
	}
	if held != s.held || empty != s.empty {
		return fmt.Errorf("%d pages, %d empty; counted %d, %d", s.held, s.empty, held, empty)
	}
	return nil
}

// check verifies all shards.
func (s *Set) check() error {
	st := s.ready()
	for i := range st.shards {
		if err := st.shards[i].check(); err != nil {
			return fmt.Errorf("shard %d: %w", i, err)
		}
	}
	return nil
}

func nothing() {}
