package program

import (
	"math"
	"math/bits"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// An Outcome is a number that grows with time and by events: a cost, QALYs, person-time at risk.
//
// Its value is the sum over individuals of ∫ w(t) v(t) dt plus the sum over events of a·v(t), with
// the weight w of the individual, the amount a of the event, and v of its DiscountClock. Weights
// and amounts are in Phase.Outcomes: interventions can change them.
type Outcome struct {
	Name        string
	Clock       int     // in Program.DiscountClocks
	Events      int     // how many kinds of events it counts
	WeightScale float64 // weights are whole multiples of 1/WeightScale; a power of two
	AmountScale float64 // the same for amounts times the discount
}

// An OutcomeTable has the weights and amounts of an outcome while the parameters have certain
// values.
type OutcomeTable struct {
	Weight  ByCell[int64]     // in units of 1/WeightScale; without values if the outcome has no time
	Amounts []ByCell[float64] // by event
	Exact   ByCell[float64]   // Weight as it was worked out
}

// An OutcomeEvent is an event of an outcome.
type OutcomeEvent struct{ Outcome, Event int }

// A DiscountClock is time as it counts for an outcome. What accrues at a time t since the start has
// the weight v(t) = exp(−Rate·(t − From)), and nothing counts before From. The clock shows D(t),
// the integral of v up to t: a weight that is constant from s to t adds D(t) − D(s) times itself.
//
// The time of the clock is in ticks, so that sums are of whole numbers and do not depend on their
// order.
type DiscountClock struct {
	From    float64 // since the start of the run
	Rate    float64 // per unit of time; 0 for no discount
	PerUnit float64 // ticks in a unit of time; a power of two
}

// Value returns v(t).
func (c *DiscountClock) Value(t float64) float64 {
	switch {
	case t < c.From:
		return 0
	case c.Rate == 0:
		return 1
	}
	return detmath.Exp(-float64(c.Rate * (t - c.From)))
}

// At returns D(t).
func (c *DiscountClock) At(t float64) float64 {
	switch {
	case t <= c.From:
		return 0
	case c.Rate == 0:
		return t - c.From
	}
	return -detmath.Expm1(-float64(c.Rate*(t-c.From))) / c.Rate
}

// Ticks returns D(t) in ticks.
func (c *DiscountClock) Ticks(t float64) uint64 { return uint64(math.Round(c.At(t) * c.PerUnit)) }

// fixedBits is how many bits a weight and a discounted time have in fixed point. Their product,
// summed over as many individuals as there can be, fits 126 bits.
func fixedBits(individuals int) int {
	return (126 - bits.Len(uint(individuals))) / 2
}

// scaleFor returns a power of two that makes whole numbers of so many bits of numbers up to
// largest.
func scaleFor(largest float64, bits int) float64 {
	if largest == 0 {
		return 1
	}
	_, exponent := math.Frexp(largest) // largest < 2^exponent
	return math.Ldexp(1, max(-1000, min(1000, bits-exponent)))
}

// FixOutcomes chooses the scales of all outcomes and of their clocks, once the weights and amounts
// of all phases are known, and sets the weights in fixed point.
func (p *Program) FixOutcomes() {
	n := fixedBits(p.MaxSize)
	for i := range p.DiscountClocks {
		c := &p.DiscountClocks[i]
		c.PerUnit = scaleFor(c.At(p.End-p.Start+p.TimeTolerance), n)
	}
	for o := range p.Outcomes {
		weight, amount := 0.0, 0.0
		for _, t := range p.Phases {
			table := &t.Outcomes[o]
			for _, w := range table.Exact.Values {
				weight = max(weight, math.Abs(w))
			}
			for k := range table.Amounts {
				for _, a := range table.Amounts[k].Values {
					amount = max(amount, math.Abs(a))
				}
			}
		}
		one := &p.Outcomes[o]
		one.WeightScale, one.AmountScale = scaleFor(weight, n), scaleFor(amount, 60)
		for _, t := range p.Phases {
			table := &t.Outcomes[o]
			table.Weight.By = table.Exact.By
			table.Weight.Values = make([]int64, len(table.Exact.Values))
			for k, w := range table.Exact.Values {
				table.Weight.Values[k] = int64(math.Round(w * one.WeightScale))
			}
		}
	}
}

// SumsTime reports whether a run adds up outcomes or person-time.
func (p *Program) SumsTime() bool { return len(p.Outcomes) > 0 || p.RecordsTime }
