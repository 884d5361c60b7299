package outputs

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population"
)

// A parser reads what is particular to outputs. Besides the operators of package expr it knows
//
//	atom = number [ "%" ] | function "(" … ")"
//
// A function counts a name of the model, which may have spaces and signs in it. The name is all of
// the text in the parentheses, or up to the comma.
type parser struct {
	expr.Parser[number]
	m *population.Model
}

type (
	number = func(*population.Run) float64
	node   = expr.Node[number]
)

// parse reads an expression.
func parse(m *population.Model, text string) (number, error) {
	p := &parser{m: m}
	p.Parser = expr.Parser[number]{Grammar: p, Text: text, MaxDepth: 50, ParenLevels: 3, ExponentLevels: 1}
	root, err := p.Parse()
	return func(run *population.Run) float64 { return evaluate(root, run) }, err
}

func evaluate(n *node, run *population.Run) float64 {
	if n.Op == expr.Leaf {
		return n.Leaf(run)
	}
	x := evaluate(n.Args[0], run)
	switch n.Op {
	case expr.Negate:
		return -x
	case expr.Exp:
		return detmath.Exp(x)
	case expr.Log:
		return detmath.Log(x)
	case expr.Sqrt:
		return math.Sqrt(x)
	}
	for _, a := range n.Args[1:] {
		switch y := evaluate(a, run); n.Op {
		case expr.Add:
			x += y
		case expr.Subtract:
			x -= y
		case expr.Multiply:
			x *= y
		case expr.Divide:
			x /= y
		case expr.Power:
			x = detmath.Pow(x, y)
		case expr.Min:
			x = math.Min(x, y)
		case expr.Max:
			x = math.Max(x, y)
		}
	}
	return x
}

func (p *parser) fail(format string, args ...any) { p.Fail(fmt.Errorf(format, args...)) }

// TooDeep reports nesting that is too deep.
func (p *parser) TooDeep() { p.fail("too many parentheses or signs in one another") }

// Unclosed reports a missing closing parenthesis.
func (p *parser) Unclosed(name string, _ int) {
	if name == "" {
		p.fail("a parenthesis is not closed")
	}
	p.fail("the parenthesis after %s is not closed", name)
}

// Unexpected reports what cannot stand here.
func (p *parser) Unexpected() {
	if p.At == len(p.Text) {
		p.fail("it ends too early")
	}
	p.fail("did not expect %q", p.Text[p.At:])
}

var (
	numeral = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`)
	})
	word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_][\pL\pN_ ]*`) })
)

// Atom reads a number or a call.
func (p *parser) Atom() *node {
	rest := p.Text[p.At:]
	if text := numeral().FindString(rest); text != "" {
		x, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
		if err != nil {
			p.fail("%s is no number to work with", text)
		}
		p.At += len(text)
		p.SkipSpace()
		if c, _ := p.Accept("%"); c != 0 {
			x /= 100
		}
		return &node{Leaf: func(*population.Run) float64 { return x }}
	}
	text := word().FindString(rest)
	name := strings.TrimSpace(text)
	if name == "" {
		p.Unexpected()
	}
	p.At += len(text)
	if !strings.HasPrefix(p.Text[p.At:], "(") {
		if _, err := find(p.m, name); err == nil {
			p.fail("%s when? Write final(%s), peak(%s) or at(%s, TIME)", name, name, name, name)
		}
		p.fail("%q is not known here; expected a number, or one of %s", name, strings.Join(functions, ", "))
	}
	p.At++
	return p.call(name)
}

var functions = []string{"final(X)", "peak(X)", "time of peak(X)", "at(X, TIME)", "min(…)", "max(…)", "exp(…)",
	"log(…)", "sqrt(…)"}

// call reads what stands in the parentheses of a function, and the closing one.
func (p *parser) call(name string) *node {
	if op, ok := expr.Functions[name]; ok {
		return p.Call(name, p.At, op == expr.Min || op == expr.Max)
	}
	known := []string{"final", "peak", "time of peak", "at", "min", "max", "exp", "log", "sqrt"}
	if !slices.Contains(known, name) {
		if near := suggest.Name(name, known); near != "" {
			p.fail("there is no %s(…); did you mean %s(…)?", name, near)
		}
		p.fail("there is no %s(…); there are %s", name, strings.Join(functions, ", "))
	}
	inside, _, ok := strings.Cut(p.Text[p.At:], ")")
	if !ok {
		p.Unclosed(name, p.At)
	}
	p.At += len(inside) + 1
	p.SkipSpace()
	of, err := count(p.m, name, inside)
	if err != nil {
		p.Fail(err)
	}
	return &node{Leaf: of}
}

// count is what a function tells of something in a model.
func count(m *population.Model, name, inside string) (number, error) {
	if name == "at" {
		k := strings.LastIndex(inside, ",")
		if k < 0 {
			return nil, fmt.Errorf("at(%s): at which time? Write at(%s, TIME)", inside, inside)
		}
		return at(m, inside[:k], inside[k+1:])
	}
	t, err := find(m, inside)
	if err != nil {
		return nil, err
	}
	switch name {
	case "final":
		return func(run *population.Run) float64 { return t.count(run, run.Rows()-1) }, nil
	case "peak":
		return func(run *population.Run) float64 { most, _ := t.peak(run); return most }, nil
	}
	return func(run *population.Run) float64 { _, when := t.peak(run); return when }, nil
}

// at is how many there are at a time, which must be one that is recorded: between them nothing is
// known.
func at(m *population.Model, what, when string) (number, error) {
	t, err := find(m, what)
	if err != nil {
		return nil, err
	}
	x, err := m.Clock(strings.TrimSpace(when))
	if err != nil {
		return nil, err
	}
	times := m.Times()
	before, after := math.Inf(-1), math.Inf(1)
	for row, t0 := range times {
		if math.Abs(t0-x) <= 1e-9*max(1, math.Abs(x)) {
			return func(run *population.Run) float64 { return t.count(run, row) }, nil
		}
		if t0 < x {
			before = t0
		} else {
			after = min(after, t0)
		}
	}
	switch {
	case math.IsInf(before, -1):
		return nil, fmt.Errorf("time %.12g is before the start, %.12g", x, m.Start())
	case math.IsInf(after, 1):
		return nil, fmt.Errorf("time %.12g is after the end, %.12g", x, m.End())
	}
	return nil, fmt.Errorf("time %.12g is not recorded; the nearest are %.12g and %.12g", x, before, after)
}
