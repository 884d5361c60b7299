// Package replicate runs a model of package sim many times with different random numbers, on all
// cores, and compares scenarios.
//
//	results, err := replicate.Run(ctx, 50, func(r *replicate.Replication) error {
//		s := r.Sim()
//		desk := sim.NewResource(s, "desk", 2)
//		…
//		err := s.Run(r.Context(), 480)
//		r.Record("wait", desk.Waits().Mean())
//		return err
//	}, replicate.Seed(7))
//	fmt.Println(results.Interval("wait"))
//
// [Compare] compares two scenarios that were run with the same seed, pair by pair. With common
// random numbers the difference is known much better than either mean.
//
// # Contract
//
// Results are the same on any number of cores. The function is called from several goroutines at
// once, each with its own [Replication], and replications share nothing. The simulation of a
// replication is closed when the function returns.
//
// # Files
//
//	replicate.go  Run, its options and Replication
//	results.go    Results, Interval, Compare
package replicate
