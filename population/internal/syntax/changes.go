package syntax

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/function"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/tablefile"
	"go.yaml.in/yaml/v3"
)

// Changes replace parts of a file: those of the flags --size, --until, --scenario and --set, and of
// the functions of package population that do the same.
//
// A name such as population.size or attributes.region.north is a path into the file. Its value is
// replaced in the YAML before anything is read (replaceNodes), so that every problem with it is
// found and reported as if it were written there. All else is applied to the syntax tree (Apply).
type Changes struct {
	Size     *int
	Until    *string
	Scenario *string
	Set      []Setting
	Base     *Base      // applied before Scenario and Set; nil for none
	RecordBy [][]string // more attributes, and combinations, to record by
	Later    *Later     // nil for none
	Stop     *string    // where the run is left, because its state is saved there; nil for the end

	// ReadFile reads the tables that the file names, and OpenFile opens those that are read from
	// beginning to end, with Progress and Cache. All but ReadFile may be nil.
	ReadFile func(name string) ([]byte, error)
	OpenFile func(name string) (tablefile.Stream, error)
	Progress func(name string, done, of int64)
	Cache    *tablefile.Cache

	Functions function.Functions // that a program supplies in place of what the file says
}

// A Base is a scenario and settings beneath others.
type Base struct {
	Scenario *string
	Set      []Setting
}

// Clone copies the changes, so that settings can be parsed and added without an effect on c.
func (c Changes) Clone() Changes {
	c.Set = slices.Clone(c.Set)
	if c.Base != nil {
		base := *c.Base
		base.Set = slices.Clone(base.Set)
		c.Base = &base
	}
	c.Later = c.Later.clone()
	return c
}

// A Setting gives a parameter, or what a path leads to, another value.
type Setting struct {
	Name, Text string
	Node       *yaml.Node // the text as YAML, once parsed; nil if it could not be
	Any        bool       // of Later: also if nothing that happens depends on it
}

// parseSettings parses the texts of the settings as YAML.
func (r *Reader) parseSettings() {
	all := make([]*Setting, 0, len(r.Changes.Set))
	for i := range r.Changes.Set {
		all = append(all, &r.Changes.Set[i])
	}
	if base := r.Changes.Base; base != nil {
		for i := range base.Set {
			all = append(all, &base.Set[i])
		}
	}
	for later := r.Changes.Later; later != nil; later = later.Before {
		for i := range later.Set {
			all = append(all, &later.Set[i])
		}
	}
	for _, set := range all {
		flag := r.ForFlag("--set " + set.Name)
		if strings.TrimSpace(set.Text) == "" {
			r.Add(diag.Place{File: flag.file}, "the value: found nothing, expected %s such as %s",
				quantity.Any, quantity.Any.Example())
		} else {
			set.Node = flag.Document([]byte(set.Text))
		}
	}
}

// Apply makes the changes that are not made by paths.
func (r *Reader) Apply(m *File, c Changes) {
	if c.Size != nil && m.People != nil {
		r.Add(diag.Place{File: "--size"}, "population: both people and size; there are as many as rows")
	} else if c.Size != nil {
		if m.Size = *c.Size; m.Size < 0 || m.Size > MaxIndividuals {
			r.Add(diag.Place{File: "--size"}, "%d: expected a number from 0 to %d", m.Size, MaxIndividuals)
			m.SizeBad = true
		} else {
			m.SizeBad = false
		}
		m.SizeAt = diag.Place{File: "--size"}
	}
	m.CutEnd = r.cutEnd(m, c.Later)
	if c.Until != nil {
		flag := r.ForFlag("--until")
		end, ok := flag.ClockTime(&yaml.Node{Kind: yaml.ScalarNode, Value: *c.Until}, "the end", m.Unit)
		if ok {
			if m.End = end; m.endProblem() != "" {
				r.Add(diag.Place{File: "--until"}, "%s is %s the start of the model, %s",
					diag.Shorten(*c.Until), m.endProblem(), m.Epoch.Format(m.Start))
				m.End = math.NaN()
			}
		}
	}
	if c.Later == nil {
		m.CutEnd = m.End
	}
	r.applyStop(m, c.Stop)
	if c.Base != nil {
		r.applyScenario(m, c.Base.Scenario)
		r.applySettings(m, c.Base.Set)
	}
	r.applyScenario(m, c.Scenario)
	m.recordBy(c.RecordBy)
	r.applySettings(m, c.Set)
	r.applyFunctions(m, &c.Functions)
	r.applyLater(m, c.Later)
}

