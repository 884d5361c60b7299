package ensemble

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// An Executor runs jobs. There are three, and a job gives the same points, values and errors on
// each:
//
//	InMemory    in this process; keeps nothing. It costs the least
//	*Directory  in this process; keeps what is done in a directory. A job that was interrupted goes on when it is given again
//	*Conn       on a hub, by its workers on any number of machines; goes on as with a directory
//
// Run returns when all points are finished, or with
//
//   - what is wrong with the job;
//   - a [ReplicaError] if a replica failed: the first in the order of points and replicas;
//   - [ErrCanceled], [ErrTakenOver] or [ErrLost], on a hub;
//   - the cause of ctx, if it is done, or an error of Point or Replica, or one that is an
//     [ErrNoRoom]. The job is then interrupted.
//
// Where jobs are kept, the same job, given again, goes on from there. One that had failed tries
// again what failed. Run may be called from several goroutines at once.
type Executor interface {
	Run(ctx context.Context, job Job, o RunOptions) (Outcome, error)
}

var _ = []Executor{InMemory{}, (*Directory)(nil), (*Conn)(nil)}

// RunOptions say what to do with what a job gives. All functions are called from one goroutine.
type RunOptions struct {
	Registry *Registry // whose kinds the job may be of; the default one if nil

	// Point is called with the result of each point, in order, those that were finished earlier
	// first. If it returns an error, Run ends with it; the job can be resumed.
	Point func(PointResult) error

	// Replica is called with what each replica gave, if it is not nil: of a point in the order of
	// their numbers, and of several points in any order. Replicas of points that were finished
	// earlier are among them only if the job has Keep. If it returns an error, Run ends with it.
	// What it is given is not to be changed.
	Replica func(point, replica int, v Values) error

	// Progress is called a few times a second.
	Progress func(Progress)

	// how long a task should take; a second if 0, and 5 ms in memory. A worker ends one after twice
	// as long
	TaskTime time.Duration
	Window   int          // how many tasks may be out at once; by the number of workers if 0
	Logger   *slog.Logger // silent if nil
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
	// what keeps the job from going on, if anything does: the hub is away, there are no workers
	Trouble string
	Refused []string // which workers refuse the job, and why
	Counts  Counts
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

	// Alike reports that there were at least two replicas at each point given out, and that they
	// all gave the same numbers. The model then has nothing random, or does not take its seed from
	// the [Replica].
	Identical bool
}

// Counts say what happened on the way to a result. They differ from run to run, which the result
// does not.
type Counts struct {
	Tasks      int // handed out
	Results    int // read
	Short      int // results of fewer replicas than the task had: the rest was handed out again
	Redone     int // results of tasks that were handed to a worker more than once
	Duplicates int // replicas that came more than once, and were counted once
	Lost       int // tasks that were found nowhere, and handed out again
	Resumed    int // replicas that were there when the coordinator began
}

// prepare checks a job, fills in what o leaves out, and gives the job as it is stored, and its key.
func (o *RunOptions) prepare(job Job, taskTime time.Duration) (s *spec, data []byte, key string, err error) {
	if o.Registry == nil {
		o.Registry = Default()
	}
	if o.TaskTime == 0 {
		o.TaskTime = taskTime
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if s, err = job.spec(o.Registry); err != nil {
		return nil, nil, "", err
	}
	data, key, err = s.encode()
	return s, data, key, err
}

// ErrNoRoom says that what a job gives cannot be stored: the disk is full, or a limit is reached.
// With more room, the same job, given again, goes on.
var ErrNoRoom = errors.New("ensemble: no room to store results; with more room, the same job goes on where it was")
