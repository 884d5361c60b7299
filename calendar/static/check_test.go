package static

import "fmt"

// check verifies the invariants of a Queue:
//
//   - the current bucket is that of the current day, and the current day is not before the clock's;
//   - every list ends, and the lists have as many events as Len says;
//   - as many ids are not idle as there are events in lists;
//   - an event is in the bucket of its day, which is not before the current one, and is not due
//     before now;
//   - fresh events are in JustInTime lists only, and on top of the sorted ones;
//   - what is sorted, in Ordered and JustInTime lists, is in order of time;
//   - the remembered event is the earliest, of the current day, where Next expects it, and the
//     oldest of its equals.
//
// It takes time proportional to the capacity and the number of buckets.
func (s *Queue) check() error {
	if b := s.bucketOf(s.day); s.bucket != b {
		return fmt.Errorf("current bucket is %d, that of day %d is %d", s.bucket, s.day, b)
	}
	if d := s.dayOf(s.now); s.day < d {
		return fmt.Errorf("current day %d is before day %d of the clock", s.day, d)
	}
	listed, earliest := 0, int32(0)
	for b, head := range s.heads {
		before, fresh := int32(0), true
		for link := head; link != 0; link = s.next[eventOf(link)] {
			n := eventOf(link)
			if listed++; listed > s.count {
				return fmt.Errorf("bucket %d: more than %d events in lists, or a list without end", b, s.count)
			}
			if s.next[n] == idle {
				return fmt.Errorf("bucket %d: event %d is idle", b, n)
			}
			if err := s.checkEntry(b, n); err != nil {
				return err
			}
			switch sorted := s.discipline != Unordered && link > 0; {
			case link < 0 && s.discipline != JustInTime:
				return fmt.Errorf("bucket %d: event %d is fresh though %v", b, n, s.discipline)
			case link < 0 && !fresh:
				return fmt.Errorf("bucket %d: event %d is fresh below sorted ones", b, n)
			case sorted && before != 0 && !fresh && s.at[before] > s.at[n]:
				return fmt.Errorf("bucket %d: event %d at %v follows %v", b, n, s.at[n], s.at[before])
			}
			fresh = link < 0
			before = n
			if earliest == 0 || s.at[n] < s.at[earliest] {
				earliest = n
			}
		}
	}
	if listed != s.count {
		return fmt.Errorf("%d events in lists, Len is %d", listed, s.count)
	}
	pending := 0
	for _, link := range s.next[1:] {
		if link != idle {
			pending++
		}
	}
	if pending != s.count {
		return fmt.Errorf("%d ids not idle, Len is %d", pending, s.count)
	}
	if s.found == 0 {
		return nil
	}
	return s.checkFound(earliest)
}

// checkEntry verifies that event n may be in bucket b.
func (s *Queue) checkEntry(b int, n int32) error {
	day := s.dayOf(s.at[n])
	switch {
	case s.bucketOf(day) != b:
		return fmt.Errorf("bucket %d: event %d of day %d belongs in %d", b, n, day, s.bucketOf(day))
	case day < s.day:
		return fmt.Errorf("bucket %d: event %d of day %d is before the current day %d", b, n, day, s.day)
	case !(s.at[n] >= s.now):
		return fmt.Errorf("bucket %d: event %d at %v is before now, %v", b, n, s.at[n], s.now)
	}
	return nil
}

// checkFound verifies the remembered event, given one that no other is before.
func (s *Queue) checkFound(earliest int32) error {
	n, link := s.found, s.heads[s.bucket]
	if s.before != 0 {
		link = s.next[s.before]
	}
	switch {
	case s.next[n] == idle:
		return fmt.Errorf("found %d, which is idle", n)
	case s.at[n] != s.at[earliest]:
		return fmt.Errorf("found %d at %v, earliest is %d at %v", n, s.at[n], earliest, s.at[earliest])
	case s.dayOf(s.at[n]) != s.day:
		return fmt.Errorf("found %d of day %d, current is %d", n, s.dayOf(s.at[n]), s.day)
	case link != n: // in a JustInTime list it is not fresh
		return fmt.Errorf("found %d, the link from %d leads to %d", n, s.before, link)
	case s.discipline == Ordered && s.before != 0:
		return fmt.Errorf("found %d behind %d, not first of an ordered list", n, s.before)
	case s.discipline == JustInTime && s.before != 0 && s.heads[s.bucket] > 0:
		return fmt.Errorf("found %d behind %d, not first of a sorted list", n, s.before)
	}
	if s.discipline == Unordered {
		for m := s.next[n]; m != 0; m = s.next[m] {
			if s.at[m] == s.at[n] {
				return fmt.Errorf("found %d, but %d below it is older", n, m)
			}
		}
	}
	return nil
}
