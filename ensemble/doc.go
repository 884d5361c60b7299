// Package ensemble runs a model at many points, many times at each, on as many machines as there
// are.
//
// A [Job] is a model, its points and a number of replicas. An [Executor] runs it: [InMemory], a
// [Directory] in which it can be continued, or a connection to a hub ([Conn]). On a hub, Run
// coordinates the job: it cuts it into tasks of about a second, hands them to workers ([Serve])
// through a NATS JetStream server ([StartHub], or one of your own), and merges what comes back. A
// directory is all three in one process, with a server that opens no port.
//
// # What is promised
//
// A result is a pure function of engine version, model, point, seed and replica. What is delivered
// twice is recognised by its key and counted once; what is lost is done again; replicas are merged
// in the order of their numbers. So the outcome is the same, byte for byte, whatever the number of
// workers, their order, deaths and restarts, and however the tasks were cut. Coordinator, workers
// and servers may each die at any moment; the same job, given again, goes on where it was.
//
// # How it uses JetStream
//
//	ALMANAC_TASKS    a stream with work-queue retention: a task is (job, ranges of replicas of points); leases of 30 s, extended while a
//	                 task runs, acknowledged after its result is stored
//	ALMANAC_R_<job>  the job's journal, a stream: results of tasks, created once for each key, and summaries of points that are finished,
//	                 after which their results are purged
//	ALMANAC_JOBS     key-value: the state of each job. Its revision tells a coordinator that another one has taken the job over
//	ALMANAC_MODELS   object store: what the workers need to know of a job: model, files and points. Data, never code or paths
//
// There is no queue, no lock and no consensus of our own.
//
// # Memory
//
// The coordinator holds the summaries of points in work and a bounded window of results, for a
// million replicas as for a hundred. Quantiles are exact up to [ExactReplicas], and by sketch
// beyond; a [PointResult] says which.
//
// The package knows no kind of model. [Register] gives it functions of Go programs,
// [Registry.AddKind] whole kinds of models.
package ensemble
