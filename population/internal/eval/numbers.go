package eval

import (
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// NumberLaw works out the law of a number.
func (s Scope) NumberLaw(text *syntax.Number, what string) (l program.NumberLaw) {
	l.Least, l.Most = math.Inf(-1), math.Inf(1)
	s.unitless = true
	s.laws = map[*syntax.Distribution]cachedLaw{} // without a unit
	good := true
	limit := func(v syntax.Value, what string, x *float64) {
		if v.Given() {
			y, _, ok := s.Quantity(v, what, quantity.Number)
			*x, good = y, good && ok
		}
	}
	limit(text.Least, what+": least", &l.Least)
	limit(text.Most, what+": most", &l.Most)
	positive := func(v syntax.Value, what string) (x float64) {
		ok := false
		if v.Given() { // otherwise that has been reported
			x, ok = s.PositiveNumber(v, what)
		}
		good = good && ok
		return x
	}
	switch what := what + ": " + text.Family; text.Family {
	case "poisson":
		l.Family, l.Mean = program.Poisson, positive(text.Mean, what+": mean")
	case "negative binomial":
		l.Family, l.Mean = program.NegativeBinomial, positive(text.Mean, what+": mean")
		l.Spread = positive(text.Spread, what+": dispersion")
	case "normal":
		l.Family = program.Normal
		if good = good && text.Mean.Given(); good {
			l.Mean, _, good = s.Quantity(text.Mean, what+": mean", quantity.Number)
		}
		l.Spread = positive(text.Spread, what+": sd")
	default:
		var ok bool
		if text.Law.Bad {
			return l
		}
		l.Law, ok = s.Law(text.Law, strings.TrimSuffix(what, ": "+text.Family))
		good = good && ok
		if why := l.Law.WhyEndless(); ok && why != "" {
			s.ReportTogether(text.LawAt, []syntax.Value{text.Law}, "%s: %s, and a number must have one", what, why)
			good = false
		}
	}
	if values := []syntax.Value{text.Least, text.Most}; good && !(l.Least <= l.Most) {
		s.ReportTogether(text.LawAt, values, "%s: least is above most", what)
	} else if good && l.Within() < 0.01 {
		s.ReportTogether(text.LawAt, values, "%s: less than one in a hundred lies between least and most; take another law",
			what)
	}
	return l
}

// numberTerm returns the term of a number in an expression.
func (s Scope) numberTerm(x *syntax.Expression, n *syntax.ExprNode, what string) (DimTerm, bool) {
	k := slices.IndexFunc(s.Numbers, func(one program.Number) bool { return one.Name == n.Leaf.Name })
	at := x.Place(n.From)
	switch {
	case k < 0:
		s.Report(syntax.Value{At: at}, at, "%s: %s is a number of each individual; expected one value for all", what,
			n.Leaf.Name)
		return DimTerm{}, false
	case s.Numbers[k].Law == nil || len(s.Numbers[k].Law.Values) == 0:
		return DimTerm{}, false // that has been reported
	}
	if x.OfMet && s.met == nil {
		s.Report(syntax.Value{At: at}, at, "%s: %s of: met is that of the one who is met; only the chance of a "+
			"transmission can have it", what, n.Leaf.Name)
		return DimTerm{}, false
	}
	t := &program.Term{Op: program.TermNumber, Number: k, Met: x.OfMet, Low: math.Inf(1), High: math.Inf(-1)}
	for i := range s.Numbers[k].Law.Values {
		low, high := s.Numbers[k].Law.Values[i].Range()
		t.Low, t.High = min(t.Low, low), max(t.High, high)
	}
	low, high := s.givenRange(n.Leaf.Name)
	t.Low, t.High = min(t.Low, low), max(t.High, high)
	return DimTerm{t, quantity.Dimensionless}, true
}

// meanTerm returns the term of the mean of a number, of all or of those in a state. The states of
// machines are not among these.
func (s Scope) meanTerm(x *syntax.Expression, n *syntax.ExprNode, what string) (DimTerm, bool) {
	t := &program.Term{Op: program.TermMean, State: -1}
	t.Number = slices.IndexFunc(s.Numbers, func(one program.Number) bool { return one.Name == n.Leaf.Name })
	if t.Number < 0 {
		return DimTerm{}, false // its definition has a problem, which has been reported
	}
	if n.Leaf.State != "" {
		states := s.States
		if len(s.Machines) > 0 {
			states = states[:s.Machines[0].FirstCount]
		}
		if t.State = slices.Index(states, n.Leaf.State); t.State < 0 {
			at := x.Place(n.OpAt)
			s.Report(syntax.Value{At: at}, at, "%s: mean: %s", what,
				diag.Unknown("state", n.Leaf.State, func() []string { return states }))
			return DimTerm{}, false
		}
	}
	return DimTerm{t, quantity.Dimensionless}, true
}

// givenRange returns the least and the greatest number that with gives: +Inf and −Inf if it gives
// none.
func (s Scope) givenRange(name string) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range s.GivenNumbers[name] {
		low, high = min(low, x), max(high, x)
	}
	return low, high
}

