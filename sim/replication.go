package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
)

// A Replication is one run of an experiment, with random numbers of its own. It is used by one goroutine.
type Replication struct {
	index   int
	seed    uint64
	ctx     context.Context
	sim     *Simulation
	metrics []string
	values  map[string]float64
	err     error // the first thing that went wrong
}

// Index is the number of the replication, from 0.
func (r *Replication) Index() int { return r.index }

// Seed is what the random numbers of the replication come from. It depends on the seed of the experiment and on the index alone.
func (r *Replication) Seed() uint64 { return r.seed }

// Context is done when the result of the replication is no longer wanted. Give it to [Simulation.Run].
func (r *Replication) Context() context.Context { return r.ctx }

// Sim is the replication's simulation. The first call makes it, with the options and the replication's seed, and [Replicate] closes
// it when the replication has ended. Later calls return it again, and panic if they have options, which would come too late.
func (r *Replication) Sim(opts ...Option) *Simulation {
	if r.sim == nil {
		r.sim = New(append(opts[:len(opts):len(opts)], Seed(r.seed))...)
	} else if len(opts) > 0 {
		panic(fmt.Sprintf("sim: Sim with options in replication %d, which has its simulation; give them at the first call", r.index))
	}
	return r.sim
}

// Stream is a stream of the replication's simulation; see [Simulation.Stream].
func (r *Replication) Stream(name string) *rand.Rand { return r.Sim().Stream(name) }

// Record tells the value of a metric, of which all replications must record the same ones, each once. NaN is a missing value, such as
// the mean wait where nobody came: it does not count in the statistics, and the results say how many are missing. What is wrong
// with a record, such as an infinite value, ends the experiment with an error when the replication returns.
func (r *Replication) Record(metric string, x float64) {
	_, twice := r.values[metric]
	switch {
	case twice:
		r.complain(fmt.Errorf("metric %q is recorded twice", metric))
	case math.IsInf(x, 0):
		r.complain(fmt.Errorf("metric %q is %v; it must be a finite number, or NaN where nothing was observed", metric, x))
	default:
		if r.values == nil {
			r.values = make(map[string]float64)
		}
		r.values[metric] = x
		r.metrics = append(r.metrics, metric)
	}
}

func (r *Replication) complain(err error) {
	if r.err == nil {
		r.err = err
	}
}

// perform runs the replication. However it ends, it leaves an error in the replication and does not panic.
func (r *Replication) perform(run func(*Replication) error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			r.err = &PanicError{Value: v, Stack: debug.Stack()}
		} else {
			r.err = errors.New("runtime.Goexit was called")
		}
	}()
	err := r.closing(run)
	returned = true
	switch {
	case err != nil:
		r.err = err // of which a wrong record may be a consequence
	case r.ctx.Err() != nil:
		r.err = r.ctx.Err() // it may have recorded the half of a run
	}
}

// closing is run, with the simulation closed afterwards; a panic in either comes out.
func (r *Replication) closing(run func(*Replication) error) error {
	defer func() {
		if r.sim != nil {
			r.sim.Close()
			r.sim = nil // its memory is free while other replications run
		}
	}()
	return run(r)
}

// A ReplicationError says which replication went wrong, and by its seed how to see it again alone.
type ReplicationError struct {
	Index int
	Seed  uint64
	Err   error
}

func (e *ReplicationError) Error() string {
	return fmt.Sprintf("sim: replication %d (seed %d): %v", e.Index, e.Seed, e.Err)
}

func (e *ReplicationError) Unwrap() error { return e.Err }

// A PanicError is a panic in a replication.
type PanicError struct {
	Value any    // of the panic
	Stack []byte // where it was
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap is the value of the panic, if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
