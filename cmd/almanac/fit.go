package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

type fitFlags struct {
	studyFlags
	json bool
}

func newFit(f *fitFlags) *cobra.Command {
	c := &cobra.Command{
		Use:   "fit MODEL.yaml | -",
		Short: "Find out from data what the parameters of a model are",
		Long: "Find out from data what the parameters of a model are: those that its section fit, or --unknown, says are " +
			"unknown.\n\n" +
			"--data FILE.csv has a first column time, on the model's clock and in its unit, or date, and a column for each " +
			"thing that was counted. Cells that are empty or\n" +
			"say NA are gaps, and have no say. It takes the place of the table that the model names.\n\n" +
			"--unknown NAME=PRIOR, once for each parameter; those of the file are replaced or added to:\n" +
			"  beta=\"uniform 0.1..1 per day\"   beta=\"log-uniform 0.01..1 per day\"   rho=\"beta 2 5\"           " +
			"seeds=\"uniform 1..50\"\n" +
			"  stay=\"gamma 5 days shape 2\"     stay=\"lognormal 5 sd 2 days\"         x=\"normal 0.5 sd 0.1\"    " +
			"stay=\"exponential 5 days\"\n" +
			"  stay=\"weibull 5 days shape 2\"   or as a file has it: " +
			"beta=\"{uniform: {low: 0.1 per day, high: 1 per day}}\"\n" +
			"--match \"COLUMN = WHAT ERROR\", once for each column:\n" +
			"  \"cases = incidence susceptible->infectious observed 30% poisson\"   what happened since the row before, of " +
			"which 30 % are seen\n" +
			"  \"deaths = flow death negative binomial 5\"                          since the start of the run, with a " +
			"dispersion of 5\n" +
			"  \"ill = state infectious normal 10%\"                                how many there are, with a standard " +
			"deviation of 10 % of that\n" +
			"  \"north = incidence death where region=north poisson\"               in a group; several: where region=north, " +
			"age=adult|elder\n\n" +
			"--method abc (sequential Monte Carlo; the default) and pmmh (particle Markov chains) give a sample of what the " +
			"parameters may be, the posterior;\n" +
			"anneal (simulated annealing) and search (CMA-ES) give the best point alone; random is what they are compared " +
			"with.\n\n" +
			"The model is then run up to 400 times with what was found, no more than the budget, to see what it says of the " +
			"data.\n\n" +
			"With --out DIR there are then in DIR: fit.json (all numbers), posterior.csv (a column for each unknown in the " +
			"unit of its prior, weight, and the run by which each row was accepted), best.yaml\n" +
			"(the model with the best point in it), pictures (marginals, pairs, predictive, trace), model.yaml with the " +
			"tables that it reads, command.txt, and study.json. A fit that was interrupted goes on where it was " +
			"when the same\n" +
			"command is given again; what it needs for that is in DIR/.state, which can be removed when it is done. almanac " +
			"run MODEL.yaml --from DIR\n" +
			"--replicas 500 then goes on with the runs that the fit accepted, from the last data point on.\n\n" +
			"The results are the same whatever the number of workers, here or on a hub; see almanac hub and almanac worker. " +
			"When it ends depends on counts, not on time.",
		Example: "  almanac fit examples/outbreak.yaml --out results\n" +
			"  almanac fit model.yaml --data cases.csv --unknown beta=\"uniform 0.1..1 per day\" --match \"cases = incidence " +
			"susceptible->infectious poisson\"",
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, modelOf(args)) },
	}
	f.registerModel(c)
	f.registerState(c)
	f.registerStudy(c, "a directory to write results to, and in which the fit can be continued")
	c.Flags().StringVar(&f.Data, "data", "", "the table of data, in place of the one that the model names")
	c.Flags().StringVar(&f.Method, "method", study.DefaultMethod, "how to fit: "+strings.Join(fit.Methods(), ", "))
	c.Flags().StringArrayVar(&f.Unknown, "unknown", nil, "a parameter and what is known of it beforehand; may be repeated")
	c.Flags().StringArrayVar(&f.Match, "match", nil, "a column of the data and what it is compared with; may be repeated")
	c.Flags().IntVar(&f.Population, "population", 0, "how many values of the unknowns to work with at once, or how "+
		"large a sample to give; the method's own number unless told")
	c.Flags().IntVar(&f.Budget, "budget", 0, "how often the model may be run to fit it; the method's own number "+
		"unless told")
	c.Flags().IntVar(&f.States, "states", 0, "save the states of so many runs at the last data point, drawn from the "+
		"sample by weight, in the directory of --out:\n"+
		"run --from DIR --from-state goes on with them, without running up to there")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	c.Flags().Lookup("workers").Usage = "how many runs to make at once, if there is no hub; as many as there are cores " +
		"unless told"
	c.Flags().Lookup("limit-time").Usage = "how long a task of the fit may take, as in 10m; one that takes longer fails it"
	c.Flags().Lookup("limit-memory").Usage = "how much memory a task of the fit may take, as in 4GB"
	return c
}

