package cpu

import "unsafe"

// PrefetchLines asks for n cache lines of 64 bytes from p on.
func PrefetchLines(p unsafe.Pointer, n int) { lines(p, n) }

// PrefetchOwn asks for the cache line of p as one who is going to write to it: where another
// processor has the line, too, writing to one that was only read would be one more journey.
func PrefetchOwn(p unsafe.Pointer) { own(p) }

// PrefetchGather asks for the elements of an array, each of the given size, at n indexes: 32-bit
// numbers that lie stride bytes apart from indexes on.
func PrefetchGather(array unsafe.Pointer, size uintptr, indexes unsafe.Pointer, stride uintptr, n int) {
	gather(array, size, indexes, stride, n)
}

// PrefetchGatherPaged is PrefetchGather for an array that lies in pages of 1<<bits elements: table
// has a slice for each page, and each of the indexes must have its slice there, because that is
// read.
func PrefetchGatherPaged[T any](table [][]T, bits uint, size uintptr, indexes unsafe.Pointer, stride uintptr, n int) {
	gatherPaged(unsafe.Pointer(unsafe.SliceData(table)), bits, size, indexes, stride, n)
}
