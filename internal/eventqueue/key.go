package eventqueue

import "github.com/almanac-sim/almanac/internal/timekey"

// Times are kept as keys, as package timekey has them: buckets are runs of keys that share their
// leading bits.

const (
	noKey    = timekey.None // marks an id without an event
	pastAll  = timekey.PastAll
	firstKey = timekey.First
	lastKey  = timekey.Last
	signBit  = timekey.Zero // from here on keys are of times that are not negative
)
