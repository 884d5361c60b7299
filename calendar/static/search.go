package static

import "math"

// maxDay bounds the days. It leaves room in an int64 for a year beyond, and is a power of two, so
// exact as a float64 too.
const maxDay = 1 << 62

// dayOf returns ⌊t/δ⌋. Division and floor are monotone even where they round, so an earlier event
// never has a later day, and events at one time have the same. That is all that exact order needs:
// beyond 2⁵³ a day is wider than δ, and all the days beyond maxDay, an overflow of the division
// included, are one; events of one day are told apart by their times.
func (s *Queue) dayOf(t float64) int64 {
	return int64(min(max(math.Floor(t/s.width), -maxDay), maxDay))
}

// bucketOf returns day mod M, which is not negative.
func (s *Queue) bucketOf(day int64) int {
	m := int64(len(s.heads))
	if day %= m; day < 0 {
		day += m
	}
	return int(day)
}

// turnTo makes day the current one.
func (s *Queue) turnTo(day int64) {
	s.day, s.bucket = day, s.bucketOf(day)
}

// find returns the earliest event, or 0 if there is none, and remembers it (Algorithm 3 up to the
// removal).
func (s *Queue) find() int32 {
	if s.found != 0 || s.count == 0 {
		return s.found
	}
	for {
		// A year. The earliest event of a bucket has the earliest day, so it alone tells whether
		// any has the current one.
		first := int64(math.MaxInt64)
		for range s.heads {
			if s.heads[s.bucket] != 0 {
				n, before := s.earliest(s.bucket)
				day := s.dayOf(s.at[n])
				if day == s.day {
					s.found, s.before = n, before
					return n
				}
				first = min(first, day)
			}
			s.work.EmptyBuckets++
			s.day++
			if s.bucket++; s.bucket == len(s.heads) {
				s.bucket = 0
			}
		}
		// It passed every bucket, hence every event, and first is the first day that has one. The
		// papers would go on, year after year; but the next event may be more years away than
		// anyone can wait for.
		s.turnTo(first)
	}
}

// dispatch removes n, which find returned, and advances the clock to it.
func (s *Queue) dispatch(n int32) {
	s.unlink(s.bucket, s.before, n)
	s.found = 0
	s.now = s.at[n]
	s.work.Dispatched++
}

// insert adds n, which is not pending, at a time not before now (Algorithm 1 after its checks).
func (s *Queue) insert(n int32, at float64) {
	at += 0 // minus zero becomes zero
	s.at[n] = at
	day := s.dayOf(at)
	b := s.bucketOf(day)
	s.put(b, n)
	s.count++
	if day < s.day { // a search has looked beyond
		s.day, s.bucket = day, b
	}
	switch {
	case s.found == 0:
	case at < s.at[s.found]:
		s.found = 0
	case s.before == 0 && b == s.bucket && s.discipline != Ordered:
		s.before = n // dropped on top of what was found
	}
}

// remove takes out n, which is pending, wherever it is (Algorithm 2 after its checks).
func (s *Queue) remove(n int32) {
	b := s.bucketOf(s.dayOf(s.at[n]))
	before := int32(0)
	for m := eventOf(s.heads[b]); m != n; m = eventOf(s.next[m]) {
		before = m
		s.work.Traversed++
	}
	s.work.Traversed++
	s.unlink(b, before, n)
	switch n {
	case s.found:
		s.found = 0
	case s.before:
		s.before = before
	}
}
