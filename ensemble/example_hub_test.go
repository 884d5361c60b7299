package ensemble_test

import (
	"context"
	"fmt"
	"log"

	"github.com/almanac-sim/almanac/ensemble"
)

// A directory for jobs that may use one core and 64 MB.
func ExampleDirectoryOptions() {
	dir, remove := temporary()
	defer remove()
	directory, err := ensemble.OpenDirectory(dir, ensemble.DirectoryOptions{Slots: 1, MaxStore: 64 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer directory.Close()
	registry := new(ensemble.Registry)
	registry.Register("dice", dice)
	outcome, err := directory.Run(context.Background(), ensemble.Job{Kind: "dice", Points: points(), Replicas: 10},
		ensemble.RunOptions{Registry: registry})
	fmt.Println(outcome.Replicas, err)
	// Output: 30 <nil>
}

// A hub for this machine, at a port that is free.
func ExampleHubOptions() {
	dir, remove := temporary()
	defer remove()
	hub, err := ensemble.StartHub(ensemble.HubOptions{Store: dir, Listen: "127.0.0.1:0", MaxStore: 64 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer hub.Close()
	conn, err := ensemble.Connect(context.Background(), ensemble.ConnectOptions{URL: hub.URL()})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	jobs, err := conn.Jobs(context.Background())
	fmt.Println(len(jobs), err)
	// Output: 0 <nil>
}

// Where the hub is may be said by the environment, as for other programs of NATS.
func ExampleConnectOptions() {
	o := ensemble.ConnectOptions{URL: "nats://hub.example:4222", TokenFile: "token"}.FromEnv()
	fmt.Println(o.URL) // what is set has precedence
	// Output: nats://hub.example:4222
}

// One of three hubs that keep copies of everything. Each needs a name.
func ExampleClusterOptions() {
	dir, remove := temporary()
	defer remove()
	_, err := ensemble.StartHub(ensemble.HubOptions{Store: dir, Listen: "127.0.0.1:0", Cluster: &ensemble.ClusterOptions{
		Name: "study", Listen: "127.0.0.1:0", Routes: []string{"hub-b.example:6222", "hub-c.example:6222"}}})
	fmt.Println(err) // this hub has no name
	// Output:
	// ensemble: a cluster needs a name, the same for all its hubs, and each hub one of its own
}

// hubWithWorker calls f with a connection to a hub in this process that has a worker.
func hubWithWorker(o ensemble.WorkerOptions, f func(context.Context, *ensemble.Conn, *ensemble.Worker)) {
	dir, remove := temporary()
	defer remove()
	hub, err := ensemble.StartHub(ensemble.HubOptions{Store: dir, Listen: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer hub.Close()
	conn, err := hub.Connect(ensemble.ConnectOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(context.Background())
	worker := ensemble.NewWorker(conn, o)
	ended := make(chan error)
	go func() { ended <- worker.Serve(ctx) }()
	f(ctx, conn, worker)
	cancel()
	if err := <-ended; err != nil {
		log.Fatal(err)
	}
}

func diceRegistry() *ensemble.Registry {
	registry := new(ensemble.Registry)
	registry.Register("dice", dice)
	return registry
}

// A worker runs what others give to the hub.
func ExampleWorker() {
	o := ensemble.WorkerOptions{Registry: diceRegistry(), Slots: 1}
	hubWithWorker(o, func(ctx context.Context, conn *ensemble.Conn, _ *ensemble.Worker) {
		outcome, err := conn.Run(ctx, ensemble.Job{Kind: "dice", Points: points(), Replicas: 10},
			ensemble.RunOptions{Registry: o.Registry})
		fmt.Println(outcome.Replicas, err)
	})
	// Output: 30 <nil>
}

// How many tasks at once, and under which name.
func ExampleWorkerOptions() {
	o := ensemble.WorkerOptions{Registry: diceRegistry(), Slots: 2, Name: "night shift"}
	hubWithWorker(o, func(ctx context.Context, conn *ensemble.Conn, _ *ensemble.Worker) {
		ctx, enough := context.WithCancel(ctx)
		defer enough()
		conn.Workers(ctx, func(members []ensemble.Member) {
			if len(members) > 0 {
				fmt.Println(members[0].Name, members[0].Slots)
				enough()
			}
		})
	})
	// Output: night shift 2
}

// What a worker did.
func ExampleWorkerStats() {
	o := ensemble.WorkerOptions{Registry: diceRegistry(), Slots: 1}
	hubWithWorker(o, func(ctx context.Context, conn *ensemble.Conn, worker *ensemble.Worker) {
		_, err := conn.Run(ctx, ensemble.Job{Kind: "dice", Points: points(), Replicas: 10},
			ensemble.RunOptions{Registry: o.Registry})
		s := worker.Stats()
		fmt.Println(s.Replicas, "replicas", s.Failures, "failures", s.Slots, "slot", err)
	})
	// Output: 30 replicas 0 failures 1 slot <nil>
}

// What the hub knows of a job.
func ExampleStatus() {
	o := ensemble.WorkerOptions{Registry: diceRegistry(), Slots: 1}
	hubWithWorker(o, func(ctx context.Context, conn *ensemble.Conn, _ *ensemble.Worker) {
		outcome, err := conn.Run(ctx, ensemble.Job{Name: "three points", Kind: "dice", Points: points(), Replicas: 10},
			ensemble.RunOptions{Registry: o.Registry})
		if err != nil {
			log.Fatal(err)
		}
		s, err := conn.Status(ctx, outcome.Key)
		fmt.Println(s.Name, s.State, s.PointsDone, "of", s.Points, s.Merged, "of", s.Replicas, err)
	})
	// Output: three points done 3 of 3 30 of 30 <nil>
}

// What has become of a job.
func ExampleState() {
	o := ensemble.WorkerOptions{Registry: diceRegistry(), Slots: 1}
	hubWithWorker(o, func(ctx context.Context, conn *ensemble.Conn, _ *ensemble.Worker) {
		outcome, err := conn.Run(ctx, ensemble.Job{Kind: "dice", Points: points(), Replicas: 10},
			ensemble.RunOptions{Registry: o.Registry})
		if err != nil {
			log.Fatal(err)
		}
		s, err := conn.Status(ctx, outcome.Key)
		fmt.Println(s.State == ensemble.Done, s.State == ensemble.Failed, err)
	})
	// Output: true false <nil>
}
