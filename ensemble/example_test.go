package ensemble_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/almanac-sim/almanac/ensemble"
)

// dice throws so many dice.
func dice(_ context.Context, params ensemble.Params, replica ensemble.Replica) (ensemble.Outputs, error) {
	random, sum := replica.Rand(), 0
	for range int(params["dice"]) {
		sum += 1 + random.IntN(6)
	}
	return ensemble.Outputs{"sum": float64(sum)}, nil
}

func points() []ensemble.Point {
	var all []ensemble.Point
	for _, n := range []string{"1", "2", "10"} {
		all = append(all, ensemble.Point{Set: map[string]string{"dice": n}})
	}
	return all
}

// The same job, in memory and in a directory: a program says where with one value, and all else
// stays.
func ExampleExecutor() {
	registry := new(ensemble.Registry)
	registry.Register("dice", dice)
	dir, err := os.MkdirTemp("", "study")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	directory, err := ensemble.OpenDirectory(dir, ensemble.DirectoryOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer directory.Close()

	job := ensemble.Job{Kind: "dice", Points: points()[1:2], Replicas: 1000, Seed: 1}
	for _, executor := range []ensemble.Executor{ensemble.InMemory{}, directory} {
		outcome, err := executor.Run(context.Background(), job, ensemble.RunOptions{Registry: registry,
			Point: func(p ensemble.PointResult) error {
				sum, _ := p.Output("sum")
				fmt.Printf("two dice: mean %.3f, from %v to %v\n", sum.Mean, sum.Min, sum.Max)
				return nil
			}})
		fmt.Println(outcome.Replicas, "replicas", err)
	}
	// Output:
	// two dice: mean 7.024, from 2 to 12
	// 1000 replicas <nil>
	// two dice: mean 7.024, from 2 to 12
	// 1000 replicas <nil>
}

// A study in one process. Given again with the same directory, it goes on where it was.
func ExampleDirectory() {
	registry := new(ensemble.Registry)
	registry.Register("dice", dice)
	dir, err := os.MkdirTemp("", "study")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	job := ensemble.Job{Kind: "dice", Points: points(), Replicas: 2000, Seed: 1}
	directory, err := ensemble.OpenDirectory(dir, ensemble.DirectoryOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer directory.Close()
	o := ensemble.RunOptions{Registry: registry, Point: func(p ensemble.PointResult) error {
		sum, _ := p.Output("sum")
		fmt.Printf("%2s dice: mean %.2f, from %v to %v, median %v\n", p.Point.Set["dice"], sum.Mean, sum.Min, sum.Max,
			sum.Quantiles[1])
		return nil
	}}
	outcome, err := directory.Run(context.Background(), job, o)
	fmt.Println(outcome.Replicas, "replicas", err)

	o.Point = nil
	outcome, err = directory.Run(context.Background(), job, o)
	fmt.Println("again:", outcome.WasDone, outcome.Counts.Tasks, "tasks", err)
	// Output:
	//  1 dice: mean 3.46, from 1 to 6, median 3
	//  2 dice: mean 6.97, from 2 to 12, median 7
	// 10 dice: mean 35.11, from 18 to 53, median 35
	// 6000 replicas <nil>
	// again: true 0 tasks <nil>
}

// A hub, a worker and a coordinator, which may as well be three machines.
func ExampleConn_Run() {
	registry := new(ensemble.Registry)
	registry.Register("dice", dice)
	dir, err := os.MkdirTemp("", "hub")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	hub, err := ensemble.StartHub(ensemble.HubOptions{Store: dir, Listen: "127.0.0.1:0"})
	if err != nil {
		log.Fatal(err)
	}
	defer hub.Close()
	ctx, cancel := context.WithCancel(context.Background())

	there, err := ensemble.Connect(ctx, ensemble.ConnectOptions{URL: hub.URL()})
	if err != nil {
		log.Fatal(err)
	}
	defer there.Close()
	ended := make(chan error)
	go func() { ended <- ensemble.Serve(ctx, there, ensemble.WorkerOptions{Registry: registry, Slots: 2}) }()

	here, err := ensemble.Connect(ctx, ensemble.ConnectOptions{URL: hub.URL()})
	if err != nil {
		log.Fatal(err)
	}
	defer here.Close()
	job := ensemble.Job{Kind: "dice", Points: points(), Replicas: 100_000, Seed: 1,
		Precision: ensemble.Precision{Relative: 0.02}}
	outcome, err := here.Run(ctx, job, ensemble.RunOptions{Registry: registry, Point: func(p ensemble.PointResult) error {
		sum, _ := p.Output("sum")
		fmt.Printf("%2s dice: %d replicas until %.2f to %.2f\n", p.Point.Set["dice"], p.Replicas, sum.Low, sum.High)
		return nil
	}})
	if err != nil {
		log.Fatal(err)
	}
	jobs, err := here.Jobs(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(jobs[0].State, jobs[0].Key == outcome.Key)
	cancel()
	fmt.Println("the worker ends:", <-ended)
	// Output:
	//  1 dice: 2450 replicas until 3.39 to 3.53
	//  2 dice: 1250 replicas until 6.85 to 7.13
	// 10 dice: 250 replicas until 34.66 to 36.02
	// done true
	// the worker ends: <nil>
}

// A kind of model that jobs bring with them: here, words to count.
func ExampleKind() {
	registry := new(ensemble.Registry)
	registry.AddKind(ensemble.Kind{Name: "words", Version: "1", Open: func(payload []byte) (ensemble.Model, error) {
		return words(strings.Fields(string(payload))), nil
	}})
	model, err := registry.Kinds()[0].Open([]byte("to be or not to be"))
	if err != nil {
		log.Fatal(err)
	}
	run, err := model.At(ensemble.Point{Set: map[string]string{"word": "be"}})
	if err != nil {
		log.Fatal(err)
	}
	values, err := run(context.Background(), ensemble.NewReplica(1, 0))
	fmt.Println(values.Names, values.Numbers, err)
	// Output: [count] [2] <nil>
}

type words []string

func (w words) At(point ensemble.Point) (ensemble.Runner, error) {
	return func(context.Context, ensemble.Replica) (ensemble.Values, error) {
		n := 0.0
		for _, word := range w {
			if word == point.Set["word"] {
				n++
			}
		}
		return ensemble.Values{Names: []string{"count"}, Numbers: []float64{n}, Events: uint64(len(w))}, nil
	}, nil
}

// What fails, fails with all that is needed to look at it alone.
func ExampleReplicaError() {
	registry := new(ensemble.Registry)
	registry.Register("fragile", func(_ context.Context, _ ensemble.Params, r ensemble.Replica) (ensemble.Outputs, error) {
		if r.Number == 41 {
			panic("index out of range")
		}
		return ensemble.Outputs{"x": 1}, nil
	})
	job := ensemble.Job{Kind: "fragile", Replicas: 100, Points: []ensemble.Point{{Set: map[string]string{"load": "0.9"},
		Repeat: "fragile --load 0.9 --replica {replica}"}}}
	_, err := ensemble.InMemory{}.Run(context.Background(), job, ensemble.RunOptions{Registry: registry})
	var failed *ensemble.ReplicaError
	fmt.Println(errors.As(err, &failed), failed.Replica, failed.Reason)
	fmt.Println(err)
	// Output:
	// true 41 panic
	// ensemble: point 0 (load = 0.9), replica 41: panic: index out of range
	// to repeat it alone: fragile --load 0.9 --replica 41
}

func ExampleMetrics() {
	var m ensemble.Metrics
	watch := m.Watch()
	watch(ensemble.Progress{Points: 12, PointsDone: 5})
	var text strings.Builder
	if _, err := m.WriteTo(&text); err != nil {
		log.Fatal(err)
	}
	fmt.Print(text.String()[:strings.Index(text.String(), "# HELP almanac_job_replicas")])
	// Output:
	// # HELP almanac_job_points Points of the job.
	// # TYPE almanac_job_points gauge
	// almanac_job_points 12
	// # HELP almanac_job_points_done Points that are finished.
	// # TYPE almanac_job_points_done gauge
	// almanac_job_points_done 5
}
