package page

import (
	"strings"

	"github.com/almanac-sim/almanac/internal/design"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population"
)

// The command line that a directory was written by tells what its tables do not.

// A flag of a command line, with its value.
type commandFlag struct{ name, value string }

// commandFlags are the flags of a command line, in order.
func commandFlags(words []string) (all []commandFlag) {
	for i := 0; i < len(words); i++ {
		name, value, joined := strings.Cut(words[i], "=")
		switch {
		case !strings.HasPrefix(name, "--"):
			continue
		case joined, name == "--series", name == "--verbose": // of which the last two have no value behind them
		case i+1 < len(words):
			i++
			value = words[i]
		}
		all = append(all, commandFlag{name, value})
	}
	return all
}

// changes takes what a flag changes of a model.
func (f commandFlag) changes(base *ask) {
	switch f.name {
	case "--size":
		base.Size = f.value
	case "--until":
		base.Until = f.value
	case "--scenario":
		base.Scenario = f.value
	case "--seed":
		base.Seed = f.value
	case "--replicas":
		base.Replicas = f.value
	case "--from":
		base.From = f.value
	case "--set":
		if name, text, ok := strings.Cut(f.value, "="); ok {
			base.Fixed = append(base.Fixed, population.Parameter{Name: strings.TrimSpace(name), Value: text})
		}
	}
}

// sweepCommand takes from a command line what was varied, whether the points are a sample, and what is the same at all points. Without axes nothing
// is known.
func sweepCommand(line string) (axes []*design.Axis, sampled bool, base ask) {
	for _, f := range commandFlags(format.Words(line)) {
		switch f.name {
		case "--vary":
			a, err := design.Parse(f.value)
			if err != nil {
				return nil, false, ask{}
			}
			axes = append(axes, a)
		case "--sample":
			sampled = true
		case "--replicas", "--from": // which the points tell, and a sweep has none
		default:
			f.changes(&base)
		}
	}
	return axes, sampled, base
}

// compareCommand takes from a command line of almanac compare what was run, and whether it says what is told; false of another's.
func compareCommand(line string) (base ask, told, ours bool) {
	words := format.Words(line)
	for _, f := range commandFlags(words) {
		told = told || f.name == "--output"
		f.changes(&base)
	}
	return base, told, len(words) > 2 && words[0] == "almanac" && words[1] == "compare"
}
