package page

import "time"

// Work that a test looks at while it goes on has to outlast the test on the slowest machine. Rounds take their time for as long as a test may: 20,000 of them
// at 20 a second go on for longer than a tab is open, and end when they are stopped.
func init() { paced = 2 * time.Hour }
