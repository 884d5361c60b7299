package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/dispatch"
	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/proxies"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/cmd/internal/progress"
	"github.com/almanac-sim/almanac/internal/allocation"
)

// dispatchFlags are the command line of almanac-bench dispatch.
type dispatchFlags struct {
	workers, requests, loads, round string
	services, policies              []string
	seeds                           int
	seed                            uint64
	quick                           bool
	json                            bool
	out                             string
	http                            bool
	programs                        proxies.Programs
}

func newDispatch() *cobra.Command {
	var f dispatchFlags
	c := &cobra.Command{
		Use:   "dispatch",
		Short: "Compare the waiting times of dispatch policies, simulated or of real proxies",
		Long: `Compare policies by which requests are given to workers: how long do the slowest requests take?

Every policy gets the same requests in simulated time, with random arrivals and the same work. Times
are from arrival to the end of the service, in mean services, as exact quantiles of each run. The
table has their means over the seeds, ± half of the 95 % confidence interval. Tries are how often a
request was offered to a worker. The load λ is a share of what all workers together can do. The
beginning of a run is not measured: five relaxation times of a single queue with that λ. A policy
that cannot bear the load is marked as growing: its numbers depend on the length of the run.

With --http the command measures real proxies in real time. It starts them in front of real servers,
one of which is slow in the second half of the tables, and also measures the processor time of a
proxy for a request. Proxies that are not installed are left out. --policy then chooses proxies, and
the defaults are --workers 4 --requests 2e4 --load 0.5,0.75,0.9 (with --quick 4e3 and 0.9).

` +
			cli.List("Policies", dispatch.Policies(), func(p dispatch.Policy) (string, string) { return p.Name, p.About }) +
			cli.List("Services", dispatch.Services(), func(s dispatch.Service) (string, string) { return s.Name, s.About }) +
			cli.List("Proxies, with --http", proxies.All(), func(p proxies.Proxy) (string, string) { return p.Name, p.About }),
		Example: `  almanac-bench dispatch
  almanac-bench dispatch --service slow-workers --load 0.9 --policy capped-2,least-loaded,central
  almanac-bench dispatch --quick --out results
  almanac-bench dispatch --http --caddy dispatch/caddy/caddy`,
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.http {
				return f.runProxies(c)
			}
			return f.run(c)
		},
	}
	c.Flags().StringVar(&f.workers, "workers", "100", "`number` of workers")
	c.Flags().StringVar(&f.requests, "requests", "2e5", "`number` of requests of a run that are measured")
	c.Flags().StringVar(&f.loads, "load", "0.75,0.9,0.95", "`list` of loads λ, above 0 and below 1")
	c.Flags().StringVar(&f.round, "round", "1", "`length` of a round of the policies capped-rounds, in mean services")
	c.Flags().StringSliceVar(&f.services, "service", []string{"all"}, "`services`: a list, or all")
	c.Flags().StringSliceVar(&f.policies, "policy", []string{"all"}, "`policies`: a list, or all")
	c.Flags().IntVar(&f.seeds, "seeds", 5, "number of runs of each policy, with consecutive seeds")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "first random seed")
	c.Flags().BoolVar(&f.quick, "quick", false, "a tenth of the requests, three seeds and λ = 0.9, unless they are given")
	c.Flags().BoolVar(&f.http, "http", false, "measure real proxies on this machine")
	c.Flags().StringVar(&f.programs.Caddy, "caddy", "", "`path` of Caddy with the module queue, for --http "+
		"(default: caddy in $PATH)")
	c.Flags().StringVar(&f.programs.HAProxy, "haproxy", "", "`path` of HAProxy, for --http (default: haproxy in $PATH)")
	c.Flags().StringVar(&f.programs.Nginx, "nginx", "", "`path` of nginx, for --http (default: nginx in $PATH)")
	c.Flags().BoolVar(&f.json, "json", false, "print the measurements as JSON")
	c.Flags().StringVar(&f.out, "out", "", "`directory` for bench-dispatch.json, tables (CSV) and charts")
	return c
}

// A dispatchReport is what almanac-bench dispatch --json prints.
type dispatchReport struct {
	Machine  cli.Machine       `json:"machine"`
	Command  string            `json:"command"`
	Workers  int               `json:"workers,omitempty"`
	Requests int               `json:"requests,omitempty"`
	Round    float64           `json:"round,omitempty"`
	Seeds    int               `json:"seeds,omitempty"`
	Results  []dispatch.Result `json:"results,omitempty"`
}

// dispatchFiles are those of --out.
var dispatchFiles = []string{"bench-dispatch.json", "bench-dispatch*.csv", "bench-dispatch-*.svg"}

// plan is what the flags ask for.
func (f *dispatchFlags) plan(c *cobra.Command) (p dispatch.Plan, err error) {
	if f.quick {
		unlessTold := func(name, value string) {
			if !c.Flags().Changed(name) {
				c.Flags().Lookup(name).Value.Set(value) // is of the right kind
			}
		}
		unlessTold("requests", "2e4")
		unlessTold("seeds", "3")
		unlessTold("load", "0.9")
	}
	p.Seed, p.Seeds = f.seed, f.seeds
	if f.seeds < 1 || f.seeds > 1000 {
		return p, cli.Usagef("--seeds %d: expected from 1 to 1000", f.seeds)
	}
	if p.Workers, err = cli.ParseWhole("--workers", f.workers, "workers", 1, 100_000); err != nil {
		return p, err
	}
	if p.Requests, err = cli.ParseWhole("--requests", f.requests, "requests", 1000, 100_000_000); err != nil {
		return p, err
	}
	if p.Round = allocation.ParseNumber(f.round); !(p.Round >= 0.001 && p.Round <= 1000) {
		return p, cli.Usagef("--round %s: expected a number of mean services from 0.001 to 1000, as 1 or 1/4", f.round)
	}
	if p.Loads, err = f.parseLoads(); err != nil {
		return p, err
	}
	services := names(dispatch.Services(), func(s dispatch.Service) string { return s.Name })
	policies := names(dispatch.Policies(), func(p dispatch.Policy) string { return p.Name })
	if p.Services, err = cli.Choose("--service", f.services, services); err != nil {
		return p, err
	}
	if p.Policies, err = cli.Choose("--policy", f.policies, policies); err != nil {
		return p, err
	}
	if err := p.Check(); err != nil {
		return p, cli.Usage(err)
	}
	return p, nil
}

func (f *dispatchFlags) parseLoads() (loads []float64, err error) {
	for _, word := range strings.Split(f.loads, ",") {
		load, err := cli.ParseRate("--load", word, capped.Capped)
		if err != nil {
			return nil, err
		}
		if load < 0.01 || load > 0.99 {
			return nil, cli.Usagef("--load %s: expected from 0.01 to 0.99; nearer to 1 a run that has settled takes too long",
				word)
		}
		loads = append(loads, load)
	}
	return loads, nil
}

func (f *dispatchFlags) run(c *cobra.Command) error {
	plan, err := f.plan(c)
	if err != nil {
		return err
	}
	return cli.Report(c, "bench dispatch", f.out, dispatchFiles, f.json, func(bar *progress.Bar) (r dispatchReport,
		err error) {
		r = dispatchReport{
			Machine: cli.ThisMachine(), Command: cli.CommandLine(c),
			Workers: plan.Workers, Requests: plan.Requests, Round: plan.Round, Seeds: plan.Seeds,
		}
		plan.Progress = func(done, of int, what string) { bar.Set(done, of, what) }
		r.Results, err = dispatch.Compare(c.Context(), plan)
		return r, err
	}, writeDispatch, printDispatch)
}
