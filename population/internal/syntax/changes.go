package syntax

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

type Changes struct {
	Size     *int
	Until    *string
	Scenario *string
	Set      []Setting
	Files    func(name string) ([]byte, error)
}

// A Setting is a value to be put in the place of what the file has under a name.
type Setting struct {
	Name, Text string
	Node       *yaml.Node // what the text says, once it has been read; nil if it cannot be
}

// parseSettings reads the values that are asked for.
func (r *Reader) parseSettings() {
	for i := range r.Asked.Set {
		set := &r.Asked.Set[i]
		flag := r.Like("--set " + set.Name)
		if strings.TrimSpace(set.Text) == "" {
			r.Add(diag.Place{File: flag.file}, "the value: found nothing, expected %s such as %s", KindAny, KindAny.Like())
		} else {
			set.Node = flag.Document([]byte(set.Text))
		}
	}
}

// Apply makes the changes that were asked for.
func (r *Reader) Apply(f *File, c Changes) {
	if c.Size != nil {
		if f.Size = *c.Size; f.Size < 0 || f.Size > MostIndividuals {
			r.Add(diag.Place{File: "--size"}, "%d: expected a number from 0 to %d", f.Size, MostIndividuals)
			f.SizeBad = true
		} else {
			f.SizeBad = false
		}
		f.SizeAt = diag.Place{File: "--size"}
	}
	if c.Until != nil {
		flag := r.Like("--until")
		if end, ok := flag.ClockTime(&yaml.Node{Kind: yaml.ScalarNode, Value: *c.Until}, "the end", f.Unit); ok {
			if f.End = end; f.endProblem() != "" {
				r.Add(diag.Place{File: "--until"}, "%s is %s the start of the model, %s", diag.Echo(*c.Until), f.endProblem(), f.Zero.format(f.Start))
				f.End = math.NaN()
			}
		}
	}
	r.applyScenario(f, c.Scenario)
	for _, set := range c.Set {
		if set.Node == nil || isPath(set.Name) && !f.HasParameter(set.Name) {
			continue // it could not be read, or has been done before the file was
		}
		flag := r.Like("--set " + set.Name)
		i := slices.Index(f.ParameterNames(), set.Name)
		if i < 0 {
			r.Add(diag.Place{File: flag.file}, "%s", diag.Unknown("parameter", set.Name, f.ParameterNames))
			continue
		}
		f.Changed[set.Name] = true
		flag.Most = SpareEntries + 4*Entries(set.Node)
		f.Parameters[i].Value, f.Parameters[i].Node = flag.Value(set.Node, "the value", KindAny), set.Node
	}
}

// applyScenario gives parameters the values that they have in a scenario. What it says of other things has been put into the file.
func (r *Reader) applyScenario(f *File, name *string) {
	if name == nil {
		return
	}
	k := slices.Index(f.ScenarioNames(), *name)
	if k < 0 {
		r.Add(diag.Place{File: "--scenario"}, "%s", diag.Unknown("scenario", *name, f.ScenarioNames))
		return
	}
	for _, s := range f.Scenarios[k].Set {
		if i := slices.Index(f.ParameterNames(), s.Label.Name); i >= 0 {
			f.Changed[s.Label.Name] = true
			f.Parameters[i].Value, f.Parameters[i].Node = s.Value, s.Node
		}
	}
}

// Values of the sections population and attributes are changed in the file as it was read, before anything is made of it: so all that can be
// wrong with them is found, and said, as if they stood there.

// isPath tells whether a name is of something in the file that is not a parameter.
func isPath(name string) bool {
	section, _, ok := strings.Cut(name, ".")
	return ok && (section == "population" || section == "attributes")
}

