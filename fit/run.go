package fit

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/ensemble"
)

// Options say how to fit.
type Options struct {
	Kind   string // that [NewKind] made, by its name
	Method string // "abc" if empty; see [Methods]
	Seed   uint64

	// Budget is how many runs of the model may be made; each method has its own idea if it is 0.
	Budget int

	// Population is how many values of the unknowns a method works with at once, or how large an
	// effective sample it is to give; each method has its own idea if it is 0.
	Population int

	Limits   ensemble.Limits    // of one task
	Registry *ensemble.Registry // that has the kind; the default one if nil
	Executor ensemble.Executor  // does the jobs, one for each stage; in memory if nil

	Progress func(Progress)      // is called now and then, if it is not nil
	Engine   ensemble.RunOptions // passed on to the executor; Replica, Point, Progress and Registry are the fit's own
}

// Progress is how far a fit is.
type Progress struct {
	Stage    int    // from 1
	What     string // it does, for people
	Runs     int    // of the model, in the stages before
	Budget   int    // of runs
	Tasks    int    // of the stage
	Ensemble ensemble.Progress
}

// A method is a way to fit.
type method func(ctx context.Context, e *engine) (*Result, error)

var methods = map[string]method{
	"abc":    abc,
	"anneal": anneal,
	"pmmh":   pmmh,
	"random": randomSearch,
	"search": search,
}

// Methods are the names of the methods, in alphabetical order.
func Methods() []string { return slices.Sorted(maps.Keys(methods)) }

// Run fits a problem. The payload is what the kind makes the same problem and its simulator from.
// The same problem, payload and options give the same result, whatever runs the jobs; if Run
// returns early, the same call goes on from what the executor has kept.
func Run(ctx context.Context, p *Problem, payload []byte, o Options) (*Result, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if o.Method == "" {
		o.Method = "abc"
	}
	f, ok := methods[o.Method]
	switch {
	case !ok:
		return nil, fmt.Errorf("fit: there is no method %q; there are %s", o.Method, strings.Join(Methods(), ", "))
	case o.Budget < 0 || o.Population < 0:
		return nil, fmt.Errorf("fit: a budget of %d runs and a population of %d: they are above 0, or 0 for the method's own",
			o.Budget, o.Population)
	}
	e := &engine{problem: p, payload: payload, o: o}
	r, err := f(ctx, e)
	if err != nil {
		return nil, err
	}
	r.Method, r.Seed, r.Unknowns = o.Method, o.Seed, p.Unknowns
	r.Runs, r.Events, r.Impossible, r.Jobs = e.runs, e.events, e.impossible, e.jobs
	if o.Budget > 0 && r.Runs > o.Budget {
		r.Notes = append(r.Notes, fmt.Sprintf("the budget is %d, and %d runs were made: with fewer, %s has nothing to "+
			"choose from", o.Budget, r.Runs, o.Method))
	}
	return r, nil
}

// An engine does the stages of a fit, and counts.
type engine struct {
	problem *Problem
	payload []byte
	o       Options

	runs       int // of the model, so far
	events     uint64
	impossible int
	jobs       []string // keys
}

// stage does n tasks of a sort, and gives their answers to take, in the order of their numbers.
func (e *engine) stage(ctx context.Context, what, sort string, args any, n int,
	take func(k int, a answer) error) error {
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	payload, err := joinStage(stage{sort, text}, e.payload)
	if err != nil {
		return err
	}
	number := len(e.jobs) + 1
	job := ensemble.Job{Name: fmt.Sprintf("fit, stage %d: %s", number, what), Kind: e.o.Kind, Payload: payload,
		Points:   []ensemble.Point{{}},
		Replicas: n, Seed: e.o.Seed, Keep: true, Limits: e.o.Limits}
	o := e.o.Engine
	o.Registry, o.Point, o.Progress = e.o.Registry, nil, nil
	before := e.runs
	if e.o.Progress != nil {
		say := func(p ensemble.Progress) {
			e.o.Progress(Progress{Stage: number, What: what, Runs: before, Budget: e.o.Budget, Tasks: n, Ensemble: p})
		}
		say(ensemble.Progress{Replicas: n, Left: -1})
		o.Progress = say
	}
	next := 0
	o.Replica = func(_, k int, v ensemble.Values) error {
		if k != next || len(v.Numbers) != 1 {
			return fmt.Errorf("fit: stage %d, %s: answer %d came where %d belongs", number, what, k, next)
		}
		next++
		numbers, err := unpackNumbers(v.Data)
		if err != nil {
			return err
		}
		a := answer{numbers, int(v.Numbers[0]), v.Events}
		e.runs += a.runs
		e.events += a.events
		return take(k, a)
	}
	executor := e.o.Executor
	if executor == nil {
		executor = ensemble.InMemory{}
	}
	outcome, err := executor.Run(ctx, job, o)
	if err != nil {
		return fmt.Errorf("fit: stage %d, %s: %w", number, what, err)
	}
	if next != n {
		return fmt.Errorf("fit: stage %d, %s: %d answers of %d came", number, what, next, n)
	}
	e.jobs = append(e.jobs, outcome.Key)
	return nil
}
