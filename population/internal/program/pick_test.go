package program

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestPickFewPicksAsPickByRate checks both searches against each other, also at the sums themselves
// and where a rate is 0.
func TestPickFewPicksAsPickByRate(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 2*fewRates; n++ {
		var s State
		for i := range n {
			s.TotalRate += float64(source.IntN(3))
			s.Rates = append(s.Rates, RateItem{sum: s.TotalRate, Do: Action{Name: i}})
		}
		if s.TotalRate == 0 {
			continue
		}
		for x := 0.0; x < s.TotalRate; x += 0.25 {
			if got, want := s.PickFew(x).Name, s.PickByRate(x).Name; got != want {
				t.Errorf("of %d rates, %g is in number %d, not %d", n, x, got, want)
			}
		}
	}
}

// BenchmarkPick picks among a few equal rates at random.
func BenchmarkPick(b *testing.B) {
	for _, n := range []int{2, 3, 4, fewRates} {
		var s State
		for i := range n {
			s.TotalRate++
			s.Rates = append(s.Rates, RateItem{sum: s.TotalRate, Do: Action{Name: i}})
		}
		source := rand.New(rand.NewPCG(1, 2))
		x := make([]float64, 1<<16)
		for i := range x {
			x[i] = source.Float64() * s.TotalRate
		}
		for name, pick := range map[string]func(float64) *Action{"by rate": s.PickByRate, "few": s.PickFew} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				sum := 0
				for i := 0; b.Loop(); i++ {
					sum += pick(x[i%len(x)]).Name
				}
				if sum < 0 {
					b.Error("a negative name")
				}
			})
		}
	}
}
