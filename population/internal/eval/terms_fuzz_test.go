package eval_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// An expression is generated from the bytes of a fuzz input. Its text has no more parentheses than
// needed. Its value is worked out while it is generated, without any parser.
type expression struct {
	text         string
	level        int // precedence of its outermost operator: 1 sum, 2 product, 3 sign, 4 power, 5 none
	x            float64
	power        float64 // of time
	ok           bool
	extremePower bool // powers of time beyond the limit, which may be refused
}

type generator struct {
	bytes []byte
	depth int
}

func (g *generator) byte() int {
	if len(g.bytes) == 0 {
		return 0
	}
	b := g.bytes[0]
	g.bytes = g.bytes[1:]
	return int(b)
}

// inside returns the text as an operand of an operator with the given precedence.
func (e expression) inside(level int) string {
	if e.level < level {
		return "(" + e.text + ")"
	}
	return e.text
}

func (g *generator) leaf() expression {
	n := float64(g.byte()%40) / 4
	switch g.byte() % 6 {
	case 0:
		return expression{fmt.Sprintf("%g", n), 5, n, 0, true, false}
	case 1:
		return expression{fmt.Sprintf("%g%%", n), 5, n / 100, 0, true, false}
	case 2:
		return expression{fmt.Sprintf("%g per week", n), 5, n / 7, -1, true, false}
	case 3:
		return expression{fmt.Sprintf("%g  days", n), 5, n, 1, true, false}
	case 4:
		return expression{"beta", 5, 0.5, -1, true, false}
	}
	return expression{"a-b", 5, 7, 0, true, false}
}

func (g *generator) grow() expression {
	if g.depth++; g.depth > 12 || len(g.bytes) == 0 {
		g.depth--
		return g.leaf()
	}
	defer func() { g.depth-- }()
	space := []string{"", " ", "  ", " "}[g.byte()%4]
	binary := func(op string, level int, leftLevel, rightLevel int, a, b expression) expression {
		// A name may contain a minus sign, so a sign needs a space before it.
		text := a.inside(leftLevel) + " " + op + space + b.inside(rightLevel)
		return expression{text, level, 0, 0, a.ok && b.ok, a.extremePower || b.extremePower}
	}
	switch op := g.byte() % 10; op {
	case 0, 1:
		return g.leaf()
	case 2, 3:
		a, b := g.grow(), g.grow()
		sign := "+-"[op-2 : op-1]
		e := binary(sign, 1, 1, 2, a, b)
		e.ok, e.power = e.ok && a.power == b.power, a.power
		if e.x = a.x + b.x; sign == "-" {
			e.x = a.x - b.x
		}
		return e.checked()
	case 4:
		a, b := g.grow(), g.grow()
		e := binary("*", 2, 2, 3, a, b)
		e.x, e.power = a.x*b.x, a.power+b.power
		return e.checked()
	case 5:
		a, b := g.grow(), g.grow()
		e := binary("/", 2, 2, 3, a, b)
		e.x, e.power = a.x/b.x, a.power-b.power
		return e.checked()
	case 6:
		a := g.grow()
		exponent := []float64{2, -1, 0.5, 3}[g.byte()%4]
		text := a.inside(5) + " ^ " + fmt.Sprintf("%g", exponent)
		e := expression{text, 4, math.Pow(a.x, exponent), a.power * exponent, a.ok, a.extremePower}
		return e.checked()
	case 7:
		a := g.grow()
		e := expression{"-" + space + a.inside(3), 3, 0 - a.x, a.power, a.ok, a.extremePower}
		return e.checked()
	case 8:
		a, b := g.grow(), g.grow()
		text, ok := "max("+a.text+","+space+b.text+")", a.ok && b.ok && a.power == b.power
		e := expression{text, 5, max(a.x, b.x), a.power, ok, a.extremePower || b.extremePower}
		return e.checked()
	}
	a := g.grow()
	e := expression{"sqrt" + space + "(" + a.text + ")", 5, math.Sqrt(a.x), a.power / 2, a.ok, a.extremePower}
	return e.checked()
}

// checked marks what cannot be worked out.
func (e expression) checked() expression {
	e.ok = e.ok && !math.IsNaN(e.x) && !math.IsInf(e.x, 0)
	e.extremePower = e.extremePower || math.Abs(8*e.power) > quantity.MaxPower/2 || 8*e.power != math.Trunc(8*e.power)
	return e
}

// FuzzExpression compares the values of expressions with those they were generated with.
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{
		"", "\x01\x02abcdefgh", strings.Repeat("\x02\x02\x07\x05", 20), strings.Repeat("\x01\x06\x03", 20),
		strings.Repeat("\x01\x05\x04\x09\x01", 12),
	} {
		f.Add([]byte(seed))
	}
	for i := range 200 {
		seed := make([]byte, 40)
		for k := range seed {
			seed[k] = byte(i*i*31 + k*k*7 + i*k)
		}
		f.Add(seed)
	}
	list := &diag.List{}
	here := eval.NewScope(list, quantity.Units[3])
	for name, q := range map[string]quantity.Quantity{
		"beta": {Kind: quantity.Rate, Number: 0.5, Unit: quantity.Units[3]},
		"a-b":  {Kind: quantity.Number, Number: 7},
		"a":    {Kind: quantity.Number, Number: 1},
	} {
		here.Define(name, eval.Parameter{Value: syntax.Value{Quantity: q}})
	}
	defined := map[string]bool{"beta": true, "a-b": true, "a": true}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		// Any text is either parsed or refused, at a place within it.
		if text := string(bytes); len(text) > 0 {
			x := &syntax.Expression{Text: text, HasColumns: true}
			if wrong := syntax.ParseExpression(x, defined, here.ParameterNames); wrong != nil {
				if wrong.At < 0 || wrong.At > len(text) || fmt.Sprint(wrong.Message) == "" {
					t.Fatalf("%q is wrong at %d of %d: %v", text, wrong.At, len(text), wrong.Message)
				}
				x.Place(wrong.At)
			}
		}
		e := (&generator{bytes: bytes}).grow()
		if len(e.text) > syntax.MaxExpressionBytes || e.extremePower {
			return
		}
		got, err := evaluate(here, e.text)
		switch {
		case err != nil && e.ok:
			t.Fatalf("%s: %v, want %v", e.text, err, e.x)
		case err == nil && !e.ok:
			t.Fatalf("%s is %v, and should be refused", e.text, got.X)
		case err == nil && (math.Abs(got.X-e.x) > 1e-12*math.Abs(e.x) || float64(got.N)/float64(got.D) != e.power):
			t.Fatalf("%s is %v in %d/%d, want %v in %v", e.text, got.X, got.N, got.D, e.x, e.power)
		}
	})
}
