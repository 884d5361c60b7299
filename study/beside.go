package study

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// SourceBeside is the text of the model as it stands beside its results: with the names that the
// files it reads have there.
func (r *Request) SourceBeside() []byte {
	var document yaml.Node
	if len(r.Moved) == 0 || yaml.Unmarshal(r.Source, &document) != nil {
		return r.Source
	}
	var names []*yaml.Node
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		for i, child := range n.Content {
			visit(child)
			if n.Kind != yaml.MappingNode || i%2 == 0 || r.Moved[child.Value] == "" {
				continue
			}
			if key := n.Content[i-1].Value; key == "file" || key == "data" {
				names = append(names, child)
			}
		}
	}
	visit(&document)
	slices.SortFunc(names, func(a, b *yaml.Node) int { // from the end, so that places stay right
		if a.Line != b.Line {
			return b.Line - a.Line
		}
		return b.Column - a.Column
	})
	lines := strings.SplitAfter(string(r.Source), "\n")
	for _, n := range names {
		line := []rune(lines[n.Line-1]) // columns are counted in characters
		before, rest := string(line[:n.Column-1]), string(line[n.Column-1:])
		for _, written := range []string{n.Value, strconv.Quote(n.Value), "'" + n.Value + "'"} {
			if after, ok := strings.CutPrefix(rest, written); ok {
				lines[n.Line-1] = before + strings.Replace(written, n.Value, r.Moved[n.Value], 1) + after
				break
			}
		}
	}
	return []byte(strings.Join(lines, ""))
}
