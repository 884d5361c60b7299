// Package testscale tells tests whether they have minutes, as in make test, or hours, as in make
// soak, which sets the build tag soak.
//
// What a test claims is the same in both, and so is its tolerance in standard errors; of a larger
// size less is needed to be noticed.
package testscale

// Size is how large a test is: usual, or full if there is time.
func Size[T any](usual, full T) T {
	if On {
		return full
	}
	return usual
}
