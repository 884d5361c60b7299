package population

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/expr"
)

// A measured term is one with its dimension.
type measured struct {
	*term
	dimension
}

// build makes a term of a value that has been resolved, and complains of what is wrong with it.
func (s scope) build(v value, what string) (measured, bool) {
	switch {
	case v.bad:
		return measured{}, false
	case v.expr != nil:
		return s.operation(v.expr, v.expr.root, what)
	case v.course != nil && v.course.form == "seasonal":
		return s.season(v, what)
	case v.course != nil:
		return s.through(v, what)
	case v.law != nil:
		s.complain(v, v.at, "%s: a distribution cannot be part of an expression; its mean can have a name of its own, as a parameter", what)
		return measured{}, false
	case v.quantity.kind == aDate:
		s.complain(v, v.at, "%s: %s is a date, and cannot be part of an expression", what, v.text)
		return measured{}, false
	}
	x := v.quantity.in(s.unit)
	if math.IsInf(x, 0) || x == 0 && v.quantity.number != 0 {
		s.complain(v, v.at, "%s: %s is too large or too small for a time in %ss", what, v.text, s.unit.name)
		return measured{}, false
	}
	return measured{constant(x), v.quantity.kind.dimension()}, true
}

// operation makes a term of a part of an expression.
func (s scope) operation(x *expression, n *exprNode, what string) (measured, bool) {
	if n.Op == expr.Leaf {
		return s.atom(x, n, what)
	}
	args := make([]measured, len(n.Args))
	good := true
	for i, a := range n.Args {
		var ok bool
		args[i], ok = s.operation(x, a, what)
		good = good && ok
	}
	if !good {
		return measured{}, false
	}
	a := args[0]
	switch n.Op {
	case expr.Negate:
		return s.finite(x, n, what, measured{join(expr.Subtract, constant(0), a.term), a.dimension})
	case expr.Exp, expr.Log:
		if a.dimension != noDimension {
			s.wrong(x, n, what, "%s is %s; exp and log are of numbers", x.part(n.Args[0]), s.told(x, n.Args[0], a))
			return measured{}, false
		}
		return s.finite(x, n, what, measured{join(n.Op, a.term, nil), noDimension})
	case expr.Sqrt:
		d, ok := a.dimension.times(0.5)
		if !ok {
			s.wrong(x, n, what, "%s is %s, of which there is no root", x.part(n.Args[0]), s.told(x, n.Args[0], a))
			return measured{}, false
		}
		return s.finite(x, n, what, measured{join(expr.Sqrt, a.term, nil), d})
	case expr.Min, expr.Max:
		for i, b := range args[1:] {
			if b.dimension != a.dimension {
				s.unlike(x, n, n.Args[0], n.Args[i+1], args[0], b, what, "can be compared")
				return measured{}, false
			}
			a.term = join(n.Op, a.term, b.term)
		}
		return a, true
	case expr.Power:
		return s.toPower(x, n, a, args[1], what)
	}
	return s.arithmetic(x, n, a, args[1], what)
}

// atom makes a term of a part without operators.
func (s scope) atom(x *expression, n *exprNode, what string) (measured, bool) {
	switch a := n.Leaf; a.kind {
	case atomQuantity:
		return s.build(value{at: x.place(n.From), text: x.part(n), quantity: a.quantity}, what)
	case atomParameter:
		return s.operand(x, n, what)
	case atomTotal:
		return measured{&term{op: termTotal}, noDimension}, true
	default:
		for i, name := range s.states {
			if name == a.name {
				return measured{&term{op: termCount, state: i}, noDimension}, true
			}
		}
		s.complain(value{at: x.place(n.Mark)}, x.place(n.Mark), "%s: count: %s", what, unknown("state", a.name, func() []string { return s.states }))
		return measured{}, false
	}
}

