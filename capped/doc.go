// Package capped has the balanced-allocation processes of Berenbrink, Friedetzky, Hahn, Hintze, Kaaser, Kling and Nagel
// ("Infinite Balanced Allocation via Finite Capacities", 2021), round by round, and their theory.
//
// There are n bins. In every round λn new balls join the balls that are still waiting in a pool, and every ball in the
// pool asks one bin, chosen at random. Under [Capped], CAPPED(c, λ), a bin has room for c balls: it accepts the oldest
// of those that ask, as many as fit, and the others stay in the pool. At the end of the round every bin that holds a ball
// deletes the one it accepted first. A ball's waiting time is its age when it is deleted, 0 in the round it came.
//
//	p, err := capped.NewProcess(capped.Config{Bins: 1 << 15, Capacity: 3, Rate: 0.99})
//	if err != nil { … }
//	for range 1000 {
//		r := p.Round()
//		fmt.Println(r.Pool, r.WaitMax)
//	}
//
// To run it, make a [Process]; to know what it does in the long run, with standard errors, call [Measure]; to know the same
// without a simulation, for many bins, ask [MeanField] or [NewLimit]; to choose a capacity, [SweetSpot]. [Greedy] and [Threshold]
// are there for comparison. The examples of Process, Measure and Limit are complete, examples/balancer is a program, and
// docs/capped.md says what it tells about load balancers.
//
// # Drawn by law, or ball by ball
//
// Bins of equal load are alike, and so are balls of equal age. A [Process] therefore keeps how many there are of each,
// and draws how many bins of each kind get no ball, one, two, …, in time of about the square root of the number of balls. The
// result has the same law as if every ball were thrown, and waiting times are exact. With [Config.ByBin] every bin
// has its own load and every ball is thrown; then processes of the same seed are coupled: in each round the k-th ball
// of one asks the same bin as the k-th ball of the other.
//
// # Waiting times
//
// A bin that holds a ball deletes one in every round. So a ball that is accepted with p others before it in its bin is
// deleted p rounds later, and nothing has to be kept of it but that.
//
// # Theory
//
// [PoolBound] and [WaitBound] are the theorems of the paper, and [NewLimit] and [GreedyLimit] the law of the process as the number of bins goes to infinity,
// which the paper does not have.
//
// Package dispatch follows the same rule for real work.
package capped
