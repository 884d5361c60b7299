package sim

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

// failing is an error of our own, to be found again.
var errFailing = errors.New("the machine is on fire")

func TestReplicateReturnsTheFirstFailure(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, k := range workerCounts {
		for name, fail := range map[string]func() error{
			"error":            func() error { return errFailing },
			"panic":            func() error { panic("on fire") },
			"panic with error": func() error { panic(fmt.Errorf("wrapped: %w", errFailing)) },
			"goexit":           func() error { runtime.Goexit(); return nil },
		} {
			results, err := Replicate(t.Context(), 100, func(r *Replication) error {
				switch r.Index() {
				case 5:
					time.Sleep(2 * time.Millisecond) // 6 and 7 have failed long before
					return fail()
				case 6:
					return errors.New("another error")
				case 7:
					panic("another panic")
				}
				return draw(r)
			}, Workers(k), ExperimentSeed(4))
			var failure *ReplicationError
			if !errors.As(err, &failure) || failure.Index != 5 || failure.Seed != replicationSeed(4, 5) {
				t.Fatalf("%d workers, %s: %v", k, name, err)
			}
			if !strings.HasPrefix(err.Error(), "sim: replication 5 (seed ") {
				t.Errorf("%d workers, %s: %q", k, name, err)
			}
			if strings.Contains(name, "error") != errors.Is(err, errFailing) {
				t.Errorf("%d workers, %s: is it ours? %v", k, name, err)
			}
			var p *PanicError
			if errors.As(err, &p) != strings.Contains(name, "panic") || p != nil && !strings.Contains(string(p.Stack), "replicate_stops_test.go") {
				t.Errorf("%d workers, %s: %v", k, name, err)
			}
			if results.N() != 5 {
				t.Errorf("%d workers, %s: with the error come %d results, want those of the 5 before", k, name, results.N())
			}
		}
	}
}

// Those with higher numbers would wait for ever if the failure did not end their contexts.
func TestReplicateFailureStopsTheOthers(t *testing.T) {
	defer goleak.VerifyNone(t)
	_, err := Replicate(t.Context(), 1000, func(r *Replication) error {
		if r.Index() > 0 {
			<-r.Context().Done()
			return r.Context().Err()
		}
		return errFailing
	}, Workers(7))
	if !errors.Is(err, errFailing) {
		t.Error(err)
	}
}

// Those that were begun in advance would wait for ever if the decision to stop did not end their contexts.
func TestReplicateDecisionStopsTheOthers(t *testing.T) {
	defer goleak.VerifyNone(t)
	results, err := Replicate(t.Context(), 5, func(r *Replication) error {
		if r.Index() >= 5 {
			<-r.Context().Done()
			return r.Context().Err()
		}
		return draw(r)
	}, Workers(7), ToHalfWidth("x", 1000, 100))
	if err != nil || results.N() != 5 {
		t.Errorf("%d replications, %v", results.N(), err)
	}
}

// While replication 0 sleeps nothing can be decided, and others that may be too many do not go on without end.
func TestReplicateDoesNotRunFarAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 3
		var started atomic.Int64
		_, err := Replicate(t.Context(), 2, func(r *Replication) error {
			started.Add(1)
			if r.Index() == 0 {
				time.Sleep(time.Hour)
				if n := started.Load(); n != 2*workers {
					t.Errorf("%d replications were started, want %d", n, 2*workers)
				}
			}
			return draw(r)
		}, Workers(workers), ToHalfWidth("x", 1000, 500))
		if err != nil {
			t.Error(err)
		}
	})
}

func TestReplicateHonoursItsContext(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, k := range workerCounts {
		ctx, cancel := context.WithCancel(t.Context())
		results, err := Replicate(ctx, 1_000_000, func(r *Replication) error {
			if r.Index() == 10 {
				cancel()
			}
			if r.Index() >= 10 {
				<-r.Context().Done()
			}
			r.Record("half a run", 1) // as if nothing had happened
			return nil
		}, Workers(k))
		var failure *ReplicationError
		if !errors.Is(err, context.Canceled) || errors.As(err, &failure) || !strings.HasPrefix(err.Error(), "sim: stopped after ") {
			t.Errorf("%d workers: %v", k, err)
		}
		// Some of those before may have been under way.
		if n := results.N(); n > 10 || k == 1 && n < 10 {
			t.Errorf("%d workers: %d results", k, n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	results, err := Replicate(ctx, 5, func(*Replication) error { t.Error("it was run"); return nil })
	if !errors.Is(err, context.Canceled) || results.N() != 0 {
		t.Errorf("with a context that is done: %v and %d results", err, results.N())
	}
}
