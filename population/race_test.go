//go:build race

package population

func init() { raceDetector = true }
