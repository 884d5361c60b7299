package dispatchprom_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/almanac-sim/almanac/dispatch"
	"github.com/almanac-sim/almanac/dispatch/dispatchprom"
)

func ExampleNewCollector() {
	double := func(_ context.Context, v int) (int, error) { return 2 * v, nil }
	c := dispatch.NewCaller([]func(context.Context, int) (int, error){double, double})
	registry := prometheus.NewRegistry()
	registry.MustRegister(dispatchprom.NewCollector(c, prometheus.Labels{"dispatcher": "doubles"}))

	for i := range 10 {
		c.Do(context.Background(), i)
	}
	fmt.Println(testutil.CollectAndCount(dispatchprom.NewCollector(c, nil), "dispatch_worker_load"), "workers")
	families, err := registry.Gather() // as a scrape does
	for _, f := range families {
		if f.GetName() == "dispatch_wait_seconds" {
			fmt.Println(f.GetMetric()[0].GetHistogram().GetSampleCount(), "waits")
		}
	}
	fmt.Println(err, c.Close(context.Background()))
	// Output:
	// 2 workers
	// 10 waits
	// <nil> <nil>
}

// Both are sources.
func ExampleNewCollector_sources() {
	d := dispatch.NewDispatcher([]func(context.Context, int){})
	c := dispatch.NewCaller([]func(context.Context, int) (int, error){})
	for _, source := range []interface{ Stats() dispatch.Stats }{d, c} {
		fmt.Println(testutil.CollectAndCount(dispatchprom.NewCollector(source, nil), "dispatch_waiting_items"))
	}
	// Output:
	// 3
	// 3
}

// Every metric has the right value, in simulated time.
func TestCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		c := dispatch.NewCaller([]func(context.Context, int) (int, error){func(_ context.Context, item int) (int, error) {
			switch item {
			case 0:
				time.Sleep(time.Second)
			case 1:
				panic("one")
			case 3:
				<-hang
			}
			return 0, nil
		}}, dispatch.Capacity(2), dispatch.PoolLimit(2))
		ctx, cancel := context.WithCancel(t.Context())
		for item := range 4 {
			ctx := t.Context()
			go c.Do(ctx, item)
			synctest.Wait()
		}
		if _, err := c.TryDo(ctx, 5); !errors.Is(err, dispatch.ErrFull) {
			t.Fatal(err)
		}
		time.Sleep(time.Second) // 0, 1 and 2 are done
		synctest.Wait()
		for item := 6; item < 10; item++ {
			go c.Do(ctx, item)
			synctest.Wait()
		}
		time.Sleep(3 * time.Second)
		const want = `
# HELP dispatch_items_total Items by outcome.
# TYPE dispatch_items_total counter
dispatch_items_total{outcome="aborted"} 0
dispatch_items_total{outcome="canceled"} 0
dispatch_items_total{outcome="failed"} 1
dispatch_items_total{outcome="served"} 2
dispatch_items_total{outcome="too_old"} 0
# HELP dispatch_oldest_age_seconds Age of the oldest item that has not begun.
# TYPE dispatch_oldest_age_seconds gauge
dispatch_oldest_age_seconds 3
# HELP dispatch_panics_total Panics of workers.
# TYPE dispatch_panics_total counter
dispatch_panics_total 1
# HELP dispatch_refused_items_total Items refused because the pool was full.
# TYPE dispatch_refused_items_total counter
dispatch_refused_items_total 1
# HELP dispatch_refusals_total How often no worker had a free slot.
# TYPE dispatch_refusals_total counter
dispatch_refusals_total 5
# HELP dispatch_submitted_items_total Items taken.
# TYPE dispatch_submitted_items_total counter
dispatch_submitted_items_total 7
# HELP dispatch_attempts_total How often an item was offered to the workers.
# TYPE dispatch_attempts_total counter
dispatch_attempts_total 10
# HELP dispatch_waiting_items Items that have not begun, by place.
# TYPE dispatch_waiting_items gauge
dispatch_waiting_items{place="accepted"} 1
dispatch_waiting_items{place="blocked"} 1
dispatch_waiting_items{place="pool"} 2
# HELP dispatch_worker_busy_seconds How long the item of a worker has been in service.
# TYPE dispatch_worker_busy_seconds gauge
dispatch_worker_busy_seconds{worker="0"} 3
# HELP dispatch_worker_load Items of a worker, including the one in service.
# TYPE dispatch_worker_load gauge
dispatch_worker_load{worker="0"} 2
`
		collector := dispatchprom.NewCollector(c, nil)
		if err := testutil.CollectAndCompare(collector, strings.NewReader(want), "dispatch_items_total",
			"dispatch_oldest_age_seconds", "dispatch_panics_total",
			"dispatch_refused_items_total", "dispatch_refusals_total", "dispatch_submitted_items_total",
			"dispatch_attempts_total",
			"dispatch_waiting_items",
			"dispatch_worker_busy_seconds", "dispatch_worker_load"); err != nil {
			t.Error(err)
		}
		if problems, err := testutil.CollectAndLint(collector); err != nil || len(problems) > 0 {
			t.Error(problems, err)
		}
		registry := prometheus.NewPedanticRegistry()
		registry.MustRegister(dispatchprom.NewCollector(c, prometheus.Labels{"name": "one"}),
			dispatchprom.NewCollector(c, prometheus.Labels{"name": "two"}))
		families, err := registry.Gather()
		if err != nil || len(families) != 14 {
			t.Error(len(families), err)
		}
		for _, f := range families {
			if f.GetName() != "dispatch_wait_seconds" {
				continue
			}
			h := f.GetMetric()[0].GetHistogram()
			// 0 did not wait, the others waited for a second, which is below 2³⁰ ns.
			if h.GetSampleCount() != 4 || h.GetSampleSum() != 3 || len(h.GetBucket()) != 27 {
				t.Errorf("the histogram is %v", h)
			}
			for i, b := range h.GetBucket() {
				if want := map[bool]uint64{true: 4, false: 1}[i >= 30-10]; b.GetCumulativeCount() != want {
					t.Errorf("%d waits are below %v s, want %d", b.GetCumulativeCount(), b.GetUpperBound(), want)
				}
			}
		}
		cancel()
		close(hang)
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
