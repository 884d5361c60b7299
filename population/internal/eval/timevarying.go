package eval

import (
	"math"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
	"github.com/almanac-sim/almanac/population/internal/tablefile"
)

// A timeVaryingKey identifies a value in the cache of those that are the same for all individuals.
type timeVaryingKey struct {
	value any
	want  quantity.Kind
}

// TimeVarying evaluates a rate or a probability that may vary with time or with counts, for the
// individual of the scope. One that is the same for all individuals is evaluated once.
func (s Scope) TimeVarying(v syntax.Value, what string, want quantity.Kind) (*program.TimeVarying, bool) {
	key := timeVaryingKey{v.Key(), want}
	if tv, ok := s.timeVaryings[key]; ok {
		return tv, true
	}
	tv, ok := s.newTimeVarying(v, what, want)
	if d := s.Dependence(v); ok && key.value != nil && !d.Cells() && !d.SinceMet {
		s.timeVaryings[key] = tv
	}
	return tv, ok
}

// newTimeVarying does so without looking into the cache.
func (s Scope) newTimeVarying(v syntax.Value, what string, want quantity.Kind) (*program.TimeVarying, bool) {
	got, at, ok := s.Dereference(v, what)
	if !ok {
		return nil, false
	}
	tv := &program.TimeVarying{}
	var m DimTerm
	switch {
	case got.CountDependent != nil && want != quantity.Rate:
		s.reportCountDependent(v, got, at, what)
		return nil, false
	case got.CountDependent != nil && got.CountDependent.Near > 0:
		each, ok := s.newTimeVarying(got.CountDependent.Value, what, want)
		if !ok {
			return nil, false
		}
		near := *each
		near.Near, near.Personal = got.CountDependent.Near, true
		return &near, true
	case got.CountDependent != nil && got.CountDependent.Pairs:
		if m, ok = s.ratePerPair(tv, v, got, at, what); !ok {
			return nil, false
		}
	case got.CountDependent != nil:
		if m, ok = s.Term(got.CountDependent.Value, what+": value"); !ok {
			return nil, false
		}
		if tv.ByCounts = true; !got.CountDependent.Most.Given() {
			if !s.boundBySize(tv, m, v, got, at, what) {
				return nil, false
			}
		} else if tv.Max, ok = s.Rate(got.CountDependent.Most, what+": most"); !ok {
			return nil, false
		}
	case got.TimeVarying == nil && got.Expr == nil:
		return s.constant(v, what, want)
	default:
		if m, ok = s.term(got, what); !ok {
			return nil, false
		}
		if m.Op == program.TermConstant {
			return s.constant(v, what, want)
		}
	}
	if m.Dimension != want.Dimension() {
		name := nameOrText(v, got)
		if got.CountDependent != nil {
			name = got.CountDependent.Value.Text
		}
		s.Report(v, at, "%s: %s is %s; expected %s such as %s", what, name, m.Describe(s.Unit), want, want.Example())
		return nil, false
	}
	tv.Root, tv.Personal = m.Term, m.HasSince() || m.HasNumber()
	if tv.ByCounts {
		return tv, true
	}
	if m.HasNumber() {
		ok = s.checkNumbers(tv, v, got, at, what, want)
		return tv, ok && (want != quantity.Rate || s.cutNumbers(tv, v, got, at, what))
	}
	ok = s.checkRange(tv, v, got, at, what, want)
	if ok && want == quantity.Rate {
		if ok = s.cutIntoPieces(tv, v, got, at, what); ok && tv.Personal {
			tv.CutBySince()
		}
	}
	return tv, ok
}

// constant returns a time-varying value that is constant.
func (s Scope) constant(v syntax.Value, what string, want quantity.Kind) (*program.TimeVarying, bool) {
	var x float64
	var ok bool
	if want == quantity.Rate {
		x, ok = s.Rate(v, what)
	} else {
		x, ok = s.Chance(v, what)
	}
	return &program.TimeVarying{Root: program.Constant(x)}, ok
}

