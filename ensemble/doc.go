// Package ensemble runs a model at many points, many times at each, in one process or on many
// machines.
//
//	ensemble.Register("dice", dice) // an ensemble.Func
//	job := ensemble.Job{Kind: "dice", Points: points, Replicas: 1000, Seed: 1}
//	directory, err := ensemble.OpenDirectory("results", ensemble.DirectoryOptions{})
//	print := func(p ensemble.PointResult) error {
//		sum, _ := p.Output("sum")
//		_, err := fmt.Println(p.Point.Set, sum.Mean)
//		return err
//	}
//	outcome, err := directory.Run(ctx, job, ensemble.RunOptions{Point: print})
//
// A [Job] is a model, its points and a number of replicas. An [Executor] runs it: [InMemory], a
// [Directory] in which it can be continued, or a connection to a hub ([Conn]). On a hub, Run
// coordinates the job: it cuts it into tasks of about a second, distributes them to workers
// ([Serve]) through a NATS JetStream server ([StartHub], or one of your own), and merges the
// results. A Directory is coordinator, worker and server in one process, and opens no port.
//
// The package is independent of the kind of model. [Register] adds functions of a Go program,
// [Registry.AddKind] whole kinds of models. [Main] makes a command of the registered functions.
//
// # Contract
//
// A result is a pure function of engine version, model, point, seed and replica. A result that is
// delivered twice is recognised by its key and counted once; a lost one is computed again; replicas
// are merged in the order of their numbers. So the outcome is the same, byte for byte, for any
// number of workers, any order, any failure or restart, and any division into tasks. Coordinator,
// workers and servers may fail at any moment; the same job, run again, continues where it was.
//
// The coordinator holds the summaries of unfinished points and a bounded window of results,
// whatever the number of replicas. Quantiles are exact up to [ExactReplicas] replicas, and
// estimated by a sketch beyond; a [PointResult] says which. Run may be called from several
// goroutines at once. Models run on several goroutines at once; the functions of [RunOptions] are
// called from one.
//
// # How it uses JetStream
//
//	ALMANAC_TASKS    stream with work-queue retention. A task is a job and ranges of replicas of
//	                 points; leases of 30 s are extended while it runs, and it is acknowledged
//	                 after its result is stored
//	ALMANAC_R_<job>  stream, the journal of a job: results of tasks, created once for each key, and
//	                 summaries of finished points, after which their results are purged
//	ALMANAC_JOBS     key-value: the state of each job. The revision tells a coordinator that another
//	                 one has taken over the job
//	ALMANAC_MODELS   object store: model, files and points of a job. Data, never code or paths
//
// Queues, locks and consensus are JetStream's. docs/guide/cluster.md is the guide, and
// docs/design/studies.md explains the design.
//
// # Files
//
//	job.go           jobs, points, limits; registry.go kinds of models and functions
//	executor.go      executors, options, outcomes; inmemory.go, directory.go two of them
//	scheduler.go     which replicas are next, and merging; summary.go statistics of a point
//	paired.go        comparisons with common random numbers
//	coordinator.go   one job on a hub; journal.go its stream of results
//	worker.go        workers; task.go, replica.go, jobmodel.go what they run
//	workers.go       heartbeats; jobs.go status, cancelling and removing of jobs
//	hub.go           the server; connect.go connections; errors.go what their errors mean
//	metrics.go       for Prometheus; main.go Main, the command line of Go models,
//	                 and main_compare.go its subcommand compare
//	internal/        wire (messages), hubconf (configuration files), identity (of programs)
package ensemble
