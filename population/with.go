package population

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// With is the model with other values of parameters, each a quantity: what [Compile] would make of the file with [Set], without reading it
// again, which is most of the work. If there is no model with these values, the error is of type [Problems].
func (m *Model) With(parameters ...Parameter) (*Model, error) {
	list := &problemList{}
	values := make([]namedValue, len(parameters))
	for i, p := range parameters {
		at := place{file: "--set " + p.Name}
		q, err := parseQuantity(strings.TrimSpace(p.Value))
		switch {
		case !m.compiled.file.hasParameter(p.Name):
			list.add(at, "%s", unknown("parameter", p.Name, m.compiled.file.parameterNames))
		case err != nil:
			list.add(at, "the value: %v", err)
		}
		values[i] = written(p.Name, p.Value, q)
	}
	if err := list.err(); err != nil {
		return nil, err
	}
	return m.with(values)
}

// written is a value that is given to a parameter.
func written(name, text string, q quantity) namedValue {
	at := place{file: "--set " + name}
	return namedValue{label: named{name: name, at: at}, value: value{at: at, text: text, quantity: q}, node: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}}
}

// with is the model with other values of some of its parameters.
func (m *Model) with(values []namedValue) (*Model, error) {
	with, err := m.compiled.with(values)
	if err != nil {
		return nil, err
	}
	return &Model{source: m.source, compiled: with, program: with.program}, nil
}

// Changed reports whether a parameter has another value than the file gives it: that of a scenario, or of [Set].
func (m *Model) Changed(parameter string) bool { return m.compiled.file.changed[parameter] }

// UnitOf is what is written behind the number of a parameter, as the model has it: "per day", "days" or "%"; empty for a plain number. It is false if
// the parameter is not one quantity.
func (m *Model) UnitOf(parameter string) (string, bool) {
	here := m.compiled.quietly()
	if _, ok := here.parameter(parameter); !ok {
		return "", false
	}
	got, _, ok := here.resolve(value{name: parameter}, "")
	if !ok || got.law != nil {
		return "", false
	}
	return unitWords(got.quantity)
}

// vary is the model of a replica, if each has its own.
func (o *Options) vary(m *Model, replica int) (*Model, error) {
	if o.Vary == nil {
		return m, nil
	}
	own, err := o.Vary(replica)
	if err == nil && (!own.program.recordsAs(m.program)) {
		err = fmt.Errorf("%s: the model of replica %d records other things, or at other times; only values may differ", m.program.name, replica)
	}
	return own, err
}
