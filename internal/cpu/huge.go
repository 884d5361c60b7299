package cpu

import "unsafe"

// pageSize is that of a huge page on the processors that have them.
const pageSize = 2 << 20

// AdviseHuge asks the system to put huge pages behind s, which should be many of them long. It may
// do nothing, and never fails; what the memory holds stays as it is.
func AdviseHuge[T any](s []T) {
	var t T
	if size := uintptr(cap(s)) * unsafe.Sizeof(t); size >= pageSize {
		advise(unsafe.Pointer(unsafe.SliceData(s)), size)
	}
}

// AdviseHugeAround asks for huge pages behind s and what lies around it, for one of many arrays
// that lie side by side and are less than a huge page each.
func AdviseHugeAround[T any](s []T) {
	var t T
	if size := uintptr(cap(s)) * unsafe.Sizeof(t); size > 0 {
		advise(unsafe.Pointer(unsafe.SliceData(s)), size)
	}
}
