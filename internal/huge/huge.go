// Package huge asks for huge pages: with pages of 4 KiB, memory of several hundred megabytes has
// more of them than a processor keeps addresses for, and every random access then has to look its
// page up first.
package huge

import "unsafe"

// pageSize is that of a huge page on the processors that have them.
const pageSize = 2 << 20

// Advise asks the system to put huge pages behind s, which should be many of them long. It may do
// nothing, and never fails; what the memory holds stays as it is.
func Advise[T any](s []T) {
	var t T
	if size := uintptr(cap(s)) * unsafe.Sizeof(t); size >= pageSize {
		advise(unsafe.Pointer(unsafe.SliceData(s)), size)
	}
}

// Around asks for huge pages behind s and what lies around it, for one of many arrays that lie side
// by side and are less than a huge page each.
func Around[T any](s []T) {
	var t T
	if size := uintptr(cap(s)) * unsafe.Sizeof(t); size > 0 {
		advise(unsafe.Pointer(unsafe.SliceData(s)), size)
	}
}
