package fit

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"errors"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/frame"
	"github.com/almanac-sim/almanac/internal/random"
)

// Options configure a fit.
type Options struct {
	Kind   string // name of a kind that [NewKind] made
	Method string // "abc" if empty; see [Methods]
	Seed   uint64

	// Budget is the largest number of runs of the model; 0 means the method's default.
	Budget int

	// Population is the number of points a method works with at once, or the effective sample size
	// it aims for; 0 means the method's default.
	Population int

	Limits   ensemble.Limits    // of one task
	Registry *ensemble.Registry // that has the kind; nil means the default registry
	Executor ensemble.Executor  // runs the jobs, one for each stage; nil means in memory

	Progress func(Progress)      // called a few times a second; may be nil
	Engine   ensemble.RunOptions // for the executor; Replica, Point, Progress and Registry are overwritten
}

// Progress is the progress of a fit.
type Progress struct {
	Stage    int    // from 1
	What     string // a description of the stage
	Runs     int    // of the model, in earlier stages
	Budget   int    // of runs
	Tasks    int    // of the stage
	Ensemble ensemble.Progress
}

// A method is an algorithm for fitting.
type method func(ctx context.Context, e *engine) (*Result, error)

var methods = map[string]method{
	"abc":    abc,
	"anneal": anneal,
	"pmmh":   pmmh,
	"random": randomSearch,
	"search": search,
}

// Methods returns the names of the methods, in alphabetical order.
func Methods() []string { return slices.Sorted(maps.Keys(methods)) }

// Run fits a problem. The kind rebuilds the same problem and its simulator from the payload. The
// same problem, payload and options give the same result on any executor. If Run is interrupted,
// the same call continues from what the executor has stored.
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

// An engine runs the stages of a fit and counts runs.
type engine struct {
	problem *Problem
	payload []byte
	o       Options

	runs       int // of the model, so far
	events     uint64
	impossible int
	jobs       []string // keys
}

// stage runs n tasks of a kind of stage, and passes their outputs to take in the order of their
// numbers.
func (e *engine) stage(ctx context.Context, what, kind string, args any, n int,
	take func(k int, a output) error) error {
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	payload, err := encodePayload(stage{kind, text}, e.payload)
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
		report := func(p ensemble.Progress) {
			e.o.Progress(Progress{Stage: number, What: what, Runs: before, Budget: e.o.Budget, Tasks: n, Ensemble: p})
		}
		report(ensemble.Progress{Replicas: n, Left: -1})
		o.Progress = report
	}
	next := 0
	o.Replica = func(_, k int, v ensemble.Values) error {
		if k != next || len(v.Numbers) != 1 {
			return fmt.Errorf("fit: stage %d, %s: output %d came instead of %d", number, what, k, next)
		}
		next++
		numbers, err := frame.DecodeFloats(v.Data)
		if err != nil {
			return err
		}
		a := output{numbers, int(v.Numbers[0]), v.Events}
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
		return fmt.Errorf("fit: stage %d, %s: %d outputs of %d came", number, what, next, n)
	}
	e.jobs = append(e.jobs, outcome.Key)
	return nil
}

// localKind is the kind of [RunLocal], which has its own registry.
const localKind = "local"

// RunLocal fits a problem with a model of this program, in memory: it is [Run] without a kind, a
// payload or a registry. The result has the same numbers as that of Run with the same options. Use
// Run for fits that can be resumed or distributed.
//
// Kind and Registry of the options must be empty, and Executor nil or an [ensemble.InMemory].
func RunLocal(ctx context.Context, p *Problem, model Simulator, o Options) (*Result, error) {
	if model == nil {
		return nil, errors.New("fit: there is no model")
	}
	if o.Kind != "" || o.Registry != nil {
		return nil, errors.New("fit: a model that is registered is fitted by Run; RunLocal takes neither Kind nor Registry")
	}
	if _, ok := o.Executor.(ensemble.InMemory); !ok && o.Executor != nil {
		return nil, errors.New("fit: RunLocal works in memory only; Run works with any executor")
	}
	o.Kind, o.Registry = localKind, new(ensemble.Registry)
	open := func([]byte) (*Problem, Simulator, error) { return p, model, nil }
	o.Registry.AddKind(NewKind(localKind, "1", open)) // nothing is stored, so any version will do
	return Run(ctx, p, nil, o)
}

// ErrBudget matches, by [errors.Is], errors that say that the budget is too small for the method.
// Their text says which budget would do.
var ErrBudget = errors.New("fit: the budget is too small")

// A budgetError is an ErrBudget with details.
type budgetError struct{ text string }

func (e budgetError) Error() string        { return e.text }
func (e budgetError) Is(target error) bool { return target == ErrBudget }

// stream is the random stream for draws between stages.
func (e *engine) stream() random.Stream { return random.New(e.o.Seed, uint64(len(e.jobs)), 0x6c75636b) }

// stageSeed is the seed of the next stage.
func (e *engine) stageSeed() uint64 {
	s := random.New(e.o.Seed, uint64(len(e.jobs)), 0x73746167)
	return s.Uint64()
}

// checkBudget returns an error if the budget is below what a method needs.
func (e *engine) checkBudget(least int) error {
	if e.o.Budget > 0 && e.o.Budget < least {
		return budgetError{fmt.Sprintf("fit: a budget of %d runs: %s needs %d at least", e.o.Budget, e.o.Method, least)}
	}
	return nil
}

// runSeed is the seed of run k of several.
func runSeed(seed uint64, k int) uint64 {
	s := random.New(seed, uint64(k))
	return s.Uint64()
}
