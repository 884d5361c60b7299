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
	"github.com/almanac-sim/almanac/internal/random"
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
	take func(k int, a output) error) error {
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	payload, err := encodePayload(stage{sort, text}, e.payload)
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
		numbers, err := decodeFloats(v.Data)
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
		return fmt.Errorf("fit: stage %d, %s: %d answers of %d came", number, what, next, n)
	}
	e.jobs = append(e.jobs, outcome.Key)
	return nil
}

// localKind is the kind of [RunLocal], in a registry of its own.
const localKind = "local"

// RunLocal fits a problem with a model of this program, in memory: it is [Run] without a kind, a
// payload or a registry. The result has the same numbers as that of Run with the same options. A
// fit that is to be continued after an interruption, or to be run by other machines, needs Run.
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
	o.Registry.AddKind(NewKind(localKind, "1", open)) // nothing is kept, so that any version will do
	return Run(ctx, p, nil, o)
}

// ErrBudget is what an error is, by [errors.Is], if the budget is too small for the method. Its
// text says what would do.
var ErrBudget = errors.New("fit: the budget is too small")

// A budgetError says how.
type budgetError struct{ text string }

func (e budgetError) Error() string        { return e.text }
func (e budgetError) Is(target error) bool { return target == ErrBudget }

// stream is a stream for what the coordinator draws before its next stage.
func (e *engine) stream() random.Stream { return random.New(e.o.Seed, uint64(len(e.jobs)), 0x6c75636b) }

// stageSeed is the seed of the next stage.
func (e *engine) stageSeed() uint64 {
	s := random.New(e.o.Seed, uint64(len(e.jobs)), 0x73746167)
	return s.Uint64()
}

// checkBudget reports whether the budget is at least what a search needs.
func (e *engine) checkBudget(least int) error {
	if e.o.Budget > 0 && e.o.Budget < least {
		return budgetError{fmt.Sprintf("fit: a budget of %d runs: %s needs %d at least", e.o.Budget, e.o.Method, least)}
	}
	return nil
}

// runSeed is the seed of the k-th of several runs.
func runSeed(seed uint64, k int) uint64 {
	s := random.New(seed, uint64(k))
	return s.Uint64()
}
