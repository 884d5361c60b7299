//go:build race

package calendartest

// raceEnabled says that the race detector slows everything down by eight or so.
const raceEnabled = true
