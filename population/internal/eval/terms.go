package eval

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
	"github.com/almanac-sim/almanac/population/internal/tablefile"
)

// A DimTerm is a term with its dimension.
type DimTerm struct {
	*program.Term
	quantity.Dimension
}

// Term returns the term of a value that is part of another.
func (s Scope) Term(v syntax.Value, what string) (DimTerm, bool) {
	got, at, ok := s.Dereference(v, what)
	switch {
	case !ok:
		return DimTerm{}, false
	case got.Distribution != nil:
		s.Report(v, at, "%s: found a distribution, expected a value such as %s", what, quantity.Any.Example())
		return DimTerm{}, false
	case got.CountDependent != nil:
		s.Report(v, at, "%s: %s depends on how many there are, and cannot be part of something else", what,
			nameOrText(v, got))
		return DimTerm{}, false
	}
	return s.term(got, what)
}

// term returns the term of a value that has been resolved, and reports problems with it.
func (s Scope) term(v syntax.Value, what string) (DimTerm, bool) {
	switch {
	case v.Bad:
		return DimTerm{}, false
	case v.Expr != nil:
		return s.operation(v.Expr, v.Expr.Root, what)
	case v.TimeVarying != nil && v.TimeVarying.Since != nil:
		return s.sinceTerm(v, what)
	case v.TimeVarying != nil && v.TimeVarying.Form == "seasonal":
		return s.seasonalTerm(v, what)
	case v.TimeVarying != nil:
		return s.knotsTerm(v, what)
	case v.Distribution != nil:
		s.Report(v, v.At,
			"%s: a distribution cannot be part of an expression; its mean can have a name of its own, as a parameter",
			what)
		return DimTerm{}, false
	case v.Quantity.Kind == quantity.Date:
		s.Report(v, v.At, "%s: %s is a date, and cannot be part of an expression", what, v.Text)
		return DimTerm{}, false
	}
	x := v.Quantity.In(s.Unit)
	if math.IsInf(x, 0) || x == 0 && v.Quantity.Number != 0 {
		s.Report(v, v.At, "%s: %s is too large or too small for a time in %ss", what, v.Text, s.Unit.Name)
		return DimTerm{}, false
	}
	return DimTerm{program.Constant(x), v.Quantity.Kind.Dimension()}, true
}

// operation returns the term of a node of an expression.
func (s Scope) operation(x *syntax.Expression, n *syntax.ExprNode, what string) (DimTerm, bool) {
	if n.Op == expr.Leaf {
		return s.atom(x, n, what)
	}
	args := make([]DimTerm, len(n.Args))
	good := true
	for i, a := range n.Args {
		var ok bool
		args[i], ok = s.operation(x, a, what)
		good = good && ok
	}
	if !good {
		return DimTerm{}, false
	}
	a := args[0]
	switch n.Op {
	case expr.Negate:
		return s.checkFinite(x, n, what, DimTerm{program.Combine(expr.Subtract, program.Constant(0), a.Term), a.Dimension})
	case expr.Exp, expr.Log:
		if a.Dimension != quantity.Dimensionless {
			s.reportOperation(x, n, what, "%s is %s; exp and log are of numbers", x.TextOf(n.Args[0]),
				s.describeOperand(x, n.Args[0], a))
			return DimTerm{}, false
		}
		return s.checkFinite(x, n, what, DimTerm{program.Combine(n.Op, a.Term, nil), quantity.Dimensionless})
	case expr.Sqrt:
		d, ok := a.Dimension.Pow(0.5)
		if !ok {
			s.reportOperation(x, n, what, "%s is %s, of which there is no root", x.TextOf(n.Args[0]),
				s.describeOperand(x, n.Args[0], a))
			return DimTerm{}, false
		}
		return s.checkFinite(x, n, what, DimTerm{program.Combine(expr.Sqrt, a.Term, nil), d})
	case expr.Min, expr.Max:
		for i, b := range args[1:] {
			if b.Dimension != a.Dimension {
				s.reportMismatch(x, n, n.Args[0], n.Args[i+1], args[0], b, what, "can be compared")
				return DimTerm{}, false
			}
			a.Term = program.Combine(n.Op, a.Term, b.Term)
		}
		return a, true
	case expr.Power:
		return s.power(x, n, a, args[1], what)
	}
	return s.arithmetic(x, n, a, args[1], what)
}

