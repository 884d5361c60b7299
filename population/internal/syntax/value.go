package syntax

import (
	"reflect"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// A Value is what is written where a number, a duration, a rate, a probability or a distribution is
// expected. It is one of: a quantity, the name of a parameter, a distribution, a table by group, an
// expression, a value that changes with time, a rate that depends on counts. At most one of the
// fields Name to CountDependent is set; if none is, the value is the Quantity.
//
// Interventions can change parameters during a run, so values are kept as written. Package eval
// works them out, each time for the parameters that hold then.
type Value struct {
	At             diag.Place
	Text           string // as messages repeat it
	Quantity       quantity.Quantity
	Name           string // of a parameter
	Distribution   *Distribution
	Table          *Table
	Expr           *Expression
	TimeVarying    *TimeVarying
	CountDependent *CountDependent
	Cell           string // the entry of a table that the value was taken from, in words
	Computed       bool   // the quantity is the result of an expression
	Bad            bool   // it could not be read, which has been reported
}

// IsQuantity reports whether the value is written as a quantity.
func (v *Value) IsQuantity() bool {
	return v.Name == "" && v.Distribution == nil && v.Table == nil && v.Expr == nil && v.TimeVarying == nil &&
		v.CountDependent == nil
}

// Given reports whether the file has the value at all.
func (v *Value) Given() bool { return v.At != diag.Place{} }

// Each calls do for every value that this one contains. It does not descend into those.
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
		v.Expr.EachParameter(v.Expr.Root, do)
	case v.TimeVarying != nil:
		v.TimeVarying.each(do)
	case v.CountDependent != nil:
		do(v.CountDependent.Value)
		if v.CountDependent.Most.Given() {
			do(v.CountDependent.Most)
		}
	}
}

// firstParameter returns the name of a parameter that the value contains at any depth, or "".
func (v *Value) firstParameter() string {
	name := v.Name
	v.Each(func(part Value) {
		if name == "" {
			name = part.firstParameter()
		}
	})
	return name
}

// Key returns a comparable key that identifies the value: the parameter's name, or the node of the
// tree. It is nil for a quantity, which never changes.
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

// Values contain values: in place, by an alias of YAML, or by the name of a parameter. By the last
// two a few lines can stand for billions. The limits are the same for all three.
const (
	MaxDistributionParts = 1000 // distributions in one distribution
	MaxNesting           = 21   // values that contain one another
	MaxParameterChain    = 100  // parameters that name one another
)

// Value reads a value. want is the kind that is expected, for a message if the value is of no kind.
func (r *Reader) Value(n *yaml.Node, what string, want quantity.Kind) Value {
	n = r.Resolve(n)
	text := strings.TrimSpace(n.Value)
	v := Value{At: r.Place(n), Text: diag.Shorten(text)}
	switch {
	case n.Kind == yaml.MappingNode:
		r.mapping(&v, n, what, want)
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null" || text == "":
		r.Fail(n, "%s: found %s, expected %s such as %s", what, Describe(n), want, want.Example())
		v.Bad = true
	default:
		r.scalar(&v, n, what, want, false)
	}
	return v
}

// scalar reads a value that is one text: a quantity, the name of a parameter, or an expression.
// With allowCounts, total and count(STATE) may stand in it, and a name alone is an expression too.
func (r *Reader) scalar(v *Value, n *yaml.Node, what string, want quantity.Kind, allowCounts bool) {
	text := strings.TrimSpace(n.Value)
	q, err := quantity.Parse(text)
	switch {
	case err == nil && quantity.LooksNumeric(text):
		v.Quantity = q
	case r.Parameters[text] && !allowCounts:
		v.Name = text
	case isExpression(text) || allowCounts || r.Numbers[text]:
		r.expression(v, n, text, what, allowCounts)
	case quantity.LooksNumeric(text):
		r.Fail(n, "%s: %v; expected %s such as %s", what, err, want, want.Example())
		v.Bad = true
	default:
		v.Name = text
	}
}

// mapping reads a value that is a mapping. Its keys tell which form it has: a table, a value that
// changes with time or depends on counts, or else a distribution.
func (r *Reader) mapping(v *Value, n *yaml.Node, what string, want quantity.Kind) {
	table := HasKey(n, "by")
	since := !table && (HasKey(n, "since") || HasKey(n, "density"))
	timeVarying := !table && (since || HasKey(n, "seasonal") || HasKey(n, "steps") || HasKey(n, "line"))
	ofMet := !table && !timeVarying && HasKey(n, "value") && HasKey(n, "of")
	countDependent := !table && !timeVarying && !ofMet && (HasKey(n, "value") || HasKey(n, "most"))
	switch {
	case !table && !timeVarying && !ofMet && !countDependent:
		v.Distribution, v.Text = r.distribution(n, what), "a distribution"
		v.Bad = v.Distribution == nil
		return
	case r.depth >= MaxNesting:
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
	case ofMet:
		r.numberOfMet(v, n, what, want)
	case timeVarying:
		if since {
			v.TimeVarying = r.sinceCurve(n, what, want)
		} else {
			v.TimeVarying = r.timeVarying(n, what, want)
		}
		if v.Bad = v.TimeVarying == nil; !v.Bad {
			v.Text = v.TimeVarying.describe()
		}
	default:
		v.CountDependent, v.Text = r.countDependent(n, what), "a value with a most"
		v.Bad = v.CountDependent == nil
	}
}

// EachValue visits all values in a part of a file, but not the values that they are made of.
func EachValue(part reflect.Value, do func(Value)) {
	switch {
	case part.Type() == reflect.TypeFor[Value]():
		do(part.Interface().(Value))
	case part.Kind() == reflect.Slice:
		for i := range part.Len() {
			EachValue(part.Index(i), do)
		}
	case part.Kind() == reflect.Struct:
		for i := range part.NumField() {
			EachValue(part.Field(i), do)
		}
	}
}
