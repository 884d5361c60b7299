package capped

import "github.com/almanac-sim/almanac/internal/random"

// A chooser chooses bins uniformly, without bias [Lemire19]: a random word of 32 bits is multiplied
// by the number of bins; the upper half of the product is the bin, and the lower half tells whether
// the word must be rejected.
//
// [Lemire19]: https://doi.org/10.1145/3230636
type chooser struct {
	random random.Stream
	bins   uint32
	reject uint32 // 2³² mod bins
	word   uint64 // the unused half of the last word, if half is set
	half   bool
	buffer [512]uint32
}

// some returns up to k choices, and at least one if k is above 0. They are valid until the next
// call.
func (c *chooser) some(k int) []uint32 {
	out := c.buffer[:min(k, len(c.buffer))]
	i := 0
	if c.half {
		i = c.put(out, i, c.word)
		c.half = false
	}
	for i < len(out)-1 {
		w := c.random.Uint64()
		i = c.put(out, i, w)
		i = c.put(out, i, w>>32)
	}
	for i < len(out) {
		w := c.random.Uint64()
		i = c.put(out, i, w)
		if i == len(out) {
			c.word, c.half = w>>32, true
			break
		}
		i = c.put(out, i, w>>32)
	}
	return out
}

// put makes a choice from the lower half of a word. It stores the choice at index i unless it is
// rejected, and returns the next index.
func (c *chooser) put(out []uint32, i int, word uint64) int {
	product := uint64(uint32(word)) * uint64(c.bins)
	out[i] = uint32(product >> 32)
	if uint32(product) < c.reject {
		return i
	}
	return i + 1
}
