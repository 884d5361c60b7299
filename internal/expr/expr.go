// Package expr parses arithmetic expressions into trees. It knows the operators, their precedence,
// parentheses and the functions min, max, exp, log and sqrt. Its caller, a [Grammar], reads
// numbers, names and other calls, words the errors, and evaluates the tree.
//
//	sum     = product { ("+" | "-") product }
//	product = signed { ("*" | "/") signed }
//	signed  = ("+" | "-") signed | power
//	power   = atom [ "^" signed ]
//	atom    = "(" sum ")" | what the caller reads
//
// A power binds from the right, and tighter than a sign before it: -2^2 is -4.
//
// The text may be anything. A [Parser] limits the nesting, and with it the recursion; nesting that
// counts as no level is limited by the length of the text alone.
package expr

import "strings"

// An Op is the operation that a node applies to its arguments.
type Op uint8

// The operations. A Leaf has no arguments but a value, which the grammar reads.
const (
	Leaf Op = iota
	Add
	Subtract
	Multiply
	Divide
	Power
	Negate
	Min
	Max
	Exp
	Log
	Sqrt
)

// Functions are the operations that are written as calls, by name.
var Functions = map[string]Op{"min": Min, "max": Max, "exp": Exp, "log": Log, "sqrt": Sqrt}

var binaryOps = map[byte]Op{'+': Add, '-': Subtract, '*': Multiply, '/': Divide, '^': Power}

// A Node is a part of an expression.
type Node[T any] struct {
	Op       Op
	From, To int // its text, Text[From:To], with its parentheses if it has any
	OpAt     int // the position of its operator or function
	Args     []*Node[T]
	Leaf     T // the value of a Leaf
}

// A Grammar is the caller's part of the parser. Its methods report an error with [Parser.Fail],
// which ends the parsing; all but Atom must.
type Grammar[T any] interface {
	Atom() *Node[T]                 // reads an atom that is not in parentheses, and the spaces after it
	Unexpected()                    // the expression is complete, but the text goes on
	Unclosed(name string, from int) // a ")" is missing for the "(", or the call of name(, at from
	TooDeep()                       // the nesting is deeper than Deepest
}

// A Parser reads one expression. The caller sets the exported fields.
type Parser[T any] struct {
	Grammar Grammar[T]
	Text    string
	At      int // the next byte

	// Deepest bounds the nesting. A sign counts as one level, the whole text and what is in
	// parentheses as Parentheses levels, an exponent as Exponent levels.
	MaxDepth, ParenLevels, ExponentLevels int

	depth int
}

// A failure is an error on its way, as a panic, from Fail to Parse.
type failure struct{ error }

// Fail ends the parsing with an error. It does not return.
func (p *Parser[T]) Fail(err error) { panic(failure{err}) }

// Parse reads the whole text. An error is one that the grammar has passed to Fail.
func (p *Parser[T]) Parse() (root *Node[T], err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = f.error
		}
	}()
	root = p.sum()
	if p.At < len(p.Text) {
		p.Grammar.Unexpected()
	}
	return root, nil
}

const spaces = " \t\n\r"

// SkipSpace skips spaces.
func (p *Parser[T]) SkipSpace() {
	for p.At < len(p.Text) && strings.IndexByte(spaces, p.Text[p.At]) >= 0 {
		p.At++
	}
}

// End returns the position after what was read last, without the spaces after it.
func (p *Parser[T]) End() int { return len(strings.TrimRight(p.Text[:p.At], spaces)) }

// Accept reads the next byte, and the spaces after it, if the byte is one of a set. It returns the
// byte, or 0, and its position.
func (p *Parser[T]) Accept(set string) (c byte, at int) {
	if at = p.At; at < len(p.Text) && strings.IndexByte(set, p.Text[at]) >= 0 {
		c = p.Text[at]
		p.At++
		p.SkipSpace()
	}
	return c, at
}

// Call reads the arguments of one of the Functions, whose name begins at from, and the closing
// parenthesis. The opening one has been read. It reads several arguments only if many is true.
func (p *Parser[T]) Call(name string, from int, many bool) *Node[T] {
	n := &Node[T]{Op: Functions[name], From: from, OpAt: from}
	for more := byte(','); more != 0; {
		n.Args = append(n.Args, p.sum())
		if more = 0; many {
			more, _ = p.Accept(",")
		}
	}
	p.close(name, from)
	n.To = p.End()
	return n
}

// close reads a closing parenthesis.
func (p *Parser[T]) close(name string, from int) {
	if c, _ := p.Accept(")"); c == 0 {
		p.Grammar.Unclosed(name, from)
	}
}

// nested calls read for a part of the expression that is some levels deeper.
func (p *Parser[T]) nested(levels int, read func() *Node[T]) *Node[T] {
	if p.depth += levels; p.depth > p.MaxDepth {
		p.Grammar.TooDeep()
	}
	n := read()
	p.depth -= levels
	return n
}

// sum reads a sum, and the spaces before it.
func (p *Parser[T]) sum() *Node[T] {
	return p.nested(p.ParenLevels, func() *Node[T] {
		p.SkipSpace()
		return p.chain("+-", p.product)
	})
}

func (p *Parser[T]) product() *Node[T] { return p.chain("*/", p.signed) }

// chain reads parts with operators between them, which are left-associative.
func (p *Parser[T]) chain(operators string, part func() *Node[T]) *Node[T] {
	n := part()
	for {
		c, at := p.Accept(operators)
		if c == 0 {
			return n
		}
		n = operation(binaryOps[c], n.From, at, n, part())
	}
}

// signed reads a signed part or a power.
func (p *Parser[T]) signed() *Node[T] {
	switch c, at := p.Accept("+-"); c {
	case '+':
		return p.nested(1, p.signed)
	case '-':
		return operation(Negate, at, at, p.nested(1, p.signed))
	}
	n := p.atom()
	if c, at := p.Accept("^"); c != 0 {
		return operation(Power, n.From, at, n, p.nested(p.ExponentLevels, p.signed))
	}
	return n
}

// atom reads a sum in parentheses, or lets the grammar read an atom.
func (p *Parser[T]) atom() *Node[T] {
	c, from := p.Accept("(")
	if c == 0 {
		return p.Grammar.Atom()
	}
	n := *p.sum()
	p.close("", from)
	n.From, n.To = from, p.End()
	return &n
}

// operation returns a node whose text ends with that of its last argument.
func operation[T any](op Op, from, mark int, args ...*Node[T]) *Node[T] {
	return &Node[T]{Op: op, From: from, To: args[len(args)-1].To, OpAt: mark, Args: args}
}
