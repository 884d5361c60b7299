package population

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Values of the sections population and attributes are changed in the file as it was read, before anything is made of it: so all that can be
// wrong with them is found, and said, as if they stood there.

// inFile tells whether a name is of something in the file that is not a parameter.
func inFile(name string) bool {
	section, _, ok := strings.Cut(name, ".")
	return ok && (section == "population" || section == "attributes")
}

// rewrite puts what the scenario and then --set ask for into the file.
func (r *reader) rewrite(doc *yaml.Node) {
	r.readSettings()
	if doc.Kind != yaml.MappingNode {
		return // which is yet to be said
	}
	parameters := r.entry(doc, "parameters")
	isParameter := func(name string) bool { return parameters != nil && r.entry(parameters, name) != nil }
	if r.asked.scenario != nil {
		if all := r.entry(doc, "scenarios"); all != nil {
			if one := r.entry(all, *r.asked.scenario); one != nil && one.Kind == yaml.MappingNode {
				for i := 0; i+1 < len(one.Content); i += 2 {
					if key := one.Content[i]; inFile(key.Value) && !isParameter(key.Value) {
						r.put(doc, key.Value, key, one.Content[i+1])
					}
				}
			}
		}
	}
	for _, set := range r.asked.set {
		if set.node == nil || !inFile(set.name) || isParameter(set.name) {
			continue
		}
		key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}
		if r.elsewhere == nil {
			r.elsewhere = map[*yaml.Node]string{}
		}
		r.elsewhere[key] = "--set " + set.name
		r.from(set.node, "--set "+set.name)
		r.put(doc, set.name, key, set.node)
	}
}

// from notes that a node and all that it holds are from a flag.
func (r *reader) from(n *yaml.Node, flag string) {
	if _, done := r.elsewhere[n]; done || n == nil {
		return
	}
	r.elsewhere[n] = flag
	for _, c := range n.Content {
		r.from(c, flag)
	}
	r.from(n.Alias, flag)
}

// entry is the value of a key of a mapping, with aliases followed, or nil.
func (r *reader) entry(n *yaml.Node, key string) *yaml.Node {
	if n = r.entryNode(n, key); n != nil {
		n = r.resolve(n)
	}
	return n
}

// entryNode is the value of a key of a mapping, as it stands, or nil.
func (r *reader) entryNode(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if r.resolve(n.Content[i]).Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// put gives what goes by a name with dots another value. The key is where to complain, and the key if there was none.
func (r *reader) put(n *yaml.Node, name string, key, value *yaml.Node) {
	var passed []string
	rest := name
	for {
		place, step := r.step(n, rest)
		switch {
		case n.Kind == yaml.SequenceNode && place < 0:
			r.fail(key, "%s is a list of %d; expected one of their numbers, as in %s.1", strings.Join(passed, "."), len(n.Content), strings.Join(passed, "."))
			return
		case n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode:
			r.fail(key, "%s is %s, which has no parts", strings.Join(passed, "."), found(n))
			return
		case place < 0 && (len(passed) == 0 || passed[0] == "attributes"):
			// Nobody has a value that the file does not know of, and what does not exist cannot be changed.
			r.fail(key, "%s", unknown(sortOf(passed), step, func() []string { return keysOf(n) }))
			return
		case place < 0 && step != rest:
			r.fail(key, "there is no %s", strings.Join(append(passed, step), "."))
			return
		case place < 0:
			key.Value = step
			n.Content = append(n.Content, key, value)
			return
		case step == rest:
			if len(passed) == 0 || len(passed) == 1 && passed[0] == "attributes" {
				r.fail(key, "%s is more than one value; name one of them, as in attributes.region.north", name)
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

// step finds the part of a node that a name begins with, and how much of the name that is. Keys can have dots, so the longest that fits is
// meant. If there is none, the place is −1, and the step is as far as the next dot.
func (r *reader) step(n *yaml.Node, name string) (place int, step string) {
	place = -1
	word, _, _ := strings.Cut(name, ".")
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if key := r.resolve(n.Content[i]).Value; (key == name || strings.HasPrefix(name, key+".")) && (place < 0 || len(key) > len(step)) {
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

// sortOf is what the next part of a name is.
func sortOf(passed []string) string {
	switch len(passed) {
	case 0:
		return "section"
	case 1:
		return "attribute"
	}
	return "value of " + passed[1]
}

// keysOf are the keys of a mapping.
func keysOf(n *yaml.Node) []string {
	var names []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		names = append(names, n.Content[i].Value)
	}
	return names
}
