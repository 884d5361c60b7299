package ensemble_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/almanac-sim/almanac/ensemble"
)

// throw runs a job of dice in memory.
func throw(job ensemble.Job, o ensemble.RunOptions) (ensemble.Outcome, error) {
	o.Registry = new(ensemble.Registry)
	o.Registry.Register("dice", dice)
	job.Kind, job.Seed = "dice", 1
	return ensemble.InMemory{}.Run(context.Background(), job, o)
}

// A model in Go is a function. It can be called without a job.
func ExampleFunc() {
	var model ensemble.Func = dice
	outputs, err := model(context.Background(), ensemble.Params{"dice": 2}, ensemble.NewReplica(1, 0))
	fmt.Println(outputs["sum"] >= 2, outputs["sum"] <= 12, err)
	// Output: true true <nil>
}

// The parameters of a function are what the point sets, as numbers.
func ExampleParams() {
	registry := new(ensemble.Registry)
	registry.Register("area", func(_ context.Context, p ensemble.Params, _ ensemble.Replica) (ensemble.Outputs, error) {
		fmt.Println(p["width"], p["height"])
		return ensemble.Outputs{"area": p["width"] * p["height"]}, nil
	}, ensemble.Parameter{Name: "width", Value: 2}, ensemble.Parameter{Name: "height", Value: 3})
	_, err := ensemble.InMemory{}.Run(context.Background(), ensemble.Job{Kind: "area", Replicas: 1,
		Points: []ensemble.Point{{Set: map[string]string{"height": "0.5"}}}}, ensemble.RunOptions{Registry: registry})
	fmt.Println(err)
	// Output:
	// 2 0.5
	// <nil>
}

// A replica that has no such number gives NaN, and is left out of the summary.
func ExampleOutputs() {
	registry := new(ensemble.Registry)
	registry.Register("coin", func(_ context.Context, _ ensemble.Params, r ensemble.Replica) (ensemble.Outputs, error) {
		out := ensemble.Outputs{"heads": 0, "second": math.NaN()}
		if r.Number%4 == 0 {
			out = ensemble.Outputs{"heads": 1, "second": float64(r.Number)}
		}
		return out, nil
	})
	_, err := ensemble.InMemory{}.Run(context.Background(), ensemble.Job{Kind: "coin", Replicas: 8,
		Points: []ensemble.Point{{}}}, ensemble.RunOptions{Registry: registry, Point: func(p ensemble.PointResult) error {
		for _, s := range p.Outputs {
			fmt.Printf("%s %d %.2f\n", s.Name, s.N, s.Mean)
		}
		return nil
	}})
	fmt.Println(err)
	// Output:
	// heads 8 0.25
	// second 2 2.00
	// <nil>
}

// Kinds of models by name.
func ExampleRegistry() {
	var registry ensemble.Registry
	registry.Register("dice", dice)
	registry.AddKind(ensemble.FuncKind("coins", "2", dice))
	for _, k := range registry.Kinds() {
		fmt.Println(k.Name, k.Version == "2")
	}
	// Output:
	// coins true
	// dice false
}

// The cheapest way to run a job: nothing is kept.
func ExampleInMemory() {
	registry := new(ensemble.Registry)
	registry.Register("dice", dice)
	job := ensemble.Job{Kind: "dice", Points: points(), Replicas: 100, Seed: 1}
	outcome, err := ensemble.InMemory{}.Run(context.Background(), job, ensemble.RunOptions{Registry: registry})
	fmt.Println(outcome.PointsDone, "points", outcome.Replicas, "replicas", err)
	// Output: 3 points 300 replicas <nil>
}

// A model is prepared for a point, and then runs replicas of it.
func ExampleModel() {
	var model ensemble.Model = words{"to", "be", "or", "not", "to", "be"}
	for _, word := range []string{"to", "not"} {
		run, err := model.At(ensemble.Point{Set: map[string]string{"word": word}})
		if err != nil {
			fmt.Println(err)
			return
		}
		values, err := run(context.Background(), ensemble.NewReplica(1, 0))
		fmt.Println(word, values.Numbers[0], err)
	}
	// Output:
	// to 2 <nil>
	// not 1 <nil>
}

// A runner gives the same values for the same replica.
func ExampleRunner() {
	var run ensemble.Runner = func(_ context.Context, r ensemble.Replica) (ensemble.Values, error) {
		return ensemble.Values{Names: []string{"u"}, Numbers: []float64{r.Rand().Float64()}}, nil
	}
	ctx := context.Background()
	one, _ := run(ctx, ensemble.NewReplica(1, 0))
	again, _ := run(ctx, ensemble.NewReplica(1, 0))
	next, _ := run(ctx, ensemble.NewReplica(1, 1))
	fmt.Println(one.Numbers[0] == again.Numbers[0], one.Numbers[0] == next.Numbers[0])
	// Output: true false
}

// squares gives the squares of 1, 2 and 3 times the number of the replica as a series.
type squares struct{}

func (squares) At(ensemble.Point) (ensemble.Runner, error) {
	return func(_ context.Context, r ensemble.Replica) (ensemble.Values, error) {
		v := ensemble.Values{Names: []string{"number"}, Numbers: []float64{float64(r.Number)}}
		for i := range 3 {
			v.Series = append(v.Series, float64((i+1)*(i+1)*r.Number))
		}
		return v, nil
	}, nil
}

