package static

import "math"

// maxDay bounds the days. It leaves room in an int64 for a year beyond, and is a power of two, so
// exact as a float64 too.
const maxDay = 1 << 62

// dayOf returns ⌊t/δ⌋. Division and floor are monotone even where they round, so an earlier event
// never has a later day, and events at one time have the same. That is all that exact order needs:
// beyond 2⁵³ a day is wider than δ, and all the days beyond maxDay, an overflow of the division
// included, are one; events of one day are told apart by their times.
func (q *Queue) dayOf(t float64) int64 {
	return int64(min(max(math.Floor(t/q.width), -maxDay), maxDay))
}

// bucketOf returns day mod M, which is not negative.
func (q *Queue) bucketOf(day int64) int {
	m := int64(len(q.heads))
	if day %= m; day < 0 {
		day += m
	}
	return int(day)
}

// turnTo makes day the current one.
func (q *Queue) turnTo(day int64) {
	q.day, q.bucket = day, q.bucketOf(day)
}

// find returns the earliest event, or 0 if there is none, and remembers it (Algorithm 3 up to the
// removal).
func (q *Queue) find() int32 {
	if q.found != 0 || q.count == 0 {
		return q.found
	}
	for {
		// A year. The earliest event of a bucket has the earliest day, so it alone tells whether
		// any has the current one.
		first := int64(math.MaxInt64)
		for range q.heads {
			if q.heads[q.bucket] != 0 {
				n, before := q.earliest(q.bucket)
				day := q.dayOf(q.at[n])
				if day == q.day {
					q.found, q.before = n, before
					return n
				}
				first = min(first, day)
			}
			q.work.EmptyBuckets++
			q.day++
			if q.bucket++; q.bucket == len(q.heads) {
				q.bucket = 0
			}
		}
		// It passed every bucket, hence every event, and first is the first day that has one. The
		// papers would go on, year after year; but the next event may be more years away than
		// anyone can wait for.
		q.turnTo(first)
	}
}

// dispatch removes n, which find returned, and advances the clock to it.
func (q *Queue) dispatch(n int32) {
	q.unlink(q.bucket, q.before, n)
	q.found = 0
	q.now = q.at[n]
	q.work.Dispatched++
}

// insert adds n, which is not pending, at a time not before now (Algorithm 1 after its checks).
func (q *Queue) insert(n int32, at float64) {
	at += 0 // minus zero becomes zero
	q.at[n] = at
	day := q.dayOf(at)
	b := q.bucketOf(day)
	q.put(b, n)
	q.count++
	if day < q.day { // a search has looked beyond
		q.day, q.bucket = day, b
	}
	switch {
	case q.found == 0:
	case at < q.at[q.found]:
		q.found = 0
	case q.before == 0 && b == q.bucket && q.discipline != Ordered:
		q.before = n // dropped on top of what was found
	}
}

// remove takes out n, which is pending, wherever it is (Algorithm 2 after its checks).
func (q *Queue) remove(n int32) {
	b := q.bucketOf(q.dayOf(q.at[n]))
	before := int32(0)
	for m := eventOf(q.heads[b]); m != n; m = eventOf(q.next[m]) {
		before = m
		q.work.Traversed++
	}
	q.work.Traversed++
	q.unlink(b, before, n)
	switch n {
	case q.found:
		q.found = 0
	case q.before:
		q.before = before
	}
}
