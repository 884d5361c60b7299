//go:build !linux

package cpu

import "unsafe"

func advise(unsafe.Pointer, uintptr) {}
