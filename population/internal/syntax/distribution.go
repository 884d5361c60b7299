package syntax

import (
	"maps"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/function"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// A Distribution is a distribution of durations: {gamma: {mean: 5 days, shape: 2}}.
type Distribution struct {
	size   int // how many distributions it is made of, with itself; 0 if it could not be read
	Family string
	Args   map[string]Value // by name; exactly has one, value
	Steps  []HazardStep     // hazard
	Parts  []MixturePart    // mixture

	Function *function.Duration // that a program supplies; no file can name it
}

// A HazardStep is an age of a hazard and the rate from that age on.
type HazardStep struct{ From, Rate Value }

// A MixturePart is a part of a mixture.
type MixturePart struct{ Share, Of Value }

// A Family of distributions: its name, what is written after the name, and its arguments. The
// arguments are mandatory but for those of exponential and for makeham; see arguments. A family
// without arguments has a form of its own.
type Family struct {
	Name, example string
	args          []string
}

// Families are the distributions that a file can name.
var Families = []Family{
	{"exponential", "{mean: 2 days}", []string{"mean", "rate"}},
	{"gamma", "{mean: 5 days, shape: 2}", []string{"mean", "shape"}},
	{"erlang", "{mean: 5 days, k: 3}", []string{"mean", "k"}},
	{"weibull", "{scale: 80 years, shape: 6}", []string{"scale", "shape"}},
	{"lognormal", "{mean: 5 days, sd: 2 days}", []string{"mean", "sd"}},
	{"gompertz", "{rate: 0.00005 per year, growth: 0.09 per year}", []string{"rate", "growth", "makeham"}},
	{"uniform", "{low: 1 day, high: 3 days}", []string{"low", "high"}},
	{"exactly", "5 years", nil},
	{"hazard", "{0 years: 0.005 per year, 1 year: 0.0004 per year}", nil},
	{"mixture", "[{share: 30%, of: 2 days}, {share: 70%, of: {exponential: {mean: 9 days}}}]", nil},
}

// argKinds says what the arguments of distributions are.
var argKinds = map[string]quantity.Kind{
	"mean": quantity.Duration, "sd": quantity.Duration, "scale": quantity.Duration,
	"low": quantity.Duration, "high": quantity.Duration,
	"rate": quantity.Rate, "growth": quantity.Rate, "makeham": quantity.Rate,
	"shape": quantity.Number, "k": quantity.Number,
}

// distribution reads a distribution: a mapping with one entry, the family. It returns nil, and
// reports it, if that is not what n is.
//
// Aliases can lead to a node many times; it is read once. While it is being read, its entry in
// r.distributions is nil, and an invalid one has an entry of size 0.
func (r *Reader) distribution(n *yaml.Node, what string) *Distribution {
	if d, seen := r.distributions[n]; seen {
		if d == nil {
			r.Fail(n, "%s: a distribution cannot contain itself", what)
		} else if d.size == 0 {
			return nil
		}
		return d
	}
	if r.depth >= MaxNesting {
		r.Fail(n, "%s: distributions are nested too deeply", what)
		return nil
	}
	r.distributions[n] = nil
	r.depth++
	d := r.readDistribution(n, what)
	r.depth--
	if d == nil {
		r.distributions[n] = &Distribution{}
		return nil
	}
	d.size = 1
	for _, p := range d.Parts {
		if p.Of.Distribution != nil {
			d.size += p.Of.Distribution.size
		}
	}
	if d.size > MaxDistributionParts {
		r.Fail(n, "%s: more than %d distributions in one", what, MaxDistributionParts)
		r.distributions[n] = &Distribution{}
		return nil
	}
	r.distributions[n] = d
	return d
}

// readDistribution reads a distribution that has not been read before.
func (r *Reader) readDistribution(n *yaml.Node, what string) *Distribution {
	if isShares(n) {
		return r.wholeShares(n, what)
	}
	before := r.Count
	entries := r.Pairs(n, what, quantity.Distribution.Example())
	if r.Count > before {
		return nil
	}
	if len(entries) != 1 {
		r.Fail(n, "%s: a distribution has one name and its arguments, such as %s, "+
			"and a table by group begins with by, such as %s; there are %d names here",
			what, quantity.Distribution.Example(), exampleTable, len(entries))
		return nil
	}
	e := entries[0]
	if family, ok := wholeFamily(e.Name); ok {
		d := &Distribution{Family: e.Name, Args: map[string]Value{}}
		if !r.wholeArguments(d, e.Value, what+": "+e.Name, family) || r.Count > before || d.hasBadPart() {
			return nil
		}
		return d
	}
	i := slices.IndexFunc(Families, func(f Family) bool { return f.Name == e.Name })
	if i < 0 {
		r.Fail(e.Key, "%s: %s", what, diag.Unknown("distribution", e.Name, familyNames))
		return nil
	}
	family := Families[i]
	d := &Distribution{Family: e.Name, Args: map[string]Value{}}
	what += ": " + e.Name
	switch e.Name {
	case "exactly":
		d.Args["value"] = r.Value(e.Value, what, quantity.Duration)
	case "hazard":
		r.hazard(d, e.Value, what, family.example)
	case "mixture":
		r.mixture(d, e.Value, what, family.example)
	default:
		if !r.arguments(d, e.Value, what, family) {
			return nil
		}
	}
	if r.Count > before || d.hasBadPart() {
		return nil
	}
	return d
}

// hazard reads the steps of a hazard.
func (r *Reader) hazard(d *Distribution, n *yaml.Node, what, example string) {
	before := r.Count
	for _, p := range r.Pairs(n, what, example) {
		d.Steps = append(d.Steps, HazardStep{r.Value(p.Key, what, quantity.Duration), r.Value(p.Value, what, quantity.Rate)})
	}
	if len(d.Steps) == 0 && r.Count == before {
		r.Fail(n, "%s: expected ages and the rates from each on, such as %s", what, example)
	}
}

// mixture reads the parts of a mixture.
func (r *Reader) mixture(d *Distribution, n *yaml.Node, what, example string) {
	before := r.Count
	for _, item := range r.Items(n, what, example) {
		f := r.Fields(item, what, "{share: 30%, of: 2 days}", "share", "of")
		if f == nil {
			continue
		}
		share, of := f.Need("share", "30%"), f.Need("of", "2 days")
		if share != nil && of != nil {
			d.Parts = append(d.Parts, MixturePart{
				Share: r.Value(share, what+": share", quantity.Share),
				Of:    r.Value(of, what+": of", quantity.Distribution),
			})
		}
	}
	if len(d.Parts) == 0 && r.Count == before {
		r.Fail(n, "%s: expected a list such as %s", what, example)
	}
}

// arguments reads the arguments of a family that has named ones. It reports false if there is no
// mapping to read.
func (r *Reader) arguments(d *Distribution, n *yaml.Node, what string, family Family) bool {
	before := r.Count
	f := r.Fields(n, what, family.example, family.args...)
	if f == nil {
		return false
	}
	for _, name := range family.args {
		if f.Get(name) != nil {
			d.Args[name] = f.Value(name, argKinds[name])
		}
	}
	if family.Name == "exponential" { // has a mean or a rate
		if len(d.Args) != 1 && r.Count == before {
			r.Fail(n, "%s: expected either mean or rate, such as %s", what, family.example)
		}
		return true
	}
	for _, name := range family.args {
		if f.Get(name) == nil && !f.Misspelt[name] && name != "makeham" { // makeham is 0 by default
			r.Fail(n, "%s: %q is missing; write %s: %s, for example", what, name, family.Name, family.example)
		}
	}
	return true
}

// familyNames returns the names of the families.
func familyNames() []string {
	var names []string
	for _, f := range Families {
		names = append(names, f.Name)
	}
	return names
}

// values returns all values that the distribution contains.
func (d *Distribution) values() []Value {
	all := slices.Collect(maps.Values(d.Args))
	for _, s := range d.Steps {
		all = append(all, s.From, s.Rate)
	}
	for _, p := range d.Parts {
		all = append(all, p.Share, p.Of)
	}
	return all
}

// hasBadPart reports whether a value that the distribution contains could not be read.
func (d *Distribution) hasBadPart() bool {
	return slices.ContainsFunc(d.values(), func(v Value) bool { return v.Bad })
}

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
