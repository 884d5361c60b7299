package fit

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/almanac-sim/almanac/ensemble"
)

// InMemory is a runner that does jobs in this process, so many replicas at once (one for each processor if 0), and keeps nothing: a fit that
// is interrupted begins anew. It costs the least, for fits that take seconds and for tests. It does not look at limits. The registry is the default one if nil.
func InMemory(g *ensemble.Registry, slots int) Runner {
	if g == nil {
		g = ensemble.Default
	}
	if slots <= 0 {
		slots = runtime.GOMAXPROCS(0)
	}
	return func(ctx context.Context, job ensemble.Job, o ensemble.RunOptions) (ensemble.Outcome, error) {
		key, err := job.Key(g)
		if err != nil {
			return ensemble.Outcome{}, err
		}
		outcome := ensemble.Outcome{Key: key}
		var model ensemble.Model
		for _, k := range g.Kinds() {
			if k.Name == job.Kind {
				if model, err = k.Open(job.Payload); err != nil {
					return outcome, err
				}
			}
		}
		for point := range job.Points {
			all, err := replicas(ctx, model, job, point, slots)
			if err != nil {
				return outcome, err
			}
			for k, v := range all {
				outcome.Replicas++
				outcome.Events += v.Events
				if o.Replica == nil {
					continue
				}
				if err := o.Replica(point, k, v); err != nil {
					return outcome, err
				}
			}
			outcome.PointsDone++
		}
		return outcome, nil
	}
}

// replicas runs all replicas of a point.
func replicas(ctx context.Context, m ensemble.Model, job ensemble.Job, point, slots int) ([]ensemble.Values, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	all := make([]ensemble.Values, job.Replicas)
	failed := make([]error, slots) // the first failure of each worker
	at := make([]int, slots)
	var next atomic.Int64
	var workers sync.WaitGroup
	for w := range slots {
		workers.Go(func() {
			run, err := m.At(job.Points[point])
			for k := int(next.Add(1) - 1); k < job.Replicas && ctx.Err() == nil; k = int(next.Add(1) - 1) {
				if err == nil {
					all[k], err = run(ctx, ensemble.NewReplica(job.Seed, k))
				}
				if err != nil {
					failed[w], at[w] = err, k
					next.Store(int64(job.Replicas)) // those before it have been taken: the least number that failed is known
					return
				}
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	least := -1
	for w, err := range failed {
		if err != nil && (least < 0 || at[w] < at[least]) {
			least = w
		}
	}
	if least >= 0 {
		return nil, fmt.Errorf("replica %d: %w", at[least], failed[least])
	}
	return all, nil
}
