package compile

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A dimTerm is a term with its dimension.
type dimTerm struct {
	*program.Term
	syntax.Dimension
}

// Part returns the term of a value that is part of another.
func (s Scope) Part(v syntax.Value, what string) (dimTerm, bool) {
	got, at, ok := s.Stands(v, what)
	switch {
	case !ok:
		return dimTerm{}, false
	case got.Distribution != nil:
		s.reportValue(v, at, "%s: found a distribution, expected a value such as %s", what, syntax.KindAny.Like())
		return dimTerm{}, false
	case got.CountDependent != nil:
		s.reportValue(v, at, "%s: %s depends on how many there are, and cannot be part of something else", what,
			nameOrText(v, got))
		return dimTerm{}, false
	}
	return s.term(got, what)
}

// term returns the term of a value that has been resolved, and reports problems with it.
func (s Scope) term(v syntax.Value, what string) (dimTerm, bool) {
	switch {
	case v.Bad:
		return dimTerm{}, false
	case v.Expr != nil:
		return s.operation(v.Expr, v.Expr.Root, what)
	case v.TimeVarying != nil && v.TimeVarying.Form == "seasonal":
		return s.seasonalTerm(v, what)
	case v.TimeVarying != nil:
		return s.knotsTerm(v, what)
	case v.Distribution != nil:
		s.reportValue(v, v.At,
			"%s: a distribution cannot be part of an expression; its mean can have a name of its own, as a parameter",
			what)
		return dimTerm{}, false
	case v.Quantity.Kind == syntax.KindDate:
		s.reportValue(v, v.At, "%s: %s is a date, and cannot be part of an expression", what, v.Text)
		return dimTerm{}, false
	}
	x := v.Quantity.In(s.unit)
	if math.IsInf(x, 0) || x == 0 && v.Quantity.Number != 0 {
		s.reportValue(v, v.At, "%s: %s is too large or too small for a time in %ss", what, v.Text, s.unit.Name)
		return dimTerm{}, false
	}
	return dimTerm{program.Constant(x), v.Quantity.Kind.Dimension()}, true
}

// operation returns the term of a node of an expression.
func (s Scope) operation(x *syntax.Expression, n *syntax.ExprNode, what string) (dimTerm, bool) {
	if n.Op == expr.Leaf {
		return s.atom(x, n, what)
	}
	args := make([]dimTerm, len(n.Args))
	good := true
	for i, a := range n.Args {
		var ok bool
		args[i], ok = s.operation(x, a, what)
		good = good && ok
	}
	if !good {
		return dimTerm{}, false
	}
	a := args[0]
	switch n.Op {
	case expr.Negate:
		return s.checkFinite(x, n, what, dimTerm{program.Join(expr.Subtract, program.Constant(0), a.Term), a.Dimension})
	case expr.Exp, expr.Log:
		if a.Dimension != syntax.NoDimension {
			s.reportOperation(x, n, what, "%s is %s; exp and log are of numbers", x.Part(n.Args[0]),
				s.describeOperand(x, n.Args[0], a))
			return dimTerm{}, false
		}
		return s.checkFinite(x, n, what, dimTerm{program.Join(n.Op, a.Term, nil), syntax.NoDimension})
	case expr.Sqrt:
		d, ok := a.Dimension.Times(0.5)
		if !ok {
			s.reportOperation(x, n, what, "%s is %s, of which there is no root", x.Part(n.Args[0]),
				s.describeOperand(x, n.Args[0], a))
			return dimTerm{}, false
		}
		return s.checkFinite(x, n, what, dimTerm{program.Join(expr.Sqrt, a.Term, nil), d})
	case expr.Min, expr.Max:
		for i, b := range args[1:] {
			if b.Dimension != a.Dimension {
				s.reportMismatch(x, n, n.Args[0], n.Args[i+1], args[0], b, what, "can be compared")
				return dimTerm{}, false
			}
			a.Term = program.Join(n.Op, a.Term, b.Term)
		}
		return a, true
	case expr.Power:
		return s.power(x, n, a, args[1], what)
	}
	return s.arithmetic(x, n, a, args[1], what)
}

// atom returns the term of a leaf of an expression: a quantity, a parameter or a count.
func (s Scope) atom(x *syntax.Expression, n *syntax.ExprNode, what string) (dimTerm, bool) {
	switch a := n.Leaf; a.Kind {
	case syntax.AtomQuantity:
		return s.term(syntax.Value{At: x.Place(n.From), Text: x.Part(n), Quantity: a.Quantity}, what)
	case syntax.AtomParameter:
		return s.parameterTerm(x, n, what)
	case syntax.AtomTotal:
		return dimTerm{&program.Term{Op: program.TermTotal}, syntax.NoDimension}, true
	default:
		for i, name := range s.states {
			if name == a.Name {
				return dimTerm{&program.Term{Op: program.TermCount, State: i}, syntax.NoDimension}, true
			}
		}
		s.reportValue(syntax.Value{At: x.Place(n.Mark)}, x.Place(n.Mark), "%s: count: %s", what,
			diag.Unknown("state", a.Name, func() []string { return s.states }))
		return dimTerm{}, false
	}
}

