package fitting

import (
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/priors"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
	"go.yaml.in/yaml/v3"
)

// A flag is written on one line. It is turned into the YAML that a file would have, and read as if
// it stood in the file, so it is checked in the same way and gives the same messages.
//
//	beta=uniform 0.1..1 per day        rho=beta 2 5
//	beta=log-uniform 0.01..1 per day   x=normal 0.5 sd 0.1
//	stay=exponential 5 days            stay=weibull 5 days shape 2
//	stay=gamma 5 days shape 2          stay=lognormal 5 sd 2 days
//	beta={uniform: {low: 0.1 per day, high: 1 per day}}
//
//	cases = incidence susceptible->infectious observed 30% poisson
//	ill = state infectious normal sd 10%
//	deaths = flow death negative binomial 5
//	cases = seen reports poisson
//	share = value prevalence normal sd 10%
//	north = incidence infection where region=north, age=child|adult poisson

const matchFlagLike = "cases = incidence susceptible->infectious observed 30% poisson"

// unknownFlags turns the --unknown flags into pairs of a parameter and its prior.
func (r *reader) unknownFlags(texts []string) (all []syntax.Pair) {
	for _, text := range texts {
		name, prior, ok := strings.Cut(text, "=")
		if name = strings.TrimSpace(name); !ok || name == "" || strings.TrimSpace(prior) == "" {
			r.Add(diag.Place{File: "--unknown"},
				"found %s, expected a parameter, = and what is known of it, such as beta=\"%s\"", diag.Quote(text),
				priors.Families[0].Line)
			continue
		}
		flag := "--unknown " + name
		if slices.ContainsFunc(all, func(p syntax.Pair) bool { return p.Name == name }) {
			r.Add(diag.Place{File: flag}, "the parameter is here twice; expected one prior")
			continue
		}
		var n *yaml.Node
		if prior = strings.TrimSpace(prior); strings.HasPrefix(prior, "{") {
			n = r.ForFlag(flag).Document([]byte(prior))
		} else {
			var err error
			if n, err = priorNode(prior); err != nil {
				r.Add(diag.Place{File: flag}, "%v", err)
			}
		}
		if n == nil {
			continue
		}
		key := scalarNode(name)
		r.MarkFlag(key, flag)
		r.MarkFlag(n, flag)
		all = append(all, syntax.Pair{Name: name, Key: key, Value: n})
	}
	return all
}

// priorNode turns a prior on one line into YAML.
func priorNode(text string) (*yaml.Node, error) {
	words := strings.Fields(strings.ReplaceAll(text, ",", " "))
	f := priors.Named(words[0])
	if f == nil {
		return nil, fmt.Errorf("%s; write %s, for example", diag.Unknown("prior", words[0], priors.Names),
			priors.Families[0].Line)
	}
	args, err := splitArguments(f, words[1:])
	if err != nil {
		return nil, fmt.Errorf("found %s: %w; write %s, for example", diag.Quote(text), err, f.Line)
	}
	of := mappingNode()
	for k, name := range f.Args {
		of.Content = append(of.Content, scalarNode(name), scalarNode(args[k]))
	}
	return mappingNode(scalarNode(f.Name), of), nil
}

// splitArguments finds the arguments of a prior among words: each after its name, or in their
// order. A unit may be given once, at the end.
func splitArguments(f *priors.Family, words []string) ([]string, error) {
	if f.Range() {
		low, high, ok := strings.Cut(strings.Join(words, " "), "..")
		if !ok {
			return nil, fmt.Errorf("expected a range, with .. between its ends")
		}
		words = append(append(append([]string{"low"}, strings.Fields(low)...), "high"), strings.Fields(high)...)
	}
	args, now := make([][]string, len(f.Args)), 0 // the words of each, and the one being read
	for _, w := range words {
		if k := slices.Index(f.Args, w); k >= 0 {
			if now = k; len(args[k]) > 0 {
				return nil, fmt.Errorf("%s is there twice", w)
			}
			continue
		}
		if quantity.LooksNumeric(w) && len(args[now]) > 0 {
			if now++; now == len(args) || len(args[now]) > 0 {
				return nil, fmt.Errorf("%s is one number too many", diag.Quote(w))
			}
		}
		args[now] = append(args[now], w)
	}
	unit := ""
	for k, name := range f.Args {
		switch a := args[k]; {
		case len(a) == 0:
			return nil, fmt.Errorf("%s is missing", name)
		case len(a) > 1 && quantity.LooksNumeric(a[0]):
			if unit = " " + strings.Join(a[1:], " "); k >= f.Own { // the unit belongs to the others
				args[k] = a[:1]
			}
		case strings.HasSuffix(a[0], "%") && k < f.Own:
			unit = "%"
		}
	}
	all := make([]string, len(args))
	for k, a := range args {
		all[k] = strings.Join(a, " ")
		bare := len(a) == 1 && quantity.LooksNumeric(a[0]) && !strings.HasSuffix(a[0], "%")
		if k < f.Own && bare {
			all[k] += unit
		}
	}
	return all, nil
}

