package fit

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/almanac-sim/almanac/ensemble"
)

// HereOptions are for fits in this process that can be resumed.
type HereOptions struct {
	State    string             // the directory in which jobs are kept
	Slots    int                // replicas at once; one for each processor if 0
	Registry *ensemble.Registry // the default one if nil
	MaxStore int64              // bytes of the state; three quarters of what is free if 0
	Logger   *slog.Logger       // silent if nil
}

// Here gives use a runner that does jobs in this process, on a hub that opens no port and keeps its state in a directory, and returns what
// use returns. Unlike [ensemble.RunHere], hub and worker live for all stages of a fit. A fit that was interrupted, by whatever it was, goes
// on when it is given again with the same directory.
func Here(ctx context.Context, o HereOptions, use func(ctx context.Context, run Runner) error) error {
	hub, err := ensemble.StartHub(ensemble.HubOptions{Store: o.State, Listen: "none", MaxStore: o.MaxStore, Logger: o.Logger})
	if err != nil {
		return err
	}
	defer hub.Close()
	c, err := hub.Connect(ensemble.ConnectOptions{Logger: o.Logger})
	if err != nil {
		return err
	}
	defer c.Close()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	worker := make(chan error, 1)
	working, stop := context.WithCancel(ctx)
	go func() {
		err := ensemble.Serve(working, c, ensemble.WorkerOptions{Registry: o.Registry, Slots: o.Slots, Name: "here", Drain: time.Second, Logger: o.Logger})
		if err != nil && working.Err() == nil {
			cancel(err) // nobody would do the work
		}
		worker <- err
	}()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-hub.Failed():
			cancel(hub.Err())
		case <-working.Done():
		}
	}()
	err = use(ctx, OnHub(c))
	stop()
	<-watched
	<-worker
	if err != nil && errors.Is(err, context.Canceled) && context.Cause(ctx) != nil {
		err = context.Cause(ctx)
	}
	return err
}

// OnHub is a runner that does jobs on a hub that has workers.
func OnHub(c *ensemble.Conn) Runner {
	return func(ctx context.Context, job ensemble.Job, o ensemble.RunOptions) (ensemble.Outcome, error) {
		return ensemble.Run(ctx, c, job, o)
	}
}
