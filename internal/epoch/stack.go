package epoch

import "sync/atomic"

// A Stack is a lock-free stack of numbered things. Its head is a count of changes above the number
// of the topmost, so that a goroutine that was halted does not take it for unchanged when things
// have gone and come back.
type Stack struct {
	head atomic.Uint64
	_    [56]byte
}

// Push puts a chain of things on top. Only the last of them has to be told what comes next.
func (s *Stack) Push(first uint32, last *atomic.Uint32) {
	for {
		old := s.head.Load()
		last.Store(uint32(old))
		if s.head.CompareAndSwap(old, (old>>32+1)<<32|uint64(first)) {
			return
		}
	}
}

// Pop takes the topmost thing, or None. next is where a thing keeps the number of the one below it.
func (s *Stack) Pop(next func(uint32) *atomic.Uint32) uint32 {
	for {
		old := s.head.Load()
		i := uint32(old)
		if i == None || s.head.CompareAndSwap(old, (old>>32+1)<<32|uint64(next(i).Load())) {
			return i
		}
	}
}

// clear takes the whole chain.
func (s *Stack) clear() uint32 {
	for {
		old := s.head.Load()
		if uint32(old) == None || s.head.CompareAndSwap(old, (old>>32+1)<<32) {
			return uint32(old)
		}
	}
}
