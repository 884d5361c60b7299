package population

import (
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

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