// checkRange refuses a rate that is below 0 at some time of the run, and a probability that is not
// between 0 and 1.
func (s Scope) checkRange(
	tv *program.TimeVarying, v, got syntax.Value, at diag.Place, what string, want quantity.Kind,
) bool {
	high := math.Inf(1)
	if want != quantity.Rate {
		high = 1
	}
	t, x, ok := s.staysWithin(tv, high)
	if ok {
		return true
	}
	q := quantity.Quantity{Kind: want.Dimension().Kind(), Number: x, Unit: s.Unit}
	reason := "a rate cannot be negative"
	if want != quantity.Rate {
		reason = "a probability is between 0 and 1, or 0% and 100%"
	} else if math.IsNaN(x) || math.IsInf(x, 0) {
		reason = "expected a rate"
	}
	if words := s.SinceWords(tv.Root); words != "" {
		s.Report(v, at, "%s: %s is %v at some time since %s: %s", what, nameOrText(v, got), q, words, reason)
		return false
	}
	s.Report(v, at, "%s: %s is %v at %s %.6g: %s", what, nameOrText(v, got), q, s.Unit.Name, s.Start+t, reason)
	return false
}

// maxEvaluations limits how often a value is examined if its bounds do not show that it stays
// within its range, in addition to once for each of its pieces.
const maxEvaluations = 100_000

// staysWithin reports whether a value is between 0 and high at all times of the run. If not, it
// returns a time at which it is outside, and the value then. Where interval bounds of the term are
// not sharp enough, it bisects the interval.
func (s Scope) staysWithin(tv *program.TimeVarying, high float64) (t, x float64, ok bool) {
	switch {
	case tv.Root.HasNumber():
		low, most := tv.Root.Bounds(0, s.End-s.Start)
		return 0, most, low >= -1e-12 && most <= high+1e-12
	case tv.Root.HasSince():
		return s.sinceStaysWithin(tv, high)
	}
	const slack = 1e-12 // for rounding errors
	inRange := func(x float64) bool { return x >= -slack && x <= high+slack }
	span := s.End - s.Start
	evaluations := 0
	var check func(from, to float64, depth int) bool
	check = func(from, to float64, depth int) bool {
		evaluations++
		if low, most := tv.Root.Bounds(from, to); inRange(low) && inRange(most) {
			return true
		}
		for _, t = range []float64{from, from + float64((to-from)/2), math.Nextafter(to, from)} {
			if x = tv.Root.At(t, program.Census{}); !inRange(x) {
				return false
			}
		}
		middle := from + float64((to-from)/2)
		return depth == 0 || evaluations > maxEvaluations ||
			check(from, middle, depth-1) && check(middle, to, depth-1)
	}
	if math.IsNaN(span) {
		return 0, 0, true // another problem has been reported
	}
	if low, most := tv.Root.Bounds(0, span); inRange(low) && inRange(most) {
		return 0, 0, true // the bounds over the whole run are sharp enough
	}
	for from, n := 0.0, 0; from < span; n++ {
		to := min(span, tv.Root.NextChange(from))
		if !(to > from) || n > 4*tablefile.MaxRows { // a periodic value has been seen by then
			break
		}
		if !check(from, to, 8) {
			return t, x, false
		}
		from = to
	}
	return 0, 0, true
}

// SumStaysWithinOne reports whether the sum of probabilities never exceeds 1. If it does, it
// returns a time at which it does, and the sum then. Nil entries are skipped: one of them is the
// rest.
func (s Scope) SumStaysWithinOne(values []*program.TimeVarying) (t, sum float64, ok bool) {
	all := program.Constant(0)
	for _, tv := range values {
		if tv != nil {
			all = program.Combine(expr.Add, all, tv.Root)
		}
	}
	return s.staysWithin(&program.TimeVarying{Root: all}, 1+SumTolerance)
}

// cutIntoPieces cuts the run into pieces and finds a bound of the rate in each, for thinning. A
// piece lasts until the term's next knot or eighth of a period (Term.Next), or for half an expected
// event, whichever is longer. So there are few pieces between two events, and few rejected draws.
//
// A run that goes on after the end that it had is cut as it was up to there, so that the draws are
// the same, and then anew.
func (s Scope) cutIntoPieces(tv *program.TimeVarying, v, got syntax.Value, at diag.Place, what string) bool {
	span, first := s.End-s.Start, s.CutEnd-s.Start
	if math.IsNaN(span) || math.IsNaN(first) {
		return true
	}
	edges, ok := s.cutPart(tv, 0, first, nil, v, got, at, what)
	if ok && span > first {
		edges, ok = s.cutPart(tv, first, span, edges, v, got, at, what)
	}
	if ok {
		tv.Edges = lookup.NewGuideTable(edges)
	}
	return ok
}