// atom returns the term of a leaf of an expression: a quantity, a parameter or a count.
func (s Scope) atom(x *syntax.Expression, n *syntax.ExprNode, what string) (DimTerm, bool) {
	switch a := n.Leaf; a.Kind {
	case syntax.AtomQuantity:
		return s.term(syntax.Value{At: x.Place(n.From), Text: x.TextOf(n), Quantity: a.Quantity}, what)
	case syntax.AtomParameter:
		return s.parameterTerm(x, n, what)
	case syntax.AtomNumber:
		return s.numberTerm(x, n, what)
	case syntax.AtomMean:
		return s.meanTerm(x, n, what)
	case syntax.AtomTotal:
		return DimTerm{&program.Term{Op: program.TermTotal}, quantity.Dimensionless}, true
	case syntax.AtomSize:
		return DimTerm{&program.Term{Op: program.TermSize}, quantity.Dimensionless}, true
	default:
		for i, name := range s.States {
			if name == a.Name {
				return DimTerm{&program.Term{Op: program.TermCount, State: i}, quantity.Dimensionless}, true
			}
		}
		if s.Group != nil {
			if g := s.Group(a.Name); g >= 0 {
				return DimTerm{&program.Term{Op: program.TermGroup, State: g}, quantity.Dimensionless}, true
			}
		}
		s.Report(syntax.Value{At: x.Place(n.OpAt)}, x.Place(n.OpAt), "%s: count: %s", what,
			diag.Unknown("state", a.Name, func() []string { return s.States }))
		return DimTerm{}, false
	}
}

// parameterTerm returns the term of a parameter in an expression.
func (s Scope) parameterTerm(x *syntax.Expression, n *syntax.ExprNode, what string) (DimTerm, bool) {
	v := x.ParameterValue(n)
	if !s.CheckComplexity(n.Leaf.Name) {
		return DimTerm{}, false
	}
	got, at, ok := s.Dereference(v, what)
	switch {
	case !ok:
		return DimTerm{}, false
	case got.Distribution != nil:
		s.Report(v, at, "%s: parameter %s is a distribution, and cannot be part of an expression", what,
			diag.Shorten(n.Leaf.Name))
		return DimTerm{}, false
	case got.CountDependent != nil:
		s.Report(v, at,
			"%s: parameter %s has a most, and cannot be part of an expression; write the expression into its value "+
				"and its most", what, diag.Shorten(n.Leaf.Name))
		return DimTerm{}, false
	case got.TimeVarying == nil && got.Expr == nil && got.Quantity.Kind == quantity.Date:
		s.Report(v, at, "%s: parameter %s is a date, and cannot be part of an expression", what,
			diag.Shorten(n.Leaf.Name))
		return DimTerm{}, false
	}
	return s.term(got, what)
}

// arithmetic returns the term of a sum, difference, product or quotient.
func (s Scope) arithmetic(x *syntax.Expression, n *syntax.ExprNode, a, b DimTerm, what string) (DimTerm, bool) {
	d, ok := a.Dimension, true
	switch n.Op {
	case expr.Add, expr.Subtract:
		if a.Dimension != b.Dimension {
			s.reportMismatch(x, n, n.Args[0], n.Args[1], a, b, what, "can be added or subtracted")
			return DimTerm{}, false
		}
	case expr.Multiply:
		d, ok = a.Dimension.Mul(b.Dimension)
	case expr.Divide:
		d, ok = a.Dimension.Div(b.Dimension)
	}
	if !ok {
		s.reportOperation(x, n, what, "this is a power of time beyond all that can mean something")
		return DimTerm{}, false
	}
	return s.checkFinite(x, n, what, DimTerm{program.Combine(n.Op, a.Term, b.Term), d})
}

