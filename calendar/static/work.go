package static

// Work counts what a [Queue] has done, in the units of the papers' analysis: on a machine where an
// empty bucket takes time b, a list entry c, and everything else d for each event, it has taken
// b·EmptyBuckets + c·Traversed + d·Dispatched (Lemmas 2.1 and 3.1 of Erickson, Ladner and LaMarca,
// for the unordered discipline).
//
// A search, made by Next, Peek or Until, visits the current bucket and then bucket after bucket
// until one has an event of its day. After an event has left, the next search begins by visiting
// the same bucket again. What Peek found is remembered: the Next that follows it visits nothing. So
// EmptyBuckets/(EmptyBuckets+Dispatched) estimates the paper's q₀.
type Work struct {
	// EmptyBuckets counts the visits to a bucket that had no event of the current day, though it
	// may have had later years'.
	EmptyBuckets uint64

	// Traversed counts list entries touched, those of later years included.
	//
	// Unordered: the length of the list, at each visit. Ordered: the entries that a new event is
	// put behind; and one, the first, at each visit to a bucket that has any. JustInTime: one for
	// each comparison made by sorting; and one, the first, at each visit to a bucket that has any.
	//
	// Removing an event that is not dispatched counts the entries up to and including it.
	Traversed uint64

	// Stops counts, for Ordered, the insertions that ended at a later entry. Traversed does not count
	// the comparison with that entry; add Stops to charge for it.
	Stops uint64

	// Dispatched counts the events that have left through Next or Until.
	Dispatched uint64
}

// Since returns the work done after an earlier reading.
func (w Work) Since(earlier Work) Work {
	return Work{
		EmptyBuckets: w.EmptyBuckets - earlier.EmptyBuckets,
		Traversed:    w.Traversed - earlier.Traversed,
		Stops:        w.Stops - earlier.Stops,
		Dispatched:   w.Dispatched - earlier.Dispatched,
	}
}

// Work returns what the calendar has done since it was made.
func (q *Queue) Work() Work { return q.work }
