package syntax

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// ByShares is the family of a whole number with a share for each value: {1: 30%, 2: 50%, 3: 20%}.
// Its parts are the shares and the numbers.
const ByShares = "shares"

// wholeFamilies are the distributions of whole numbers. They stand where a number of individuals is
// drawn. Least and most are optional.
var wholeFamilies = []Family{
	{"poisson", "{mean: 2.4}", []string{"mean", "least", "most"}},
	{"negative binomial", "{mean: 6, dispersion: 0.5}", []string{"mean", "dispersion", "least", "most"}},
}

// ExampleWhole is a law of whole numbers, for messages.
const ExampleWhole = "{poisson: {mean: 2.4}}"

// IsWhole reports whether the values of the distribution are whole numbers, and not durations.
func (d *Distribution) IsWhole() bool {
	return d.Family == ByShares || slices.ContainsFunc(wholeFamilies, func(f Family) bool { return f.Name == d.Family })
}

// wholeFamily returns the family of whole numbers with a name, and reports whether there is one.
func wholeFamily(name string) (Family, bool) {
	i := slices.IndexFunc(wholeFamilies, func(f Family) bool { return f.Name == name })
	if i < 0 {
		return Family{}, false
	}
	return wholeFamilies[i], true
}

// wholeArguments reads the arguments of a family of whole numbers. It reports false if there is no
// mapping to read.
func (r *Reader) wholeArguments(d *Distribution, n *yaml.Node, what string, family Family) bool {
	f := r.Fields(n, what, family.example, family.args...)
	if f == nil {
		return false
	}
	for _, name := range family.args {
		switch {
		case f.Get(name) != nil:
			d.Args[name] = f.Value(name, quantity.Number)
		case !f.Misspelt[name] && name != "least" && name != "most":
			r.Fail(n, "%s: %q is missing; write %s: %s, for example", what, name, family.Name, family.example)
		}
	}
	return true
}

// isShares reports whether all keys of a mapping are numbers, as in {1: 30%, 2: 50%, 3: 20%}.
func isShares(n *yaml.Node) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if _, ok := quantity.ParseNumber(n.Content[i].Value); !ok || n.Content[i].Kind != yaml.ScalarNode {
			return false
		}
	}
	return len(n.Content) > 0
}

// wholeShares reads a whole number with a share for each value.
func (r *Reader) wholeShares(n *yaml.Node, what string) *Distribution {
	before := r.Count
	d := &Distribution{Family: ByShares, Args: map[string]Value{}}
	for _, p := range r.Pairs(n, what, "{1: 30%, 2: 50%, 3: 20%}") {
		d.Parts = append(d.Parts, MixturePart{
			Share: r.Value(p.Value, what+": "+diag.Shorten(p.Name), quantity.Share),
			Of:    r.Value(p.Key, what, quantity.Number),
		})
	}
	if r.Count > before || d.hasBadPart() {
		return nil
	}
	return d
}
