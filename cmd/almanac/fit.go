package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
		Short: "Estimate the parameters of a model from data",
		Long: `Estimate parameters of a model from data. The section fit of the model, or flags, name the unknown
parameters and what the data are compared with. The model is a file, or - for standard input.

--data FILE.csv has a first column time, on the model's clock and in its unit, or date. Each other
column is something that was counted. Empty cells and NA are missing values. The table replaces the
one that the model names.

--unknown NAME=PRIOR names an unknown parameter and its prior distribution; it replaces the entry of
the file or adds one:

  beta="uniform 0.1..1 per day"       beta="log-uniform 0.01..1 per day"
  stay="gamma 5 days shape 2"         stay="lognormal 5 sd 2 days"
  stay="weibull 5 days shape 2"       stay="exponential 5 days"
  x="normal 0.5 sd 0.1"               rho="beta 2 5"
  seeds="uniform 1..50"               beta="{uniform: {low: 0.1 per day, high: 1 per day}}"

--match "COLUMN = WHAT ERROR" names what a column is compared with:

  "cases = incidence susceptible->infectious observed 30% poisson"
                                      events since the row before, 30 % of them observed
  "deaths = flow death negative binomial 5"
                                      events since the start of the run, with dispersion 5
  "ill = state infectious normal 10%"
                                      number in a state, with a standard deviation of 10 % of it
  "north = incidence death where region=north poisson"
                                      in a group; of several attributes: where region=north,
                                      age=adult|elder

Methods (--method):

  abc      sequential Monte Carlo: a sample of the posterior distribution
  pmmh     particle Markov chains: a sample of the posterior distribution
  anneal   simulated annealing: the best point only
  search   CMA-ES: the best point only
  random   random points, as a baseline for the others

At the end, up to 400 runs with the result, or --budget if that is smaller, predict the data for
comparison.

--out DIR writes these files. They replace those of an earlier fit there when all are complete:

  fit.json                   all numbers, as --json prints them
  posterior.csv              for abc and pmmh: a column for each unknown in the unit of its prior,
                             weight, and the run by which each row was accepted
  best.yaml                  the model with the best point
  states.almanac             with --states: states of runs at the last data point
  marginals, pairs           for abc and pmmh: pictures (.svg, .png) of the posterior against the
                             prior, and of the unknowns against each other
  predictive, trace          pictures (.svg, .png) of the data over predictions, and of the course
                             of the fit
  model.yaml                 the model, and the tables that it reads
  command.txt, study.json    the command line, and the request for programs
  .state                     what the same command needs to continue an interrupted fit; it may be
                             removed when the fit is done

almanac run MODEL.yaml --from DIR --replicas 500 continues the accepted runs from the last data
point on.

The results are the same for any number of workers, here or on a hub; see almanac hub and almanac
worker. When a fit ends depends on counts, not on time. --from-state and --workers are for fits
without a hub.`,
		Example: `  almanac fit examples/outbreak.yaml --out results
  almanac fit model.yaml --data cases.csv --unknown beta="uniform 0.1..1 per day" \
      --match "cases = incidence susceptible->infectious poisson"`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, modelOf(args)) },
	}
	f.registerModel(c)
	f.registerState(c)
	f.registerStudy(c, "`directory` for results and pictures; the same command continues an interrupted fit there")
	c.Flags().StringVar(&f.Data, "data", "", "`file` with the table of data, instead of the one that the model names")
	c.Flags().StringVar(&f.Method, "method", study.DefaultMethod, "fitting method: "+strings.Join(fit.Methods(), ", "))
	c.Flags().StringArrayVar(&f.Unknown, "unknown", nil, "`NAME=PRIOR` of a parameter to estimate; may be repeated")
	c.Flags().StringArrayVar(&f.Match, "match", nil, "a `column` of the data and what it is compared with, as in "+
		"\"COLUMN = WHAT ERROR\";\nmay be repeated")
	c.Flags().IntVar(&f.Population, "population", 0, "points that the method works with at once, or the size of its "+
		"sample\n(default: depends on the method)")
	c.Flags().IntVar(&f.Budget, "budget", 0, "largest number of runs for the fit (default: depends on the method)")
	c.Flags().IntVar(&f.States, "states", 0, "number of runs, drawn from the sample by weight, whose states at the last "+
		"data point are saved\nin the directory of --out, for run --from DIR --from-state; for abc and pmmh")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	for name, usage := range map[string]string{
		"from-state":   "`file` of saved states (run --save-at) that the runs continue; the data are after their time",
		"workers":      "runs to make in parallel without a hub (default: one per core)",
		"limit-time":   "longest time for a task of the fit, such as 10m; exceeding it fails the fit",
		"limit-memory": "largest `amount` of memory for a task of the fit, such as 4GB; exceeding it fails the fit",
	} {
		c.Flags().Lookup(name).Usage = usage
	}
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
	out, err := openOutput(s.Request)
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
	logger := f.studyLogger(c)
	o.Engine.Logger = logger
	show, stop, err := f.watch(c)
	if err != nil {
		return nil, nil, err
	}
	defer stop()
	runs, begun := 0, false
	o.Progress = func(p fit.Progress) {
		runs, begun, p.Ensemble = p.Runs, true, f.told(p.Ensemble)
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
			done := "the first stage is not done"
			if runs > 0 {
				done = fmt.Sprintf("the stages done have %s of the model", format.Count(runs, "run"))
			}
			tell(c, done+"; the same command goes on from there: what is done is kept "+where)
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