// power returns the term of a power. Something with a dimension can be raised only to a constant.
func (s Scope) power(x *syntax.Expression, n *syntax.ExprNode, a, b DimTerm, what string) (DimTerm, bool) {
	base, exponent := n.Args[0], n.Args[1]
	if b.Dimension != quantity.Dimensionless {
		s.reportOperation(x, n, what, "the exponent %s is %s; expected a number", x.TextOf(exponent),
			s.describeOperand(x, exponent, b))
		return DimTerm{}, false
	}
	d := quantity.Dimensionless
	if a.Dimension != quantity.Dimensionless {
		if b.Op != program.TermConstant {
			s.reportOperation(x, n, what, "%s is %s, which can be raised to a power that is always the same",
				x.TextOf(base), s.describeOperand(x, base, a))
			return DimTerm{}, false
		}
		var ok bool
		if d, ok = a.Dimension.Pow(b.X); !ok {
			s.reportOperation(x, n, what,
				"%s is %s, which cannot be raised to %.6g; expected an exponent such as 2 or 1/2", x.TextOf(base),
				s.describeOperand(x, base, a), b.X)
			return DimTerm{}, false
		}
	}
	return s.checkFinite(x, n, what, DimTerm{program.Combine(expr.Power, a.Term, b.Term), d})
}

// checkFinite refuses a constant that is not finite, such as 1/0, or not a number, such as the root
// of −1.
func (s Scope) checkFinite(x *syntax.Expression, n *syntax.ExprNode, what string, m DimTerm) (DimTerm, bool) {
	if m.Op == program.TermConstant && (math.IsNaN(m.X) || math.IsInf(m.X, 0)) {
		s.reportOperation(x, n, what, "%s is %v, with which one cannot calculate", x.TextOf(n), m.X)
		return DimTerm{}, false
	}
	return m, true
}

// describeOperand says what kind of value an operand is, and what its name stands for if that is
// short.
func (s Scope) describeOperand(x *syntax.Expression, n *syntax.ExprNode, m DimTerm) string {
	if syntax.IsParameter(n) {
		if got, _, ok := s.Dereference(x.ParameterValue(n), ""); ok && got.Expr == nil && got.TimeVarying == nil {
			return fmt.Sprintf("%s, %s%s", m.Describe(s.Unit), got.Text, got.Cell)
		}
	}
	return m.Describe(s.Unit)
}

// reportMismatch reports that two operands have different dimensions.
func (s Scope) reportMismatch(x *syntax.Expression, n, left, right *syntax.ExprNode, a, b DimTerm, what, which string) {
	s.reportOperation(x, n, what, "%s is %s, and %s is %s; only things of the same kind %s", x.TextOf(left),
		s.describeOperand(x, left, a), x.TextOf(right), s.describeOperand(x, right, b), which)
}

// reportOperation reports a problem with an operation: at its operator, or at the latest change of
// a parameter in it.
func (s Scope) reportOperation(x *syntax.Expression, n *syntax.ExprNode, what, format string, args ...any) {
	var parts []syntax.Value
	x.EachParameter(n, func(part syntax.Value) { parts = append(parts, part) })
	s.ReportTogether(x.Place(n.OpAt), parts, "%s: %s", what, fmt.Sprintf(format, args...))
}

// maxPeriods limits how many periods the start may be away from the peak, and the end from the
// start: up to there, the phase within a period is accurate to a thousandth.
const maxPeriods = 1e12

