package static

// Check is the structure's check of its invariants, for the tests outside the package.
func (q *Queue) Check() error { return q.check() }
