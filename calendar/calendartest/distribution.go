package calendartest

import (
	"math"
	"math/rand/v2"
)

// A Distribution is how far ahead events are scheduled: the length of a jump. The five of [Jones86]
// are there under their usual names, and with them what real models do to an event set: heavy
// tails, equal times and changes of scale.
//
// [Jones86]: https://doi.org/10.1145/5684.5686
type Distribution struct {
	Name  string
	About string  // one line: the formula and what it is for
	Mean  float64 // the exact mean of a jump

	draw    func(*rand.Rand) float64
	lattice bool // jumps are multiples of a power of two, to be kept exactly so that times coincide
	regime  bool // jumps shrink by regimeScale in every other turn
}

const (
	paretoShape = 1.5  // between 1 and 2: a mean but no variance
	regimeScale = 1e-6 // of the fine regime, to the coarse
	jonesS      = 1 / 10.5
)

// Distributions lists the distributions, the exponential first.
func Distributions() []Distribution {
	return []Distribution{
		{
			Name:  "exponential",
			About: "exponential, mean 1: independent events at constant rates",
			Mean:  1,
			draw:  (*rand.Rand).ExpFloat64,
		},
		{
			Name:  "uniform",
			About: "uniform on (0, 2)",
			Mean:  1,
			draw:  func(r *rand.Rand) float64 { return 2 * r.Float64() },
		},
		{
			Name:  "biased",
			About: "uniform on (0.9, 1.1): nearly first in, first out",
			Mean:  1,
			draw:  func(r *rand.Rand) float64 { return 0.9 + 0.2*r.Float64() },
		},
		{
			Name:  "bimodal",
			About: "nine in ten uniform on (0, S), one in ten on (100 S, 101 S), S = 1/10.5: two clusters far apart",
			Mean:  1,
			draw: func(r *rand.Rand) float64 {
				jump := jonesS * r.Float64()
				if r.Float64() < 0.1 {
					jump += 100 * jonesS
				}
				return jump
			},
		},
		{
			Name:  "triangular",
			About: "ascending triangle on (0, 1.5), that is 1.5 √U: most events go far",
			Mean:  1,
			draw:  func(r *rand.Rand) float64 { return 1.5 * math.Sqrt(r.Float64()) },
		},
		{
			Name:  "pareto",
			About: "Pareto of shape 1.5 from 1/3 on: infinite variance, outliers a million times further",
			Mean:  1,
			draw: func(r *rand.Rand) float64 {
				const least = (paretoShape - 1) / paretoShape // for a mean of 1
				return least * math.Pow(1-r.Float64(), -1/paretoShape)
			},
		},
		{
			Name:    "equal",
			About:   "always 1: all pending events share one or two instants",
			Mean:    1,
			draw:    func(*rand.Rand) float64 { return 1 },
			lattice: true,
		},
		{
			Name:    "ties",
			About:   "quarters from 1/4 to 7/4, equally likely: all pending events share seven or eight instants",
			Mean:    1,
			draw:    func(r *rand.Rand) float64 { return float64(1+r.IntN(7)) / 4 },
			lattice: true,
		},
		{
			Name: "regimes",
			About: "exponential with mean 1 and 10⁻⁶ in turns as long as there are events: the scale changes, their " +
				"number does not",
			Mean:   (1 + regimeScale) / 2,
			draw:   (*rand.Rand).ExpFloat64,
			regime: true,
		},
	}
}

// ByName finds a distribution.
func ByName(name string) (Distribution, bool) {
	for _, d := range Distributions() {
		if d.Name == name {
			return d, true
		}
	}
	return Distribution{}, false
}
