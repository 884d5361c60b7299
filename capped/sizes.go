package capped

import (
	"math/bits"
	"strings"
)

// How large a process may be. A round takes a few seconds at the most, and a process a gigabyte or
// two.
const (
	// word is 1 where an int has 64 bits and 0 where it has 32.
	word = ^uint(0) >> 63

	// mostBins is 2³¹, or 2²⁴ where an int has 32 bits: the balls of a pool, up to 37 per bin, must
	// be counted in one.
	mostBins int64 = 1 << (24 + 7*word)
	// mostBalls is the largest batch of Threshold: 2⁴⁰, or 2³⁰ where an int has 32 bits.
	mostBalls = 1 << (30 + 10*word)
	// mostPerBin is the largest batch of Threshold per bin that is drawn by law: a table has an
	// entry for every number of balls that a bin may get, and a round takes the square root of all
	// balls, times that of those per bin.
	mostPerBin   = 1 << 16
	mostCapacity = 1 << 20
	mostChoices  = 1 << 20
	// mostThrown is the largest number of balls that are thrown one by one in a round, which takes
	// a second or two.
	mostThrown = 1 << 27
	// mostReach is the largest load for a table with a row for every load and an entry for every
	// age: with 2¹⁴ it takes a gigabyte.
	mostReach = 1 << 14
)

// twoTo formats a power of two with a superscript.
func twoTo(power int64) string {
	digits := []string{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"}
	exponent := bits.Len64(uint64(power)) - 1
	var s strings.Builder
	s.WriteString("2")
	if exponent >= 10 {
		s.WriteString(digits[exponent/10])
	}
	s.WriteString(digits[exponent%10])
	return s.String()
}
