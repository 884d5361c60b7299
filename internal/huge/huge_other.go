//go:build !linux

package huge

import "unsafe"

func advise(unsafe.Pointer, uintptr) {}
