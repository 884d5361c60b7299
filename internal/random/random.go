// Package random has random streams of one word each, so that every individual of a large
// population can have its own, and draws that give the same bits on every machine.
//
// Files:
//
//	random.go  Stream: SplitMix64 and uniform numbers
//	exp.go     exponential numbers of a Stream, fast
//	source.go  normal, exponential, gamma and Poisson numbers of any rand.Source
package random

import "math/bits"

// A Stream is a sequence of random numbers: SplitMix64 [SLF14], whose whole state is one 64-bit
// word. The n-th number depends only on n and on the word that the stream began with.
//
// All streams are parts of one cycle of 2⁶⁴ numbers, and [New] scatters where they begin. The
// probability that any two of N streams of length L overlap is about N²L/2⁶⁴: 1 in 50 for 60
// million streams of a hundred numbers.
//
// A *Stream is a source for math/rand/v2, and so for gonum's distributions.
//
// [SLF14]: https://doi.org/10.1145/2660193.2660195
type Stream uint64

// step is the distance between two states: 2⁶⁴ divided by the golden ratio, made odd [SLF14].
const step = 0x9e3779b97f4a7c15

// New returns the stream with a name, which is a list of words: a seed, a replica, an individual.
func New(words ...uint64) Stream {
	h := uint64(len(words))
	for _, w := range words {
		h = mix(h+step) ^ mix(w+step)*3
	}
	return Stream(mix(h))
}

// At returns the k-th of the streams derived from s. It does not advance s.
func (s Stream) At(k uint64) Stream { return Stream(mix(uint64(s) ^ mix(k+step))) }

// mix is the finalizer of SplitMix64 [SLF14]: a bijection in which every bit of the result depends
// on every bit of the argument. Its constants are David Stafford's variant 13.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Uint64 returns the next number, uniform in 0 … 2⁶⁴−1.
func (s *Stream) Uint64() uint64 {
	*s += step
	return mix(uint64(*s))
}

// Split returns a new stream whose name is the next number of s. The constant is arbitrary: it
// keeps the new stream from beginning at a number that another method makes of the same one.
func (s *Stream) Split() Stream { return Stream(mix(s.Uint64() ^ 0x5851f42d4c957f2d)) }

// Float64 returns a number that is uniform in [0, 1), a multiple of 2⁻⁵³.
func (s *Stream) Float64() float64 { return float64(float64(s.Uint64()>>11) * 0x1p-53) }

// Positive returns a number that is uniform in (0, 1], a multiple of 2⁻⁵³.
func (s *Stream) Positive() float64 { return float64(float64(s.Uint64()>>11+1) * 0x1p-53) }

// Below returns a number that is exactly uniform in 0 … n−1 [Lemire19]. It panics if n is 0.
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

// IntN returns a number that is exactly uniform in 0 … n−1, for n of 1 or more: that of Below.
func (s *Stream) IntN(n int) int { return int(s.Below(uint64(n))) }
