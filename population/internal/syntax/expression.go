package syntax

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// An Expression is arithmetic with quantities and parameters: 0.5 * beta, 1 - efficacy, stay / 2.
type Expression struct {
	At          diag.Place // of its first character
	HasColumns  bool       // At is known to the column, and so is the place of every character
	Text        string
	Root        *ExprNode
	allowCounts bool            // total and count(STATE) may stand in it
	inPairs     bool            // it is of a rate each: size may stand in it, with allowCounts
	allowMeans  bool            // mean(NUMBER) and mean(NUMBER, STATE) may stand in it
	OfMet       bool            // its numbers are those of the individual that is met
	numbers     map[string]bool // the names of attributes that are numbers
	asked       func(string)    // while it is read: called with what a count is by, as ward of count(ward=any)
	HasNumber   bool            // an attribute that is a number stands in it
}

// An ExprNode is an operation, or an atom.
type ExprNode = expr.Node[Atom]

// An Atom is a part of an expression without operators.
type Atom struct {
	Kind     atomKind
	Quantity quantity.Quantity
	Name     string // of a parameter, of a state, or of an attribute that is a number
	State    string // AtomMean: whose mean it is; all if it is empty
}

type atomKind uint8

// The kinds of an atom.
const (
	AtomQuantity atomKind = iota
	AtomParameter
	AtomTotal  // the number of the living
	AtomSize   // the number of those who share a place or a value, oneself included
	atomCount  // the number of the living in a state
	AtomNumber // an attribute that is a number
	AtomMean   // the mean of such an attribute
)

// The limits of one expression as written. Package eval has limits for an expression whose
// parameters are expressions.
const (
	MaxExpressionBytes = 2000 // bytes
	maxExpressionDepth = 50   // nested expressions
)

// Place returns the place of a byte of the text.
func (x *Expression) Place(i int) diag.Place {
	at := x.At
	if x.HasColumns {
		at.Column += utf8.RuneCountInString(x.Text[:i])
	}
	return at
}

// TextOf returns the text of a node, as messages repeat it.
func (x *Expression) TextOf(n *ExprNode) string { return diag.Shorten(x.Text[n.From:n.To]) }

// EachParameter calls do for every parameter in a part of the expression.
func (x *Expression) EachParameter(n *ExprNode, do func(part Value)) {
	if IsParameter(n) {
		do(x.ParameterValue(n))
	}
	for _, a := range n.Args {
		x.EachParameter(a, do)
	}
}

// IsParameter reports whether a node is the name of a parameter.
func IsParameter(n *ExprNode) bool { return n.Op == expr.Leaf && n.Leaf.Kind == AtomParameter }

// ParameterValue returns the name of a parameter in the expression as a value.
func (x *Expression) ParameterValue(n *ExprNode) Value {
	return Value{At: x.Place(n.From), Text: diag.Shorten(n.Leaf.Name), Name: n.Leaf.Name}
}

// expression reads an expression. A problem is reported at the place in the text, if that is known.
func (r *Reader) expression(v *Value, n *yaml.Node, text, what string, allowCounts bool) {
	x := &Expression{At: v.At, Text: text, allowCounts: allowCounts, allowMeans: r.allowMeans,
		inPairs: r.inPairs}
	x.HasColumns = !strings.Contains(n.Value, "\n") && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0
	if x.HasColumns {
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
			x.At.Column++
		}
		x.At.Column += strings.Index(n.Value, text) // the spaces before it
	}
	defined := r.Parameters
	if len(r.Numbers) > 0 {
		defined = maps.Clone(r.Parameters)
		maps.Copy(defined, r.Numbers)
	}
	x.numbers, x.asked = r.Numbers, r.noteAsked
	err := ParseExpression(x, defined, func() []string { return slices.Sorted(maps.Keys(defined)) })
	x.asked = nil
	switch {
	case err == nil:
		v.Expr = x
	case err.unknown && namePattern().MatchString(text) && r.isNearParameter(text):
		v.Name = text // a misspelt name with a sign in it; package eval will report it as such
	default:
		r.Add(x.Place(err.At), "%s: %s: %v", what, diag.Quote(text), err.Message)
		v.Bad = true
	}
}

