package cpu

import (
	"syscall"
	"unsafe"
)

// advise rounds to whole pages, outwards: the neighbours are in the same heap, and may have huge
// pages too.
func advise(p unsafe.Pointer, size uintptr) {
	before := uintptr(p) % pageSize
	after := -(uintptr(p) + size) % pageSize
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(p)-before, before+size+after, syscall.MADV_HUGEPAGE)
	// Memory that Go has used before has small pages already. Linux 6.1 and later replaces them; an
	// older one refuses.
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(p)-before, before+size+after, collapse)
}

const collapse = 25 // MADV_COLLAPSE
