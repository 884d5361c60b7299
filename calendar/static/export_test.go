package static

// Check is the structure's check of its invariants, for the tests outside the package.
func (q *Queue) Check() error { return q.check() }

// MaxSize and DefaultWidths are for tests of extreme arguments.
const MaxSize = maxSize

func DefaultWidths(n int) []float64 { return defaultWidths(n) }
