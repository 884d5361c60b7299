// Package sim runs models in simulated time: discrete-event simulation.
//
// A model is written as events, as processes, or both. An event is a call of a function at a time. A process is a function
// that waits: for time to pass, for a signal, for its turn at a resource.
//
//	s := sim.New(sim.Seed(1))
//	defer s.Close()
//	desk := sim.NewResource(s, "desk", 2)
//	s.Every(0, 3, func() {
//		s.Go("customer", func(p *sim.Process) {
//			desk.Use(p, 1, func() error { return p.Wait(5) })
//		})
//	})
//	if err := s.Run(ctx, 480); err != nil { … }
//	fmt.Println(desk.Waits().Mean())
//
// It is for models in which somebody does one thing after the other and waits in between: queues, factories, networks. A population
// of many that are alike but for their states is faster, and shorter to write, in package population. What brings its own loop and
// only needs the events in order takes [calendar.Queue].
//
// The package example is a whole model, and every type has one; examples/bank, machine-shop, gas-station, movie and phold are programs, and
// docs/simpy.md is for those who come from SimPy. QuantileSketch are kept in sketches of DataDog/sketches-go, with which protobuf comes.
//
// # What there is
//
//   - [Simulation]: the clock. At, After and Every schedule events, Go starts processes, Run lets it all happen.
//   - [Process]: Wait, WaitFor, WaitForWithin; Interrupt ends a wait from outside.
//   - [Signal], [SignalOf], [AllOf], [AnyOf]: what one can wait for. The end of a process is one of them; [Call] starts one that
//     returns something.
//   - [Resource], [Store], [Container]: what one has to wait for: units, things, amounts. Requests have a rank, patience, and
//     may preempt. A [Request] is waited for together with other things, and those of events are named by a [Ticket].
//   - [Resource.Schedule], [Resource.Break], [Gate]: shifts, breakdowns and opening hours; [Resource.Work] is what they can stop.
//   - [Simulation.Arrive]: somebody comes, again and again, at a rate that may change, or as recorded.
//   - [Simulation.Stream]: named streams of random numbers, each for a purpose. A [Distribution] draws from them.
//   - [Tally], [TimeWeighted]: statistics of observations, and of quantities over time; [Simulation.WarmUp] makes them forget how a run
//     began, and [Simulation.Report] shows all that have a name. What is made in numbers and dropped again, such as a mailbox for each
//     customer, should have none: it goes when nobody holds it.
//   - [Simulation.Keep]: statistics keep their past, within bounds: a [TimeSeries], [Observations], who held what. Package sim/output makes
//     files and pictures of it, and package sim/analysis tells how well a run knows its means.
//   - [TraceTo]: everything that happens, as text, as JSON, or to a function; package sim/trace has the records.
//   - Package sim/replicate: experiments of many runs on all cores, confidence intervals, scenarios against each other.
//   - [RealTime]: the clock tied to the wall's; [Simulation.Inject] lets other goroutines make things happen.
//
// # Ordering guarantees
//
// What is going to happen is a sequence, always the same if the model makes the same calls:
//
//   - Events happen in the order of their times. Of those with the same time, that with the smaller [Priority] goes first,
//     and of those with the same priority, that which was scheduled first. Times are compared exactly, as they were rounded.
//   - Rescheduling an event counts as scheduling it anew. A periodic event is scheduled again right before its function is
//     called.
//   - The turns of processes are events, and obey the same order. A process that waits is scheduled when the wait begins, if
//     it is for a time, and otherwise when what it waits for happens. It has its turn as an event of its own, never within
//     the call that woke it. All its turns have the priority that it was started with.
//   - What is scheduled during an event for the same time happens at that time, after what was scheduled before, unless
//     its priority is smaller. An event is never interrupted, whatever its priority is.
//   - Those who wait for the same signal, or the same process, wake in the order in which they began to wait. A condition
//     happens together with what makes it happen, and those who wait for it stand where the first of them began to wait for
//     it.
//   - Lines at resources, stores and containers are in the order of [Rank], and among equals in the order in which the
//     requests were made. The first in line is never overtaken by a smaller request behind it. Only at a store, who waits for
//     a particular thing does not hold up those behind, who may be content with another.
//   - If the time that limits a wait comes at the same time as what is waited for, that which was scheduled first counts. A
//     timeout counts as scheduled when it was made, or, if all who waited for it have left, when somebody waits for it again.
//   - An interrupt that comes before the turn of a process that was granted units takes them back: the request returns the
//     interrupt. A thing that was got, an amount, and a signal that was triggered, are not undone: the process gets the interrupt
//     at its next wait.
//   - Changes of a timetable are scheduled one when the other happens. Whose work ends at the instant at which a shift does, or something
//     breaks, is done, whichever was scheduled first; a door is closed at the time at which it closes, likewise.
//   - When something happens by which several waits end, all of their requests leave their lines before anybody else is served.
//
// [Simulation.Run] up to a time includes that time: everything that is due at it happens, also what is scheduled at it for
// it, and then the clock stands there. What is scheduled afterwards for that very time happens in the next run, first. So
// running to 5 and then to 10 is the same as running to 10.
//
// # Errors and panics
//
// A wait returns an error if it did not end as it should: an *[Interrupted], [ErrReneged], [ErrBalked], [ErrWithdrawn], [ErrClosed]. A model in which
// nobody is interrupted need not look at the errors of Wait. What only a mistake of the caller can bring about, a time in the
// past or a unit that is released twice, panics with a message that begins with "sim: ". A panic in a process comes out of
// Run as a panic with a *[PanicError], in the goroutine that called Run, so that it can be recovered there.
//
// # Goroutines
//
// Each process that has begun and not ended has a goroutine, which is suspended during the turns of
// others. [Simulation.Close] ends those that have not ended, and runs their deferred calls. It panics
// if a process recovers from its end again and again. When all have ended by themselves, Run leaves
// none behind. A simulation that is dropped without Close while processes wait keeps their
// goroutines, and itself, for ever.
//
// Nothing here is safe for concurrent use but [Simulation.Inject], and nothing needs to be: there are no package-level variables, and simulations do
// not share anything. Nobody waits for, or asks for, something of another simulation: that panics. What does not wait, such as
// [Grant.Release] or [Signal.Trigger], acts on the simulation that it belongs to as if it were called between two of its runs.
//
// # Files
//
// The kernel:
//
//	simulation.go  the clock, the options of New, Run, Step, Stop and Close
//	event.go       events: At, After, Every; the order of what is due at the same instant
//	process.go     processes: Go, Wait, WaitFor, Interrupt, Status; Call, a process that returns a value
//	coroutine.go   how a process gives its turn to the next one: workers and switches
//	waitable.go    Waitable, the lists of those who wait, AllOf and AnyOf
//	signal.go      Signal, SignalOf and Timeout
//	realtime.go    RealTime and Inject
//	trace.go       how a simulation makes the records of package sim/trace
//
// Resources and what they have in common:
//
//	request.go     the options and errors of a request; Request, which can be waited for with others; Ticket
//	queue.go       the queue of requests, by rank; what resources, stores and containers have in common
//	resource.go    Resource and Grant
//	work.go        Work; preemption, and what becomes of work when units are taken away
//	store.go       Store and NewSortedStore
//	container.go   Container
//	shifts.go      Schedule and the timetables Daily, Weekly, Dated and Except
//	breakdown.go   Break: units that break and are repaired
//	gate.go        Gate: opening hours
//
// Input and output:
//
//	arrivals.go    sources of arrivals, and RateTable
//	random.go      streams of random numbers; Distribution
//	tally.go       Tally, and the sketch of quantiles
//	timeweighted.go TimeWeighted
//	history.go     what statistics keep of their past: Keep, TimeSeries, Observations, Holdings
//	report.go      Report, and the list of statistics with a name
package sim
