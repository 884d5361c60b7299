package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/models"
	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/internal/outputs"
	"github.com/almanac-sim/almanac/population"
)

// compareFlags are the command line of almanac compare.
type compareFlags struct {
	modelFlags
	studyFlags
	scenarios []string
	output    []string
	from      fromFlag
}

func newCompare() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare MODEL.yaml | -",
		Short: "Run the scenarios of a model with the same luck, and tell how they differ",
		Long: "Run the scenarios of a model with common random numbers, and tell how they differ from the first.\n\n" +
			"The replica of a number has the same luck in every scenario, so that what differs between them is what the scenarios do, and few\n" +
			"replicas tell what otherwise many would. How many is told, too.\n\n" +
			"--output says what is told of each replica, as in almanac sweep.\n\n" +
			"With --out DIR there are then in DIR: differences.csv (scenario, output, difference, low, high: the 95 % interval of the mean\n" +
			"difference of paired replicas, against the first scenario), scenarios.csv (scenario, replicas, output, mean, sd, low, high),\n" +
			"model.yaml with the tables that it reads, and command.txt. A study that was interrupted goes on when the same command is given again.",
		Example: "  almanac compare model.yaml --replicas 500 --out results\n" +
			"  almanac compare model.yaml --scenarios base,lockdown --output \"peak(infectious)\"",
		Args: oneModel,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.modelFlags.register(c)
	f.studyFlags.register(c)
	_ = c.Flags().MarkHidden("scenario") // there are several
	f.from.register(c)
	c.Flags().IntVar(&f.replicas, "replicas", 100, "how often to run each scenario")
	c.Flags().StringVar(&f.out, "out", "", "a directory to write results to, and in which the study can be continued")
	c.Flags().StringSliceVar(&f.scenarios, "scenarios", nil, "which scenarios, with commas between, and in which order; all of the file unless told")
	c.Flags().StringArrayVar(&f.output, "output", nil, "what is told of each replica: --output \"peak(infectious)\"; may be repeated")
	return c
}

// compareFiles are what may be in the directory of --out.
var compareFiles = []string{"differences.csv", "scenarios.csv", "model.yaml", "command.txt", "draws.csv"}

func (f *compareFlags) run(c *cobra.Command, path string) error {
	if err := f.studyFlags.check(); err != nil {
		return err
	}
	switch {
	case c.Flags().Changed("scenario"):
		return cli.Usagef("--scenario: compare takes several; name them with --scenarios")
	case f.replicas < 2:
		return cli.Usagef("--replicas %d: at least two are needed for an interval", f.replicas)
	}
	m, err := f.load(c, path)
	if err != nil {
		return err
	}
	if err := f.from.read(c, m); err != nil {
		return err
	}
	s, err := f.study(c, path, m, models.Compare)
	if err != nil {
		return err
	}
	s.From = f.from.from
	if err := f.choose(c, s, m); err != nil {
		return err
	}
	payload, err := s.Payload()
	if err != nil {
		return cli.Usage(err)
	}
	job := ensemble.Job{Name: "compare " + m.Name(), Kind: models.Kind, Payload: payload, Replicas: f.replicas, Seed: f.seed,
		Points: []ensemble.Point{{Repeat: repeatCommand(s, nil, f.seed)}}}
	if job.Limits, err = f.limits(); err != nil {
		return err
	}
	command := cli.CommandLineAgain(c, []string{path}, []string{"seed", "replicas"}, []string{"size", "until", "set", "from", "scenarios", "output", "limit-time", "limit-memory", "out"})
	if path == standardInput {
		command += " < model.yaml"
	}
	out, err := cli.OpenOutput(f.out, "compare", compareFiles...)
	if err != nil {
		return err
	}
	defer out.Drop()
	if err := out.Inputs(c, s.Files); err != nil {
		return err
	}
	var found ensemble.PointResult
	outcome, err := f.do(c, job, ourRegistry(), command, ensemble.RunOptions{Point: func(p ensemble.PointResult) error { found = p; return nil }})
	if err != nil {
		return repeatHere(err, path, s, job)
	}
	if err := f.from.write(out.PathOr(), m, f.seed, 0, f.replicas); err != nil {
		return err
	}
	return deliverComparison(c.OutOrStdout(), s, m, job, found, outcome, out, command)
}

