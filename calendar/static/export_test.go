package static

// Check is the structure's check of its invariants, for the tests outside the package.
func (s *Queue) Check() error { return s.check() }
