package population

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/syntax"
	"go.yaml.in/yaml/v3"
)

// Rewrite is the text of the model file with other values of parameters in it, written as [Set] takes them; all else stays as it is written, comments
// included. What it returns has been read again, and says what it should.
func (m *Model) Rewrite(parameters ...Parameter) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(m.source, &doc); err != nil {
		return nil, err
	}
	r := syntax.NewReader(&diag.List{}, m.compiled.File.Path)
	section := r.Entry(doc.Content[0], "parameters")
	text := bytes.Clone(m.source)
	// From the last to the first, so that what is before stays where it is.
	type cut struct {
		from, to int
		with     string
	}
	var cuts []cut
	inPlace := true
	for _, p := range parameters {
		value := r.EntryNode(section, p.Name)
		if value == nil {
			return nil, fmt.Errorf("population: %s is no parameter of %s", p.Name, m.program.Name)
		}
		from, to, ok := m.extentOf(value)
		if inPlace = inPlace && ok; inPlace {
			cuts = append(cuts, cut{from, to, syntax.Scalar(p.Value, true)})
		}
		*value = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: p.Value, Style: plainStyle(p.Value), LineComment: value.LineComment, HeadComment: value.HeadComment, FootComment: value.FootComment}
	}
	slices.SortStableFunc(cuts, func(a, b cut) int { return cmp.Compare(b.from, a.from) })
	for _, c := range cuts {
		text = append(text[:c.from:c.from], append([]byte(c.with), text[c.to:]...)...)
	}
	if inPlace && m.says(text, parameters) {
		return text, nil
	}
	// A value that is an anchor, or stands on several lines: the whole is written anew, with its comments.
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(&doc); err != nil {
		return nil, err
	}
	if !m.says(b.Bytes(), parameters) {
		return nil, fmt.Errorf("population: the values cannot be written into the text of %s", m.program.Name)
	}
	return b.Bytes(), nil
}

// plainStyle leaves quotes to the encoder where a value needs them.
func plainStyle(text string) yaml.Style {
	if syntax.Scalar(text, true) == text {
		return 0
	}
	return yaml.DoubleQuotedStyle
}

// extentOf is where a value that stands on one line begins and ends in the source.
func (m *Model) extentOf(n *yaml.Node) (from, to int, ok bool) {
	if n.Kind != yaml.ScalarNode || n.Anchor != "" || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) != 0 {
		return 0, 0, false
	}
	for range n.Line - 1 {
		i := bytes.IndexByte(m.source[from:], '\n')
		if i < 0 {
			return 0, 0, false
		}
		from += i + 1
	}
	for range n.Column - 1 { // in runes
		_, size := utf8.DecodeRune(m.source[from:])
		from += size
	}
	rest := string(m.source[from:])
	switch text := n.Value; {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		text = `"` + text + `"`
		return from, from + len(text), strings.HasPrefix(rest, text)
	case n.Style&yaml.SingleQuotedStyle != 0:
		text = `'` + text + `'`
		return from, from + len(text), strings.HasPrefix(rest, text)
	default:
		return from, from + len(text), text != "" && strings.HasPrefix(rest, text)
	}
}

// says tells whether a text is a model with these values.
func (m *Model) says(text []byte, parameters []Parameter) bool {
	c := m.compiled.Asked
	c.Scenario = nil
	c.Set = slices.DeleteFunc(slices.Clone(c.Set), func(s syntax.Setting) bool {
		return slices.ContainsFunc(parameters, func(p Parameter) bool { return p.Name == s.Name })
	})
	again, err := compileWith(m.compiled.File.Path, text, c)
	if err != nil {
		return false
	}
	have := map[string]string{}
	for _, p := range again.Parameters() {
		have[p.Name] = p.Value
	}
	for _, p := range parameters {
		if have[p.Name] != p.Value && have[p.Name] != syntax.Scalar(p.Value, false) {
			return false
		}
	}
	return len(have) == len(m.compiled.File.Parameters)
}
