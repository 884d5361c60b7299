package population

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// An expression is arithmetic with quantities and parameters, as it is written: 0.5 * beta, 1 - efficacy, stay / 2.
type expression struct {
	at     place // of its first letter
	exact  bool  // that and the place of every letter of it are known
	text   string
	root   *exprNode
	counts bool // it stands where counts may
}

// An exprNode is an operation, or something that is written out.
type exprNode struct {
	op       exprOp
	from, to int // where it stands in the text
	mark     int // where its operator stands
	args     []*exprNode
	quantity quantity
	name     string // of a parameter, or of a state
}

type exprOp uint8

const (
	opQuantity exprOp = iota
	opParameter
	opTotal
	opCount
	opAdd
	opSubtract
	opMultiply
	opDivide
	opPower
	opNegate
	opMin
	opMax
	opExp
	opLog
	opSqrt
)

// functions are those that have a name.
var functions = map[string]exprOp{"min": opMin, "max": opMax, "exp": opExp, "log": opLog, "sqrt": opSqrt}

// The limits of what is written; an expression of parameters that are expressions has others, see weigh.
const (
	longestExpression = 2000 // bytes
	deepestExpression = 50   // expressions in one another
)

// place is where a byte of the text stands in the file.
func (x *expression) place(i int) place {
	at := x.at
	if x.exact {
		at.column += utf8.RuneCountInString(x.text[:i])
	}
	return at
}

// part is a piece of the text, as a message repeats it.
func (x *expression) part(n *exprNode) string { return echo(x.text[n.from:n.to]) }

// each visits the parameters that stand in the expression.
func (x *expression) each(do func(part value)) { x.root.each(x, do) }

func (n *exprNode) each(x *expression, do func(part value)) {
	if n.op == opParameter {
		do(x.parameter(n))
	}
	for _, a := range n.args {
		a.each(x, do)
	}
}

// parameter is the value that a name in the expression is.
func (x *expression) parameter(n *exprNode) value {
	return value{at: x.place(n.from), text: echo(n.name), name: n.name}
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
	at      int
	message any // a text, or something that becomes one when it is printed
	unknown bool
}

// An exprParser reads an expression by recursive descent.
//
//	sum     = product { ("+" | "-") product }
//	product = signed { ("*" | "/") signed }
//	signed  = ("+" | "-") signed | power
//	power   = atom [ "^" signed ]
//	atom    = quantity | name | "(" sum ")" | function "(" sum { "," sum } ")" | "total" | "count" "(" state ")"
//
// A quantity is a number with its unit, and one atom: 1 / 0.5 per day is 2 days. A power binds from the right, and tighter than a sign
// before it: -2^2 is -4.
type exprParser struct {
	x       *expression
	i       int // the next byte
	depth   int
	defined map[string]bool // the parameters
	names   func() []string
}

// parseExpression reads an expression. Its names must be among those defined. Counts may stand in it if the expression says so.
func parseExpression(x *expression, defined map[string]bool, names func() []string) (wrong *syntaxProblem) {
	p := &exprParser{x: x, defined: defined, names: names}
	defer func() {
		if r := recover(); r != nil {
			problem, ok := r.(*syntaxProblem)
			if !ok {
				panic(r)
			}
			wrong = problem
		}
	}()
	if len(x.text) > longestExpression {
		p.fail(0, "an expression of more than %d letters; give parts of it names, as parameters", longestExpression)
	}
	x.root = p.sum()
	if p.i < len(x.text) {
		p.unexpected()
	}
	return nil
}

// fail ends the reading.
func (p *exprParser) fail(at int, format string, args ...any) {
	panic(&syntaxProblem{at: at, message: fmt.Sprintf(format, args...)})
}

// unexpected fails at what comes after something complete.
func (p *exprParser) unexpected() {
	rest := p.x.text[p.i:]
	switch c := rest[0]; {
	case c == ')':
		p.fail(p.i, "a ) without a ( before it")
	case c == ',':
		p.fail(p.i, "a comma stands between the arguments of min and max, and nowhere else")
	case c == '%':
		p.fail(p.i, "a %% stands directly after a number, as in 30%%")
	}
	if word := p.word(); word != "" {
		if _, ok := unitNamed(word); ok || word == "per" {
			p.fail(p.i, "%s has no number before it; a unit stands directly after a number, as in 5 days", quote(word))
		}
	}
	p.fail(p.i, "found %s, expected an operator such as + or *", quote(p.token()))
}

// token is what stands next, for a message.
func (p *exprParser) token() string {
	if word := p.word(); word != "" {
		return word
	}
	_, n := utf8.DecodeRuneInString(p.x.text[p.i:])
	return p.x.text[p.i : p.i+n]
}

// space passes over spaces.
func (p *exprParser) space() {
	for p.i < len(p.x.text) && strings.IndexByte(" \t\n\r", p.x.text[p.i]) >= 0 {
		p.i++
	}
}

// take passes over a byte if it is one of those, and over the spaces after it.
func (p *exprParser) take(any string) (byte, int, bool) {
	if p.i < len(p.x.text) && strings.IndexByte(any, p.x.text[p.i]) >= 0 {
		at := p.i
		p.i++
		p.space()
		return p.x.text[at], at, true
	}
	return 0, 0, false
}

// node makes an operation of what was read from a byte on.
func (p *exprParser) node(op exprOp, from, mark int, args ...*exprNode) *exprNode {
	return &exprNode{op: op, from: from, to: args[len(args)-1].to, mark: mark, args: args}
}

func (p *exprParser) sum() *exprNode {
	defer p.deeper()()
	p.space()
	n := p.product()
	for {
		c, at, ok := p.take("+-")
		if !ok {
			return n
		}
		op := opAdd
		if c == '-' {
			op = opSubtract
		}
		n = p.node(op, n.from, at, n, p.product())
	}
}

func (p *exprParser) product() *exprNode {
	n := p.signed()
	for {
		c, at, ok := p.take("*/")
		if !ok {
			return n
		}
		op := opMultiply
		if c == '/' {
			op = opDivide
		}
		n = p.node(op, n.from, at, n, p.signed())
	}
}

func (p *exprParser) signed() *exprNode {
	c, at, ok := p.take("+-")
	if !ok {
		return p.power()
	}
	defer p.deeper()()
	n := p.signed()
	if c == '+' {
		return n
	}
	return p.node(opNegate, at, at, n)
}

// deeper counts expressions in one another; what it returns is to be called at the end of one.
func (p *exprParser) deeper() func() {
	if p.depth++; p.depth > deepestExpression {
		p.fail(p.i, "more than %d expressions in one another; give parts of it names, as parameters", deepestExpression)
	}
	return func() { p.depth-- }
}

func (p *exprParser) power() *exprNode {
	n := p.atom()
	if _, at, ok := p.take("^"); ok {
		return p.node(opPower, n.from, at, n, p.signed())
	}
	return n
}
