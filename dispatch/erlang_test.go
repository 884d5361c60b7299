//go:build !race

package dispatch_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/dispatch"
)

// With exponential gaps and services, a work-conserving rule that does not know how long items take
// has the number of items of the queue M/M/n, and so, by Little's law, its mean wait: Erlang's C
// formula, for any capacity. A dispatcher that lets items wait beside an idle worker has a longer
// one. The time is simulated, so that only the seed decides.
//
// The tolerance, four standard errors, is a quarter of the wait. Without stealing the wait would be
// half as long again with a capacity of 2; if picks did not prefer idle workers, more than twice as
// long.
//
// The capacity changes the spread of the waits; with -v the quantiles are printed.
func TestDispatcherWaitsAsErlangSays(t *testing.T) {
	const (
		n      = 8
		load   = 0.8 // λ per worker; a service takes a second
		items  = 60_000
		warmup = 2_000 // many relaxation times: 1/(1−√λ)² is 90 services of one worker
		batch  = 2_000
	)
	want := erlangWait(n, load)
	for c := 1; c <= 3; c++ {
		var waits []float64
		var stats dispatch.Stats
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			came, began, service := make([]time.Time, items), make([]time.Time, items), make([]time.Duration, items)
			workers := make([]func(context.Context, int), n)
			for i := range workers {
				workers[i] = func(_ context.Context, item int) {
					began[item] = time.Now()
					time.Sleep(service[item])
				}
			}
			d := dispatch.NewDispatcher(workers, dispatch.Capacity(c), dispatch.PoolLimit(items), dispatch.Seed(1))
			for item := range items {
				time.Sleep(time.Duration(r.ExpFloat64() / (n * load) * 1e9))
				service[item] = time.Duration(r.ExpFloat64() * 1e9)
				came[item] = time.Now()
				if err := d.TrySubmit(item); err != nil {
					t.Fatal(err)
				}
			}
			mustClose(t, d)
			stats = d.Stats()
			for item := range items {
				waits = append(waits, began[item].Sub(came[item]).Seconds())
			}
		})
		var means []float64
		for at := warmup; at+batch <= items; at += batch {
			means = append(means, mean(waits[at:at+batch]))
		}
		got, e := mean(means), 0.0
		for _, m := range means {
			e += (m - got) * (m - got)
		}
		e = math.Sqrt(e / float64(len(means)-1) / float64(len(means)))
		t.Logf("capacity %d: mean wait %.4f ± %.4f services, by Erlang %.4f; 99 %% %v, 99.9 %% %v, "+
			"%.2f attempts per item, %d moved",
			c, got, e, want,
			stats.Waits.Quantile(0.99), stats.Waits.Quantile(0.999), stats.AttemptsPerItem(), stats.Moved)
		if math.Abs(got-want) > 4*e || e > 0.1*want {
			t.Errorf("capacity %d: the mean wait is %.4f ± %.4f, want %.4f", c, got, e, want)
		}
	}
}

func mean(all []float64) (m float64) {
	for _, x := range all {
		m += x / float64(len(all))
	}
	return m
}

// erlangWait returns the mean wait in M/M/n, in services: C(n, a)/(n − a) with a = λn, and Erlang's
// B by its recursion.
func erlangWait(n int, load float64) float64 {
	a, b := float64(n)*load, 1.0
	for k := 1; k <= n; k++ {
		b = a * b / (float64(k) + a*b)
	}
	return b / (1 - load*(1-b)) / (float64(n) - a)
}
