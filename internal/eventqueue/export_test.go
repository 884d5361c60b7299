package eventqueue

// What the tests outside the package may do beyond its users.

func (q *Queue) Check() error { return q.check() }

// SetVersions makes a new queue start its versions again after so many.
func (q *Queue) SetVersions(n uint32) { q.lastVersion = n }

// SetDeferring makes a new queue defer invalidations as soon as it counts the stale entries of each
// bucket.
func (q *Queue) SetDeferring() { q.deferFrom = 0 }

// Deferred is how many invalidations are deferred.
func (q *Queue) Deferred() int { return int(q.deferred.n) }

const StaleSlack = staleSlack

// SetMost makes a new queue divide its buckets when they have so many entries.
func (q *Queue) SetMost(n int) { q.most = n }

// SetCold makes a new queue treat its records as out of the cache, so that it collects what is to
// be written there, whatever is done with it.
func (q *Queue) SetCold() { q.cold, q.deferFrom, q.bufferFrom, q.fewWrites = 0, 0, 0, 0 }

// SetCool is like SetCold, but the queue writes at once for a while if little was collected, as
// large ones do.
func (q *Queue) SetCool() { q.cold, q.deferFrom, q.bufferFrom, q.fewWrites = 0, 0, 0, fewWrites }

// Buffered is how many records, at most, are still to be written.
func (q *Queue) Buffered() int { return q.writes.n }

// Work is how many entries were moved or looked at in all calls so far.
func (q *Queue) Work() uint64 { return q.moved + q.scanned + q.swept }

const Most = most
