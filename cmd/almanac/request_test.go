package main

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/study"
)

// A command line that a request prints is parsed into the same request: flags → request → command
// line → flags.
func TestRequestRoundTrip(t *testing.T) {
	luck := rand.New(rand.NewPCG(3, 4))
	flags := map[string][][]string{"all": {{"--seed", "7"}, {"--size", "1e6"}, {"--size", "1_000"},
		{"--until", "160 days"}, {"--set", "beta=0.4 per day"}, {"--set", "stay={gamma: {mean: 5 days, shape: 2}}"},
		{"--set", "it's = $HOME"}, {"--out", "a b/c"}},
		study.Run: {{"--replicas", "12"}, {"--replica", "3"}, {"--from", "x/posterior.csv"}, {"--events"},
			{"--format", "parquet"}, {"--scenario", "kept apart"}, {"--format", "csv"}},
		study.Sweep: {{"--vary", "beta=0.2..0.6 per day by 0.05"}, {"--vary", "c=0%, 40%"}, {"--sample", "9"},
			{"--design", "sobol"}, {"--output", "peak(infectious)"}, {"--output", "final(a->b)"}, {"--precision", "2%"},
			{"--series=false"}, {"--limit-time", "90s"}, {"--limit-memory", "4GB"}, {"--scenario", "x"}},
		study.Compare: {{"--scenarios", "base,kept apart"}, {"--replicas", "2"}, {"--output", "final(total)"},
			{"--from", "p.csv"}, {"--limit-time", "1h"}, {"--series=false"}, {"--draw", "ill,a->b"}},
		study.Fit: {{"--data", "d/cases.csv"}, {"--unknown", "beta=uniform 0.1..1 per day"},
			{"--match", "cases = incidence s->i poisson"}, {"--method", "search"}, {"--population", "5"}, {"--budget", "70"}},
	}
	parse := func(kind, model string, args []string) *studyFlags {
		var run runFlags
		var other studyFlags
		var fit fitFlags
		c, f := map[string]func() *cobra.Command{study.Run: func() *cobra.Command { return newRun(&run) },
			study.Sweep:   func() *cobra.Command { return newSweep(&other) },
			study.Compare: func() *cobra.Command { return newCompare(&other) }, study.Fit: func() *cobra.Command {
				return newFit(&fit)
			}}[kind](),
			map[string]*studyFlags{study.Run: &run.studyFlags, study.Sweep: &other, study.Compare: &other,
				study.Fit: &fit.studyFlags}[kind]
		if err := c.ParseFlags(args); err != nil {
			t.Fatal(args, err)
		}
		if err := f.asked(c, model); err != nil {
			t.Fatal(args, err)
		}
		return f
	}
	for range 400 {
		kind := []string{study.Run, study.Sweep, study.Compare, study.Fit}[luck.IntN(4)]
		var args []string
		for _, f := range append(flags["all"], flags[kind]...) {
			if luck.IntN(2) == 0 {
				args = append(args, f...)
			}
		}
		first := parse(kind, "models/my model.yaml", args).Request
		words := format.Words(first.Command())
		if len(words) < 3 || words[0] != "almanac" || words[1] != kind || words[2] != first.Model {
			t.Fatal(words)
		}
		again := parse(kind, words[2], words[3:]).Request
		if !reflect.DeepEqual(first, again) || first.Command() != again.Command() {
			t.Fatalf("%q\n%s\n%+v\n%+v", args, first.Command(), first, again)
		}
	}
}
