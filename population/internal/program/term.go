package program

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/population/internal/law"
)

// A Term is an expression in which all names are resolved, for one cell and the parameters of one
// phase. It depends on time, on the numbers of individuals and on the time since something of an
// individual; a part that does not is one constant. Times are since the start of the run, in the
// unit of the model.
type Term struct {
	Op    expr.Op // an operation, or what kind of leaf it is
	X     float64 // TermConstant: the value; TermWave: the amplitude
	a, b  *Term   // the operands of an operation; b is nil if it has one
	State int     // TermCount and TermMean: whose individuals are counted; TermGroup: the number in Program.Watched

	// TermSteps and TermLine: the knots, by ascending time. TermWave: Times has the peaks, if its period
	// is of the calendar.
	Times, Values []float64
	Period, Phase float64 // TermWave; the phase is that at the start of the run, as a share of the period

	Since int      // TermSince: the number in Program.Since; its operand is the curve, by the time since
	Met   bool     // TermSince and TermNumber: of the individual that is met
	Law   *law.Law // TermDensity: whose density

	Number    int     // TermNumber and TermMean: the number in Program.Numbers
	Low, High float64 // TermNumber: between which it lies
}

// The kinds of leaves.
const (
	TermConstant         = expr.Leaf        // X
	TermWave     expr.Op = expr.Sqrt + iota // 1 + X·cos 2π(t/Period + Phase)
	TermSteps                               // the value of the last knot
	TermLine                                // straight lines between knots, constant outside
	TermTotal                               // the number of individuals
	TermCount                               // the number of individuals in a state
	TermGroup                               // the number of individuals in a group
	TermSince                               // a curve by the time since something; 0 outside of it
	TermDensity                             // the density of a law: in a TermSince only
	TermNumber                              // a number that the individual has
	TermSize                                // the number of those near the individual, itself included
	TermMean                                // the mean of a number, of those in State, or of all if it is −1
)

// Constant returns the term of a number.
func Constant(x float64) *Term { return &Term{X: x} }

// Combine returns the term of an operation; b is nil if it has one operand. If the operands are
// constants, so is the term.
func Combine(op expr.Op, a, b *Term) *Term {
	t := &Term{Op: op, a: a, b: b}
	if a.Op == TermConstant && (b == nil || b.Op == TermConstant) {
		return Constant(t.At(0, Census{}))
	}
	return t
}

// A Census is the number of individuals in all, by state, and in each group of Program.Watched, and
// whom a value is read for.
type Census struct {
	Total  int
	Counts []int
	Groups []int
	Who    *Individual // nil where there is none
	Near   int         // the number in Program.Near that TermSize is about
}

// Counts reports whether the term depends on the number of individuals in a state.
func (t *Term) Counts(state int) bool {
	return t != nil && (t.Op == TermCount && t.State == state || t.a.Counts(state) || t.b.Counts(state))
}

// CountsFrom reports whether the term depends on a count from a number on, or on a group.
func (t *Term) CountsFrom(first int) bool {
	return t != nil && (t.Op == TermGroup || t.Op == TermCount && t.State >= first ||
		t.a.CountsFrom(first) || t.b.CountsFrom(first))
}

// At returns the value of the term at a time. It may be NaN, as the root of a negative number is.
func (t *Term) At(time float64, c Census) float64 {
	switch t.Op {
	case TermConstant:
		return t.X
	case TermTotal:
		return float64(c.Total)
	case TermCount:
		return float64(c.Counts[t.State])
	case TermGroup:
		return float64(c.Groups[t.State])
	case TermWave:
		return 1 + float64(t.X*detmath.CosTurns(t.cycle(time)))
	case TermSteps:
		return t.Values[t.knot(time)]
	case TermLine:
		return t.interpolate(time)
	case TermSince:
		if came := t.came(c.Who); came <= time {
			return t.a.At(time-came, Census{})
		}
		return 0
	case TermDensity:
		return t.Law.Density(time)
	case TermNumber:
		return t.number(c.Who)
	case TermSize:
		return c.size()
	case TermMean:
		return c.Who.Mean(t.Number, t.State)
	}
	a := t.a.At(time, c)
	switch t.Op {
	case expr.Exp:
		return detmath.Exp(a)
	case expr.Log:
		return detmath.Log(a)
	case expr.Sqrt:
		return math.Sqrt(a)
	}
	b := t.b.At(time, c)
	switch t.Op {
	case expr.Add:
		return a + b
	case expr.Subtract:
		return a - b
	case expr.Multiply:
		return a * b
	case expr.Divide:
		return a / b
	case expr.Power:
		return detmath.Pow(a, b)
	case expr.Min:
		return min(a, b)
	default:
		return max(a, b)
	}
}

// cycle returns the phase of a wave at a time, in [0, 1).
func (t *Term) cycle(time float64) float64 {
	x := t.turns(time)
	return x - math.Floor(x)
}

// turns returns how often a wave has come back to its peak at a time, as a number with a fraction.
func (t *Term) turns(time float64) float64 {
	if t.Times == nil {
		return time/t.Period + t.Phase
	}
	i := min(t.knot(time), len(t.Times)-2)
	return float64(i) + (time-t.Times[i])/(t.Times[i+1]-t.Times[i])
}

// knot returns the index of the last knot at or before a time; the first one's before all.
func (t *Term) knot(time float64) int {
	i, found := slices.BinarySearch(t.Times, time)
	if !found {
		i--
	}
	return max(i, 0)
}

// interpolate returns the value of a TermLine. Rounding does not take it beyond the values of the
// two knots; between them it is monotonic. The bounds of Between rely on that.
func (t *Term) interpolate(time float64) float64 {
	i := t.knot(time)
	if i+1 == len(t.Times) || time <= t.Times[0] {
		return t.Values[i]
	}
	a, b := t.Values[i], t.Values[i+1]
	w := (time - t.Times[i]) / (t.Times[i+1] - t.Times[i])
	return max(min(a, b), min(max(a, b), a+float64(w*(b-a))))
}

// HasKnot reports whether a time is a knot of steps or lines, and not only the end of a part of a
// wave that Next returned.
func (t *Term) HasKnot(time float64) bool {
	if t.Op == TermSteps || t.Op == TermLine {
		return t.Times[t.knot(time)] == time
	}
	return t.Op != TermSince && t.a != nil && t.a.HasKnot(time) || t.b != nil && t.b.HasKnot(time)
}
