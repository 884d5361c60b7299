package outputs

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population"
)

// A parser reads what is particular to outputs. Besides the operators of package expr it knows
//
//	atom = number [ "%" ] | function "(" … ")" [ "per" number ]
//
// A function counts a name of the model, which may have spaces and signs in it. The name is all of
// the text in the parentheses, or up to the comma.
type parser struct {
	expr.Parser[number]
	names *names
}

type (
	number = func(*population.Run) float64
	node   = expr.Node[number]
)

// parse reads an expression.
func parse(n *names, text string) (number, error) {
	p := &parser{names: n}
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
	if strings.HasPrefix(p.Text[p.At:], "per ") {
		p.fail("did not expect %q; per stands directly behind final(…), peak(…), at(…) or incidence(…)", p.Text[p.At:])
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
		x, ok := parseNumber(text)
		if !ok {
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
		if _, err := p.names.find(name); err == nil {
			p.fail("%s when? Write final(%s), peak(%s) or at(%s, TIME)", name, name, name, name)
		}
		p.fail("%q is not known here; expected a number, or one of %s", name, strings.Join(functions, ", "))
	}
	p.At++
	return p.call(name)
}

// call reads what stands in the parentheses of a function, the closing one, and per.
func (p *parser) call(name string) *node {
	if op, ok := expr.Functions[name]; ok {
		return p.Call(name, p.At, op == expr.Min || op == expr.Max)
	}
	if !slices.Contains(counting, name) {
		if near := suggest.Name(name, slices.Concat(counting, arithmetic)); near != "" {
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
	of, err := p.names.call(name, inside, p.per())
	if err != nil {
		p.Fail(err)
	}
	return &node{Leaf: of}
}

// per reads for how many persons something is counted, if it is: per 100_000, or per person.
func (p *parser) per() persons {
	rest, ok := strings.CutPrefix(p.Text[p.At:], "per ")
	if !ok {
		return none
	}
	text, n := numeral().FindString(rest), 1.0
	if text != "" {
		if n, ok = parseNumber(text); !ok || !(n > 0) {
			p.fail("per %s: expected a number of persons above 0, as in per 100_000", text)
		}
	} else if text = "person"; !strings.HasPrefix(rest, text) {
		p.fail("per %s: expected a number of persons, as in per 100_000, or per person", rest)
	}
	p.At += len("per ") + len(text)
	p.SkipSpace()
	return persons(n)
}
