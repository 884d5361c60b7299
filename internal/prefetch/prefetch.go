// Package prefetch asks the processor to bring memory into its cache before it is needed. It is the
// one thing that Go cannot say: a load does the same, but the processor can only have so many
// unfinished ones behind it before it stops.
//
// Asking never fails, whatever the address, and changes nothing but the time that a later access
// takes. Where there is no assembly for a processor, it does nothing.
package prefetch

import "unsafe"

// Lines asks for n cache lines of 64 bytes from p on.
func Lines(p unsafe.Pointer, n int) { lines(p, n) }

// Own asks for the cache line of p as one who is going to write to it: where another processor has
// the line, too, writing to one that was only read would be one more journey.
func Own(p unsafe.Pointer) { own(p) }

// Gather asks for the elements of an array, each of the given size, at n indexes: 32-bit numbers
// that lie stride bytes apart from indexes on.
func Gather(array unsafe.Pointer, size uintptr, indexes unsafe.Pointer, stride uintptr, n int) {
	gather(array, size, indexes, stride, n)
}

// GatherPaged is Gather for an array that lies in pages of 1<<bits elements: table has a slice for
// each page, and each of the indexes must have its slice there, because that is read.
func GatherPaged[T any](table [][]T, bits uint, size uintptr, indexes unsafe.Pointer, stride uintptr, n int) {
	gatherPaged(unsafe.Pointer(unsafe.SliceData(table)), bits, size, indexes, stride, n)
}