// replaceNodes puts what the scenario and then --set ask for into the file.
func (r *Reader) replaceNodes(doc *yaml.Node) {
	r.parseSettings()
	if doc.Kind != yaml.MappingNode {
		return // which is yet to be said
	}
	parameters := r.Entry(doc, "parameters")
	isParameter := func(name string) bool { return parameters != nil && r.Entry(parameters, name) != nil }
	if r.Asked.Scenario != nil {
		if all := r.Entry(doc, "scenarios"); all != nil {
			if one := r.Entry(all, *r.Asked.Scenario); one != nil && one.Kind == yaml.MappingNode {
				for i := 0; i+1 < len(one.Content); i += 2 {
					if key := one.Content[i]; isPath(key.Value) && !isParameter(key.Value) {
						r.replaceNode(doc, key.Value, key, one.Content[i+1])
					}
				}
			}
		}
	}
	for _, set := range r.Asked.Set {
		if set.Node == nil || !isPath(set.Name) || isParameter(set.Name) {
			continue
		}
		key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}
		if r.Elsewhere == nil {
			r.Elsewhere = map[*yaml.Node]string{}
		}
		r.Elsewhere[key] = "--set " + set.Name
		r.From(set.Node, "--set "+set.Name)
		r.replaceNode(doc, set.Name, key, set.Node)
	}
}

// From notes that a node and all that it holds are from a flag.
func (r *Reader) From(n *yaml.Node, flag string) {
	if _, done := r.Elsewhere[n]; done || n == nil {
		return
	}
	r.Elsewhere[n] = flag
	for _, c := range n.Content {
		r.From(c, flag)
	}
	r.From(n.Alias, flag)
}

// replaceNode gives what goes by a name with dots another value. The key is where to complain, and the key if there was none.
func (r *Reader) replaceNode(n *yaml.Node, name string, key, value *yaml.Node) {
	var passed []string
	rest := name
	for {
		place, step := r.child(n, rest)
		switch {
		case n.Kind == yaml.SequenceNode && place < 0:
			r.Fail(key, "%s is a list of %d; expected one of their numbers, as in %s.1", strings.Join(passed, "."), len(n.Content), strings.Join(passed, "."))
			return
		case n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode:
			r.Fail(key, "%s is %s, which has no parts", strings.Join(passed, "."), Found(n))
			return
		case place < 0 && (len(passed) == 0 || passed[0] == "attributes"):
			// Nobody has a value that the file does not know of, and what does not exist cannot be changed.
			r.Fail(key, "%s", diag.Unknown(pathKind(passed), step, func() []string { return mappingKeys(n) }))
			return
		case place < 0 && step != rest:
			r.Fail(key, "there is no %s", strings.Join(append(passed, step), "."))
			return
		case place < 0:
			key.Value = step
			n.Content = append(n.Content, key, value)
			return
		case step == rest:
			if len(passed) == 0 || len(passed) == 1 && passed[0] == "attributes" {
				r.Fail(key, "%s is more than one value; name one of them, as in attributes.region.north", name)
				return
			}
			n.Content[place] = value
			return
		}
		passed = append(passed, step)
		rest = rest[len(step)+1:]
		next := n.Content[place]
		if next.Kind == yaml.AliasNode { // what it stands for stays as it is elsewhere
			kept := *next.Alias
			kept.Content = append([]*yaml.Node(nil), kept.Content...)
			kept.Anchor = ""
			next = &kept
			n.Content[place] = next
		}
		n = next
	}
}

// child finds the part of a node that a name begins with, and how much of the name that is. Keys can have dots, so the longest that fits is
// meant. If there is none, the place is −1, and the step is as far as the next dot.
func (r *Reader) child(n *yaml.Node, name string) (place int, step string) {
	place = -1
	word, _, _ := strings.Cut(name, ".")
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if key := r.Resolve(n.Content[i]).Value; (key == name || strings.HasPrefix(name, key+".")) && (place < 0 || len(key) > len(step)) {
				place, step = i+1, key
			}
		}
	case yaml.SequenceNode:
		if k, err := strconv.Atoi(word); err == nil && k >= 1 && k <= len(n.Content) {
			place, step = k-1, word
		}
	}
	if place < 0 {
		step = word
	}
	return place, step
}

// pathKind is what the next part of a name is.
func pathKind(passed []string) string {
	switch len(passed) {
	case 0:
		return "section"
	case 1:
		return "attribute"
	}
	return "value of " + passed[1]
}

// mappingKeys are the keys of a mapping.
func mappingKeys(n *yaml.Node) []string {
	var names []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		names = append(names, n.Content[i].Value)
	}
	return names
}
