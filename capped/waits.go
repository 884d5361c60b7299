package capped

import (
	"math"
	"math/bits"
)

// A parcel is the balls that arrived in the same round and will be deleted in the same round.
// Labels are rounds modulo 2³²; a waiting time is the difference of two.
type parcel struct{ label, count uint32 }

// mostParcel is the largest number of balls in a parcel; it fits an int of 32 bits.
const mostParcel = min(math.MaxUint32, math.MaxInt)

// A diary holds the balls in bins by the round of their deletion.
type diary struct {
	days [][]parcel // a ring buffer; its length is a power of two and above every delay
}

// add adds balls with a label that will be deleted in round due, where now ≤ due.
func (d *diary) add(now, due, label, count int) {
	if count == 0 {
		return
	}
	if due-now >= len(d.days) {
		d.grow(now, due-now+1)
	}
	day := &d.days[due&(len(d.days)-1)]
	for count > 0 {
		last := len(*day) - 1
		if last < 0 || (*day)[last].label != uint32(label) || (*day)[last].count == mostParcel {
			*day = append(*day, parcel{label: uint32(label)})
			last++
		}
		part := min(count, mostParcel-int((*day)[last].count))
		(*day)[last].count += uint32(part)
		count -= part
	}
}

// grow extends the ring for delays below the given number, and keeps the days from now on.
func (d *diary) grow(now, delays int) {
	larger := make([][]parcel, 1<<bits.Len(uint(delays-1)))
	for i := range d.days {
		t := now + i
		larger[t&(len(larger)-1)] = d.days[t&(len(d.days)-1)]
	}
	d.days = larger
}

// on returns the parcels of a round that has not been cleared.
func (d *diary) on(t int) []parcel {
	if len(d.days) == 0 {
		return nil
	}
	return d.days[t&(len(d.days)-1)]
}

// clear empties the day of a round that is over.
func (d *diary) clear(t int) {
	if len(d.days) > 0 {
		day := &d.days[t&(len(d.days)-1)]
		*day = (*day)[:0]
	}
}
