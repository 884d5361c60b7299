package syntax

import (
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// sameAs returns what stands beside same as in an attribute, nil if the attribute has none. Beside
// a share it is a value of that name.
func (r *Reader) sameAs(n *yaml.Node) *yaml.Node {
	if n = r.Resolve(n); n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != "same as" {
			continue
		}
		v := r.Resolve(n.Content[i+1])
		if text := strings.TrimSpace(v.Value); v.Kind == yaml.ScalarNode && (text == "rest" || quantity.LooksNumeric(text)) {
			return nil
		}
		return v
	}
	return nil
}

// attributeSameAs reads an attribute that begins with the value of another: {same as: home}. The
// section is that of all attributes.
func (r *Reader) attributeSameAs(m *File, a *Attribute, section, n, from *yaml.Node, what string) {
	f := r.Fields(n, what, "{same as: home}", "same as")
	if f == nil {
		return
	}
	if a.SameAs = r.Ref(from, what+": same as"); a.SameAs.Bad {
		return
	}
	var names []string
	for i := 0; i+1 < len(section.Content); i += 2 {
		names = append(names, section.Content[i].Value)
	}
	name := a.SameAs.Name
	i := slices.IndexFunc(m.Attributes, func(o Attribute) bool { return o.Name == name })
	switch {
	case r.Numbers[name]:
		r.Fail(from, "%s: same as: %s is a number; expected an attribute with values", what, name)
	case i >= 0 && m.Attributes[i].ByAge:
		r.Fail(from, "%s: same as: %s follows the age; expected an attribute that is drawn", what, name)
	case i >= 0:
		a.Values = slices.Clone(m.Attributes[i].Values)
	case name == a.Name:
		r.Fail(from, "%s: same as: %s is this attribute itself", what, name)
	case slices.Contains(names, name):
		r.Fail(from, "%s: same as: %s stands after it", what, name)
	default:
		r.Fail(from, "%s: same as: %s", what, diag.Unknown("attribute", name, func() []string { return names }))
	}
}