// applySettings gives parameters the values of settings. Paths have been applied by replaceNodes.
func (r *Reader) applySettings(m *File, all []Setting) {
	for _, set := range all {
		if set.Node == nil || isPath(set.Name) && !m.HasParameter(set.Name) {
			continue // it could not be parsed, or is a path
		}
		flag := r.ForFlag("--set " + set.Name)
		i := slices.Index(m.ParameterNames(), set.Name)
		if i < 0 {
			r.Add(diag.Place{File: flag.file}, "%s", diag.Unknown("parameter", set.Name, m.ParameterNames))
			continue
		}
		m.Overridden[set.Name] = true
		flag.MaxNodes = AliasAllowance + 4*CountNodes(set.Node)
		m.Parameters[i].Value, m.Parameters[i].Node = flag.Value(set.Node, "the value", quantity.Any), set.Node
	}
}

// applyFunctions gives parameters the distributions that a program supplies. The rest of the
// functions is looked up by the compiler.
func (r *Reader) applyFunctions(m *File, all *function.Functions) {
	m.Functions = *all
	for _, name := range slices.Sorted(maps.Keys(all.Durations)) {
		at := diag.Place{File: "WithDuration " + name}
		i := slices.Index(m.ParameterNames(), name)
		if i < 0 {
			r.Add(at, "%s", diag.Unknown("parameter", name, m.ParameterNames))
			continue
		}
		m.Overridden[name] = true
		m.Parameters[i].Value = Value{At: at, Text: "a function in Go",
			Distribution: &Distribution{size: 1, Family: "function", Function: all.Durations[name]}}
		m.Parameters[i].Node = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "a function in Go"}
	}
}

// applyScenario gives parameters the values that they have in a scenario. Its paths have been
// applied by replaceNodes.
func (r *Reader) applyScenario(m *File, name *string) {
	if name == nil {
		return
	}
	k := slices.Index(m.ScenarioNames(), *name)
	if k < 0 {
		r.Add(diag.Place{File: "--scenario"}, "%s", diag.Unknown("scenario", *name, m.ScenarioNames))
		return
	}
	for _, s := range m.Scenarios[k].Set {
		if i := slices.Index(m.ParameterNames(), s.Label.Name); i >= 0 {
			m.Overridden[s.Label.Name] = true
			m.Parameters[i].Value, m.Parameters[i].Node = s.Value, s.Node
		}
	}
}

// isPath reports whether a name is a path into the section population, attributes or machines.
func isPath(name string) bool {
	section, _, ok := strings.Cut(name, ".")
	return ok && (section == "population" || section == "attributes" || section == "machines")
}

// replaceNodes replaces the values that paths lead to: those of the base, then of the scenario, and
// then of --set. A parameter may have a name that looks like a path; it is left to Apply.
func (r *Reader) replaceNodes(doc *yaml.Node) {
	r.parseSettings()
	if doc.Kind != yaml.MappingNode {
		return // Parse will report it
	}
	if base := r.Changes.Base; base != nil {
		r.replaceLayer(doc, base.Scenario, base.Set)
	}
	r.replaceLayer(doc, r.Changes.Scenario, r.Changes.Set)
}

// replaceLayer replaces the values that the paths of a scenario, and then those of settings, lead
// to.
func (r *Reader) replaceLayer(doc *yaml.Node, scenario *string, settings []Setting) {
	parameters := r.Lookup(doc, "parameters")
	isParameter := func(name string) bool { return parameters != nil && r.Lookup(parameters, name) != nil }
	if scenario != nil {
		if all := r.Lookup(doc, "scenarios"); all != nil {
			if one := r.Lookup(all, *scenario); one != nil && one.Kind == yaml.MappingNode {
				for i := 0; i+1 < len(one.Content); i += 2 {
					if key := one.Content[i]; isPath(key.Value) && !isParameter(key.Value) {
						r.replaceNode(doc, key.Value, key, one.Content[i+1])
					}
				}
			}
		}
	}
	for _, set := range settings {
		if set.Node == nil || !isPath(set.Name) || isParameter(set.Name) {
			continue
		}
		key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}
		if r.FlagOf == nil {
			r.FlagOf = map[*yaml.Node]string{}
		}
		r.FlagOf[key] = "--set " + set.Name
		r.MarkFlag(set.Node, "--set "+set.Name)
		r.replaceNode(doc, set.Name, key, set.Node)
	}
}

// MarkFlag marks a node and everything below it as coming from a flag.
func (r *Reader) MarkFlag(n *yaml.Node, flag string) {
	if _, done := r.FlagOf[n]; done || n == nil {
		return
	}
	r.FlagOf[n] = flag
	for _, c := range n.Content {
		r.MarkFlag(c, flag)
	}
	r.MarkFlag(n.Alias, flag)
}

