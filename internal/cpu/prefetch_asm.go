//go:build amd64 || arm64

package cpu

import "unsafe"

//go:noescape
func lines(p unsafe.Pointer, n int)

//go:noescape
func own(p unsafe.Pointer)

//go:noescape
func gather(array unsafe.Pointer, size uintptr, indexes unsafe.Pointer, stride uintptr, n int)

//go:noescape
func gatherPaged(table unsafe.Pointer, bits uint, size uintptr, indexes unsafe.Pointer, stride uintptr, n int)
