package population

import (
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Change asks for something other than what the model file says.
type Change func(*changes)

type changes struct {
	size     *int
	until    *string
	scenario *string
	set      []setting
	files    func(name string) ([]byte, error)
}

// A setting is a value to be put in the place of what the file has under a name.
type setting struct {
	name, text string
	node       *yaml.Node // what the text says, once it has been read; nil if it cannot be
}

// Size changes how many individuals there are at the start. States that begin with a number keep it.
func Size(n int) Change { return func(c *changes) { c.size = &n } }

// Until changes when the model ends: a time on its clock, in its own unit ("2011"), with a unit ("160 days"), or a date ("2020-12-31") if it
// starts at one.
func Until(time string) Change { return func(c *changes) { c.until = &time } }

// Scenario takes the values that the file gives under scenarios, by their name. What [Set] says has precedence.
func Scenario(name string) Change { return func(c *changes) { c.scenario = &name } }

// Set gives a parameter another value, written as in a model file: "0.4 per day". With the name of something in the sections population or
// attributes, from the outside in and with dots between, it takes the place of that: "population.start.infectious", "attributes.region.north";
// items of a list go by their number, from 1 on.
func Set(name, value string) Change {
	return func(c *changes) { c.set = append(c.set, setting{name: name, text: value}) }
}

// apply makes the changes that were asked for.
func (r *reader) apply(f *file, c changes) {
	if c.size != nil {
		if f.size = *c.size; f.size < 0 || f.size > mostIndividuals {
			r.add(place{file: "--size"}, "%d: expected a number from 0 to %d", f.size, mostIndividuals)
			f.sizeBad = true
		} else {
			f.sizeBad = false
		}
		f.sizeAt = place{file: "--size"}
	}
	if c.until != nil {
		flag := r.like("--until")
		if end, ok := flag.clockTime(&yaml.Node{Kind: yaml.ScalarNode, Value: *c.until}, "the end", f.unit); ok {
			if f.end = end; f.wrongEnd() != "" {
				r.add(place{file: "--until"}, "%s is %s the start of the model, %s", echo(*c.until), f.wrongEnd(), f.zero.words(f.start))
				f.end = math.NaN()
			}
		}
	}
	r.applyScenario(f, c.scenario)
	for _, set := range c.set {
		if set.node == nil || inFile(set.name) && !f.hasParameter(set.name) {
			continue // it could not be read, or has been done before the file was
		}
		flag := r.like("--set " + set.name)
		i := slices.Index(f.parameterNames(), set.name)
		if i < 0 {
			r.add(place{file: flag.file}, "%s", unknown("parameter", set.name, f.parameterNames))
			continue
		}
		f.changed[set.name] = true
		flag.most = spareEntries + 4*entries(set.node)
		f.parameters[i].value, f.parameters[i].node = flag.value(set.node, "the value", aValue), set.node
	}
}

func (f *file) parameterNames() []string {
	var names []string
	for _, p := range f.parameters {
		names = append(names, p.label.name)
	}
	return names
}

func (f *file) hasParameter(name string) bool { return slices.Contains(f.parameterNames(), name) }

// readSettings reads the values that are asked for.
func (r *reader) readSettings() {
	for i := range r.asked.set {
		set := &r.asked.set[i]
		flag := r.like("--set " + set.name)
		if strings.TrimSpace(set.text) == "" {
			r.add(place{file: flag.file}, "the value: found nothing, expected %s such as %s", aValue, aValue.like())
		} else {
			set.node = flag.document([]byte(set.text))
		}
	}
}
