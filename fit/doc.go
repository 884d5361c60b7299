// Package fit estimates the parameters of a model from data.
//
//	p := &fit.Problem{
//		Unknowns: []fit.Unknown{{Name: "rate", Unit: "per day", Prior: fit.Uniform(0, 200)}},
//		Times:    []float64{1, 2, 3},
//		Columns:  []fit.Column{{Name: "calls", Data: []float64{52, 61, 48}}},
//	}
//	result, err := fit.RunLocal(ctx, p, model, fit.Options{Seed: 1})
//	fmt.Print(result.Text())
//
// A [Problem] has the unknowns, with a [Prior] for each, and the data: columns of numbers over
// time. A [Simulator] runs the model once at given values of the unknowns and returns the expected
// reports, with their [Law]. [Run] returns a [Result]: a weighted sample of the posterior, or a
// best point. [RunLocal] fits a model of this program in one call; Run takes a registered kind, so
// that other processes can do the work. [Predict] runs the model at draws from a posterior.
// [Methods] lists the methods.
//
// The package is independent of the kind of model.
//
// # Contract
//
// A fit is a sequence of stages, each of which is one job of package ensemble. Its replicas are
// runs of the model, or blocks of steps of a chain. The result of a replica is a function of the
// stage and its number; the next stage depends on all results in the order of their numbers; and
// stopping depends on counts, not on time. So the result is the same, byte for byte, for any number
// of workers. A fit that was interrupted continues when it is run again: finished stages are read
// from the executor.
//
// docs/guide/fitting.md is the guide, and docs/design/fitting.md explains the methods and their
// sources.
//
// # Files
//
//	problem.go     problems, simulators, trajectories
//	prior.go       priors and their scale; law.go distributions of reports
//	run.go         Run and RunLocal; stage.go what a stage is to workers
//	result.go      results; report.go as JSON and text; posterior.go weighted samples
//	predict.go     posterior predictions; path.go the runs by which rows were accepted
//	abc.go         the method abc; generation.go its tasks
//	pmmh.go        the method pmmh; chain.go its tasks; filter.go likelihood estimates;
//	               pmmh_budget.go how many runs it needs
//	anneal.go      the method anneal
//	search.go      the methods search, by CMA-ES, and random
//	optimizer.go   the choice among points that these share; misfit.go the misfit
//	internal/      cma, diagnostics of chains, distributions, matrices, proposals, ranks, weights
package fit
