package population

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/almanac-sim/almanac/internal/nearest"
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
func (p *exprParser) word() string { return firstWord(p.x.text[p.i:]) }

// atom reads what has no operator in it, and the spaces behind it.
func (p *exprParser) atom() *exprNode {
	text := p.x.text
	if p.i == len(text) {
		p.fail(p.i, "something is missing at the end; expected a quantity or a parameter")
	}
	from := p.i
	switch c := text[p.i]; {
	case c == '(':
		p.take("(")
		n := p.sum()
		p.close("(", from)
		inner := *n
		inner.from, inner.to = from, p.end()
		return &inner
	case isDigit(c) || c == '.':
		return p.number()
	case !startsName(text[p.i:]):
		p.fail(p.i, "found %s, expected a quantity or a parameter", quote(p.token()))
	}
	return p.named()
}

// end is the byte after what was read last, without the spaces behind it.
func (p *exprParser) end() int { return len(strings.TrimRight(p.x.text[:p.i], " \t\n\r")) }

// close wants the parenthesis that ends what was opened.
func (p *exprParser) close(what string, opened int) {
	if _, _, ok := p.take(")"); ok {
		return
	}
	if p.i < len(p.x.text) {
		p.unexpected()
	}
	if what == "min(" || what == "max(" {
		p.fail(opened, "there is no ) for %s; inside { } a text with a comma must be in quotes", what)
	}
	p.fail(opened, "there is no ) for %s", what)
}

// number reads a quantity: a number, and its unit if it has one.
func (p *exprParser) number() *exprNode {
	text, from := p.x.text, p.i
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
	q := quantity{kind: aNumber}
	var ok bool
	if q.number, ok = parseNumber(text[from:end]); !ok || continues(text[end:]) {
		p.fail(from, "%s is not a number", quote(text[from:end]+firstWord(text[end:])))
	}
	p.i = end
	if end < len(text) && text[end] == '%' {
		q.kind, q.number = aShare, q.number/100
		p.i++
		end++
	}
	p.space()
	if q.kind == aNumber {
		end = p.unit(&q, text[from:end], end)
	}
	return &exprNode{op: opQuantity, from: from, to: end, quantity: q}
}

// exponent tells whether a text goes on as the exponent of a number does.
func exponent(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && isDigit(s[0])
}

// unit reads the unit behind a number, if there is one, and says where it ends.
func (p *exprParser) unit(q *quantity, number string, end int) int {
	word := p.word()
	if word == "per" {
		q.kind = aRate
		p.i += len(word)
		p.space()
		if word = p.word(); word == "" {
			p.fail(p.i, "%s per what? Write %s per day, for example", echo(number), echo(number))
		}
	} else if word == "" {
		return end
	} else {
		q.kind = aDuration
	}
	u, ok := unitNamed(word)
	if !ok {
		p.fail(p.i, "%s", noUnit(word))
	}
	q.unit = u
	p.i += len(word)
	end = p.i
	p.space()
	return end
}

// named reads a parameter, a function, or a count. Of the parameters that are defined it is the one with the longest name: they may have spaces and
// signs in them.
func (p *exprParser) named() *exprNode {
	text, from := p.x.text, p.i
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
			p.fail(from, "%s has no number before it; a rate is written 0.5 per day, and a duration 5 days", quote(word))
		}
		panic(&syntaxProblem{at: from, message: unknown("parameter", word, p.names), unknown: true})
	}
	name := text[from:end]
	p.i = end
	p.space()
	if name == "total" && p.x.counts {
		return &exprNode{op: opTotal, from: from, to: end}
	}
	return &exprNode{op: opParameter, from: from, to: end, name: name}
}

// longest is how long the longest name of a parameter is that stands next; 0 if there is none.
func (p *exprParser) longest() int {
	rest := p.x.text[p.i:]
	length := 0
	for i, r := range rest {
		if i > 0 && !isNameRune(r) && p.defined[rest[:i]] {
			length = i
		}
		if !isNameRune(r) && !strings.ContainsRune(" +-", r) || i > 4*longestName {
			return length
		}
	}
	if p.defined[rest] {
		length = len(rest)
	}
	return length
}

// call reads a function with its arguments.
func (p *exprParser) call(word string) *exprNode {
	from := p.i
	op, ok := functions[word]
	if !ok && word != "count" {
		known := []string{"min", "max", "exp", "log", "sqrt"}
		if p.x.counts {
			known = append(known, "count")
		}
		if near := nearest.Name(word, known); near != "" {
			p.fail(from, "there is no function %s; did you mean %q?", quote(word), near)
		}
		p.fail(from, "there is no function %s; the functions are %s; a product is written with *", quote(word), strings.Join(known, ", "))
	}
	p.i += len(word)
	p.space()
	p.take("(")
	if word == "count" {
		return p.count(from)
	}
	n := &exprNode{op: op, from: from, mark: from}
	for {
		n.args = append(n.args, p.sum())
		if _, _, more := p.take(","); !more {
			break
		}
	}
	p.close(word+"(", from)
	if n.to = p.end(); len(n.args) > 1 && op != opMin && op != opMax {
		p.fail(from, "%s has one argument, and there are %d here", word, len(n.args))
	}
	return n
}

// count reads the state of which the living are counted. Its name may be anything but a parenthesis.
func (p *exprParser) count(from int) *exprNode {
	if !p.x.counts {
		p.fail(from, "count(…) may stand only in the value of a rate that has a most, as in {value: r * count(prey) / 1000, most: r}")
	}
	end := strings.IndexByte(p.x.text[p.i:], ')')
	if end < 0 {
		p.fail(from, "there is no ) for count(")
	}
	name := strings.TrimSpace(p.x.text[p.i : p.i+end])
	if name == "" {
		p.fail(from, "count of whom? Name a state, as in count(infectious)")
	}
	n := &exprNode{op: opCount, from: from, mark: p.i, name: name}
	p.i += end
	p.take(")")
	n.to = p.end()
	return n
}