// parameterTerm returns the term of a parameter in an expression.
func (s Scope) parameterTerm(x *syntax.Expression, n *syntax.ExprNode, what string) (dimTerm, bool) {
	v := x.Parameter(n)
	if !s.checkComplexity(n.Leaf.Name) {
		return dimTerm{}, false
	}
	got, at, ok := s.Stands(v, what)
	switch {
	case !ok:
		return dimTerm{}, false
	case got.Distribution != nil:
		s.reportValue(v, at, "%s: parameter %s is a distribution, and cannot be part of an expression", what,
			diag.Echo(n.Leaf.Name))
		return dimTerm{}, false
	case got.CountDependent != nil:
		s.reportValue(v, at,
			"%s: parameter %s has a most, and cannot be part of an expression; write the expression into its value "+
				"and its most", what, diag.Echo(n.Leaf.Name))
		return dimTerm{}, false
	case got.TimeVarying == nil && got.Expr == nil && got.Quantity.Kind == syntax.KindDate:
		s.reportValue(v, at, "%s: parameter %s is a date, and cannot be part of an expression", what,
			diag.Echo(n.Leaf.Name))
		return dimTerm{}, false
	}
	return s.term(got, what)
}

// arithmetic returns the term of a sum, difference, product or quotient.
func (s Scope) arithmetic(x *syntax.Expression, n *syntax.ExprNode, a, b dimTerm, what string) (dimTerm, bool) {
	d, ok := a.Dimension, true
	switch n.Op {
	case expr.Add, expr.Subtract:
		if a.Dimension != b.Dimension {
			s.reportMismatch(x, n, n.Args[0], n.Args[1], a, b, what, "can be added or subtracted")
			return dimTerm{}, false
		}
	case expr.Multiply:
		d, ok = a.Dimension.Plus(b.Dimension)
	case expr.Divide:
		d, ok = a.Dimension.Minus(b.Dimension)
	}
	if !ok {
		s.reportOperation(x, n, what, "this is a power of time beyond all that can mean something")
		return dimTerm{}, false
	}
	return s.checkFinite(x, n, what, dimTerm{program.Join(n.Op, a.Term, b.Term), d})
}

// power returns the term of a power. Something with a dimension can be raised only to a constant.
func (s Scope) power(x *syntax.Expression, n *syntax.ExprNode, a, b dimTerm, what string) (dimTerm, bool) {
	base, exponent := n.Args[0], n.Args[1]
	if b.Dimension != syntax.NoDimension {
		s.reportOperation(x, n, what, "the exponent %s is %s; expected a number", x.Part(exponent),
			s.describeOperand(x, exponent, b))
		return dimTerm{}, false
	}
	d := syntax.NoDimension
	if a.Dimension != syntax.NoDimension {
		if b.Op != program.TermConstant {
			s.reportOperation(x, n, what, "%s is %s, which can be raised to a power that is always the same",
				x.Part(base), s.describeOperand(x, base, a))
			return dimTerm{}, false
		}
		var ok bool
		if d, ok = a.Dimension.Times(b.X); !ok {
			s.reportOperation(x, n, what,
				"%s is %s, which cannot be raised to %.6g; expected an exponent such as 2 or 1/2", x.Part(base),
				s.describeOperand(x, base, a), b.X)
			return dimTerm{}, false
		}
	}
	return s.checkFinite(x, n, what, dimTerm{program.Join(expr.Power, a.Term, b.Term), d})
}

// checkFinite refuses a constant that is not finite, such as 1/0, or not a number, such as the root
// of −1.
func (s Scope) checkFinite(x *syntax.Expression, n *syntax.ExprNode, what string, m dimTerm) (dimTerm, bool) {
	if m.Op == program.TermConstant && (math.IsNaN(m.X) || math.IsInf(m.X, 0)) {
		s.reportOperation(x, n, what, "%s is %v, with which one cannot calculate", x.Part(n), m.X)
		return dimTerm{}, false
	}
	return m, true
}

// describeOperand says what kind of value an operand is, and what its name stands for if that is
// short.
func (s Scope) describeOperand(x *syntax.Expression, n *syntax.ExprNode, m dimTerm) string {
	if syntax.IsParameter(n) {
		if got, _, ok := s.Stands(x.Parameter(n), ""); ok && got.Expr == nil && got.TimeVarying == nil {
			return fmt.Sprintf("%s, %s%s", m.Words(s.unit), got.Text, got.Cell)
		}
	}
	return m.Words(s.unit)
}