func (f *fitFlags) run(c *cobra.Command, path string) error {
	s, err := f.open(c, path)
	if err != nil {
		return err
	}
	opened, err := s.OpenFit()
	if err != nil {
		return cli.Usage(err)
	}
	if err := s.Plain.CheckMemory(population.Options{Replicas: 1, Workers: 1}); err != nil {
		return err
	}
	payload, err := s.Payload()
	if err != nil {
		return cli.Usage(err)
	}
	out, err := openOutput(c, s.Request)
	if err != nil {
		return err
	}
	defer out.Drop()
	for _, note := range opened.Data.Notes {
		tell(c, note)
	}
	result, predicted, err := f.do(c, opened, payload, s.Command())
	if err != nil {
		return err
	}
	if f.States > 0 {
		states := filepath.Join(out.Path(), study.StatesName)
		if err := s.WriteStates(c.Context(), opened, &result.Posterior, states); err != nil {
			return err
		}
	}
	return newFitReport(s.Request, opened, result, predicted).deliver(c.OutOrStdout(), out, f.json)
}

// predict runs the model with the fitted parameters for comparison with the data. If that fails,
// the fit stands.
func (f *fitFlags) predict(ctx context.Context, p *fit.Problem, payload []byte, r *fit.Result, o fit.Options) (
	*fit.Prediction, error) {
	const runs = 400
	n := runs
	if f.Budget > 0 {
		n = min(runs, f.Budget)
	}
	from := &r.Posterior
	if len(from.Rows) == 0 {
		from = &fit.Posterior{Rows: [][]float64{r.Best}, Weights: []float64{1}}
	}
	if say := o.Progress; say != nil {
		o.Progress = func(at fit.Progress) {
			at.Stage, at.Runs = len(r.Jobs)+1, r.Runs
			say(at)
		}
	}
	predicted, err := fit.Predict(ctx, p, payload, from, n, o)
	if err != nil && ctx.Err() == nil {
		r.Notes = append(r.Notes, "there is no prediction: "+strings.TrimPrefix(err.Error(), "fit: "))
		return nil, nil
	}
	return predicted, err
}

