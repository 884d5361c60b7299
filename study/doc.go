// Package study is one request for runs of a model, shared by the command, the page and the workers
// of a hub.
//
//	r := &study.Request{Kind: study.Run, Model: "sir.yaml", Replicas: 100}
//	err := r.ReadModel(os.Stdin)
//	s, err := r.Open() // compiles the model and checks the request
//	job, err := s.Job()
//	outcome, err := executor.Run(ctx, job, ensemble.RunOptions{Registry: study.Registry()})
//
// A [Request] says which model is run with which changes, at which points, how often, and which
// outputs are recorded. The flags of the command and the forms of the page are read into one; a job
// carries one to the workers; study.json beside the results is one. A [Study] is a request whose
// model is compiled and whose parts have been checked. [Registry] has the kinds of jobs that
// package ensemble runs from it, on any machine.
//
// # Contract
//
// Values are texts as a user writes them, with their units. [Request.Validate] and [Request.Open]
// return what is wrong with a request before anything is run. A request gives the same job, and the
// job the same bytes of results, in the command, on the page and on a hub. [Request.Command] is the
// command line that repeats it.
//
// docs/design/studies.md explains the design.
//
// # Files
//
//	request.go     Request: what is asked for, and its forms as flags, JSON and payload
//	model.go       reading and compiling the model of a request
//	study.go       Study: a request with its model, and its job
//	sweep.go       the points of a sweep
//	compare.go     the scenarios of a comparison, and its results
//	outputs.go     what is recorded of each replica
//	kind.go        Registry: how workers run a job
//	course.go      Course: what a comparison records over time
//	fit.go         fits: the data and the problem
//	fit_states.go  states that a fit saves at the last data point
//	from.go        From: parameters drawn from a posterior
//	fitted.go      Fitted: how the model of a fit was changed, and what that means for scenarios
//	past.go        Past: runs of a fit that replicas go on with
//	state.go       saved states that replicas go on with
//	projection.go  Projection: what would be reported, with the data
package study
