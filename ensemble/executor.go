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
//	InMemory    in this process; stores nothing; has the least overhead
//	*Directory  in this process; stores results in a directory; an interrupted job can be continued
//	*Conn       on a hub, by workers on any number of machines; can be continued, too
//
// Run returns when all points are finished, or with
//
//   - what is wrong with the job;
//   - a [ReplicaError] if a replica failed: the first in the order of points and replicas;
//   - [ErrCanceled], [ErrTakenOver] or [ErrLost], on a hub;
//   - the cause of ctx, if it is done, or an error of Point or Replica, or one that is an
//     [ErrNoRoom]. The job is then interrupted.
//
// Where results are stored, running the same job again continues it; replicas that failed are tried
// again. Run may be called from several goroutines at once.
type Executor interface {
	// Run runs a job, or continues it.
	Run(ctx context.Context, job Job, o RunOptions) (Outcome, error)
}

var _ = []Executor{InMemory{}, (*Directory)(nil), (*Conn)(nil)}

// RunOptions configure a run of a job. All functions are called from one goroutine at a time.
type RunOptions struct {
	Registry *Registry // with the job's kind; nil means the default registry

	// Point is called with the result of each point, in order, including those that were finished
	// earlier. If it returns an error, Run returns it; the job can be resumed.
	Point func(PointResult) error

	// Replica, if not nil, is called with the values of each replica: in order within a point, in
	// any order between points. Replicas of points that were finished earlier are included only if
	// the job has Keep. If it returns an error, Run returns it. The values must not be changed.
	Replica func(point, replica int, v Values) error

	// Progress is called a few times a second.
	Progress func(Progress)

	// wanted duration of a task; 0 means 1 s, and 5 ms in memory. A worker ends one after twice
	// that time
	TaskTime time.Duration
	Window   int          // largest number of outstanding tasks; 0 means by the number of workers
	Logger   *slog.Logger // silent if nil
}

// Progress is the progress of a job.
type Progress struct {
	Key             string
	Points          int
	PointsDone      int // passed to Point
	Replicas        int // of all points, at most
	Merged          int // replicas
	Events          uint64
	EventsPerSecond float64       // of all workers, moving average
	Workers         int           // with a recent heartbeat and this job's version
	Slots           int           // of these workers
	Left            time.Duration // estimated remaining time; negative if unknown
	Resumed         bool          // it was started before
	// why the job makes no progress, if so: the hub is away, there are no workers
	Trouble string
	Refused []string // the reasons of workers that refuse the job
	Counts  Counts
}

// An Outcome is the outcome of a job.
type Outcome struct {
	Key        string
	Resumed    bool   // it was started before, and continued
	WasDone    bool   // it was already done: nothing was run
	PointsDone int    // passed to Point
	Replicas   int    // merged
	Events     uint64 // of those replicas
	Counts     Counts

	// Identical reports that every point had at least two replicas, and that all replicas of a
	// point gave the same numbers. The model is then deterministic, or does not take its seed from
	// the [Replica].
	Identical bool
}

// Counts say what happened during a run. They vary from run to run; the results do not.
type Counts struct {
	Tasks      int // handed out
	Results    int // read
	Short      int // results with fewer replicas than their task; the rest was handed out again
	Redone     int // results of tasks that were delivered more than once
	Duplicates int // replicas received more than once, and counted once
	Lost       int // tasks that were lost, and handed out again
	Resumed    int // replicas that were stored before this run
}

// prepare checks a job, sets defaults, and returns the job as it is stored, and its key.
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

// ErrNoRoom means that results cannot be stored: the disk is full, or a limit is reached. With more
// room, running the same job again continues it.
var ErrNoRoom = errors.New("ensemble: no room to store results; with more room, the same job goes on where it was")
