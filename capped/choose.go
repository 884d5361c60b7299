package capped

import "github.com/almanac-sim/almanac/internal/random"

// A chooser chooses bins, each as likely as any other, exactly [Lemire19]: a random word of 32 bits times the number of
// bins, of which the upper half is the bin, and the lower half says whether the word is one of the few too many.
//
// [Lemire19]: https://doi.org/10.1145/3230636
type chooser struct {
	random random.Stream
	bins   uint32
	reject uint32 // 2³² mod bins
	word   uint64 // the second half of the last word, if it is not used yet
	half   bool
	buffer [512]uint32
}

// some returns up to k choices, and at least one if k is above 0. They are valid until the next call.
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

// put makes the lower half of a word a choice, at place i unless it is rejected, and returns the next place.
func (c *chooser) put(out []uint32, i int, word uint64) int {
	product := uint64(uint32(word)) * uint64(c.bins)
	out[i] = uint32(product >> 32)
	if uint32(product) < c.reject {
		return i
	}
	return i + 1
}
