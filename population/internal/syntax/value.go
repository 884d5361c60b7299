package syntax

import (
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// A Value is what stands where a number, a duration, a rate, a probability or a distribution is expected: written out, or
// the name of a parameter. What a name stands for can change during a run, so values are kept as they are written and
// worked out in a scope.
type Value struct {
	At             diag.Place
	Text           string
	Quantity       Quantity
	Name           string        // of a parameter, if it is one
	Distribution   *Distribution // a distribution, if it is one
	Table          *Table
	Expr           *Expression
	TimeVarying    *TimeVarying
	CountDependent *CountDependent
	Cell           string // of a table from which it was read, in words
	Worked         bool   // the quantity was worked out by an expression
	Bad            bool   // it could not be read, and that has been said
}

// Plain tells whether a value is written out as a quantity.
func (v *Value) Plain() bool {
	return v.Name == "" && v.Distribution == nil && v.Table == nil && v.Expr == nil && v.TimeVarying == nil && v.CountDependent == nil
}

// Given tells whether there is one at all.
func (v *Value) Given() bool { return v.At != diag.Place{} }

// Each does something with all values that a value is made of.
func (v *Value) Each(do func(part Value)) {
	switch {
	case v.Distribution != nil:
		for _, part := range v.Distribution.values() {
			do(part)
		}
	case v.Table != nil:
		for i := range v.Table.Entries {
			do(v.Table.Entries[i].Value)
		}
	case v.Expr != nil:
		v.Expr.Parameters(v.Expr.Root, do)
	case v.TimeVarying != nil:
		v.TimeVarying.each(do)
	case v.CountDependent != nil:
		do(v.CountDependent.Value)
		do(v.CountDependent.Most)
	}
}

// firstParameter is a parameter that stands in a value, or "" if there is none.
func (v *Value) firstParameter() string {
	name := v.Name
	v.Each(func(part Value) {
		if name == "" {
			name = part.firstParameter()
		}
	})
	return name
}

// Key tells values apart, by their names or by where they stand. It is nil for a quantity, which is always the same.
func (v *Value) Key() any {
	switch {
	case v.Name != "":
		return v.Name
	case v.Distribution != nil:
		return v.Distribution
	case v.Table != nil:
		return v.Table
	case v.Expr != nil:
		return v.Expr
	case v.TimeVarying != nil:
		return v.TimeVarying
	case v.CountDependent != nil:
		return v.CountDependent
	}
	return nil
}

// Distributions hold distributions: in place, by an alias of YAML, or by the name of a parameter. By the last two a few lines can
// stand for billions. The limits are the same for all ways of writing them.
const (
	MostParts  = 1000 // distributions in one
	MostNested = 21   // of which each is in the one before
	MostSteps  = 100  // parameters of which each stands for the next
)

// Value reads a value. The kind says what is wanted, for the message if it is nothing of the sort.
func (r *Reader) Value(n *yaml.Node, what string, want Kind) Value {
	n = r.Resolve(n)
	text := strings.TrimSpace(n.Value)
	v := Value{At: r.Place(n), Text: diag.Echo(text)}
	switch {
	case n.Kind == yaml.MappingNode:
		r.mapping(&v, n, what, want)
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null" || text == "":
		r.Fail(n, "%s: found %s, expected %s such as %s", what, Found(n), want, want.Like())
		v.Bad = true
	default:
		r.scalar(&v, n, what, want, false)
	}
	return v
}

// scalar reads a value that is one text: a quantity, the name of a parameter, or an expression of them. Counts may be in that if they are said to.
func (r *Reader) scalar(v *Value, n *yaml.Node, what string, want Kind, counts bool) {
	text := strings.TrimSpace(n.Value)
	q, err := ParseQuantity(text)
	switch {
	case err == nil && LooksNumeric(text):
		v.Quantity = q
	case r.Defined[text] && !counts:
		v.Name = text
	case isExpression(text) || counts:
		r.expression(v, n, text, what, counts)
	case LooksNumeric(text):
		r.Fail(n, "%s: %v; expected %s such as %s", what, err, want, want.Like())
		v.Bad = true
	default:
		v.Name = text
	}
}

// mapping reads a value that is a mapping: a table, something that changes with time or with counts, or a distribution.
func (r *Reader) mapping(v *Value, n *yaml.Node, what string, want Kind) {
	table := HasKey(n, "by")
	course := !table && (HasKey(n, "seasonal") || HasKey(n, "steps") || HasKey(n, "line"))
	counted := !table && !course && (HasKey(n, "value") || HasKey(n, "most"))
	switch {
	case !table && !course && !counted:
		v.Distribution, v.Text = r.distribution(n, what), "a distribution"
		v.Bad = v.Distribution == nil
		return
	case r.depth >= MostNested:
		r.Fail(n, "%s: values are nested too deeply", what)
		v.Bad = true
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	switch {
	case table:
		v.Table, v.Text = r.table(n, what, want), "a table"
		v.Bad = v.Table == nil
	case course:
		v.TimeVarying = r.timeVarying(n, what, want)
		if v.Bad = v.TimeVarying == nil; !v.Bad {
			v.Text = v.TimeVarying.describe()
		}
	default:
		v.CountDependent, v.Text = r.countDependent(n, what), "a value with a most"
		v.Bad = v.CountDependent == nil
	}
}