// choose decides which scenarios are compared, and by what.
func (f *compareFlags) choose(c *cobra.Command, s *models.Study, m *population.Model) error {
	s.Scenarios = m.Scenarios()
	if len(s.Scenarios) == 0 {
		return cli.Usagef("compare: the model has no scenarios; expected some in the file, as in scenarios: {base: {}, lockdown: {beta: 0.2 per day}}")
	}
	if len(f.scenarios) > 0 {
		chosen, err := cli.Choose("--scenarios", f.scenarios, m.Scenarios())
		if err != nil {
			return err
		}
		s.Scenarios = chosen
	}
	seen := map[string]bool{}
	for _, name := range s.Scenarios {
		if seen[name] {
			return cli.Usagef("--scenarios: %s stands there twice", name)
		}
		seen[name] = true
	}
	if len(s.Scenarios) == 1 {
		return cli.Usagef("compare: %s is one scenario; at least two are needed, the first of which the others are compared with", s.Scenarios[0])
	}
	all, err := outputs.All(m, f.output)
	if err != nil {
		return cli.Usagef("--output: %w", err)
	}
	for _, o := range all {
		s.Outputs = append(s.Outputs, o.Text)
	}
	if n := len(s.Outputs) * (2*len(s.Scenarios) - 1); n > ensemble.MaxOutputs {
		return cli.Usagef("compare: %d scenarios with %d outputs are too many at once; name some with --scenarios and --output", len(s.Scenarios), len(s.Outputs))
	}
	drawn := false
	for _, name := range s.Scenarios { // so that what is wrong is said before anything is run
		scenario, err := s.Model(nil, name)
		if err != nil {
			return err
		}
		if s.From != nil {
			// One that gives values to all that could be drawn is compared with others that do not.
			own, _ := s.From.Drawn(scenario)
			if len(own) > 0 {
				drawn = true
				if err := s.From.Try(scenario); err != nil {
					return cli.Usagef("--from: in scenario %s: %w", name, err)
				}
			}
			base, _ := s.From.Drawn(m)
			if given := slices.DeleteFunc(base, func(name string) bool { return slices.Contains(own, name) }); len(given) > 0 {
				fmt.Fprintf(c.ErrOrStderr(), "almanac: --from: not drawn in scenario %s, which gives a value: %s\n", name, strings.Join(given, ", "))
			}
		}
		if _, err := outputs.All(scenario, s.Outputs); err != nil {
			return cli.Usagef("--output: in scenario %s: %w", name, err)
		}
	}
	if s.From != nil && !drawn {
		return cli.Usagef("--from: nothing is drawn from it: each of the scenarios gives values to %s", strings.Join(s.From.Posterior.Names, ", "))
	}
	return nil
}

// deliverComparison writes and prints what was found.
func deliverComparison(w io.Writer, s *models.Study, m *population.Model, job ensemble.Job, p ensemble.PointResult, outcome ensemble.Outcome, out *cli.Output, command string) error {
	c, err := s.Comparison(p)
	if err != nil {
		return err
	}
	if out != nil {
		dir := out.Path()
		err := errors.Join(
			outdir.WriteFile(dir, "differences.csv", c.WriteDifferences),
			outdir.WriteFile(dir, "scenarios.csv", c.WriteScenarios),
			outdir.WriteFile(dir, "model.yaml", func(w io.Writer) error { _, err := w.Write(s.Source); return err }),
			outdir.WriteFile(dir, "command.txt", func(w io.Writer) error { _, err := fmt.Fprintln(w, command); return err }))
		if err != nil {
			return err
		}
		if err := out.Keep(); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "%s: %s, %s of each, seed %d; mean ± half of the 95 %% interval\n", m.Name(), format.Count(len(s.Scenarios), "scenario"), format.Count(p.Replicas, "replica"), job.Seed)
	if err := c.Print(w); err != nil {
		return err
	}
	return printWork(w, outcome)
}
