//go:build !amd64 && !arm64

package cpu

import "unsafe"

func lines(unsafe.Pointer, int) {}

func own(unsafe.Pointer) {}

func gather(unsafe.Pointer, uintptr, unsafe.Pointer, uintptr, int) {}

func gatherPaged(unsafe.Pointer, uint, uintptr, unsafe.Pointer, uintptr, int) {}
