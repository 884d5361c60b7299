package replicate_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/replicate"
)

// checkout is the mean wait of 100 customers, of whom one comes each minute on average, by
// Lindley's recursion.
func checkout(r *replicate.Replication, serviceMean float64) error {
	arrivals, service := r.Stream("arrivals"), r.Stream("service")
	var waits sim.Tally
	wait := 0.0
	for range 100 {
		waits.Add(wait)
		wait = max(0, wait+serviceMean*service.ExpFloat64()-arrivals.ExpFloat64())
	}
	r.Record("wait", waits.Mean())
	r.Record("longest", waits.Max())
	return nil
}

// Thirty days at a counter, on all cores. The numbers are the same on any machine.
func ExampleRun() {
	day := func(r *replicate.Replication) error { return checkout(r, 0.7) }
	results, err := replicate.Run(context.Background(), 30, day, replicate.Seed(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(results)
	// Output:
	// metric      mean    ± 95 %        sd       min      max   n
	// wait     1.48563  0.371548  0.995023  0.528155  3.66181  30
	// longest   6.0385  0.933987   2.50126   3.09877  11.7132  30
}

// A simulation in each replication, which gets the replication's seed and is closed when it has
// ended.
func ExampleReplication() {
	results, err := replicate.Run(context.Background(), 4, func(r *replicate.Replication) error {
		s := r.Sim()
		stock := s.NewTimeWeighted("stock", 10)
		sales := s.Stream("sales")
		for day := 1; day <= 5; day++ {
			s.At(float64(day), func() { stock.Add(-float64(sales.IntN(3))) })
		}
		if err := s.Run(r.Context(), 6); err != nil {
			return err
		}
		r.Record("stock", stock.Mean())
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", results.Values("stock"))
	// Output:
	// [8.67 7.83 7.00 7.33]
}

// As many days as it takes to know the mean wait to within a tenth of it, but at least 20 and at
// most 5000.
func ExampleOption() {
	day := func(r *replicate.Replication) error { return checkout(r, 0.7) }
	results, err := replicate.Run(context.Background(), 20, day, replicate.Seed(1), replicate.Confidence(0.9),
		replicate.ToRelativeHalfWidth("wait", 0.1, 5000))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(results.Reached(), results.Interval("wait"))
	// Output:
	// true 1.64638 ± 0.164383 (90 %, n 105)
}

func ExampleResults() {
	results, err := replicate.Run(context.Background(), 3, func(r *replicate.Replication) error {
		r.Record("profit", float64(10+r.Index()))
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(results.Metrics(), results.N(), results.Values("profit"), results.Mean("profit"))
	// Output: [profit] 3 [10 11 12] 11
}

func ExampleInterval() {
	i := replicate.Interval{Mean: 3.2, HalfWidth: 0.25, Level: 0.95, N: 20}
	fmt.Println(i)
	fmt.Println(i.Contains(3), i.Contains(2.9))
	// Output:
	// 3.2 ± 0.25 (95 %, n 20)
	// true false
}

// Is the new till worth it? Both meet the same customers, and so 20 days are enough to see.
func ExampleCompare() {
	ctx := context.Background()
	oldTill, err := replicate.Run(ctx, 20, func(r *replicate.Replication) error { return checkout(r, 0.7) },
		replicate.Seed(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	newTill, err := replicate.Run(ctx, 20, func(r *replicate.Replication) error { return checkout(r, 0.65) },
		replicate.Seed(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := replicate.Compare(oldTill, newTill, "wait")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c)
	fmt.Println(c.Differs())
	// Output:
	// wait: A − B = 0.396381 ± 0.16706 (95 %, n 20); variance 0.0899045 of that of independent runs
	// true
}

func ExampleComparison() {
	c := replicate.Comparison{Metric: "wait", Difference: replicate.Interval{Mean: 0.1, HalfWidth: 0.3, Level: 0.95,
		N: 10}, VarianceRatio: 0.5}
	fmt.Println(c)
	fmt.Println(c.Differs())
	// Output:
	// wait: A − B = 0.1 ± 0.3 (95 %, n 10); variance 0.5 of that of independent runs
	// false
}

// The number and the seed of the replication that failed, to look at it alone.
func ExampleError() {
	outOfStock := errors.New("out of stock")
	_, err := replicate.Run(context.Background(), 10, func(r *replicate.Replication) error {
		if r.Index() >= 3 {
			return outOfStock
		}
		return nil
	})
	var failure *replicate.Error
	fmt.Println(errors.As(err, &failure), failure.Index, errors.Is(err, outOfStock))
	// Output: true 3 true
}

func ExampleError_panic() {
	_, err := replicate.Run(context.Background(), 10, func(r *replicate.Replication) error {
		var shelf []int
		shelf[r.Index()]++
		return nil
	})
	var p *sim.PanicError
	fmt.Println(errors.As(err, &p), p)
	// Output: true panic: runtime error: index out of range [0] with length 0
}

// Replications go on until the mean is known to within 10 %, but not beyond 1000.
func ExampleToRelativeHalfWidth() {
	results, err := replicate.Run(context.Background(), 10, func(r *replicate.Replication) error {
		return checkout(r, 0.5)
	}, replicate.Seed(1), replicate.Confidence(0.9), replicate.ToRelativeHalfWidth("wait", 0.1, 1000))
	i := results.Interval("wait")
	fmt.Println(results.Reached(), i.HalfWidth <= 0.1*i.Mean, results.N() > 10, err)
	// Output:
	// true true true <nil>
}

// The number of workers makes no difference to the results.
func ExampleWorkers() {
	run := func(workers int) float64 {
		results, err := replicate.Run(context.Background(), 20, func(r *replicate.Replication) error {
			return checkout(r, 0.5)
		}, replicate.Workers(workers))
		if err != nil {
			fmt.Println(err)
		}
		return results.Mean("wait")
	}
	fmt.Println(run(1) == run(8))
	// Output:
	// true
}
