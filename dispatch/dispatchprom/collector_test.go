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

func ExampleCollector() {
	double := func(_ context.Context, v int) (int, error) { return 2 * v, nil }
	c := dispatch.NewCaller([]func(context.Context, int) (int, error){double, double})
	registry := prometheus.NewRegistry()
	registry.MustRegister(dispatchprom.NewCollector(c, prometheus.Labels{"dispatcher": "doubles"}))

	for i := range 10 {
		c.Do(context.Background(), i)
	}
	fmt.Println(testutil.CollectAndCount(dispatchprom.NewCollector(c, nil), "capped_worker_load"), "workers")
	families, err := registry.Gather() // as a scrape does
	for _, f := range families {
		if f.GetName() == "capped_wait_seconds" {
			fmt.Println(f.GetMetric()[0].GetHistogram().GetSampleCount(), "waits")
		}
	}
	fmt.Println(err, c.Close(context.Background()))
	// Output:
	// 2 workers
	// 10 waits
	// <nil> <nil>
}

// Both can be shown.
func ExampleSource() {
	d := dispatch.NewDispatcher([]func(context.Context, int){})
	c := dispatch.NewCaller([]func(context.Context, int) (int, error){})
	for _, source := range []dispatchprom.Source{d, c} {
		fmt.Println(testutil.CollectAndCount(dispatchprom.NewCollector(source, nil), "capped_waiting_items"))
	}
	// Output:
	// 3
	// 3
}

// Every number is where it should be, in the time of the test.
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
# HELP capped_items_total Items by what became of them.
# TYPE capped_items_total counter
capped_items_total{outcome="aborted"} 0
capped_items_total{outcome="cancelled"} 0
capped_items_total{outcome="failed"} 1
capped_items_total{outcome="served"} 2
capped_items_total{outcome="too_old"} 0
# HELP capped_oldest_age_seconds Age of the oldest item that has not begun.
# TYPE capped_oldest_age_seconds gauge
capped_oldest_age_seconds 3
# HELP capped_panics_total Panics of workers.
# TYPE capped_panics_total counter
capped_panics_total 1
# HELP capped_refused_items_total Items turned away because the pool was full.
# TYPE capped_refused_items_total counter
capped_refused_items_total 1
# HELP capped_refusals_total How often no worker had a slot.
# TYPE capped_refusals_total counter
capped_refusals_total 5
# HELP capped_submitted_items_total Items taken.
# TYPE capped_submitted_items_total counter
capped_submitted_items_total 7
# HELP capped_tries_total How often an item was offered to workers.
# TYPE capped_tries_total counter
capped_tries_total 10
# HELP capped_waiting_items Items that have not begun, by where they are.
# TYPE capped_waiting_items gauge
capped_waiting_items{place="accepted"} 1
capped_waiting_items{place="outside"} 1
capped_waiting_items{place="pool"} 2
# HELP capped_worker_busy_seconds For how long a worker has worked on its item.
# TYPE capped_worker_busy_seconds gauge
capped_worker_busy_seconds{worker="0"} 3
# HELP capped_worker_load Items that a worker has, the one that it works on counted.
# TYPE capped_worker_load gauge
capped_worker_load{worker="0"} 2
`
		collector := dispatchprom.NewCollector(c, nil)
		if err := testutil.CollectAndCompare(collector, strings.NewReader(want), "capped_items_total",
			"capped_oldest_age_seconds", "capped_panics_total",
			"capped_refused_items_total", "capped_refusals_total", "capped_submitted_items_total", "capped_tries_total",
			"capped_waiting_items",
			"capped_worker_busy_seconds", "capped_worker_load"); err != nil {
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
			if f.GetName() != "capped_wait_seconds" {
				continue
			}
			h := f.GetMetric()[0].GetHistogram()
			// 0 waited for nothing, the others for a second, which is below 2³⁰ ns.
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
