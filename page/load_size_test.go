//go:build !soak

package page_test

import "time"

// How much load tests put on a server; with the build tag soak it is more.
const (
	loadRuns    = 150
	loadRounds  = 1
	loadWatched = 400 * time.Millisecond
)