// isExpression reports whether a text that is neither a quantity nor the name of a parameter was
// meant as an expression: it has an operator or a parenthesis. The sign of a number or of its
// exponent does not count, but a sign before something else does.
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
			} else if !endsWithExponentMark(text[:i]) {
				return true
			}
		}
	}
	return false
}

// endsWithExponentMark reports whether a sign after the text would belong to an exponent: 1e, 2.E.
func endsWithExponentMark(text string) bool {
	last := len(text) - 1
	return (text[last] == 'e' || text[last] == 'E') && last > 0 && (isDigit(text[last-1]) || text[last-1] == '.')
}

// An exprError is what is wrong with the text of an expression, and at which byte.
type exprError struct {
	At      int
	Message any  // a text, or a fmt.Stringer
	unknown bool // a name is not that of a parameter
}

func (e *exprError) Error() string { return fmt.Sprint(e.Message) }

// An exprParser is the part of the grammar that is particular to models. In addition to the
// operators of package expr it reads
//
//	atom = quantity | name | function "(" sum { "," sum } ")" | "total" | "count" "(" state ")"
//
// A quantity is a number with its unit, and one atom: 1 / 0.5 per day is 2 days.
type exprParser struct {
	expr.Parser[Atom]
	x       *Expression
	defined map[string]bool // the parameters
	names   func() []string // the same, sorted, for messages
}

// ParseExpression parses the text of an expression. Its names must be among those defined.
func ParseExpression(x *Expression, defined map[string]bool, names func() []string) *exprError {
	if len(x.Text) > MaxExpressionBytes {
		return &exprError{Message: fmt.Sprintf(
			"an expression of more than %d letters; give parts of it names, as parameters", MaxExpressionBytes)}
	}
	p := &exprParser{x: x, defined: defined, names: names}
	p.Parser = expr.Parser[Atom]{Grammar: p, Text: x.Text, MaxDepth: maxExpressionDepth, ParenLevels: 1}
	root, err := p.Parse()
	if err != nil {
		return err.(*exprError)
	}
	x.Root = root
	return nil
}

// fail ends the parsing with an error at a byte.
func (p *exprParser) fail(at int, format string, args ...any) {
	p.Fail(&exprError{At: at, Message: fmt.Sprintf(format, args...)})
}

// TooDeep reports nesting that is too deep.
func (p *exprParser) TooDeep() {
	p.fail(p.At, "more than %d expressions in one another; give parts of it names, as parameters", maxExpressionDepth)
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
		if _, err := quantity.FindUnit(word); err == nil || word == "per" {
			p.fail(p.At, "%s has no number before it; a unit stands directly after a number, as in 5 days",
				diag.Quote(word))
		}
	}
	p.fail(p.At, "found %s, expected an operator such as + or *", diag.Quote(p.token()))
}

// token returns the next word or character, for a message.
func (p *exprParser) token() string {
	if word := p.word(); word != "" {
		return word
	}
	_, n := utf8.DecodeRuneInString(p.Text[p.At:])
	return p.Text[p.At : p.At+n]
}

// word returns the next word, or "".
func (p *exprParser) word() string { return firstWord(p.Text[p.At:]) }

// Atom reads a quantity, a name or a call, and the spaces after it.
func (p *exprParser) Atom() *ExprNode {
	switch {
	case p.At == len(p.Text):
		p.fail(p.At, "something is missing at the end; expected a quantity or a parameter")
	case isDigit(p.Text[p.At]) || p.Text[p.At] == '.':
		return p.quantity()
	case !startsWithLetter(p.Text[p.At:]):
		p.fail(p.At, "found %s, expected a quantity or a parameter", diag.Quote(p.token()))
	}
	return p.nameOrCall()
}

// newLeaf returns a node without operators.
func newLeaf(from, to int, a Atom) *ExprNode { return &ExprNode{From: from, To: to, Leaf: a} }