// seasonalTerm returns the term mean·(1 + amplitude·cos 2π(t − peak)/period).
func (s Scope) seasonalTerm(v syntax.Value, what string) (DimTerm, bool) {
	c := v.TimeVarying
	what += ": seasonal"
	mean, good := s.Term(c.Mean, what+": mean")
	amplitude, ok := s.Within(c.Amplitude, what+": amplitude", quantity.Share,
		func(x float64) bool { return x >= 0 && x <= 1 }, "an amplitude is between 0% and 100%")
	good = good && ok
	peak, ok := s.ClockTime(c.Peak, what+": peak")
	good = good && ok
	if !good {
		return DimTerm{}, false
	}
	wave := &program.Term{Op: program.TermWave, X: amplitude}
	if c.Months > 0 {
		if wave.Times, ok = s.peaks(peak, v, what); !ok {
			return DimTerm{}, false
		}
		wave.Period = wave.Times[1] - wave.Times[0]
		return DimTerm{program.Combine(expr.Multiply, mean.Term, wave), mean.Dimension}, true
	}
	period, ok := s.PositiveDuration(c.Period, what+": period")
	if !ok {
		return DimTerm{}, false
	}
	wave.Period = period
	if periods := max(math.Abs(s.Start-peak), s.End-s.Start) / period; periods > maxPeriods {
		s.Report(c.Period, c.Period.At,
			"%s: period: %s: from the peak or the start to the end there are more than a trillion of them, too many "+
				"to tell where in one a time is", what, s.Describe(c.Period))
		return DimTerm{}, false
	}
	wave.Phase = (s.Start - peak) / period
	wave.Phase -= math.Floor(wave.Phase)
	if amplitude == 0 {
		return mean, true
	}
	return DimTerm{program.Combine(expr.Multiply, mean.Term, wave), mean.Dimension}, true
}

// peaks returns the times of the peaks of a season that follows the calendar, from the last at or
// before the start of the run to the first after its end.
func (s Scope) peaks(peak float64, v syntax.Value, what string) ([]float64, bool) {
	months := v.TimeVarying.Months
	at := func(k int) float64 { return s.Zero.AddMonths(peak, k*months, s.Unit) - s.Start }
	tooMany := func(n int) bool {
		if n > tablefile.MaxRows {
			s.Report(syntax.Value{At: v.At}, v.At, "%s: period: more than %s of them from the peak to the run, or in it", what,
				format.Thousands(tablefile.MaxRows))
		}
		return n > tablefile.MaxRows
	}
	k := 0
	for ; at(k) > 0; k-- {
		if tooMany(-k) {
			return nil, false
		}
	}
	for ; at(k+1) <= 0; k++ {
		if tooMany(k) {
			return nil, false
		}
	}
	times := []float64{at(k), at(k + 1)}
	for k += 2; times[len(times)-1] <= s.End-s.Start; k++ {
		if times = append(times, at(k)); tooMany(len(times)) {
			return nil, false
		}
	}
	return times, true
}

// knotsTerm returns the term of steps or of a line.
func (s Scope) knotsTerm(v syntax.Value, what string) (DimTerm, bool) {
	c := v.TimeVarying
	what += ": " + c.Form
	n := len(c.Knots)
	t := &program.Term{Op: program.TermSteps, Times: make([]float64, n), Values: make([]float64, n)}
	if c.Form == "line" {
		t.Op = program.TermLine
	}
	var d quantity.Dimension
	for i := range c.Knots {
		k := &c.Knots[i]
		at, err := s.Zero.ClockTime(k.Time, s.Unit)
		switch {
		case err != nil:
			s.Report(syntax.Value{At: k.At}, k.At, "%s: %s is %v", what, k.Text, err)
			return DimTerm{}, false
		case math.IsInf(at, 0):
			s.Report(syntax.Value{At: k.At}, k.At, "%s: %s is too large for a time in %ss", what, k.Text,
				s.Unit.Name)
			return DimTerm{}, false
		case i > 0 && !(at-s.Start > t.Times[i-1]):
			s.Report(syntax.Value{At: k.At}, k.At, "%s: %s does not come after %s, the time before it", what,
				k.Text, c.Knots[i-1].Text)
			return DimTerm{}, false
		}
		value, ok := s.knotValue(c, i, what, &d)
		if !ok {
			return DimTerm{}, false
		}
		t.Times[i], t.Values[i] = at-s.Start, value
	}
	if !s.repeat(t, v, what) {
		return DimTerm{}, false
	}
	if len(t.Times) == 1 {
		return DimTerm{program.Constant(t.Values[0]), d}, true
	}
	return DimTerm{t, d}, true
}

