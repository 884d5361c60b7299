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
func (q *Queue) check() error {
	if b := q.bucketOf(q.day); q.bucket != b {
		return fmt.Errorf("current bucket is %d, that of day %d is %d", q.bucket, q.day, b)
	}
	if d := q.dayOf(q.now); q.day < d {
		return fmt.Errorf("current day %d is before day %d of the clock", q.day, d)
	}
	listed, earliest := 0, int32(0)
	for b, head := range q.heads {
		before, fresh := int32(0), true
		for link := head; link != 0; link = q.next[eventOf(link)] {
			n := eventOf(link)
			if listed++; listed > q.count {
				return fmt.Errorf("bucket %d: more than %d events in lists, or a list without end", b, q.count)
			}
			if q.next[n] == idle {
				return fmt.Errorf("bucket %d: event %d is idle", b, n)
			}
			if err := q.checkEntry(b, n); err != nil {
				return err
			}
			switch sorted := q.discipline != Unordered && link > 0; {
			case link < 0 && q.discipline != JustInTime:
				return fmt.Errorf("bucket %d: event %d is fresh though %v", b, n, q.discipline)
			case link < 0 && !fresh:
				return fmt.Errorf("bucket %d: event %d is fresh below sorted ones", b, n)
			case sorted && before != 0 && !fresh && q.at[before] > q.at[n]:
				return fmt.Errorf("bucket %d: event %d at %v follows %v", b, n, q.at[n], q.at[before])
			}
			fresh = link < 0
			before = n
			if earliest == 0 || q.at[n] < q.at[earliest] {
				earliest = n
			}
		}
	}
	if listed != q.count {
		return fmt.Errorf("%d events in lists, Len is %d", listed, q.count)
	}
	pending := 0
	for _, link := range q.next[1:] {
		if link != idle {
			pending++
		}
	}
	if pending != q.count {
		return fmt.Errorf("%d ids not idle, Len is %d", pending, q.count)
	}
	if q.found == 0 {
		return nil
	}
	return q.checkFound(earliest)
}

// checkEntry verifies that event n may be in bucket b.
func (q *Queue) checkEntry(b int, n int32) error {
	day := q.dayOf(q.at[n])
	switch {
	case q.bucketOf(day) != b:
		return fmt.Errorf("bucket %d: event %d of day %d belongs in %d", b, n, day, q.bucketOf(day))
	case day < q.day:
		return fmt.Errorf("bucket %d: event %d of day %d is before the current day %d", b, n, day, q.day)
	case !(q.at[n] >= q.now):
		return fmt.Errorf("bucket %d: event %d at %v is before now, %v", b, n, q.at[n], q.now)
	}
	return nil
}

// checkFound verifies the remembered event, given one that no other is before.
func (q *Queue) checkFound(earliest int32) error {
	n, link := q.found, q.heads[q.bucket]
	if q.before != 0 {
		link = q.next[q.before]
	}
	switch {
	case q.next[n] == idle:
		return fmt.Errorf("found %d, which is idle", n)
	case q.at[n] != q.at[earliest]:
		return fmt.Errorf("found %d at %v, earliest is %d at %v", n, q.at[n], earliest, q.at[earliest])
	case q.dayOf(q.at[n]) != q.day:
		return fmt.Errorf("found %d of day %d, current is %d", n, q.dayOf(q.at[n]), q.day)
	case link != n: // in a JustInTime list it is not fresh
		return fmt.Errorf("found %d, the link from %d leads to %d", n, q.before, link)
	case q.discipline == Ordered && q.before != 0:
		return fmt.Errorf("found %d behind %d, not first of an ordered list", n, q.before)
	case q.discipline == JustInTime && q.before != 0 && q.heads[q.bucket] > 0:
		return fmt.Errorf("found %d behind %d, not first of a sorted list", n, q.before)
	}
	if q.discipline == Unordered {
		for m := q.next[n]; m != 0; m = q.next[m] {
			if q.at[m] == q.at[n] {
				return fmt.Errorf("found %d, but %d below it is older", n, m)
			}
		}
	}
	return nil
}
