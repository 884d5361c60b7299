// Package cappedtest has the allocation processes as the papers write them: every ball is an
// object, every bin is a queue of balls, and every request is made. Package capped is compared with
// it, in law and in speed, and shares no code with it; compare your own implementation in the same
// way.
//
// literal.go has the processes: CAPPED, GREEDY and THRESHOLD, round by round.
package cappedtest
