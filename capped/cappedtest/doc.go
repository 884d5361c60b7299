// Package cappedtest has the allocation processes as the papers write them: every ball is an
// object, every bin is a queue of balls, and every request is made.
//
//	s := cappedtest.New(100, 1) // 100 bins
//	for range 1000 {
//		s.Capped(3, 95) // a round with 95 new balls, and at most 3 in a bin
//		fmt.Println(len(s.Pool), s.Waits)
//	}
//
// Package capped is compared with it, in law and in speed, and shares no code with it. Other
// implementations can be compared in the same way.
//
// literal.go has the processes: CAPPED, GREEDY and THRESHOLD, round by round.
package cappedtest
