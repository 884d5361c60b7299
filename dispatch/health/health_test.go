package health

import (
	"testing"
	"testing/synctest"
	"time"
)

// A server is ejected after some failures in a row, for twice as long each time up to the longest,
// and is healthy again after its probe.
func TestEjection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		now := func() int64 { return int64(time.Since(start)) }
		r := Rule{After: 3, First: time.Second, Most: 5 * time.Second}
		var s State
		reopen := func(epoch uint64) {
			if s.Is(epoch) {
				s.Reopen()
			}
		}
		for _, v := range []Verdict{Failure, Failure, Success, Failure, Neutral, Failure} {
			if s.End(s.Begin(reopen), v, r, now(), reopen); !s.Available() {
				t.Fatal("it is ejected before three failures in a row")
			}
		}
		before := s.Begin(reopen)
		s.End(s.Begin(reopen), Failure, r, now(), reopen)
		s.End(before, Failure, r, now(), reopen) // of the time before
		for _, pause := range []time.Duration{1, 2, 4, 5, 5} {
			pause *= time.Second
			if left := s.Left(now()); left != pause || !s.Ejected() {
				t.Errorf("it is ejected for %v, want %v", left, pause)
			}
			time.Sleep(pause)
			synctest.Wait()
			if !s.HalfOpen() || !s.Available() {
				t.Error("it is not half-open")
			}
			probe := s.Begin(reopen)
			if s.Available() {
				t.Error("two probes")
			}
			s.End(probe, Failure, r, now(), reopen)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		silent := s.Begin(reopen)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if !s.Available() {
			t.Error("a silent probe shuts out all others")
		}
		probe := s.Begin(reopen)
		if !s.Responded(probe) || s.HalfOpen() {
			t.Error("it is not healthy after a response")
		}
		s.End(probe, Success, r, now(), reopen)
		s.End(silent, Neutral, r, now(), reopen)
		if s.Failures() != 0 || !s.Available() {
			t.Errorf("%d failures in a row after a success", s.Failures())
		}
		s.Disarm()

		var never State
		for range 10 {
			never.End(never.Begin(nil), Failure, Rule{}, now(), nil)
		}
		if !never.Available() {
			t.Error("a server without a rule is ejected")
		}
	})
}
