package epoch

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/cpu"
)

// None is the number of nothing: the end of a list, an empty stack.
const None = 0

// An Arena is a growing array of things that never move: part k holds those whose numbers have k
// significant bits. Number 0 has a thing too, which belongs to nothing.
type Arena[T any] struct {
	parts [32]unsafe.Pointer // *T
	grow  sync.Mutex
}

// At returns the thing with a number for which Ensure was called.
func (a *Arena[T]) At(i uint32) *T {
	k := bits.Len32(i)
	part := (*T)(atomic.LoadPointer(&a.parts[k&31]))
	return (*T)(unsafe.Add(unsafe.Pointer(part), uintptr(i^1<<(k&31)>>1)*unsafe.Sizeof(*part)))
}

// Ensure makes room for the thing with a number.
func (a *Arena[T]) Ensure(i uint32) {
	k := bits.Len32(i)
	if atomic.LoadPointer(&a.parts[k]) != nil {
		return
	}
	a.grow.Lock()
	defer a.grow.Unlock()
	if atomic.LoadPointer(&a.parts[k]) == nil {
		part := make([]T, max(1, uint32(1)<<k>>1))
		cpu.AdviseHuge(part)
		atomic.StorePointer(&a.parts[k], unsafe.Pointer(unsafe.SliceData(part)))
	}
}

// Parts returns how many parts there is memory for.
func (a *Arena[T]) Parts() (n int) {
	for k := range a.parts {
		if atomic.LoadPointer(&a.parts[k]) != nil {
			n++
		}
	}
	return n
}
