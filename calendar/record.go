package calendar

import "github.com/almanac-sim/almanac/internal/huge"

// A record is what is known of an id: when its event is due, and which entry stands for it.
//
// It is made of three 32-bit words so that it takes 12 bytes and not 16: with 10⁸ ids that is 400 MB.
type record struct {
	keyLow, keyHigh uint32 // when, noKey if nothing is pending
	stamp           uint32 // the stamp of the live entry, or of the next one to be made
}

// lastStamp is never given to an entry.
const lastStamp = ^uint32(0)

func (r *record) key() uint64 { return uint64(r.keyLow) | uint64(r.keyHigh)<<32 }

func (r *record) setKey(k uint64) { r.keyLow, r.keyHigh = uint32(k), uint32(k>>32) }

func newRecords(n int) []record {
	records := make([]record, n)
	huge.Advise(records)
	return records
}