// cutPart cuts a part of the run into pieces, and returns the edges with theirs.
func (s Scope) cutPart(tv *program.TimeVarying, begin, span float64, edges []float64, v, got syntax.Value,
	at diag.Place, what string) ([]float64, bool) {
	const atLeast = 0.5
	shortest := float64((span - begin) / program.MaxPieces)
	step := float64(shortest / 64) // lengthens a piece at least by this, so that the loop ends
	least := 0.0                   // smallest bound that was merged into the last piece
	before := len(edges)
	for from := begin; from < span; {
		to, bound := from, 0.0
		for {
			next := tv.Root.NextChange(to)
			switch {
			case tv.Root.HasKnot(next):
			case next-from < shortest:
				next = from + shortest
			case next-to < step: // it changes faster than times can be told apart
				next = to + step
			}
			next = min(next, span)
			b := max(bound, tv.Bound(to, next))
			if to > from && !(b*(next-from) <= atLeast) {
				break
			}
			if to, bound = next, b; to >= span {
				break
			}
		}
		if math.IsInf(bound, 0) || math.IsNaN(bound) {
			s.Report(v, at,
				"%s: %s has no bound from %s %.6g to %.6g, so that it cannot be drawn: it may divide by 0 there", what,
				nameOrText(v, got), s.Unit.Name, s.Start+from, s.Start+to)
			return edges, false
		}
		// Pieces with bounds within 2 % are merged: a wave much shorter than its pieces has the
		// same bound in all of them.
		if n := len(edges); n > before && max(bound, tv.Bounds[n-1]) <= 1.02*min(bound, least) {
			tv.Bounds[n-1] = max(bound, tv.Bounds[n-1])
		} else {
			edges, tv.Bounds, least = append(edges, from), append(tv.Bounds, bound), bound
		}
		least = min(least, bound)
		from = to
	}
	return edges, true
}

// boundBySize finds the bound of a rate that depends on counts, for each size class. It reports
// false if there is none.
func (s Scope) boundBySize(
	tv *program.TimeVarying, m DimTerm, v, got syntax.Value, at diag.Place, what string,
) bool {
	for _, most := range s.Sizes {
		// The end of the run does not count, so that one that goes on has the same draws.
		_, high := m.BoundsUpTo(0, math.MaxFloat64/4, float64(most))
		if math.IsNaN(high) || math.IsInf(high, 0) {
			s.Report(v, at, "%s: no bound of %s follows from the file, so that it cannot be drawn; write most: and what "+
				"it never exceeds", what, got.CountDependent.Value.Text)
			return false
		}
		tv.Maxes = append(tv.Maxes, max(high, 0))
	}
	if len(tv.Maxes) == 0 {
		return false // another problem has been reported
	}
	tv.Max = tv.Maxes[0]
	return true
}

// ratePerPair returns the rate at which an individual meets others of a contact with rate each:
// that of a pair, times the number of others. A most is that of a pair.
func (s Scope) ratePerPair(
	tv *program.TimeVarying, v, got syntax.Value, at diag.Place, what string,
) (m DimTerm, ok bool) {
	pair := got.CountDependent.Value
	of, _, ok := s.Dereference(pair, what)
	if !ok {
		return m, false
	}
	var most syntax.Value
	if of.CountDependent != nil {
		got, most = of, of.CountDependent.Most
		if m, ok = s.Term(of.CountDependent.Value, what+": value"); !ok {
			return m, false
		}
	} else if m, ok = s.Term(pair, what); !ok || m.Dimension == quantity.RateDimension &&
		!s.checkRange(&program.TimeVarying{Root: m.Term}, pair, pair, at, what, quantity.Rate) {
		return m, false
	}
	others := program.Combine(expr.Subtract, &program.Term{Op: program.TermTotal}, program.Constant(1))
	m.Term = program.Combine(expr.Multiply, m.Term, others)
	tv.ByCounts = true
	if !most.Given() {
		return m, s.boundBySize(tv, m, v, got, at, what)
	}
	x, ok := s.Rate(most, what+": most")
	if !ok || len(s.Sizes) == 0 {
		return m, false // another problem has been reported
	}
	for _, size := range s.Sizes {
		tv.Maxes = append(tv.Maxes, x*float64(max(size-1, 0)))
	}
	tv.Max = tv.Maxes[0]
	return m, true
}
