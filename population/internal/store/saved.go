package store

import (
	"math/bits"
)

// Sums as words, for the file of a saved state, and back.

// Words returns the sum and when it was brought up to date.
func (l *PersonTime) Words() []uint64 { return []uint64{l.Sum.high, l.Sum.low, l.changed} }

// SetWords sets what Words returned, of a person-time with so many ticks in a unit of time. A sum
// with other ticks is rounded down.
func (l *PersonTime) SetWords(w [3]uint64, perUnit float64) {
	l.Sum, l.changed = Uint128{w[0], w[1]}, w[2]
	for ; perUnit > l.perUnit; perUnit /= 2 {
		l.Sum.high, l.Sum.low = l.Sum.high>>1, l.Sum.high<<63|l.Sum.low>>1
		l.changed >>= 1
	}
	for ; perUnit < l.perUnit; perUnit *= 2 {
		l.Sum.high, l.Sum.low = l.Sum.high<<1|l.Sum.low>>63, l.Sum.low<<1
		l.changed <<= 1
	}
}

// PerUnit is how many ticks a unit of time has.
func (l *PersonTime) PerUnit() float64 { return l.perUnit }

// WordsOf returns numbers as two words each.
func WordsOf(all []Uint128) []uint64 {
	words := make([]uint64, 0, 2*len(all))
	for _, x := range all {
		words = append(words, x.high, x.low)
	}
	return words
}

// FromWords is the inverse of WordsOf.
func FromWords(words []uint64) []Uint128 {
	all := make([]Uint128, len(words)/2)
	for i := range all {
		all[i] = Uint128{words[2*i], words[2*i+1]}
	}
	return all
}

// WordsOfTimes returns sums as four words each.
func WordsOfTimes(all []WeightedTime) []uint64 {
	words := make([]uint64, 0, 4*len(all))
	for _, x := range all {
		words = append(words, x.weight.high, x.weight.low, x.moment.high, x.moment.low)
	}
	return words
}

// TimesFromWords is the inverse of WordsOfTimes.
func TimesFromWords(words []uint64) []WeightedTime {
	all := make([]WeightedTime, len(words)/4)
	for i := range all {
		w := words[4*i:]
		all[i] = WeightedTime{Uint128{w[0], w[1]}, Uint128{w[2], w[3]}}
	}
	return all
}

// Shift multiplies a number with a sign by a power of two, and rounds down.
func (x Uint128) Shift(power int) Uint128 {
	for ; power > 0; power-- {
		x.high, x.low = x.high<<1|x.low>>63, x.low<<1
	}
	for ; power < 0; power++ {
		x.low = x.low>>1 | x.high<<63
		x.high = uint64(int64(x.high) >> 1)
	}
	return x
}

// Rescale changes the scales of the weights and of time, so that the integral becomes 2 to the
// given power as large. The weights that are there have this sum in the new scale, in which each is
// rounded by itself. The time is before in the old ticks and after in the new ones.
func (s *WeightedTime) Rescale(weight Uint128, power int, before, after uint64) {
	sum := s.Until(before).Shift(power)
	s.weight = weight
	high, low := bits.Mul64(s.weight.low, after)
	s.moment = Uint128{high + s.weight.high*after, low}
	s.moment.Subtract(sum)
}