// quantity reads a number, and its unit if it has one.
func (p *exprParser) quantity() *ExprNode {
	text, from := p.Text, p.At
	end := from
	for end < len(text) {
		c := text[end]
		sign := (c == '+' || c == '-') && (text[end-1] == 'e' || text[end-1] == 'E') &&
			end+1 < len(text) && isDigit(text[end+1])
		if !isDigit(c) && c != '.' && c != '_' && !sign && !((c == 'e' || c == 'E') && isExponent(text[end+1:])) {
			break
		}
		end++
	}
	if date := quantity.LeadingDate(text[from:]); date != "" {
		p.fail(from, "%s is a date, and cannot be part of an expression", date)
	}
	q := quantity.Quantity{Kind: quantity.Number}
	var ok bool
	if q.Number, ok = quantity.ParseNumber(text[from:end]); !ok || startsWithNameRune(text[end:]) {
		p.fail(from, "%s is not a number", diag.Quote(text[from:end]+firstWord(text[end:])))
	}
	p.At = end
	if end < len(text) && text[end] == '%' {
		q.Kind, q.Number = quantity.Share, q.Number/100
		p.At++
		end++
	}
	p.SkipSpace()
	if q.Kind == quantity.Number {
		end = p.unit(&q, text[from:end], end)
	}
	return newLeaf(from, end, Atom{Quantity: q})
}

// isExponent reports whether a text, which follows an e, begins with an exponent.
func isExponent(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && isDigit(s[0])
}

// unit reads the unit after a number, if there is one, into q. The number ends at end; unit returns
// where the quantity ends.
func (p *exprParser) unit(q *quantity.Quantity, number string, end int) int {
	word := p.word()
	if word == "per" {
		q.Kind = quantity.Rate
		p.At += len(word)
		p.SkipSpace()
		if word = p.word(); word == "" {
			p.fail(p.At, "%s per what? Write %s per day, for example", diag.Shorten(number), diag.Shorten(number))
		}
	} else if word == "" {
		return end
	} else {
		q.Kind = quantity.Duration
	}
	u, err := quantity.FindUnit(word)
	if err != nil {
		p.fail(p.At, "%v", err)
	}
	q.Unit = u
	p.At += len(word)
	end = p.At
	p.SkipSpace()
	return end
}

// nameOrCall reads a parameter, a call of a function, or a count. Names of parameters may contain
// spaces and signs; the longest one that fits is taken.
func (p *exprParser) nameOrCall() *ExprNode {
	text, from := p.Text, p.At
	word := p.word()
	after := strings.TrimLeft(text[from+len(word):], " \t\n\r")
	if strings.HasPrefix(after, "(") {
		return p.call(word)
	}
	end := from + p.longestParameter()
	switch {
	case end > from && word == "total" && end == from+len(word) && p.x.allowCounts:
		p.fail(from, "total is the number of the living here, and also a parameter; give the parameter another name")
	case end > from:
	case word == "size" && p.x.inPairs && p.x.allowCounts:
		end = from + len(word)
	case word == "size" && p.x.inPairs:
		p.fail(from, "size may stand only in the value of a rate that has a most")
	case word == "total" && p.x.allowCounts:
		end = from + len(word)
	case word == "total":
		p.fail(from, "total may stand only in the value of a rate, "+
			"as in {value: r * (1 - total / 10_000), most: r}")
	default:
		if _, err := quantity.FindUnit(word); err == nil || word == "per" {
			p.fail(from, "%s has no number before it; a rate is written 0.5 per day, and a duration 5 days",
				diag.Quote(word))
		}
		p.Fail(&exprError{At: from, Message: diag.Unknown("parameter", word, p.names), unknown: true})
	}
	name := text[from:end]
	p.At = end
	p.SkipSpace()
	if name == "total" && p.x.allowCounts {
		return newLeaf(from, end, Atom{Kind: AtomTotal})
	}
	if name == "size" && p.x.inPairs && !p.defined[name] {
		return newLeaf(from, end, Atom{Kind: AtomSize})
	}
	if p.x.numbers[name] {
		p.x.HasNumber = true
		return newLeaf(from, end, Atom{Kind: AtomNumber, Name: name})
	}
	return newLeaf(from, end, Atom{Kind: AtomParameter, Name: name})
}