// Numbers with names, and a series, such as counts over time.
func ExampleValues() {
	registry := new(ensemble.Registry)
	registry.AddKind(ensemble.Kind{Name: "squares", Version: "1", Open: func([]byte) (ensemble.Model, error) {
		return squares{}, nil
	}})
	_, err := ensemble.InMemory{}.Run(context.Background(), ensemble.Job{Kind: "squares", Replicas: 3,
		Points: []ensemble.Point{{}}}, ensemble.RunOptions{Registry: registry, Point: func(p ensemble.PointResult) error {
		fmt.Println(p.Outputs[0].Name, p.Outputs[0].Mean)
		for _, s := range p.Series {
			fmt.Println(s.Mean)
		}
		return nil
	}})
	fmt.Println(err)
	// Output:
	// number 1
	// 1
	// 4
	// 9
	// <nil>
}

// A point gives parameters their values, as text.
func ExamplePoint() {
	job := ensemble.Job{Replicas: 20}
	for _, n := range []string{"1", "3"} {
		job.Points = append(job.Points, ensemble.Point{Set: map[string]string{"dice": n}})
	}
	_, err := throw(job, ensemble.RunOptions{Point: func(p ensemble.PointResult) error {
		fmt.Println(p.Index, p.Point.Set["dice"])
		return nil
	}})
	fmt.Println(err)
	// Output:
	// 0 1
	// 1 3
	// <nil>
}

// What the replicas of a point gave, with exact quantiles unless there are many.
func ExamplePointResult() {
	_, err := throw(ensemble.Job{Points: points()[2:], Replicas: 1000}, ensemble.RunOptions{
		Point: func(p ensemble.PointResult) error {
			sum, ok := p.Output("sum")
			fmt.Println(p.Replicas, p.Sketched, p.Quantiles, sum.Quantiles, ok)
			_, ok = p.Output("product")
			fmt.Println(ok)
			return nil
		}})
	fmt.Println(err)
	// Output:
	// 1000 false [0.05 0.5 0.95] [26 35 44] true
	// false
	// <nil>
}

// The mean with its 95 % interval, and what there was.
func ExampleSummary() {
	_, err := throw(ensemble.Job{Points: points()[:1], Replicas: 600}, ensemble.RunOptions{
		Point: func(p ensemble.PointResult) error {
			s := p.Outputs[0]
			fmt.Printf("%s: %.2f (%.2f to %.2f), sd %.2f, from %v to %v\n", s.Name, s.Mean, s.Low, s.High, s.SD, s.Min, s.Max)
			return nil
		}})
	fmt.Println(err)
	// Output:
	// sum: 3.42 (3.29 to 3.56), sd 1.75, from 1 to 6
	// <nil>
}

// A point ends as soon as its means are known to 1 %.
func ExamplePrecision() {
	job := ensemble.Job{Points: points(), Replicas: 100_000, Precision: ensemble.Precision{Relative: 0.01, Batch: 500}}
	_, err := throw(job, ensemble.RunOptions{Point: func(p ensemble.PointResult) error {
		fmt.Println(p.Point.Set["dice"], p.Replicas, p.Precise)
		return nil
	}})
	fmt.Println(err)
	// Output:
	// 1 9500 true
	// 2 5000 true
	// 10 1000 true
	// <nil>
}

// A model that does not use its seed gives the same numbers in all replicas, which is noted.
func ExampleOutcome() {
	registry := new(ensemble.Registry)
	registry.Register("fixed", func(context.Context, ensemble.Params, ensemble.Replica) (ensemble.Outputs, error) {
		return ensemble.Outputs{"x": 2.027}, nil
	})
	outcome, err := ensemble.InMemory{}.Run(context.Background(), ensemble.Job{Kind: "fixed", Replicas: 30,
		Points: []ensemble.Point{{}}}, ensemble.RunOptions{Registry: registry})
	fmt.Println(outcome.Replicas, outcome.Identical, err)
	// Output: 30 true <nil>
}

// What happened on the way: nothing is lost or counted twice in memory.
func ExampleCounts() {
	outcome, err := throw(ensemble.Job{Points: points(), Replicas: 100}, ensemble.RunOptions{})
	c := outcome.Counts
	fmt.Println(c.Tasks > 0, c.Results == c.Tasks, c.Lost, c.Duplicates, err)
	// Output: true true 0 0 <nil>
}

// A line for people.
func ExampleProgress() {
	line := func(p ensemble.Progress) string {
		return fmt.Sprintf("%d of %d points, %d of %d replicas, %v left", p.PointsDone, p.Points, p.Merged, p.Replicas,
			p.Left)
	}
	fmt.Println(line(ensemble.Progress{PointsDone: 1, Points: 3, Merged: 150, Replicas: 300, Left: 20 * time.Second}))
	// Output: 1 of 3 points, 150 of 300 replicas, 20s left
}

// What each replica gave, in the order of their numbers.
func ExampleRunOptions() {
	var replicas, total int
	_, err := throw(ensemble.Job{Points: points()[:1], Replicas: 100}, ensemble.RunOptions{
		Replica: func(_, replica int, v ensemble.Values) error {
			if replica != replicas {
				return errors.New("out of order")
			}
			replicas++
			total += int(v.Numbers[0])
			return nil
		}})
	fmt.Println(replicas, total, err)
	// Output:
	// 100 315 <nil>
}

// A replica that takes too long ends the job.
func ExampleLimits() {
	registry := new(ensemble.Registry)
	registry.Register("slow", func(ctx context.Context, _ ensemble.Params, _ ensemble.Replica) (ensemble.Outputs, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	job := ensemble.Job{Kind: "slow", Replicas: 1, Points: []ensemble.Point{{}},
		Limits: ensemble.Limits{Time: 50 * time.Millisecond}}
	_, err := ensemble.InMemory{}.Run(context.Background(), job, ensemble.RunOptions{Registry: registry})
	var failed *ensemble.ReplicaError
	fmt.Println(errors.As(err, &failed) && failed.Reason == "time")
	// Output: true
}
