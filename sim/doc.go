// Package sim is a library for discrete-event simulation: models of queues, factories and networks
// in simulated time.
//
//	s := sim.New(sim.Seed(1))
//	defer s.Close()
//	desk := sim.NewResource(s, "desk", 2)
//	s.Every(0, 3, func() {
//		s.Go("customer", func(p *sim.Process) {
//			desk.Use(p, 1, func() error { return p.Wait(5) })
//		})
//	})
//	err := s.Run(ctx, 480)
//	fmt.Println(desk.Waits().Mean())
//
// A model consists of events, processes, or both. An event is a function that is called at a time.
// A process is a function that waits: for time to pass, for a signal, for units of a resource.
//
// Package population is faster, and shorter to write, for many individuals that differ only in
// their states. A program with its own event loop can use [calendar.Queue].
//
// The package example is a whole model. The programs examples/bank, machine-shop, gas-station,
// movie, clinic, workshop and phold are larger ones. docs/guide/from-simpy.md translates SimPy, and
// docs/design/sim.md explains the kernel.
//
// # Overview
//
//   - [Simulation] is the clock. At, After and Every schedule events, Go starts processes, Run
//     dispatches events.
//   - [Process] has Wait, WaitFor and WaitForWithin. Interrupt ends a wait from outside.
//   - [Signal], [SignalOf], [AllOf] and [AnyOf] can be waited for, as can the end of a process.
//     [Call] starts a process that returns a value.
//   - [Resource], [Store] and [Container] hold units, things and amounts. Requests have a rank and
//     patience, and may preempt. A [Request] can be waited for together with other things. A
//     [Ticket] identifies a request that an event made.
//   - [Resource.Schedule], [Resource.Break] and [Gate] are shifts, breakdowns and opening hours.
//     They can stop [Resource.Work], which continues later.
//   - [Simulation.Arrive] calls a function at each arrival of a source: at a rate that may change,
//     or at recorded times.
//   - [Simulation.Stream] is a named stream of random numbers, one for each purpose. A
//     [Distribution] draws from it.
//   - [Tally] and [TimeWeighted] are statistics of observations and of quantities over time.
//     [Simulation.WarmUp] resets them, and [Simulation.Report] shows all that have a name. What is
//     made in large numbers, such as a mailbox for each customer, should have no name: then it can
//     be collected as garbage.
//   - [Simulation.Keep] makes statistics keep their history, in bounded memory: a [history.Series],
//     [history.Observations], and holdings of units.
//   - [RealTime] ties the clock to the wall clock. [Simulation.Inject] schedules events from other
//     goroutines.
//   - Package sim/replicate runs many replications on all cores and compares scenarios. Package
//     sim/analysis estimates how accurate the means of one run are. Package sim/output writes
//     tables and pictures. Package sim/trace has the records that [TraceTo] sees.
//
// # Costs
//
// Scheduling, cancelling and dispatching an event take amortised constant time. A turn of a process
// is an event and a coroutine switch. A statistic takes constant time and memory unless it keeps
// its history. docs/reference/benchmarks.md has numbers.
//
// # Ordering guarantees
//
// A model that makes the same calls has the same sequence of events on every machine:
//
//   - Events are dispatched in the order of their times. Equal times are ordered by [Priority],
//     smaller first; equal priorities in the order of scheduling. Times are compared exactly.
//   - Rescheduling an event counts as scheduling it anew. A periodic event is scheduled again right
//     before its function is called.
//   - The turns of processes are events and obey the same order. A process that waits for a time is
//     scheduled when the wait begins; one that waits for something else, when that happens. A turn
//     is an event of its own, never within the call that woke the process. All turns of a process
//     have the priority that it was started with.
//   - An event that is scheduled during another for the same time comes after what was scheduled
//     before, unless its priority is smaller. An event is never interrupted, whatever its priority.
//   - Processes that wait for the same signal, or the same process, wake in the order in which they
//     began to wait. A condition happens together with what makes it happen, and the processes that
//     wait for it are ordered by when the first of them began to wait for it.
//   - Queues at resources, stores and containers are ordered by [Rank], and equal ranks by the
//     order of the requests. The first request is never overtaken by a smaller one behind it. Only
//     at a store, a request for a particular thing does not block those behind it.
//   - If the limit of a wait and what is waited for come at the same time, the one that was
//     scheduled first counts, also for [Condition.First]. A timeout counts as scheduled when it was
//     made, or, if all its waiters left before its time, when the next one begins to wait.
//   - An interrupt that comes after units were granted and before the turn of the process returns
//     the units: the request returns the interrupt. A thing or an amount that was received, and a
//     signal that was triggered, are not undone: the process gets the interrupt at its next wait.
//   - Each change of a timetable is scheduled when the previous one happens. Work that ends at the
//     instant at which a shift ends, a unit breaks or a request preempts is done, whichever was
//     scheduled first. Likewise a gate is closed at its closing time.
//   - If several waits end by one event, all their requests leave their queues before any other
//     request is granted.
//
// [Simulation.Run] up to a time includes that time: everything that is due at it happens, also what
// is scheduled during it, and then the clock stays there. What is scheduled afterwards for that
// time happens at the beginning of the next run. So a run to 5 and then to 10 is the same as a run
// to 10.
//
// # Errors and panics
//
// A wait that does not end as expected returns an error: an *[Interrupted], [ErrReneged],
// [ErrBalked], [ErrWithdrawn] or [ErrClosed]. A model without interrupts can ignore the errors of
// Wait. A mistake of the caller, such as a time in the past or a unit that is released twice,
// panics with a message that begins with "sim: ". A panic in a process comes out of Run as a panic
// with a *[PanicError], in the goroutine that called Run.
//
// # Goroutines
//
// Each process that has begun and not ended has a goroutine, which is suspended while others run.
// [Simulation.Close] ends those that have not ended, and runs their deferred calls. It panics if a
// process recovers from its end again and again. If all processes have ended, Run leaves no
// goroutine behind. A simulation that is dropped without Close while processes wait keeps their
// goroutines, and itself, alive.
//
// Only [Simulation.Inject] is safe for concurrent use. There are no package-level variables, and
// simulations share nothing. Waiting for something of another simulation panics. What does not
// wait, such as [Grant.Release] or [Signal.Trigger], acts on its own simulation as if it were
// called between two runs.
//
// # Files
//
// The kernel:
//
//	simulation.go    the clock, the options of New, Run, Step, Stop and Close
//	event.go         events: At, After, Every; the order of what is due at the same instant
//	process.go       processes: Go, Wait, WaitFor, Status; Call
//	interrupt.go     Interrupt, and the error of the wait that it ends
//	coroutine.go     switching between processes: coroutines and workers
//	waitable.go      Waitable, subscriptions, AllOf and AnyOf
//	signal.go        Signal, SignalOf and Timeout
//	realtime.go      RealTime and Inject
//	trace.go         how a simulation makes the records of package sim/trace
//
// Resources and what they have in common:
//
//	request.go       options and errors of requests; Request and Ticket
//	queue.go         the queue of requests, by rank; what resources, stores and containers share
//	resource.go      Resource and Grant
//	work.go          Work; preemption, and what happens to work that loses its units
//	store.go         Store, NewSortedStore, Batch and Separate
//	container.go     Container
//	shifts.go        Schedule and the timetables Daily, Weekly, Dated and Except
//	breakdown.go     Break: units that break and are repaired
//	gate.go          Gate: opening hours
//
// Input and output:
//
//	arrivals.go      sources of arrivals, and RateTable
//	random.go        streams of random numbers; Distribution
//	tally.go         Tally, and the sketch of quantiles
//	timeweighted.go  TimeWeighted
//	history.go       Keep: what statistics keep of their past, in the types of package sim/history
//	report.go        Report, and the registry of statistics
package sim
