//go:build !linux

package huge

import "unsafe"

func advise(unsafe.Pointer, uintptr) {}

func populate(unsafe.Pointer, uintptr) {}
