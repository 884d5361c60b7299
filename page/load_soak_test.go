//go:build soak

package page_test

import "time"

const (
	loadRuns    = 3000
	loadRounds  = 5
	loadWatched = 10 * time.Second
)