// cutNumbers cuts a rate with numbers into pieces: those of the part without numbers, which the
// numbers then multiply. Where a number is not a factor, its largest value is the bound.
func (s Scope) cutNumbers(tv *program.TimeVarying, v, got syntax.Value, at diag.Place, what string) bool {
	part := program.TimeVarying{}
	var ok bool
	if tv.Numbers, part.Root, ok = tv.Root.SplitNumbers(); !ok {
		tv.Numbers, part.Root = nil, tv.Root
		if _, high := tv.Root.Bounds(0, s.End-s.Start); math.IsInf(high, 0) || math.IsNaN(high) {
			s.Report(v, at, "%s: %s has no bound, so that it cannot be drawn: %s may be any number; multiply what changes "+
				"by it, or give its law a most", what, nameOrText(v, got), s.NumberWords(tv.Root))
			return false
		}
	}
	if ok := s.cutIntoPieces(&part, v, got, at, what); !ok {
		return false
	}
	part.CutBySince()
	tv.Edges, tv.Bounds, tv.Factors = part.Edges, part.Bounds, part.Factors
	return true
}

// NumberWords names the first number of a term.
func (s Scope) NumberWords(t *program.Term) (name string) {
	t.EachNumber(func(n *program.Term) {
		if name == "" {
			name = s.Numbers[n.Number].Name
		}
	})
	return name
}

// checkNumbers refuses a rate that could be negative for somebody's numbers, and a probability that
// could be above 1.
func (s Scope) checkNumbers(
	tv *program.TimeVarying, v, got syntax.Value, at diag.Place, what string, want quantity.Kind,
) bool {
	low, high := tv.Root.Bounds(0, s.End-s.Start)
	name := s.NumberWords(tv.Root)
	bad := ""
	tv.Root.EachNumber(func(n *program.Term) {
		if one := &s.Numbers[n.Number]; n.Low < 0 && bad == "" {
			if bad = "a given number is"; one.Law.Values[0].Family == program.Normal {
				bad = "a normal can be"
			}
			name = one.Name
		}
	})
	switch {
	case low >= -1e-12 && (want == quantity.Rate || high <= 1+1e-12):
		return true
	case low < 0 && bad != "":
		s.Report(v, at, "%s: %s: %s below 0; give it least: 0, or take another", what, name, bad)
	case want != quantity.Rate && math.IsInf(high, 1):
		s.Report(v, at, "%s: %s may be any number, and a probability is between 0 and 1; give its law a most", what,
			name)
	case want != quantity.Rate:
		s.Report(v, at, "%s: %s is between %.6g and %.6g: a probability is between 0 and 1, or 0%% and 100%%", what,
			nameOrText(v, got), low, high)
	default:
		s.Report(v, at, "%s: %s can be negative: a rate cannot be", what, nameOrText(v, got))
	}
	return false
}

// ExponentialRate returns the rate of an exponential distribution that depends on a number.
func (s Scope) ExponentialRate(v syntax.Value, what string) (*program.TimeVarying, bool) {
	got, at, ok := s.Dereference(v, what)
	if !ok || got.Distribution == nil {
		return nil, false
	}
	what += ": " + got.Distribution.Family
	name, want := "rate", quantity.RateDimension
	if _, ok := got.Distribution.Args["rate"]; !ok {
		name, want = "mean", quantity.DurationDimension
	}
	arg := got.Distribution.Args[name]
	m, ok := s.Term(arg, what+": "+name)
	switch {
	case !ok:
		return nil, false
	case m.Dimension != want:
		s.Report(arg, at, "%s: %s: %s is %s; expected %s", what, name, arg.Text, m.Describe(s.Unit),
			want.Describe(s.Unit))
		return nil, false
	}
	tv := &program.TimeVarying{Root: m.Term, Personal: true}
	if name == "mean" {
		tv.Root = m.Reciprocal()
	}
	return tv, s.checkNumbers(tv, arg, arg, at, what+": "+name, quantity.Rate) &&
		s.cutNumbers(tv, arg, arg, at, what+": "+name)
}