// knotValue evaluates the value of knot i. All must have the dimension d, that of the first.
func (s Scope) knotValue(c *syntax.TimeVarying, i int, what string, d *quantity.Dimension) (float64, bool) {
	k := &c.Knots[i]
	m, ok := s.Term(k.Value, fmt.Sprintf("%s: %s", what, k.Text))
	switch {
	case !ok:
		return 0, false
	case m.Op != program.TermConstant:
		s.Report(k.Value, k.Value.At,
			"%s: %s: %s changes with time by itself, and cannot be one of the %s; multiply the two in an "+
				"expression", what, k.Text, nameOrText(k.Value, k.Value), c.DescribeKnots())
		return 0, false
	case i == 0:
		*d = m.Dimension
	case m.Dimension != *d:
		first := &c.Knots[0].Value
		s.ReportTogether(k.Value.At, []syntax.Value{*first, k.Value},
			"%s: %s: %s is %s, and %s, of the first time, is %s; expected the same kind of value for all",
			what, k.Text, s.Describe(k.Value), m.Describe(s.Unit), s.Describe(*first), d.Describe(s.Unit))
		return 0, false
	}
	return m.X, true
}

// repeat repeats the knots of steps or of a line with their period, if they have one, from before
// the start of the run to after its end.
func (s Scope) repeat(t *program.Term, v syntax.Value, what string) bool {
	c := v.TimeVarying
	if !c.Period.Given() && c.Months == 0 {
		return true
	}
	later := func(x float64, k int) float64 { // knots are relative to the start of the run
		return s.Zero.AddMonths(s.Start+x, k*c.Months, s.Unit) - s.Start
	}
	words, at := quantity.CalendarWords(c.Months), v.At
	if c.Months == 0 {
		period, ok := s.PositiveDuration(c.Period, what+": period")
		if !ok {
			return false
		}
		later = func(x float64, k int) float64 { return x + float64(float64(k)*period) }
		words, at = c.Period.Text, c.Period.At
	}
	n := len(t.Times)
	fail := func(format string, args ...any) bool {
		s.Report(syntax.Value{At: at}, at, "%s: period: %s", what, fmt.Sprintf(format, args...))
		return false
	}
	span := s.End - s.Start
	switch first, last := t.Times[0], t.Times[n-1]; {
	case !(last < later(first, 1)):
		return fail("from %s to %s it is not less than the period, %s", c.Knots[0].Text, c.Knots[n-1].Text,
			diag.Shorten(words))
	case !(span > 0):
		return true // another problem has been reported
	}
	k := 0
	for ; later(t.Times[0], k) > 0; k-- { // back to the start
		if -k*n > tablefile.MaxRows {
			return fail("it is repeated too often: more than %s times", format.Thousands(tablefile.MaxRows))
		}
	}
	for later(t.Times[0], k+1) <= 0 { // the run may start long after the first knot
		k++
	}
	var times, values []float64
	for done := false; !done; k++ {
		for i := range n {
			x := later(t.Times[i], k)
			// The first is the last at or before the start, the last the first after the end.
			if last := len(times) - 1; last == 0 && x <= 0 || last >= 0 && x <= times[last] {
				times, values = times[:last], values[:last]
			}
			times, values = append(times, x), append(values, t.Values[i])
			if done = x > span; done {
				break
			}
		}
		if len(times) > tablefile.MaxRows {
			return fail("it is repeated too often: more than %s times", format.Thousands(tablefile.MaxRows))
		}
	}
	t.Times, t.Values = times, values
	return true
}
