// Package random has random streams that are one word each, so that every individual of a large population can have its
// own.
package random

import "math/bits"

// A Stream is a sequence of random numbers: SplitMix64 [SLF14], of which the whole state is one 64-bit word. The n-th
// number depends on the word it began with and on n alone.
//
// All streams run along the same cycle of 2⁶⁴ numbers, from places that [New] scatters. Two among N streams of length L
// overlap with a probability of about N²L/2⁶⁴: for 60 million streams of a hundred numbers, one chance in fifty that
// one pair shares some.
//
// A *Stream is a source for math/rand/v2, and so for gonum's distributions.
//
// [SLF14]: https://doi.org/10.1145/2660193.2660195
type Stream uint64

// step is the distance between two states: 2⁶⁴ over the golden ratio, made odd.
const step = 0x9e3779b97f4a7c15

// New returns the stream that a list of words names: a seed, a replica, an individual.
func New(words ...uint64) Stream {
	h := uint64(len(words))
	for _, w := range words {
		h = mix(h+step) ^ mix(w+step)*3
	}
	return Stream(mix(h))
}

// At returns the k-th of the streams that come from s, which stays as it is.
func (s Stream) At(k uint64) Stream { return Stream(mix(uint64(s) ^ mix(k+step))) }

// mix is the finalizer of SplitMix64: a bijection of which every bit depends on every bit.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Uint64 is the next number, any of 2⁶⁴.
func (s *Stream) Uint64() uint64 {
	*s += step
	return mix(uint64(*s))
}

// Split returns a new stream that takes one number of s to name it.
func (s *Stream) Split() Stream { return Stream(mix(s.Uint64() ^ 0x5851f42d4c957f2d)) }

// Float64 is uniform in [0, 1), a multiple of 2⁻⁵³.
func (s *Stream) Float64() float64 { return float64(float64(s.Uint64()>>11) * 0x1p-53) }

// Positive is uniform in (0, 1], a multiple of 2⁻⁵³.
func (s *Stream) Positive() float64 { return float64(float64(s.Uint64()>>11+1) * 0x1p-53) }

// Below is uniform in 0 … n−1, exactly [Lemire19]. It panics if n is 0.
//
// [Lemire19]: https://doi.org/10.1145/3230636
func (s *Stream) Below(n uint64) uint64 {
	high, low := bits.Mul64(s.Uint64(), n)
	if low < n {
		for rest := -n % n; low < rest; {
			high, low = bits.Mul64(s.Uint64(), n)
		}
	}
	return high
}