// replaceNode replaces the value that a path leads to, from the root n of the document. Problems
// are reported at key, which also becomes the key of an entry that the file does not have.
func (r *Reader) replaceNode(n *yaml.Node, path string, key, value *yaml.Node) {
	var passed []string
	rest := path
	for {
		i, step := r.child(n, rest)
		switch {
		case n.Kind == yaml.SequenceNode && i < 0:
			list := strings.Join(passed, ".")
			r.Fail(key, "%s is a list of %d; expected one of their numbers, as in %s.1", list, len(n.Content), list)
			return
		case n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode:
			r.Fail(key, "%s is %s, which has no parts", strings.Join(passed, "."), Describe(n))
			return
		case i < 0 && len(passed) == 2 && passed[0] == "attributes" && HasKey(n, "column") && r.inFile(n):
			r.Fail(key, "the values of %s and their shares are in a file; change that, or name another one, as in "+
				"attributes.%s.file", passed[1], passed[1])
			return
		case i < 0 && (len(passed) == 0 || passed[0] == "attributes" || passed[0] == "machines" && len(passed) == 1):
			// Sections, machines, attributes and their values must exist: no individual has a value that the
			// file does not define.
			r.Fail(key, "%s", diag.Unknown(pathKind(passed), step, func() []string { return mappingKeys(n) }))
			return
		case i < 0 && step != rest:
			r.Fail(key, "there is no %s", strings.Join(append(passed, step), "."))
			return
		case i < 0:
			key.Value = step
			n.Content = append(n.Content, key, value)
			return
		case step == rest:
			if len(passed) == 0 || len(passed) == 1 && passed[0] != "population" {
				as := "attributes.region.north"
				if section, _, _ := strings.Cut(path, "."); section == "machines" {
					as = "machines.hiv.start.positive"
				}
				r.Fail(key, "%s is more than one value; name one of them, as in %s", path, as)
				return
			}
			n.Content[i] = keepSince(n.Content[i], value)
			return
		}
		passed = append(passed, step)
		rest = rest[len(step)+1:]
		next := n.Content[i]
		if next.Kind == yaml.AliasNode { // copied: its other uses keep their value
			kept := *next.Alias
			kept.Content = append([]*yaml.Node(nil), kept.Content...)
			kept.Anchor = ""
			next = &kept
			n.Content[i] = next
		}
		n = next
	}
}

// keepSince is what replaces an old value: a number or share in place of {share: 5%, since: 3 days}
// or {count: 5, since: 3 days} leaves since as it is.
func keepSince(old, value *yaml.Node) *yaml.Node {
	if old.Kind == yaml.AliasNode {
		old = old.Alias
	}
	if value.Kind != yaml.ScalarNode || value.Value == "rest" || old.Kind != yaml.MappingNode || !HasKey(old, "since") {
		return value
	}
	key := "count"
	if strings.HasSuffix(value.Value, "%") {
		key = "share"
	}
	kept := *old
	kept.Anchor, kept.Content = "", nil
	for i := 0; i+1 < len(old.Content); i += 2 {
		if name := old.Content[i].Value; name == "count" || name == "share" {
			of := *old.Content[i]
			of.Value = key
			kept.Content = append(kept.Content, &of, value)
		} else {
			kept.Content = append(kept.Content, old.Content[i], old.Content[i+1])
		}
	}
	return &kept
}

// child returns the index in n.Content of the value that the first step of a path leads to, and
// that step: a key of a mapping, or a number, from 1, of an item of a list. Keys can contain dots;
// the longest that fits is taken. If there is none, i is −1 and the step ends at the next dot.
func (r *Reader) child(n *yaml.Node, path string) (i int, step string) {
	i = -1
	word, _, _ := strings.Cut(path, ".")
	switch n.Kind {
	case yaml.MappingNode:
		for k := 0; k+1 < len(n.Content); k += 2 {
			key := r.Resolve(n.Content[k]).Value
			if (key == path || strings.HasPrefix(path, key+".")) && (i < 0 || len(key) > len(step)) {
				i, step = k+1, key
			}
		}
	case yaml.SequenceNode:
		if k, err := strconv.Atoi(word); err == nil && k >= 1 && k <= len(n.Content) {
			i, step = k-1, word
		}
	}
	if i < 0 {
		step = word
	}
	return i, step
}

// pathKind says what the next step of a path names, for a message.
func pathKind(passed []string) string {
	switch len(passed) {
	case 0:
		return "section"
	case 1:
		return strings.TrimSuffix(passed[0], "s")
	}
	return "value of " + passed[1]
}

// mappingKeys returns the keys of a mapping.
func mappingKeys(n *yaml.Node) []string {
	var names []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		names = append(names, n.Content[i].Value)
	}
	return names
}
