package design

import (
	"math/bits"
	"math/rand/v2"
)

// MostSobol is the largest number of dimensions of the Sobol sequence.
const MostSobol = 21

// directions are what the direction numbers of each dimension after the first are made of: a
// primitive polynomial over the field of two elements, x^s + a₁x^(s−1) + … + a_(s−1)x + 1, as its
// degree s and the bits a₁ … a_(s−1), and the first s numbers m₁ … m_s. They are the first of those
// that Joe and Kuo published (SIAM J. Sci. Comput. 30, 2008, doi 10.1137/070709359, table D6),
// typed in by hand; the test finds that the polynomials are primitive, that each m_i is odd and
// below 2^i, and that any dimension together with those before it has Sobol's property A.
var directions = []struct {
	s int
	a uint32
	m []uint32
}{
	{1, 0, []uint32{1}},
	{2, 1, []uint32{1, 3}},
	{3, 1, []uint32{1, 3, 1}},
	{3, 2, []uint32{1, 1, 1}},
	{4, 1, []uint32{1, 1, 3, 3}},
	{4, 4, []uint32{1, 3, 5, 13}},
	{5, 2, []uint32{1, 1, 5, 5, 17}},
	{5, 4, []uint32{1, 1, 5, 5, 5}},
	{5, 7, []uint32{1, 1, 7, 11, 19}},
	{5, 11, []uint32{1, 1, 5, 1, 1}},
	{5, 13, []uint32{1, 1, 1, 3, 11}},
	{5, 14, []uint32{1, 3, 5, 5, 31}},
	{6, 1, []uint32{1, 3, 3, 9, 7, 49}},
	{6, 13, []uint32{1, 1, 1, 15, 21, 21}},
	{6, 16, []uint32{1, 3, 1, 13, 27, 49}},
	{6, 19, []uint32{1, 1, 1, 15, 7, 5}},
	{6, 22, []uint32{1, 3, 1, 15, 13, 25}},
	{6, 25, []uint32{1, 1, 5, 5, 19, 61}},
	{7, 1, []uint32{1, 3, 7, 11, 23, 15, 103}},
	{7, 4, []uint32{1, 3, 7, 13, 13, 15, 69}},
}

// directionNumbers are those of a dimension, from 0 on, as fractions of 2³²: v_k = m_k / 2^k. The
// first dimension's m are all 1 (van der Corput); of the others,
//
//	m_k = 2 a₁ m_(k−1) ⊕ 4 a₂ m_(k−2) ⊕ … ⊕ 2^s m_(k−s) ⊕ m_(k−s).
func directionNumbers(dimension int) (v [32]uint32) {
	if dimension == 0 {
		for k := range v {
			v[k] = 1 << (31 - k)
		}
		return v
	}
	d := directions[dimension-1]
	for k := range v {
		if k < d.s {
			v[k] = d.m[k] << (31 - k)
			continue
		}
		v[k] = v[k-d.s] ^ v[k-d.s]>>d.s
		for j := 1; j < d.s; j++ {
			if d.a>>(d.s-1-j)&1 == 1 {
				v[k] ^= v[k-j]
			}
		}
	}
	return v
}

// Sobol is the first n points of Sobol's sequence in d dimensions, in the order of Gray codes
// [AntonovSaleev79], with a digital shift that is random: every 2^k of them, from the first on,
// still have one in each of 2^k equal slices of every dimension, and none lies in a corner.
//
// [AntonovSaleev79]: https://doi.org/10.1016/0041-5553(79)90085-5
func Sobol(n, d int, r *rand.Rand) [][]float64 {
	v, x := make([][32]uint32, d), make([]uint32, d)
	for k := range d {
		v[k], x[k] = directionNumbers(k), r.Uint32()
	}
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, d)
		for k := range d {
			points[i][k] = (float64(x[k]) + 0.5) / (1 << 32)
			x[k] ^= v[k][bits.TrailingZeros32(^uint32(i))]
		}
	}
	return points
}
