//go:build race

// Package interleave lets tests run something between the steps of concurrent operations.
package interleave

import "sync/atomic"

// Enabled reports whether Point does anything.
const Enabled = true

var hook atomic.Pointer[func()]

// Point is a place between two steps.
func Point() {
	if f := hook.Load(); f != nil {
		(*f)()
	}
}

// Between runs f, and has Point call steps meanwhile.
func Between(steps, f func()) {
	hook.Store(&steps)
	defer hook.Store(nil)
	f()
}
