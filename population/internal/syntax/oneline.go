package syntax

import (
	"go.yaml.in/yaml/v3"
	"strconv"
	"strings"
)

// maxFlowBytes bounds what OneLine writes: with aliases a few lines can stand for any number of
// bytes. Longer values are cut off.
const maxFlowBytes = 1 << 20

// OneLine returns a node as YAML on one line, in flow style and with aliases followed.
func OneLine(n *yaml.Node) string {
	var b strings.Builder
	writeFlow(&b, n, false)
	return b.String()
}

// writeFlow writes a node in flow style. inside reports whether it is part of a mapping or a list.
func writeFlow(b *strings.Builder, n *yaml.Node, inside bool) {
	if n == nil || b.Len() > maxFlowBytes {
		return
	}
	switch n.Kind {
	case yaml.AliasNode:
		writeFlow(b, n.Alias, inside)
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteString(", ")
			}
			writeFlow(b, n.Content[i], true)
			b.WriteString(": ")
			writeFlow(b, n.Content[i+1], true)
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteString(", ")
			}
			writeFlow(b, item, true)
		}
		b.WriteByte(']')
	default:
		b.WriteString(Scalar(n.Value, inside))
	}
}

// Scalar returns a text as a YAML scalar, quoted if it would otherwise mean something else or be
// invalid. inside reports whether it is part of a mapping or a list in flow style.
func Scalar(text string, inside bool) string {
	special := strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.HasSuffix(text, ":") ||
		strings.TrimSpace(text) != text || strings.ContainsAny(text, "\n\t\r\"") || startsWithIndicator(text)
	if special || inside && strings.ContainsAny(text, ",[]{}") {
		return strconv.Quote(text)
	}
	return text
}

// startsWithIndicator reports whether the first character has a meaning in YAML. The sign of a
// negative number has none.
func startsWithIndicator(text string) bool {
	return text != "" && strings.ContainsAny(text[:1], "-?:,[]{}#&*!|>'\"%@`") &&
		!(len(text) > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9')
}
