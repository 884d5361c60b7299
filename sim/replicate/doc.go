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
// Results are the same on any number of cores. [Compare] compares two scenarios that were run with
// the same seed, pair by pair: with common random numbers the difference is known much better than
// either mean.
//
// It is a package of its own so that a simple model needs one import, and an experiment says by its
// import what it is.
//
//	replicate.go   Run, its options and Replication
//	results.go     Results, Interval, Compare
package replicate