// do fits, here or on a hub, and predicts. The command line resumes it.
func (f *fitFlags) do(c *cobra.Command, opened *study.OpenedFit, payload []byte, command string) (result *fit.Result,
	predicted *fit.Prediction, err error) {
	registry := ourRegistry()
	o := fit.Options{Kind: study.FitKind, Method: f.Method, Seed: f.Seed, Budget: f.Budget, Population: f.Population,
		Registry: registry}
	if o.Limits, err = f.Limits(); err != nil {
		return nil, nil, cli.Usage(err)
	}
	logger := f.logger(c, slog.LevelWarn)
	o.Engine.Logger = logger
	show, stop, err := f.watch(c)
	if err != nil {
		return nil, nil, err
	}
	defer stop()
	runs, begun := 0, false
	o.Progress = func(p fit.Progress) {
		runs, begun = p.Runs, true
		show(p.Ensemble, p.Ensemble.Merged, p.Tasks, fitPace(p))
	}
	where, finish := "on the hub", func(error) error { return nil }
	if f.hub != "" {
		conn, err := f.connect(c, 0)
		if err != nil {
			return nil, nil, err
		}
		defer conn.Close()
		o.Executor = &resumedFit{Conn: conn, c: c}
	} else {
		key, err := f.key(registry, payload)
		if err != nil {
			return nil, nil, err
		}
		if o.Executor, where, finish, err = f.here(c, key, command, logger); err != nil {
			return nil, nil, err
		}
	}
	if result, err = fit.Run(c.Context(), opened.Problem, payload, o); err == nil {
		predicted, err = f.predict(c.Context(), opened.Problem, payload, result, o)
	}
	if begun && f.Method == "pmmh" && errors.Is(err, fit.ErrBudget) {
		err = keptError{err}
	}
	return result, predicted, f.interrupted(c, errors.Join(err, finish(err)), runs, where)
}

// A resumedFit is a hub engine that reports if the first job of a fit is already there.
type resumedFit struct {
	*ensemble.Conn
	c     *cobra.Command
	asked bool
}

// Run implements ensemble.Engine.
func (r *resumedFit) Run(ctx context.Context, job ensemble.Job, o ensemble.RunOptions) (ensemble.Outcome, error) {
	if key, err := job.Key(o.Registry); !r.asked && err == nil {
		if s, err := r.Status(ctx, key); err == nil && s.State != ensemble.Canceled {
			tell(r.c, "going on with this fit where it was, from the hub")
		}
	}
	r.asked = true
	return r.Conn.Run(ctx, job, o)
}

// A keptError is a refusal of a budget after some stages, which the same fit with a larger budget
// does not repeat.
type keptError struct{ error }

func (e keptError) Unwrap() error { return e.error }

// key identifies a fit: the model, the data and every option that the result depends on. Stages of
// chains do not depend on the budget, which only says when they end: one with another budget goes
// on with them.
func (f *fitFlags) key(registry *ensemble.Registry, payload []byte) (string, error) {
	budget := f.Budget
	if f.Method == "pmmh" {
		budget = 0
	}
	options, err := json.Marshal([]any{f.Method, budget, f.Population, f.LimitTime, f.LimitMemory})
	if err != nil {
		return "", err
	}
	job := ensemble.Job{Name: "fit", Kind: study.FitKind, Payload: append(options, payload...), Points: []ensemble.Point{
		{}}, Replicas: 1, Seed: f.Seed}
	key, err := job.Key(registry)
	return key, trim(err)
}

// interrupted adds to an error what is kept of an unfinished fit.
func (f *fitFlags) interrupted(c *cobra.Command, err error, runs int, where string) error {
	if err == nil {
		return nil
	}
	if isStopped(err) {
		if where != "" {
			fmt.Fprintf(c.ErrOrStderr(), "almanac: more than %s of the model are done; the same command goes on from there: "+
				"what is done is kept %s\n",
				format.Count(runs, "run"), where)
		}
		return err
	}
	kept := ""
	if errors.As(err, new(keptError)) && where != "" {
		kept = "; what was done is kept " + where + ", and the same command with a larger --budget goes on from there"
	}
	if rest, ok := strings.CutPrefix(err.Error(), "fit: "); ok {
		err = trimmed{rest + kept, err}
	} else {
		err = trim(err)
	}
	if errors.Is(err, fit.ErrBudget) {
		return cli.Usage(err)
	}
	return err
}

// fitPace describes the progress of a fit.
func fitPace(p fit.Progress) string {
	parts := []string{fmt.Sprintf("stage %d, %s", p.Stage, p.What), format.Count(p.Runs, "run") + " before"}
	if p.Ensemble.Replicas > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s tasks", format.Thousands(float64(p.Ensemble.Merged)),
			format.Thousands(float64(p.Tasks))))
	}
	p.Ensemble.Left = 0 // it is that of this stage only
	return strings.Join(append(parts, workerPace(p.Ensemble)...), ", ")
}
