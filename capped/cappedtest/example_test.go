package cappedtest_test

import (
	"fmt"

	"github.com/almanac-sim/almanac/capped/cappedtest"
)

// Three balls and one bin that holds two: one ball is served in the round, one waits in the bin and
// one in the pool.
func ExampleSystem_Capped() {
	s := cappedtest.New(1, 1)
	s.Capped(2, 3)
	fmt.Println(len(s.Bins[0]), "in the bin,", len(s.Pool), "in the pool, waits", s.Waits)
	s.Capped(2, 0)
	fmt.Println(len(s.Bins[0]), "in the bin,", len(s.Pool), "in the pool, waits", s.Waits)
	// Output:
	// 1 in the bin, 1 in the pool, waits [0]
	// 1 in the bin, 0 in the pool, waits [1]
}

// The balls of the pool have the round of their arrival.
func ExampleBall() {
	s := cappedtest.New(1, 1)
	s.Capped(1, 3)
	for _, b := range s.Pool {
		fmt.Print("round ", b.Label, " ")
	}
	// Output: round 1 round 1
}
