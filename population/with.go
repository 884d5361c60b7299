package population

import (
	"fmt"
	"maps"
	"slices"
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
		case !m.file.hasParameter(p.Name):
			list.add(at, "%s", unknown("parameter", p.Name, m.file.parameterNames))
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

// with compiles the file, which has been read, with other values of some of its parameters.
func (m *Model) with(values []namedValue) (*Model, error) {
	file, asked := *m.file, m.asked
	file.parameters, file.changed, asked.set = slices.Clone(file.parameters), maps.Clone(file.changed), slices.Clone(asked.set)
	for _, v := range values {
		p := &file.parameters[slices.IndexFunc(file.parameters, func(p namedValue) bool { return p.label.name == v.label.name })]
		p.value, p.node = v.value, v.node
		file.changed[v.label.name] = true
		asked.set = append(asked.set, setting{name: v.label.name, text: v.node.Value, node: v.node})
	}
	list := &problemList{}
	with := compile(&file, list)
	if err := list.err(); err != nil {
		return nil, err
	}
	with.source, with.asked, with.tables = m.source, asked, m.tables
	return with, nil
}

// Changed reports whether a parameter has another value than the file gives it: that of a scenario, or of [Set].
func (m *Model) Changed(parameter string) bool { return m.file.changed[parameter] }

// UnitOf is what is written behind the number of a parameter, as the model has it: "per day", "days" or "%"; empty for a plain number. It is false if
// the parameter is not one quantity.
func (m *Model) UnitOf(parameter string) (string, bool) {
	here := m.quietly()
	if _, ok := here.parameter(parameter); !ok {
		return "", false
	}
	got, _, ok := here.resolve(value{name: parameter}, "")
	if !ok || got.law != nil {
		return "", false
	}
	return unitWords(got.quantity)
}

// unitWords is what is written behind the number of a quantity.
func unitWords(q quantity) (string, bool) {
	switch q.kind {
	case aNumber:
		return "", true
	case aShare:
		return "%", true
	case aDuration:
		return q.unit.name + "s", true
	case aRate:
		return "per " + q.unit.name, true
	}
	return "", false
}

// vary is the model of a replica, if each has its own.
func (o *Options) vary(m *Model, replica int) (*Model, error) {
	if o.Vary == nil {
		return m, nil
	}
	own, err := o.Vary(replica)
	if err == nil && (own.size != m.size || !slices.Equal(own.states, m.states) || !slices.Equal(own.flows, m.flows) || !slices.Equal(own.names, m.names) || !slices.Equal(own.rows, m.rows)) {
		err = fmt.Errorf("%s: the model of replica %d records other things, or at other times; only values may differ", m.name, replica)
	}
	return own, err
}
