//go:build soak

package testscale

// On reports whether there is time.
const On = true
