// Package capped simulates balanced allocation with small buffers, and has its theory: CAPPED(c, λ)
// of Berenbrink, Friedetzky, Hahn, Hintze, Kaaser, Kling and Nagel ("Infinite Balanced Allocation
// via Finite Capacities", 2021).
//
//	p, err := capped.NewProcess(capped.Config{Bins: 1 << 15, Capacity: 3, Rate: 0.99})
//	for range 1000 {
//		r := p.Round()
//		fmt.Println(r.Pool, r.WaitMax)
//	}
//
// There are n bins. In every round λn new balls join the balls that wait in a pool, and every ball
// of the pool asks one bin, chosen at random. A bin holds at most c balls: it accepts the oldest of
// the balls that ask, as many as fit, and the others stay in the pool. At the end of the round
// every bin that holds a ball deletes the one that it accepted first. The waiting time of a ball is
// its age when it is deleted, 0 in the round of its arrival.
//
// [Process] runs round by round. [Measure] estimates the long-run behaviour, with standard errors.
// [MeanField] and [NewLimit] compute it for many bins, without simulation. [SweetSpot] chooses a
// capacity. [Greedy] and [Threshold] are for comparison. Package dispatch follows the same rule for
// real work.
//
// # Contract
//
// The same [Config] gives the same rounds on every machine. A round takes time of about the square
// root of the number of balls, and memory does not depend on the number of bins; with
// [Config.ByBin] both are proportional to balls and bins. A Process must not be used from several
// goroutines at once.
//
// # Drawn by law, or ball by ball
//
// Bins of equal load are exchangeable, and so are balls of equal age. A Process therefore keeps
// only their numbers, and draws how many bins of each load get no ball, one, two, …. The result has
// the same law as if every ball were thrown, and waiting times are exact: a ball that is accepted
// with p others before it in its bin is deleted p rounds later. With ByBin every bin has its own
// load and every ball is thrown. Processes with the same seed are then coupled: in each round the
// k-th ball of one asks the same bin as the k-th ball of the other.
//
// # The paper
//
// [PoolBound] and [WaitBound] are the theorems of the paper, and [ModCapped] the process by which
// it proves them. [NewLimit] and [GreedyLimit] are the law of the process as the number of bins
// goes to infinity, which is not in the paper. Package cappedtest has Algorithm 1 as printed, for
// tests.
//
// docs/guide/capped.md explains what the results mean for load balancers, and examples/balancer is
// a program.
//
// # Files
//
//   - config.go: Config, Kind, Arrivals, and what is refused; sizes.go: how large a process may be
//   - process.go: Process and Round; arrivals.go: new balls; waits.go: balls in bins by the round
//     of their deletion; warm.go: a start in the stationary state
//   - bylaw.go, occupancy.go: the engine that draws by law; bybin.go, choose.go: the engine that
//     throws every ball; modcapped.go: MODCAPPED
//   - measure.go: Plan, Measure, Measured, Estimate
//   - limit.go: Limit, NewLimit, MeanField; limit_ages.go: ages and waiting times in the limit;
//     limit_greedy.go: GreedyLimit
//   - theory.go: PoolBound, WaitBound, SweetSpot
//   - internal/counts: binomial and Poisson draws
package capped
