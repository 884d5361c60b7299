package ensemble

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// RunOptions say what to do with what a job gives. All functions are called from one goroutine.
type RunOptions struct {
	Registry *Registry // whose kinds the job may be of; the default one if nil

	// Point is called with the result of each point, in order, those that were finished earlier first. If it returns an error, Run ends
	// with it; the job can be resumed.
	Point func(PointResult) error

	// Replica is called with what each replica gave, if it is not nil: of a point in the order of their numbers, and of several points in
	// any order. Replicas of points that were finished earlier are among them only if the job has Keep. If it returns an error, Run ends with
	// it. What it is given is not to be changed.
	Replica func(point, replica int, v Values) error

	// Progress is called a few times a second.
	Progress func(Progress)

	TaskTime time.Duration // how long a task should take; a second if 0. A worker ends one after twice as long
	Window   int           // how many tasks may be out at once; by the number of workers if 0
	Logger   *slog.Logger  // silent if nil
}

// Progress is how far a job is.
type Progress struct {
	Key             string
	Points          int
	PointsDone      int // given out
	Replicas        int // of all points, at most
	Merged          int // replicas
	Events          uint64
	EventsPerSecond float64       // lately, of all workers
	Workers         int           // heard of lately, with this job's version
	Slots           int           // theirs
	Left            time.Duration // as it seems; negative if nothing is known
	Resumed         bool          // it was begun before
	Trouble         string        // what keeps the job from going on, if anything does: the hub is away, there are no workers
	Refused         []string      // which workers refuse the job, and why
	Counts          Counts
}

// An Outcome is what became of a job.
type Outcome struct {
	Key        string
	Resumed    bool   // it was begun before, and went on
	WasDone    bool   // it was done before: nothing was run
	PointsDone int    // given out
	Replicas   int    // merged
	Events     uint64 // of those replicas
	Counts     Counts

	// Alike reports that there were at least two replicas at each point given out, and that they all gave the same numbers. The
	// model then has nothing random, or does not take its seed from the [Replica].
	Alike bool
}

// Counts say what happened on the way to a result. They differ from run to run, which the result does not.
type Counts struct {
	Tasks      int // handed out
	Results    int // read
	Short      int // results of fewer replicas than the task had: the rest was handed out again
	Redone     int // results of tasks that were handed to a worker more than once
	Duplicates int // replicas that came more than once, and were counted once
	Lost       int // tasks that were found nowhere, and handed out again
	Resumed    int // replicas that were there when the coordinator began
}

// Run does a job on a hub that has workers, or gets some. It returns when all points are finished, or with
//
//   - a [ReplicaError] if a replica failed: the first in the order of points and replicas;
//   - [ErrCancelled], [ErrTakenOver] or [ErrLost];
//   - the cause of ctx, if it is done, or an error of Point, or one that says that the hub has no room. The job is then interrupted.
//
// The same job, given again, goes on from what is stored on the hub. One that had failed tries again what failed.
func Run(ctx context.Context, c *Conn, job Job, o RunOptions) (Outcome, error) {
	s, err := job.spec(o.Registry)
	if err != nil {
		return Outcome{}, err
	}
	data, id, err := s.encode()
	if err != nil {
		return Outcome{}, err
	}
	if o.TaskTime == 0 {
		o.TaskTime = time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if err := c.ensure(ctx); err != nil {
		return Outcome{}, err
	}
	r := newCoordinator(c, s, id, o)
	if err := r.begin(ctx, data); err != nil {
		return r.outcome(), err
	}
	err = r.run(ctx)
	return r.outcome(), r.end(ctx, err)
}

// HereOptions are for a job that is run in this process alone.
type HereOptions struct {
	RunOptions
	State    string // the directory in which the job's state is kept
	Slots    int    // replicas at once; one for each processor if 0
	MaxStore int64  // bytes of the state; three quarters of what is free if 0
}

// RunHere does a job in this process, with a server that opens no port and keeps its state in a directory. A job that was interrupted, by
// whatever it was, goes on when it is given again with the same directory.
func RunHere(ctx context.Context, job Job, o HereOptions) (Outcome, error) {
	hub, err := StartHub(HubOptions{Store: o.State, Listen: "none", MaxStore: o.MaxStore, Logger: o.Logger})
	if err != nil {
		return Outcome{}, err
	}
	defer hub.Close()
	c, err := hub.Connect(ConnectOptions{Logger: o.Logger})
	if err != nil {
		return Outcome{}, err
	}
	defer c.Close()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	worker := make(chan error, 1)
	working, stop := context.WithCancel(ctx)
	go func() {
		worker <- Serve(working, c, WorkerOptions{Registry: o.Registry, Slots: o.Slots, Name: "here", Drain: time.Second, Logger: o.Logger,
			noRoom: func(err error) { cancel(fmt.Errorf("%w (%s: %w)", ErrNoRoom, o.State, err)) }})
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
	outcome, err := Run(ctx, c, job, o.RunOptions)
	stop()
	<-watched
	if werr := <-worker; err == nil && outcome.PointsDone < len(job.Points) {
		err = werr
	}
	return outcome, err
}

// ErrNoRoom says that what a job gives cannot be stored: the disk is full, or a limit is reached. With more room, the same job, given
// again, goes on.
var ErrNoRoom = errors.New("ensemble: no room to store results; with more room, the same job goes on where it was")
