package syntax

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// A Distribution is a distribution as it is written.
type Distribution struct {
	size   int // how many distributions it is made of
	Family string
	Args   map[string]Value
	Steps  []HazardStep // hazard
	Parts  []MixturePart
}

type HazardStep struct{ From, Rate Value }

type MixturePart struct{ Share, Of Value }

// A Family of distributions: what it is called and what it needs.
type Family struct {
	Name, example string
	args          []string
}

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
var argKinds = map[string]Kind{
	"mean": KindDuration, "rate": KindRate, "growth": KindRate, "makeham": KindRate, "shape": KindNumber, "k": KindNumber, "scale": KindDuration, "sd": KindDuration, "low": KindDuration, "high": KindDuration,
}

// distribution reads a distribution: a mapping with one entry, the family. It is nil if that is not what stands there.
func (r *Reader) distribution(n *yaml.Node, what string) *Distribution {
	// A node that aliases stand for is read once. Until that is done it is here as nil.
	if l, here := r.distributions[n]; here {
		if l == nil {
			r.Fail(n, "%s: a distribution cannot contain itself", what)
		} else if l.size == 0 {
			return nil // wrong, and that has been said
		}
		return l
	}
	if r.depth >= MostNested {
		r.Fail(n, "%s: distributions are nested too deeply", what)
		return nil
	}
	r.distributions[n] = nil
	r.depth++
	l := r.readDistribution(n, what)
	r.depth--
	if l == nil {
		r.distributions[n] = &Distribution{}
		return nil
	}
	l.size = 1
	for _, p := range l.Parts {
		if p.Of.Distribution != nil {
			l.size += p.Of.Distribution.size
		}
	}
	if l.size > MostParts {
		r.Fail(n, "%s: more than %d distributions in one", what, MostParts)
		r.distributions[n] = &Distribution{}
		return nil
	}
	r.distributions[n] = l
	return l
}

// readDistribution reads a distribution that has not been read before.
func (r *Reader) readDistribution(n *yaml.Node, what string) *Distribution {
	var names []string
	for _, f := range Families {
		names = append(names, f.Name)
	}
	before := r.Found
	entries := r.Pairs(n, what, KindDistribution.Like())
	if r.Found > before {
		return nil
	}
	if len(entries) != 1 {
		r.Fail(n, "%s: a distribution has one name and its arguments, such as %s, and a table by group begins with by, such as %s; there are %d names here",
			what, KindDistribution.Like(), exampleTable, len(entries))
		return nil
	}
	e := entries[0]
	if !r.Known(e.Key, what, "distribution", e.Name, names) {
		return nil
	}
	l := &Distribution{Family: e.Name, Args: map[string]Value{}}
	what += ": " + e.Name
	for _, f := range Families {
		if f.Name != e.Name {
			continue
		}
		switch f.Name {
		case "exactly":
			l.Args["value"] = r.Value(e.Value, what, KindDuration)
		case "hazard":
			for _, p := range r.Pairs(e.Value, what, f.example) {
				l.Steps = append(l.Steps, HazardStep{r.Value(p.Key, what, KindDuration), r.Value(p.Value, what, KindRate)})
			}
			if len(l.Steps) == 0 && r.Found == before {
				r.Fail(e.Value, "%s: expected ages and the rates from each on, such as %s", what, f.example)
			}
		case "mixture":
			for _, item := range r.Items(e.Value, what, f.example) {
				m := r.Fields(item, what, "{share: 30%, of: 2 days}", "share", "of")
				if m == nil {
					continue
				}
				share, of := m.Need("share", "30%"), m.Need("of", "2 days")
				if share != nil && of != nil {
					l.Parts = append(l.Parts, MixturePart{r.Value(share, what+": share", KindShare), r.Value(of, what+": of", KindDistribution)})
				}
			}
			if len(l.Parts) == 0 && r.Found == before {
				r.Fail(e.Value, "%s: expected a list such as %s", what, f.example)
			}
		default:
			args := r.Fields(e.Value, what, f.example, f.args...)
			if args == nil {
				return nil
			}
			for _, name := range f.args {
				if n := args.Get(name); n != nil {
					l.Args[name] = r.Value(n, what+": "+name, argKinds[name])
				}
			}
			if f.Name == "exponential" {
				if len(l.Args) != 1 && r.Found == before {
					r.Fail(e.Value, "%s: expected either mean or rate, such as %s", what, f.example)
				}
				break
			}
			for _, name := range f.args {
				if args.Get(name) == nil && !args.Meant[name] && name != "makeham" { // which is 0 unless told
					r.Fail(e.Value, "%s: %q is missing; write %s: %s, for example", what, name, f.Name, f.example)
				}
			}
		}
	}
	if r.Found > before || l.hasBadPart() {
		return nil
	}
	return l
}

// values are all that the distribution is made of.
func (l *Distribution) values() []Value {
	all := slices.Collect(maps.Values(l.Args))
	for _, s := range l.Steps {
		all = append(all, s.From, s.Rate)
	}
	for _, p := range l.Parts {
		all = append(all, p.Share, p.Of)
	}
	return all
}

// hasBadPart tells whether a part of the distribution could not be read.
func (l *Distribution) hasBadPart() bool {
	return slices.ContainsFunc(l.values(), func(v Value) bool { return v.Bad })
}