// arithmetic is one of the four operations.
func (s scope) arithmetic(x *expression, n *exprNode, a, b measured, what string) (measured, bool) {
	d, ok := a.dimension, true
	switch n.Op {
	case expr.Add, expr.Subtract:
		if a.dimension != b.dimension {
			s.unlike(x, n, n.Args[0], n.Args[1], a, b, what, "can be added or subtracted")
			return measured{}, false
		}
	case expr.Multiply:
		d, ok = a.dimension.plus(b.dimension)
	case expr.Divide:
		d, ok = a.dimension.minus(b.dimension)
	}
	if !ok {
		s.wrong(x, n, what, "this is a power of time beyond all that can mean something")
		return measured{}, false
	}
	return s.finite(x, n, what, measured{join(n.Op, a.term, b.term), d})
}

// toPower raises to a power. Something with a dimension can be raised to one that is known and the same at all times.
func (s scope) toPower(x *expression, n *exprNode, a, b measured, what string) (measured, bool) {
	base, exponent := n.Args[0], n.Args[1]
	if b.dimension != noDimension {
		s.wrong(x, n, what, "the exponent %s is %s; expected a number", x.part(exponent), s.told(x, exponent, b))
		return measured{}, false
	}
	d := noDimension
	if a.dimension != noDimension {
		if b.op != termConstant {
			s.wrong(x, n, what, "%s is %s, which can be raised to a power that is always the same", x.part(base), s.told(x, base, a))
			return measured{}, false
		}
		var ok bool
		if d, ok = a.dimension.times(b.x); !ok {
			s.wrong(x, n, what, "%s is %s, which cannot be raised to %.6g; expected an exponent such as 2 or 1/2", x.part(base), s.told(x, base, a), b.x)
			return measured{}, false
		}
	}
	return s.finite(x, n, what, measured{join(expr.Power, a.term, b.term), d})
}

// operand is what a parameter stands for.
func (s scope) operand(x *expression, n *exprNode, what string) (measured, bool) {
	v := x.parameter(n)
	if !s.bearable(n.Leaf.name) {
		return measured{}, false
	}
	got, at, ok := s.stands(v, what)
	switch {
	case !ok:
		return measured{}, false
	case got.law != nil:
		s.complain(v, at, "%s: parameter %s is a distribution, and cannot be part of an expression", what, echo(n.Leaf.name))
		return measured{}, false
	case got.count != nil:
		s.complain(v, at, "%s: parameter %s has a most, and cannot be part of an expression; write the expression into its value and its most", what, echo(n.Leaf.name))
		return measured{}, false
	case got.course == nil && got.expr == nil && got.quantity.kind == aDate:
		s.complain(v, at, "%s: parameter %s is a date, and cannot be part of an expression", what, echo(n.Leaf.name))
		return measured{}, false
	}
	return s.build(got, what)
}

// told says what an operand is, and what its name stands for if that is not long.
func (s scope) told(x *expression, n *exprNode, m measured) string {
	if isParameter(n) {
		if got, _, ok := s.stands(x.parameter(n), ""); ok && got.expr == nil && got.course == nil {
			return fmt.Sprintf("%s, %s%s", m.words(s.unit), got.text, got.cell)
		}
	}
	return m.words(s.unit)
}

// unlike says that two operands do not go together.
func (s scope) unlike(x *expression, n, left, right *exprNode, a, b measured, what, which string) {
	s.wrong(x, n, what, "%s is %s, and %s is %s; only things of the same kind %s", x.part(left), s.told(x, left, a), x.part(right), s.told(x, right, b), which)
}

// finite refuses a number that is none: one divided by 0, or the root of something negative.
func (s scope) finite(x *expression, n *exprNode, what string, m measured) (measured, bool) {
	if m.op == termConstant && (math.IsNaN(m.x) || math.IsInf(m.x, 0)) {
		s.wrong(x, n, what, "%s is %v, with which one cannot calculate", x.part(n), m.x)
		return measured{}, false
	}
	return m, true
}

// wrong says what is wrong with an operation: at its operator, or where a parameter in it was changed last.
func (s scope) wrong(x *expression, n *exprNode, what, format string, args ...any) {
	var parts []value
	x.parameters(n, func(part value) { parts = append(parts, part) })
	s.broken(x.place(n.Mark), parts, "%s: %s", what, fmt.Sprintf(format, args...))
}
