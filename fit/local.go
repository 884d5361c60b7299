package fit

import (
	"context"
	"errors"

	"github.com/almanac-sim/almanac/ensemble"
)

// A SimulatorFunc is a function as a [Simulator].
type SimulatorFunc func(ctx context.Context, x []float64, seed uint64) (Course, error)

// Simulate calls f.
func (f SimulatorFunc) Simulate(ctx context.Context, x []float64, seed uint64) (Course, error) {
	return f(ctx, x, seed)
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
