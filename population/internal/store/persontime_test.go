package store

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// Adds person-time up in two ways, by the number of the living from change to change and individual
// by individual in any order. The two must not differ in the last bit.
func TestPersonTimeDependsOnOrder(t *testing.T) {
	for _, end := range []float64{1, 30, 36525.123, 1e-9, 1e290, 5e-324} {
		const n = 1000
		s := random.New(1, math.Float64bits(end))
		type change struct {
			at float64
			by int
		}
		var changes []change
		sum := NewPersonTime(end)
		tick := func(t float64) *big.Int { return new(big.Int).SetUint64(sum.Ticks(t)) }
		lives := new(big.Int)
		for range n {
			born := s.Float64() * end
			dies := born + s.Float64()*(end-born)
			changes = append(changes, change{born, 1}, change{dies, -1})
			lives.Add(lives, new(big.Int).Sub(tick(dies), tick(born)))
		}
		slices.SortFunc(changes, func(a, b change) int {
			if a.at != b.at {
				return int(math.Copysign(1, a.at-b.at))
			}
			return b.by - a.by
		})
		alive := syntax.MaxIndividuals - n
		for _, c := range changes {
			sum.AdvanceTo(c.at, alive)
			alive += c.by
		}
		sum.AdvanceTo(end, alive)
		lives.Add(lives, new(big.Int).Mul(big.NewInt(syntax.MaxIndividuals-n), tick(end)))
		got := new(big.Int).Lsh(new(big.Int).SetUint64(sum.Sum.high), 64)
		if got.Add(got, new(big.Int).SetUint64(sum.Sum.low)); got.Cmp(lives) != 0 {
			t.Errorf("until %v: %v ticks, want %v", end, got, lives)
		}
		exact, _ := new(big.Float).Quo(new(big.Float).SetInt(lives), big.NewFloat(sum.perUnit)).Float64()
		if got := sum.Time(); !(math.Abs(got-exact) <= 1e-15*exact) {
			t.Errorf("until %v: %v, want %v", end, got, exact)
		}
	}
}