// reportMismatch reports that two operands have different dimensions.
func (s Scope) reportMismatch(x *syntax.Expression, n, left, right *syntax.ExprNode, a, b dimTerm, what, which string) {
	s.reportOperation(x, n, what, "%s is %s, and %s is %s; only things of the same kind %s", x.Part(left),
		s.describeOperand(x, left, a), x.Part(right), s.describeOperand(x, right, b), which)
}

// reportOperation reports a problem with an operation: at its operator, or at the latest change of
// a parameter in it.
func (s Scope) reportOperation(x *syntax.Expression, n *syntax.ExprNode, what, format string, args ...any) {
	var parts []syntax.Value
	x.Parameters(n, func(part syntax.Value) { parts = append(parts, part) })
	s.reportTogether(x.Place(n.Mark), parts, "%s: %s", what, fmt.Sprintf(format, args...))
}

// maxPeriods limits how many periods the start may be away from the peak, and the end from the
// start: up to there, the phase within a period is accurate to a thousandth.
const maxPeriods = 1e12

// seasonalTerm returns the term mean·(1 + amplitude·cos 2π(t − peak)/period).
func (s Scope) seasonalTerm(v syntax.Value, what string) (dimTerm, bool) {
	c := v.TimeVarying
	what += ": seasonal"
	mean, good := s.Part(c.Mean, what+": mean")
	amplitude, ok := s.Within(c.Amplitude, what+": amplitude", syntax.KindShare,
		func(x float64) bool { return x >= 0 && x <= 1 }, "an amplitude is between 0% and 100%")
	good = good && ok
	peak, ok := s.Clock(c.Peak, what+": peak")
	good = good && ok
	period, ok := s.Longer(c.Period, what+": period")
	if !good || !ok {
		return dimTerm{}, false
	}
	wave := &program.Term{Op: program.TermWave, X: amplitude, Period: period}
	if periods := max(math.Abs(s.start-peak), s.end-s.start) / period; periods > maxPeriods {
		s.reportValue(c.Period, c.Period.At,
			"%s: period: %s: from the peak or the start to the end there are more than a trillion of them, too many "+
				"to tell where in one a time is", what, s.describe(c.Period))
		return dimTerm{}, false
	}
	wave.Phase = (s.start - peak) / period
	wave.Phase -= math.Floor(wave.Phase)
	if amplitude == 0 {
		return mean, true
	}
	return dimTerm{program.Join(expr.Multiply, mean.Term, wave), mean.Dimension}, true
}

// knotsTerm returns the term of steps or of a line.
func (s Scope) knotsTerm(v syntax.Value, what string) (dimTerm, bool) {
	c := v.TimeVarying
	what += ": " + c.Form
	n := len(c.Knots)
	t := &program.Term{Op: program.TermSteps, Times: make([]float64, n), Values: make([]float64, n)}
	if c.Form == "line" {
		t.Op = program.TermLine
	}
	var d syntax.Dimension
	for i := range c.Knots {
		k := &c.Knots[i]
		at, err := s.Zero.Clock(k.Time, s.unit)
		switch {
		case err != nil:
			s.reportValue(syntax.Value{At: k.At}, k.At, "%s: %s is %v", what, k.Text, err)
			return dimTerm{}, false
		case math.IsInf(at, 0):
			s.reportValue(syntax.Value{At: k.At}, k.At, "%s: %s is too large for a time in %ss", what, k.Text,
				s.unit.Name)
			return dimTerm{}, false
		case i > 0 && !(at-s.start > t.Times[i-1]):
			s.reportValue(syntax.Value{At: k.At}, k.At, "%s: %s does not come after %s, the time before it", what,
				k.Text, c.Knots[i-1].Text)
			return dimTerm{}, false
		}
		m, ok := s.Part(k.Value, fmt.Sprintf("%s: %s", what, k.Text))
		if !ok {
			return dimTerm{}, false
		}
		if m.Op != program.TermConstant {
			s.reportValue(k.Value, k.Value.At,
				"%s: %s: %s changes with time by itself, and cannot be one of the %s; multiply the two in an "+
					"expression", what, k.Text, nameOrText(k.Value, k.Value), c.Plural())
			return dimTerm{}, false
		}
		if i == 0 {
			d = m.Dimension
		} else if m.Dimension != d {
			first := &c.Knots[0].Value
			s.reportTogether(k.Value.At, []syntax.Value{*first, k.Value},
				"%s: %s: %s is %s, and %s, of the first time, is %s; expected the same kind of value for all",
				what, k.Text, s.describe(k.Value), m.Words(s.unit), s.describe(*first), d.Words(s.unit))
			return dimTerm{}, false
		}
		t.Times[i], t.Values[i] = at-s.start, m.X
	}
	if len(t.Times) == 1 {
		return dimTerm{program.Constant(t.Values[0]), d}, true
	}
	return dimTerm{t, d}, true
}
