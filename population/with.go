package population

import (
	"fmt"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/syntax"
	"go.yaml.in/yaml/v3"
)

// With is the model with other values of parameters, each a quantity: what [Compile] would make of the file with [Set], without reading it
// again, which is most of the work. If there is no model with these values, the error is of type [Problems].
func (m *Model) With(parameters ...Parameter) (*Model, error) {
	list := &diag.List{}
	values := make([]syntax.NamedValue, len(parameters))
	for i, p := range parameters {
		at := diag.Place{File: "--set " + p.Name}
		q, err := syntax.ParseQuantity(strings.TrimSpace(p.Value))
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
func written(name, text string, q syntax.Quantity) syntax.NamedValue {
	at := diag.Place{File: "--set " + name}
	return syntax.NamedValue{Label: syntax.Ref{Name: name, At: at}, Value: syntax.Value{At: at, Text: text, Quantity: q}, Node: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}}
}

// with is the model with other values of some of its parameters.
func (m *Model) with(values []syntax.NamedValue) (*Model, error) {
	with, err := m.compiled.With(values)
	if err != nil {
		return nil, err
	}
	return &Model{source: m.source, compiled: with, program: with.Program}, nil
}

// Changed reports whether a parameter has another value than the file gives it: that of a scenario, or of [Set].
func (m *Model) Changed(parameter string) bool { return m.compiled.File.Changed[parameter] }

// UnitOf is what is written behind the number of a parameter, as the model has it: "per day", "days" or "%"; empty for a plain number. It is false if
// the parameter is not one quantity.
func (m *Model) UnitOf(parameter string) (string, bool) {
	here := m.compiled.Quietly()
	if _, ok := here.Parameter(parameter); !ok {
		return "", false
	}
	got, _, ok := here.Resolve(syntax.Value{Name: parameter}, "")
	if !ok || got.Distribution != nil {
		return "", false
	}
	return syntax.UnitWords(got.Quantity)
}

// vary is the model of a replica, if each has its own.
func (o *Options) vary(m *Model, replica int) (*Model, error) {
	if o.Vary == nil {
		return m, nil
	}
	own, err := o.Vary(replica)
	if err == nil && (!own.program.RecordsAs(m.program)) {
		err = fmt.Errorf("%s: the model of replica %d records other things, or at other times; only values may differ", m.program.Name, replica)
	}
	return own, err
}
