package dispatch

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/almanac-sim/almanac/sim"
)

// A Plan is what to compare: every policy with every service and load, once for each seed.
type Plan struct {
	Workers  int
	Requests int // that count, of each run
	Round    float64
	Services []string
	Policies []string
	Loads    []float64
	Seeds    int    // how many
	Seed     uint64 // the first
	Progress func(done, of int, what string)
}

// An Estimate is a mean over seeds with half of its confidence interval of 95 %, by Student's t.
type Estimate struct {
	Mean float64 `json:"mean"`
	Half float64 `json:"half_width"`
}

// A Result is what became of a policy with a service and a load, over all seeds.
type Result struct {
	Service string   `json:"service"`
	Load    float64  `json:"load"`
	Policy  string   `json:"policy"`
	Mean    Estimate `json:"mean"`
	P50     Estimate `json:"p50"`
	P99     Estimate `json:"p99"`
	P999    Estimate `json:"p99.9"`
	Tries   Estimate `json:"tries"`
	// Over is the p99 as a multiple of that of one central queue, seed by seed; 0 if there is none
	// to compare with.
	Over Estimate `json:"p99_over_central"`
	// Grows says that the policy cannot bear the load, so that ever more requests wait: the longer
	// the run, the longer the times, and their numbers mean nothing else. It is known from what the
	// policy can do at most, or seen: in each run there were more than half as many requests again
	// at the end than in the middle, and by more than chance can do.
	Grows bool    `json:"grows"`
	Most  float64 `json:"most"` // the largest load that it could bear, as far as is known
	Runs  []Run   `json:"runs"` // by seed
}

// grows is by how much more must be there at the end than in the middle, and byChance how many more
// chance can bring, in roots of how many came in between: of those that come and those that end,
// each number varies by about one.
const (
	grows    = 1.5
	byChance = 4
)

// setting is the plan for a service, a load, and the k-th seed.
func (p Plan) setting(service string, load float64, k int) Setting {
	return Setting{Workers: p.Workers, Service: service, Load: load, Requests: p.Requests, Round: p.Round, Seed: p.Seed +
		uint64(k)}
}

// Check is an error if something is wrong with what the plan is to be run for.
func (p Plan) Check() error {
	for _, service := range p.Services {
		for _, load := range p.Loads {
			if _, err := newLoad(p.setting(service, load, 0)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Compare runs a plan on as many processors as there are.
func Compare(ctx context.Context, plan Plan) ([]Result, error) {
	type cell struct{ service, load int }
	runs := map[cell][][]Run{} // by policy and seed
	var policies []Policy
	for _, name := range plan.Policies {
		p, err := find(name)
		if err != nil {
			return nil, err
		}
		policies = append(policies, p)
	}
	var mu sync.Mutex
	done, of := 0, len(plan.Services)*len(plan.Loads)*plan.Seeds*len(policies)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for a, service := range plan.Services {
		for b, rate := range plan.Loads {
			each := make([][]Run, len(policies))
			for p := range each {
				each[p] = make([]Run, plan.Seeds)
			}
			runs[cell{a, b}] = each
			for k := range plan.Seeds {
				group.Go(func() error {
					l, err := draw(plan.setting(service, rate, k))
					for p := 0; err == nil && p < len(policies); p++ {
						each[p][k], err = l.through(ctx, policies[p])
						mu.Lock()
						done++
						if plan.Progress != nil {
							plan.Progress(done, of, policies[p].Name+", "+service)
						}
						mu.Unlock()
					}
					return err
				})
			}
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var results []Result
	for a, service := range plan.Services {
		for b, rate := range plan.Loads {
			each := runs[cell{a, b}]
			var bound []Run
			if at := slices.Index(plan.Policies, Central); at >= 0 {
				bound = each[at]
			}
			for p := range policies {
				r := summarize(each[p], bound)
				r.Service, r.Load, r.Policy = service, rate, policies[p].Name
				r.Most = 1
				if most := policies[p].most; most != nil {
					r.Most = most(&load{Setting: plan.setting(service, rate, 0), service: serviceOf(service)})
				}
				r.Grows = r.Grows || rate >= r.Most
				results = append(results, r)
			}
		}
	}
	return results, nil
}

// summarize is what runs of several seeds have in common. bound are those of the central queue, of
// the same seeds.
func summarize(runs, bound []Run) Result {
	r := Result{Runs: runs, Grows: true}
	over := func(of func(Run) float64) Estimate { return estimate(runs, of) }
	r.Mean = over(func(r Run) float64 { return r.Mean })
	r.P50 = over(func(r Run) float64 { return r.P50 })
	r.P99 = over(func(r Run) float64 { return r.P99 })
	r.P999 = over(func(r Run) float64 { return r.P999 })
	r.Tries = over(func(r Run) float64 { return r.Tries })
	var ratios []float64
	for k, run := range runs {
		more := float64(run.End - run.Middle)
		r.Grows = r.Grows && float64(run.End) > grows*float64(run.Middle) && more > byChance*math.Sqrt(float64(run.all)/2)
		if bound != nil {
			ratios = append(ratios, run.P99/bound[k].P99)
		}
	}
	if bound != nil {
		r.Over = estimate(ratios, func(x float64) float64 { return x })
	}
	return r
}

func estimate[T any](all []T, of func(T) float64) Estimate {
	var t sim.Tally
	for _, x := range all {
		t.Add(of(x))
	}
	if t.N() < 2 {
		return Estimate{Mean: t.Mean()} // of one nothing can be said
	}
	return Estimate{t.Mean(), t.CI(0.95)}
}
