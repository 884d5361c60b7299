//go:build !race

package calendartest

const raceEnabled = false
