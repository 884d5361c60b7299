package randommodel

import (
	"regexp"
	"slices"
	"strings"
)

// A node is a part of a model file: a text, a list or a map.
type node interface{ write(b *strings.Builder) }

type (
	text  string
	list  []node
	entry struct {
		key   string
		value node
	}
	// A mapping keeps the order of its keys.
	mapping []entry
)

// plain are texts that need no quotes, also between braces.
var plain = regexp.MustCompile(`^[A-Za-z0-9_.%(+*/^ -]*[A-Za-z0-9_.%)]$`)

func quoted(s string) string {
	if plain.MatchString(s) && !strings.HasPrefix(s, "%") && !strings.HasPrefix(s, "*") && !strings.Contains(s, " - ") {
		return s
	}
	return `"` + s + `"`
}

func (t text) write(b *strings.Builder) { b.WriteString(quoted(string(t))) }

func (l list) write(b *strings.Builder) {
	b.WriteByte('[')
	for i, n := range l {
		if i > 0 {
			b.WriteString(", ")
		}
		n.write(b)
	}
	b.WriteByte(']')
}

func (m mapping) write(b *strings.Builder) {
	b.WriteByte('{')
	for i, e := range m {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoted(e.key))
		b.WriteString(": ")
		e.value.write(b)
	}
	b.WriteByte('}')
}

// with returns m with another key.
func (m mapping) with(key string, value node) mapping { return append(m, entry{key, value}) }

// has reports whether m has a key.
func (m mapping) has(key string) bool {
	return slices.ContainsFunc(m, func(e entry) bool { return e.key == key })
}

// file writes a model file: a line for each section, and for each entry of a list.
func (m mapping) file() string {
	var b strings.Builder
	for _, e := range m {
		b.WriteString(quoted(e.key))
		b.WriteByte(':')
		switch v := e.value.(type) {
		case list:
			for _, n := range v {
				b.WriteString("\n  - ")
				n.write(&b)
			}
		case mapping:
			if len(v) == 0 {
				b.WriteString(" {}")
			}
			for _, inner := range v {
				b.WriteString("\n  " + quoted(inner.key) + ": ")
				inner.value.write(&b)
			}
		default:
			b.WriteByte(' ')
			v.write(&b)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// smaller calls try with copies of n that lack one part, the largest parts first, until try keeps
// one. It reports whether it did.
func smaller(n node, try func(node) bool) bool {
	switch n := n.(type) {
	case list:
		for i := range n {
			if len(n) > 1 && try(slices.Delete(slices.Clone(n), i, i+1)) {
				return true
			}
		}
		for i := range n {
			if smaller(n[i], func(part node) bool {
				less := slices.Clone(n)
				less[i] = part
				return try(less)
			}) {
				return true
			}
		}
	case mapping:
		for i := range n {
			if try(slices.Delete(slices.Clone(n), i, i+1)) {
				return true
			}
		}
		for i := range n {
			if smaller(n[i].value, func(part node) bool {
				less := slices.Clone(n)
				less[i].value = part
				return try(less)
			}) {
				return true
			}
		}
	}
	return false
}
