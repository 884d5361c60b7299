package proxy

import "sync/atomic"

// A budget is the memory that all buffers have together. Who gets none does without: bodies stream.
type budget struct {
	total int64
	used  atomic.Int64
}

// take reports whether there were n bytes left, which are then taken.
func (b *budget) take(n int) bool {
	if b.used.Add(int64(n)) > b.total {
		b.used.Add(-int64(n))
		return false
	}
	return true
}

func (b *budget) give(n int) { b.used.Add(-int64(n)) }
