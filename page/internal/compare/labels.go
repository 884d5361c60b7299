package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// facts describe a run in words.
type facts struct {
	model   string
	Options []string // individuals, replicas, seed, end
	values  []string // parameters, scenario, posterior
}

func newFacts(model string, individuals, replicas int, seed uint64, unit string, times []float64,
	parameters func(yield func(name, value string) bool)) facts {
	f := facts{model: model, Options: []string{format.Count(individuals, "individual"), format.Count(replicas, "replica"),
		fmt.Sprintf("seed %d", seed)}}
	if n := len(times); n > 0 {
		f.Options = append(f.Options, "until "+unit+" "+format.Number(times[n-1]))
	}
	for name, value := range parameters {
		f.values = append(f.values, name+" = "+value)
	}
	return f
}

// RunFacts describes a run of this server.
func RunFacts(scenario string, r *population.Result) facts {
	f := newFacts(r.Model.Name(), r.Model.Size(), r.Replicas, r.Seed, r.Model.Unit(), r.Times,
		func(yield func(name, value string) bool) {
			for _, p := range r.Model.Parameters() {
				if !yield(p.Name, p.Value) {
					return
				}
			}
		})
	if scenario != "" { // it may change more than parameters
		f.values = append(f.values, "scenario "+scenario)
	}
	if d := modelfit.DrawnOf(r); d != nil {
		f.values = append(f.values, strings.Join(d.Parameters, " and ")+" drawn from "+d.From)
	}
	return f
}

// SummaryFacts describes a run in a directory. Its size is the first total.
func SummaryFacts(sum *results.Summary) facts {
	individuals := 0
	if len(sum.Total.Mean) > 0 {
		individuals = int(math.Round(sum.Total.Mean[0]))
	}
	return newFacts(sum.Model, individuals, sum.Replicas, sum.Seed, sum.Unit, sum.Times, sum.Parameters.All())
}

// maxFacts is the number of differences in a label.
const maxFacts = 4

// Labels returns the names of sides, each followed by the facts that not all sides share. For
// different models, these are the model and the options only.
func Labels(sides []*Side) (all []string) {
	others := slices.ContainsFunc(sides, func(s *Side) bool { return s.Facts.model != sides[0].Facts.model })
	for _, s := range sides {
		var told []string
		tell := func(of func(facts) []string) {
			for _, fact := range of(s.Facts) {
				if slices.ContainsFunc(sides, func(o *Side) bool { return !slices.Contains(of(o.Facts), fact) }) {
					told = append(told, fact)
				}
			}
		}
		if others {
			told = append(told, s.Facts.model)
		}
		tell(func(f facts) []string { return f.Options })
		if !others {
			tell(func(f facts) []string { return f.values })
		}
		if n := len(told); n > maxFacts {
			told = append(told[:maxFacts-1], fmt.Sprintf("%d more", n-maxFacts+1))
		}
		name := s.Name
		if len(told) > 0 {
			name += ": " + strings.Join(told, ", ")
		}
		all = append(all, name)
	}
	return all
}

// ListNames joins the names of sides, or the first of many.
func ListNames(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s; %s; and %d more", names[0], names[1], len(names)-2)
	}
	between := ", "
	if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, ", ") }) {
		between = "; "
	}
	return strings.Join(names, between)
}

// ListSizes is the number of individuals of models, or its range.
func ListSizes(all []*population.Model) string {
	least, most := all[0].Size(), all[0].Size()
	for _, m := range all {
		least, most = min(least, m.Size()), max(most, m.Size())
	}
	if least < most {
		return format.Thousands(float64(least)) + " to " + format.Count(most, "individual")
	}
	return format.Count(most, "individual")
}