// matchFlags turns the --match flags into pairs of a column and what it is compared with.
func (r *reader) matchFlags(texts []string) (all []syntax.Pair) {
	for _, text := range texts {
		column, rest, ok := strings.Cut(text, "=")
		if column = strings.TrimSpace(column); !ok || column == "" {
			r.Add(diag.Place{File: "--match"},
				"found %s, expected a column, = and what it is compared with, such as \"%s\"", diag.Quote(text),
				matchFlagLike)
			continue
		}
		flag := "--match " + column
		if slices.ContainsFunc(all, func(p syntax.Pair) bool { return p.Name == column }) {
			r.Add(diag.Place{File: flag}, "the column is here twice; it is compared with one thing")
			continue
		}
		n, err := matchNode(column, strings.Join(strings.Fields(rest), " "))
		if err != nil {
			r.Add(diag.Place{File: flag}, "%v", err)
			continue
		}
		r.MarkFlag(n, flag)
		all = append(all, syntax.Pair{Name: column, Key: n.Content[0], Value: n})
	}
	return all
}

// matchNode turns what a column is compared with, on one line, into YAML.
func matchNode(column, text string) (*yaml.Node, error) {
	wrong := func(format string, args ...any) (*yaml.Node, error) {
		return nil, fmt.Errorf("found %s: %s; write \"%s\", for example", diag.Quote(text),
			fmt.Sprintf(format, args...), matchFlagLike)
	}
	kind, rest, _ := strings.Cut(text, " ")
	if !slices.Contains([]string{"incidence", "flow", "state", "seen", "value"}, kind) {
		return wrong("expected incidence, flow, state, seen or value first")
	}
	// The error is at the end. Names before it may contain spaces.
	family, law, at := "", "", -1
	for _, name := range errorFamilies {
		if i := strings.LastIndex(" "+rest+" ", " "+name+" "); i > at {
			family, at = name, i
			law = strings.TrimSpace((rest + " ")[i+len(name):])
		}
	}
	if at < 0 {
		return wrong("expected an error at the end: poisson, negative binomial 5 or normal 10%%")
	}
	of := strings.TrimSpace(rest[:at])
	of, observed, seen := strings.Cut(of, " observed ")
	of, where, grouped := strings.Cut(of, " where ")
	if of = strings.TrimSpace(of); of == "" {
		return wrong("%s of what?", kind)
	}
	n := mappingNode(scalarNode("column"), scalarNode(column), scalarNode(kind), scalarNode(of))
	if grouped {
		group := mappingNode()
		for part := range strings.SplitSeq(where, ",") {
			attribute, values, ok := strings.Cut(part, "=")
			if !ok {
				return wrong("expected where ATTRIBUTE=VALUE, as in where region=north, age=child|adult")
			}
			list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
			for value := range strings.SplitSeq(values, "|") {
				list.Content = append(list.Content, scalarNode(strings.TrimSpace(value)))
			}
			group.Content = append(group.Content, scalarNode(strings.TrimSpace(attribute)), list)
		}
		n.Content = append(n.Content, scalarNode("where"), group)
	}
	if seen {
		n.Content = append(n.Content, scalarNode("observed"), scalarNode(strings.TrimSpace(observed)))
	}
	args := mappingNode()
	if arg := map[string]string{"negative binomial": "dispersion", "normal": "sd"}[family]; arg != "" {
		law = strings.TrimSpace(strings.TrimPrefix(law, arg+" "))
		if law == "" || law == arg {
			return wrong("%s needs its %s", family, arg)
		}
		args.Content = append(args.Content, scalarNode(arg), scalarNode(law))
	} else if law != "" {
		return wrong("%s has no arguments", family)
	}
	n.Content = append(n.Content, scalarNode("error"), mappingNode(scalarNode(family), args))
	return n, nil
}

func scalarNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

func mappingNode(content ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: content}
}
