package expr

import (
	"fmt"
	"strings"
	"testing"
)

// letters is a grammar whose atoms are single letters, and calls: f(…) of max, g(…) of sqrt.
type letters struct{ Parser[byte] }

func (p *letters) fail(what string) { p.Fail(fmt.Errorf("%s at %d", what, p.At)) }

func (p *letters) Unexpected() { p.fail("unexpected") }
func (p *letters) Unclosed(name string, from int) {
	p.fail(fmt.Sprintf("unclosed %q from %d", name, from))
}
func (p *letters) TooDeep() { p.fail("deep") }

func (p *letters) Atom() *Node[byte] {
	at := p.At
	switch {
	case at == len(p.Text) || p.Text[at] < 'a':
		p.fail("no atom")
	case strings.HasPrefix(p.Text[at:], "f("):
		p.At += 2
		return p.Call("max", at, true)
	case strings.HasPrefix(p.Text[at:], "g("):
		p.At += 2
		return p.Call("sqrt", at, false)
	}
	p.At++
	p.SkipSpace()
	return &Node[byte]{From: at, To: at + 1, Leaf: p.Text[at]}
}

func (p *letters) String(n *Node[byte]) string {
	if n.Op == Leaf {
		return string(n.Leaf)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "(%d@%d", n.Op, n.OpAt)
	for _, a := range n.Args {
		b.WriteString(" " + p.String(a))
	}
	return b.String() + ")"
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"a":                "a",
		" a - b -c ":       "(2@7 (2@3 a b) c)",
		"a+b*c":            "(1@1 a (3@3 b c))",
		"(a+b)/c":          "(4@5 (1@2 a b) c)",
		"-a^b":             "(6@0 (5@2 a b))",
		"a^-b^c":           "(5@1 a (6@2 (5@4 b c)))",
		"a*-+b":            "(3@1 a (6@2 b))",
		"f( a, b+c )":      "(8@0 a (1@7 b c))",
		"":                 "no atom at 0",
		"a+":               "no atom at 2",
		"a b":              "unexpected at 2",
		"(a b":             `unclosed "" from 0 at 3`,
		"c+f(a":            `unclosed "max" from 2 at 5`,
		"g(a)":             "(11@0 a)",
		"g(a,b)":           `unclosed "sqrt" from 0 at 3`,
		"(a)+-a^a^(a)+(a)": "(1@12 (1@3 a (6@4 (5@6 a (5@8 a a)))) a)",
		"((a))":            "a",
		"(((a)))":          "deep at 3",
		"-----a":           "(6@0 (6@1 (6@2 (6@3 (6@4 a)))))",
		"------a":          "deep at 6",
		"a^b^c^d":          "(5@1 a (5@3 b (5@5 c d)))",
		"a^a^a^a^a^a^a":    "deep at 12",
	} {
		p := &letters{}
		p.Parser = Parser[byte]{Grammar: p, Text: text, MaxDepth: 7, ParenLevels: 2, ExponentLevels: 1}
		root, err := p.Parse()
		got := fmt.Sprint(err)
		if err == nil {
			got = p.String(root)
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
		if err == nil && text[root.From:root.To] != strings.TrimSpace(text) {
			t.Errorf("%q stands from %d to %d", text, root.From, root.To)
		}
	}
}
