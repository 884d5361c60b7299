package population

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
	"go.yaml.in/yaml/v3"
)

// A Parameter is a named value of a model, at the start of a run.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"` // on one line, as a file has it and as [Set] takes it
}

// Parameters are the parameters in the order of the file, with the values that the model is run
// with: those of the file, of a [Scenario], or of [Set].
func (m *Model) Parameters() []Parameter {
	all := make([]Parameter, len(m.compiled.File.Parameters))
	for i, p := range m.compiled.File.Parameters {
		all[i] = Parameter{p.Label.Name, syntax.OneLine(p.Node)}
	}
	return all
}

// With returns the model with other values of parameters, each a quantity. It is what [Compile]
// makes of the file with [Set], without parsing the file again, which is most of the work. If there
// is no such model, the error is of type [Problems].
func (m *Model) With(parameters ...Parameter) (*Model, error) {
	list := &diag.List{}
	values := make([]syntax.NamedValue, len(parameters))
	for i, p := range parameters {
		at := diag.Place{File: "--set " + p.Name}
		q, err := quantity.Parse(strings.TrimSpace(p.Value))
		switch {
		case !m.compiled.File.HasParameter(p.Name):
			list.Add(at, "%s", diag.Unknown("parameter", p.Name, m.compiled.File.ParameterNames))
		case err != nil:
			list.Add(at, "the value: %v", err)
		}
		values[i] = written(p.Name, p.Value, q)
	}
	if err := list.Err(); err != nil {
		return nil, err
	}
	return m.with(values)
}

// written is a value that is given to a parameter.
func written(name, text string, q quantity.Quantity) syntax.NamedValue {
	at := diag.Place{File: "--set " + name}
	return syntax.NamedValue{
		Label: syntax.Ref{Name: name, At: at},
		Value: syntax.Value{At: at, Text: text, Quantity: q},
		Node:  &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text},
	}
}

// with is the model with other values of some parameters.
func (m *Model) with(values []syntax.NamedValue) (*Model, error) {
	if m.state != nil {
		return m.state.with(m, values)
	}
	with, err := m.compiled.With(values)
	if err != nil {
		return nil, err
	}
	return &Model{source: m.source, compiled: with, program: with.Program}, nil
}

// Changed reports whether a [Scenario] or [Set] gave a parameter its value.
func (m *Model) Changed(parameter string) bool { return m.compiled.File.Overridden[parameter] }

// UnitOf is what is written behind the number of a parameter: "per day", "days" or "%"; empty for a
// plain number. It reports false if the parameter is not one quantity.
func (m *Model) UnitOf(parameter string) (string, bool) {
	here := m.compiled.StartScope()
	if _, ok := here.Parameter(parameter); !ok {
		return "", false
	}
	got, _, ok := here.Resolve(syntax.Value{Name: parameter}, "")
	if !ok || got.Distribution != nil {
		return "", false
	}
	return quantity.UnitSuffix(got.Quantity)
}

// Rewrite returns the text of the model file with other values of parameters, written as [Set]
// takes them. All else stays as it is, comments included. The result has been compiled again, and
// has these values.
func (m *Model) Rewrite(parameters ...Parameter) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(m.source, &doc); err != nil {
		return nil, err
	}
	r := syntax.NewReader(&diag.List{}, m.compiled.File.Path)
	section := r.Lookup(doc.Content[0], "parameters")
	text := bytes.Clone(m.source)
	// From the last to the first, so that offsets before a cut stay valid.
	type cut struct {
		from, to int
		with     string
	}
	var cuts []cut
	inPlace := true
	for _, p := range parameters {
		value := r.LookupRaw(section, p.Name)
		if value == nil {
			return nil, fmt.Errorf("population: %s is no parameter of %s", p.Name, m.program.Name)
		}
		from, to, ok := m.extentOf(value)
		if inPlace = inPlace && ok; inPlace {
			cuts = append(cuts, cut{from, to, syntax.Scalar(p.Value, true)})
		}
		*value = yaml.Node{
			Kind:        yaml.ScalarNode,
			Tag:         "!!str",
			Value:       p.Value,
			Style:       plainStyle(p.Value),
			LineComment: value.LineComment,
			HeadComment: value.HeadComment,
			FootComment: value.FootComment,
		}
	}
	slices.SortStableFunc(cuts, func(a, b cut) int { return cmp.Compare(b.from, a.from) })
	for _, c := range cuts {
		text = append(text[:c.from:c.from], append([]byte(c.with), text[c.to:]...)...)
	}
	if inPlace && m.says(text, parameters) {
		return text, nil
	}
	// A value with an anchor, or on several lines: the whole document is encoded again, with its
	// comments.
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

// extentOf returns where a value on one line begins and ends in the source.
func (m *Model) extentOf(n *yaml.Node) (from, to int, ok bool) {
	if n.Kind != yaml.ScalarNode || n.Anchor != "" ||
		n.Style&(yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) != 0 {
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

// says reports whether a text is a model with these values.
func (m *Model) says(text []byte, parameters []Parameter) bool {
	c := m.compiled.Changes
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
