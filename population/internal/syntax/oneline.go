package syntax

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFlowBytes is how many bytes of a value are written: with aliases a few lines can stand for any number.
const maxFlowBytes = 1 << 20

// OneLine is YAML on one line that means what a node does.
func OneLine(n *yaml.Node) string {
	var b strings.Builder
	writeFlow(&b, n, false)
	return b.String()
}

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

// Scalar is a text of YAML, in quotes if it would mean something else, or nothing, without.
func Scalar(text string, inside bool) string {
	special := strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.HasSuffix(text, ":") || strings.TrimSpace(text) != text ||
		strings.ContainsAny(text, "\n\t\r\"") || text != "" && strings.ContainsAny(text[:1], "-?:,[]{}#&*!|>'\"%@`") && !(len(text) > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9')
	if special || inside && strings.ContainsAny(text, ",[]{}") {
		return strconv.Quote(text)
	}
	return text
}
