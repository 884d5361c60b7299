package calendar

// Check lets the tests outside the package verify a queue's invariants.
func (q *Queue) Check() error { return q.check() }
