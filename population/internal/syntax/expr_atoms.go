package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/almanac-sim/almanac/internal/expr"
	"github.com/almanac-sim/almanac/internal/nearest"
	"github.com/almanac-sim/almanac/population/internal/diag"
)

func isDigit(c byte) bool      { return c >= '0' && c <= '9' }
func isLetter(r rune) bool     { return r == '_' || unicode.IsLetter(r) }
func isNameRune(r rune) bool   { return isLetter(r) || unicode.IsNumber(r) || r == '.' || r == '\'' }
func continues(s string) bool  { r, _ := utf8.DecodeRuneInString(s); return s != "" && isNameRune(r) }
func startsName(s string) bool { r, _ := utf8.DecodeRuneInString(s); return s != "" && isLetter(r) }

// firstWord is the letters, digits and the like that a text begins with, or "".
func firstWord(text string) string {
	if end := strings.IndexFunc(text, func(r rune) bool { return !isNameRune(r) }); end >= 0 {
		return text[:end]
	}
	return text
}

// word is the one that stands next, or "".
func (p *exprParser) word() string { return firstWord(p.Text[p.At:]) }

// Atom reads a quantity, a name or a call, and the spaces behind it.
func (p *exprParser) Atom() *ExprNode {
	switch {
	case p.At == len(p.Text):
		p.fail(p.At, "something is missing at the end; expected a quantity or a parameter")
	case isDigit(p.Text[p.At]) || p.Text[p.At] == '.':
		return p.number()
	case !startsName(p.Text[p.At:]):
		p.fail(p.At, "found %s, expected a quantity or a parameter", diag.Quote(p.token()))
	}
	return p.named()
}

// atom is a node without operators.
func atom(from, to int, a Atom) *ExprNode { return &ExprNode{From: from, To: to, Leaf: a} }

// number reads a quantity: a number, and its unit if it has one.
func (p *exprParser) number() *ExprNode {
	text, from := p.Text, p.At
	end := from
	for end < len(text) {
		c := text[end]
		sign := (c == '+' || c == '-') && (text[end-1] == 'e' || text[end-1] == 'E') && end+1 < len(text) && isDigit(text[end+1])
		if !isDigit(c) && c != '.' && c != '_' && !sign && !((c == 'e' || c == 'E') && exponent(text[end+1:])) {
			break
		}
		end++
	}
	if date := dateAt(text[from:]); date != "" {
		p.fail(from, "%s is a date, and cannot be part of an expression", date)
	}
	q := Quantity{Kind: KindNumber}
	var ok bool
	if q.Number, ok = ParseNumber(text[from:end]); !ok || continues(text[end:]) {
		p.fail(from, "%s is not a number", diag.Quote(text[from:end]+firstWord(text[end:])))
	}
	p.At = end
	if end < len(text) && text[end] == '%' {
		q.Kind, q.Number = KindShare, q.Number/100
		p.At++
		end++
	}
	p.Space()
	if q.Kind == KindNumber {
		end = p.unit(&q, text[from:end], end)
	}
	return atom(from, end, Atom{Quantity: q})
}

// exponent tells whether a text goes on as the exponent of a number does.
func exponent(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && isDigit(s[0])
}

// unit reads the unit behind a number, if there is one, and says where it ends.
func (p *exprParser) unit(q *Quantity, number string, end int) int {
	word := p.word()
	if word == "per" {
		q.Kind = KindRate
		p.At += len(word)
		p.Space()
		if word = p.word(); word == "" {
			p.fail(p.At, "%s per what? Write %s per day, for example", diag.Echo(number), diag.Echo(number))
		}
	} else if word == "" {
		return end
	} else {
		q.Kind = KindDuration
	}
	u, ok := unitNamed(word)
	if !ok {
		p.fail(p.At, "%s", noUnit(word))
	}
	q.Unit = u
	p.At += len(word)
	end = p.At
	p.Space()
	return end
}

// named reads a parameter, a function, or a count. Of the parameters that are defined it is the one with the longest name: they may have spaces and
// signs in them.
func (p *exprParser) named() *ExprNode {
	text, from := p.Text, p.At
	word := p.word()
	after := strings.TrimLeft(text[from+len(word):], " \t\n\r")
	if strings.HasPrefix(after, "(") {
		return p.call(word)
	}
	end := from + p.longest()
	switch {
	case end > from && word == "total" && end == from+len(word) && p.x.counts:
		p.fail(from, "total is the number of the living here, and also a parameter; give the parameter another name")
	case end > from:
	case word == "total" && p.x.counts:
		end = from + len(word)
	case word == "total":
		p.fail(from, "total may stand only in the value of a rate that has a most, as in {value: r * (1 - total / 10_000), most: r}")
	default:
		if _, ok := unitNamed(word); ok || word == "per" {
			p.fail(from, "%s has no number before it; a rate is written 0.5 per day, and a duration 5 days", diag.Quote(word))
		}
		p.Fail(&syntaxProblem{At: from, Message: diag.Unknown("parameter", word, p.names), unknown: true})
	}
	name := text[from:end]
	p.At = end
	p.Space()
	if name == "total" && p.x.counts {
		return atom(from, end, Atom{Kind: AtomTotal})
	}
	return atom(from, end, Atom{Kind: AtomParameter, Name: name})
}

// longest is how long the longest name of a parameter is that stands next; 0 if there is none.
func (p *exprParser) longest() int {
	rest := p.Text[p.At:]
	length := 0
	for i, r := range rest {
		if i > 0 && !isNameRune(r) && p.defined[rest[:i]] {
			length = i
		}
		if !isNameRune(r) && !strings.ContainsRune(" +-", r) || i > 4*diag.LongestName {
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
	if !ok && word != "count" {
		known := []string{"min", "max", "exp", "log", "sqrt"}
		if p.x.counts {
			known = append(known, "count")
		}
		if near := nearest.Name(word, known); near != "" {
			p.fail(from, "there is no function %s; did you mean %q?", diag.Quote(word), near)
		}
		p.fail(from, "there is no function %s; the functions are %s; a product is written with *", diag.Quote(word), strings.Join(known, ", "))
	}
	p.At += len(word)
	p.Space()
	p.Take("(")
	if word == "count" {
		return p.count(from)
	}
	n := p.Call(word, from, true)
	if len(n.Args) > 1 && op != expr.Min && op != expr.Max {
		p.fail(from, "%s has one argument, and there are %d here", word, len(n.Args))
	}
	return n
}

// count reads the state of which the living are counted. Its name may be anything but a parenthesis.
func (p *exprParser) count(from int) *ExprNode {
	if !p.x.counts {
		p.fail(from, "count(…) may stand only in the value of a rate that has a most, as in {value: r * count(prey) / 1000, most: r}")
	}
	end := strings.IndexByte(p.Text[p.At:], ')')
	if end < 0 {
		p.fail(from, "there is no ) for count(")
	}
	name := strings.TrimSpace(p.Text[p.At : p.At+end])
	if name == "" {
		p.fail(from, "count of whom? Name a state, as in count(infectious)")
	}
	mark := p.At
	p.At += end
	p.Take(")")
	n := atom(from, p.End(), Atom{Kind: atomCount, Name: name})
	n.Mark = mark
	return n
}
