package population

import (
	"context"
	"fmt"

	"github.com/almanac-sim/almanac/population/internal/engine"
)

// A Runner runs replicas of a model one at a time, in any order, for callers that distribute the
// replicas of a run. Each equals the replica of that number of [Model.Run]: it depends on the
// model, the seed and the number alone.
//
// A Runner reuses the memory of one replica for the next. It must not be used from several
// goroutines at once; several runners may.
type Runner struct {
	m *Model
	o Options
	r *engine.Run
	t track
}

// Runner returns a runner. Of the options, Seed, Memory, Vary, OnEvent and OnRecord are used, and
// Workers: how many runners there will be at the same time (0 means 1). Of a model that goes on
// with a saved state, First, Replicas and Redraw say which replicas will be run. As with
// [Model.Run], it is an error if there is not enough memory for them.
func (m *Model) Runner(o Options) (*Runner, error) {
	o.forks = o.forks || m.state != nil && m.state.redraws(&o)
	o.Workers = max(o.Workers, 1)
	o.Replicas = o.Workers
	e := o.engine(m)
	p := engine.NewBudget(e)
	if _, err := engine.Afford(m.program, e, p); err != nil {
		return nil, err
	}
	return &Runner{m: m, o: o, r: engine.NewRun(e, p)}, nil
}

// Run runs a replica. If it cannot be completed, what was recorded is returned with the error, as
// by [Model.Run].
func (r *Runner) Run(ctx context.Context, replica int) (*Run, error) {
	if replica < 0 {
		panic("population: the number of a replica cannot be negative")
	}
	run, err := simulate(ctx, r.r, r.m, &r.o, replica, &r.t)
	return run, r.m.replicaError(ctx, replica, err)
}

// replicaError adds the number of the replica to an error, unless the context has ended.
func (m *Model) replicaError(ctx context.Context, replica int, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%s, replica %d: %w", m.program.Name, replica, err)
}