// longestParameter returns the length of the longest name of a parameter that comes next, or 0.
func (p *exprParser) longestParameter() int {
	rest := p.Text[p.At:]
	length := 0
	for i, r := range rest {
		if i > 0 && !isNameRune(r) && p.defined[rest[:i]] {
			length = i
		}
		if !isNameRune(r) && !strings.ContainsRune(" +-", r) || i > 4*diag.MaxNameRunes {
			return length
		}
	}
	if p.defined[rest] {
		length = len(rest)
	}
	return length
}

// call reads a function with its arguments.
func (p *exprParser) call(word string) *ExprNode {
	from := p.At
	op, ok := expr.Functions[word]
	if !ok && word != "count" && (word != "mean" || len(p.x.numbers) == 0) {
		known := []string{"min", "max", "exp", "log", "sqrt"}
		if p.x.allowCounts {
			known = append(known, "count")
		}
		if near := suggest.Name(word, known); near != "" {
			p.fail(from, "there is no function %s; did you mean %q?", diag.Quote(word), near)
		}
		p.fail(from, "there is no function %s; the functions are %s; a product is written with *",
			diag.Quote(word), strings.Join(known, ", "))
	}
	p.At += len(word)
	p.SkipSpace()
	p.Accept("(")
	switch word {
	case "count":
		return p.count(from)
	case "mean":
		return p.mean(from)
	}
	n := p.Call(word, from, true)
	if len(n.Args) > 1 && op != expr.Min && op != expr.Max {
		p.fail(from, "%s has one argument, and there are %d here", word, len(n.Args))
	}
	return n
}

// count reads the state of count(STATE). Its name may contain anything but a parenthesis.
func (p *exprParser) count(from int) *ExprNode {
	if !p.x.allowCounts {
		p.fail(from, "count(…) may stand only in the value of a rate, "+
			"as in {value: r * count(prey) / 1000, most: r}")
	}
	end := strings.IndexByte(p.Text[p.At:], ')')
	if end < 0 {
		p.fail(from, "there is no ) for count(")
	}
	name := strings.TrimSpace(p.Text[p.At : p.At+end])
	if name == "" {
		p.fail(from, "count of whom? Name a state, as in count(infectious)")
	}
	if by, _, is := strings.Cut(name, "="); is && p.x.asked != nil {
		p.x.asked(by)
	}
	mark := p.At
	p.At += end
	p.Accept(")")
	n := newLeaf(from, p.End(), Atom{Kind: atomCount, Name: name})
	n.OpAt = mark
	return n
}

// mean reads the number and the state of mean(NUMBER) and mean(NUMBER, STATE).
func (p *exprParser) mean(from int) *ExprNode {
	if !p.x.allowMeans {
		p.fail(from, "mean(…) may stand only in record: values, as in {active: mean(activity)}")
	}
	end := strings.IndexByte(p.Text[p.At:], ')')
	if end < 0 {
		p.fail(from, "there is no ) for mean(")
	}
	name, state, ofState := strings.Cut(p.Text[p.At:p.At+end], ",")
	name, state = strings.TrimSpace(name), strings.TrimSpace(state)
	switch {
	case name == "":
		p.fail(from, "mean of what? Name an attribute with number, as in mean(activity)")
	case !p.x.numbers[name]:
		p.fail(p.At, "mean: %s", diag.Unknown("attribute with number", name,
			func() []string { return slices.Sorted(maps.Keys(p.x.numbers)) }))
	case ofState && state == "":
		p.fail(from, "mean of whom? Name a state after the comma, as in mean(activity, infectious)")
	}
	mark := p.At
	p.At += end
	p.Accept(")")
	n := newLeaf(from, p.End(), Atom{Kind: AtomMean, Name: name, State: state})
	n.OpAt = mark
	return n
}

func isDigit(c byte) bool    { return c >= '0' && c <= '9' }
func isLetter(r rune) bool   { return r == '_' || unicode.IsLetter(r) }
func isNameRune(r rune) bool { return isLetter(r) || unicode.IsNumber(r) || r == '.' || r == '\'' }

func startsWithNameRune(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s != "" && isNameRune(r)
}

func startsWithLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s != "" && isLetter(r)
}

// firstWord returns the word that a text begins with, as names are made of, or "".
func firstWord(text string) string {
	if end := strings.IndexFunc(text, func(r rune) bool { return !isNameRune(r) }); end >= 0 {
		return text[:end]
	}
	return text
}
