package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/population/internal/diag"
)

// An Expression is arithmetic with quantities and parameters, as it is written: 0.5 * beta, 1 - efficacy, stay / 2.
type Expression struct {
	At     diag.Place // of its first letter
	Exact  bool       // that and the place of every letter of it are known
	Text   string
	Root   *ExprNode
	counts bool // it stands where counts may
}

// An ExprNode is an operation, or an atom.
type ExprNode = expr.Node[Atom]

// An Atom is a part of an expression without operators.
type Atom struct {
	Kind     atomKind
	Quantity Quantity
	Name     string // of a parameter, or of a state
}

type atomKind uint8

const (
	AtomQuantity atomKind = iota
	AtomParameter
	AtomTotal
	atomCount
)

// The limits of what is written; an expression of parameters that are expressions has others, see weigh.
const (
	LongestExpression = 2000 // bytes
	deepestExpression = 50   // expressions in one another
)

// Place is where a byte of the text stands in the file.
func (x *Expression) Place(i int) diag.Place {
	at := x.At
	if x.Exact {
		at.Column += utf8.RuneCountInString(x.Text[:i])
	}
	return at
}

// Part is a piece of the text, as a message repeats it.
func (x *Expression) Part(n *ExprNode) string { return diag.Echo(x.Text[n.From:n.To]) }

// Parameters visits the parameters in a part of the expression.
func (x *Expression) Parameters(n *ExprNode, do func(part Value)) {
	if IsParameter(n) {
		do(x.Parameter(n))
	}
	for _, a := range n.Args {
		x.Parameters(a, do)
	}
}

func IsParameter(n *ExprNode) bool { return n.Op == expr.Leaf && n.Leaf.Kind == AtomParameter }

// Parameter is the value that a name in the expression is.
func (x *Expression) Parameter(n *ExprNode) Value {
	return Value{At: x.Place(n.From), Text: diag.Echo(n.Leaf.Name), Name: n.Leaf.Name}
}

// isExpression tells whether a text that is neither a quantity nor the name of a parameter was meant to be worked out: it has an operator or a
// parenthesis. A sign at the beginning or in the exponent of a number is none, unless something other than a number follows it.
func isExpression(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '*', '/', '^', '(', ')':
			return true
		case '+', '-':
			if i == 0 {
				rest := strings.TrimLeft(text[1:], " \t")
				if r, _ := utf8.DecodeRuneInString(rest); isLetter(r) || r == '(' {
					return true
				}
			} else if before := text[i-1]; !((before == 'e' || before == 'E') && i > 1 && (isDigit(text[i-2]) || text[i-2] == '.')) {
				return true
			}
		}
	}
	return false
}

// A syntaxProblem is what is wrong with the text of an expression, and at which byte.
type syntaxProblem struct {
	At      int
	Message any // a text, or something that becomes one when it is printed
	unknown bool
}

func (s *syntaxProblem) Error() string { return fmt.Sprint(s.Message) }

// An exprParser reads what is particular to the expressions of a model. Besides the operators of package expr it knows
//
//	atom = quantity | name | function "(" sum { "," sum } ")" | "total" | "count" "(" state ")"
//
// A quantity is a number with its unit, and one atom: 1 / 0.5 per day is 2 days.
type exprParser struct {
	expr.Parser[Atom]
	x       *Expression
	defined map[string]bool // the parameters
	names   func() []string
}

// ParseExpression reads an expression. Its names must be among those defined. Counts may stand in it if the expression says so.
func ParseExpression(x *Expression, defined map[string]bool, names func() []string) *syntaxProblem {
	if len(x.Text) > LongestExpression {
		return &syntaxProblem{Message: fmt.Sprintf("an expression of more than %d letters; give parts of it names, as parameters", LongestExpression)}
	}
	p := &exprParser{x: x, defined: defined, names: names}
	p.Parser = expr.Parser[Atom]{Grammar: p, Text: x.Text, Deepest: deepestExpression, Parentheses: 1}
	root, err := p.Parse()
	if err != nil {
		return err.(*syntaxProblem)
	}
	x.Root = root
	return nil
}

// fail ends the parsing.
func (p *exprParser) fail(at int, format string, args ...any) {
	p.Fail(&syntaxProblem{At: at, Message: fmt.Sprintf(format, args...)})
}

// TooDeep reports nesting that is too deep.
func (p *exprParser) TooDeep() {
	p.fail(p.At, "more than %d expressions in one another; give parts of it names, as parameters", deepestExpression)
}

// Unclosed reports a missing closing parenthesis.
func (p *exprParser) Unclosed(name string, from int) {
	if p.At < len(p.Text) {
		p.Unexpected()
	}
	if name == "min" || name == "max" {
		p.fail(from, "there is no ) for %s(; inside { } a text with a comma must be in quotes", name)
	}
	p.fail(from, "there is no ) for %s(", name)
}

// Unexpected reports what follows a complete expression.
func (p *exprParser) Unexpected() {
	switch p.Text[p.At] {
	case ')':
		p.fail(p.At, "a ) without a ( before it")
	case ',':
		p.fail(p.At, "a comma stands between the arguments of min and max, and nowhere else")
	case '%':
		p.fail(p.At, "a %% stands directly after a number, as in 30%%")
	}
	if word := p.word(); word != "" {
		if _, ok := unitNamed(word); ok || word == "per" {
			p.fail(p.At, "%s has no number before it; a unit stands directly after a number, as in 5 days", diag.Quote(word))
		}
	}
	p.fail(p.At, "found %s, expected an operator such as + or *", diag.Quote(p.token()))
}

// token is the next word or letter, for a message.
func (p *exprParser) token() string {
	if word := p.word(); word != "" {
		return word
	}
	_, n := utf8.DecodeRuneInString(p.Text[p.At:])
	return p.Text[p.At : p.At+n]
}
