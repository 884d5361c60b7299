package calendartest

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/calendar"
	splitmix "github.com/almanac-sim/almanac/internal/random"
)

const tableSize = 1 << 18

// Jumps is a stream of jumps and of random ids, cheap enough to be used inside a timed loop.
//
// Jumps come from a table of 2¹⁸ draws, two megabytes read in sequence. Each time round the table
// is stretched by a random factor within 1 ± 2⁻¹¹: more events than the table has entries would
// otherwise be scheduled at equal times, and a benchmark would measure the ties. Distributions
// whose times are meant to coincide are left as they are.
//
// The same arguments to [NewJumps] give the same stream.
type Jumps struct {
	table []float64
	next  uint    // jumps so far, and with it the position in the table
	end   uint    // once next has passed it, it is time for turn
	scale float64 // this time round

	dist         Distribution
	r            *rand.Rand
	regimeLength uint // in jumps
	regimeLeft   uint // after this time round
	coarse       bool

	pick splitmix.Stream // of Pick
}

// NewJumps prepares a stream of jumps. Distributions that have regimes change them every so many
// jumps as there are events pending; to others that number makes no difference.
func NewJumps(d Distribution, pending int, seed uint64) *Jumps {
	r := rand.New(rand.NewPCG(seed, 0x6a756d7073))
	j := &Jumps{
		table:        make([]float64, tableSize),
		dist:         d,
		r:            r,
		regimeLength: uint(max(pending, 1)),
		pick:         splitmix.Stream(r.Uint64()),
	}
	for i := range j.table {
		j.table[i] = d.draw(r)
	}
	return j
}

// Next returns the next jump.
func (j *Jumps) Next() float64 {
	if j.next++; j.next > j.end {
		j.turn()
	}
	return j.scale * j.table[j.next%tableSize]
}

// turn begins another time round the table, or the part of one that is left of a regime.
func (j *Jumps) turn() {
	length := uint(tableSize)
	j.scale = 1
	if !j.dist.lattice {
		j.scale += (j.r.Float64() - 0.5) / 1024
	}
	if j.dist.regime {
		if j.regimeLeft == 0 {
			j.regimeLeft, j.coarse = j.regimeLength, !j.coarse
		}
		length = min(length, j.regimeLeft)
		j.regimeLeft -= length
		if !j.coarse {
			j.scale *= regimeScale
		}
	}
	j.end += length
}

// Pick returns a random id below n. Ids are computed and not tabled: a table would touch only as
// many ids as it has entries, and those would sit in the cache. It panics unless n is from 1 to
// 2³².
func (j *Jumps) Pick(n int) calendar.ID {
	if uint64(n)-1 > math.MaxUint32 {
		panic("calendartest: Pick needs a number of ids, from 1 to 2³²")
	}
	id, _ := bits.Mul64(j.pick.Uint64(), uint64(n))
	return calendar.ID(id)
}
