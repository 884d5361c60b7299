//go:build soak

package soak

// On reports whether there is time.
const On = true
