package ensemble_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/almanac-sim/almanac/ensemble"
)

// temporary is a directory for an example, and what removes it.
func temporary() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

// The same job is the same job, whoever gives it; with another seed it is another.
func ExampleJob() {
	registry := new(ensemble.Registry)
	registry.Register("dice", dice)
	job := ensemble.Job{Kind: "dice", Points: points(), Replicas: 100, Seed: 1}
	same, other := job, job
	other.Seed = 2
	var keys []string
	for _, j := range []ensemble.Job{job, same, other} {
		key, err := j.Key(registry)
		if err != nil {
			log.Fatal(err)
		}
		keys = append(keys, key)
	}
	fmt.Println(keys[0] == keys[1], keys[0] == keys[2])

	job.Kind = "cards"
	_, err := job.Key(registry)
	fmt.Println(err)
	// Output:
	// true false
	// ensemble: this program has no kind "cards"; it has dice
}

// What a replica draws does not depend on the point, so that points that are compared share their
// luck.
func ExampleReplica() {
	one, again, next := ensemble.NewReplica(1, 7), ensemble.NewReplica(1, 7), ensemble.NewReplica(1, 8)
	fmt.Println(again.Seed == one.Seed, next.Seed == one.Seed)
	// Output: true false
}

// A hub that others can reach needs credentials.
func ExampleHub() {
	dir, remove := temporary()
	defer remove()
	_, err := ensemble.StartHub(ensemble.HubOptions{Store: dir, Listen: "0.0.0.0:0"})
	fmt.Println(err)

	hub, err := ensemble.StartHub(ensemble.HubOptions{Store: dir, Listen: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer hub.Close()
	fmt.Println("it stores:", hub.Err() == nil)
	// Output:
	// ensemble: a hub that listens on 0.0.0.0, beyond this machine, needs credentials: a token file, a CA for clients' certificates, or a configuration with users
	// it stores: true
}

// What a hub has of a job: its status, and its results as often as they are wanted, until it is
// forgotten.
func ExampleConn() {
	registry := new(ensemble.Registry)
	registry.Register("dice", dice)
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
	worker := ensemble.NewWorker(conn, ensemble.WorkerOptions{Registry: registry, Slots: 1})
	ended := make(chan error)
	go func() { ended <- worker.Serve(ctx) }()
	outcome, err := conn.Run(ctx, ensemble.Job{Kind: "dice", Points: points(), Replicas: 50, Seed: 1}, ensemble.RunOptions{
		Registry: registry})
	if err != nil {
		log.Fatal(err)
	}
	s, err := conn.Status(ctx, outcome.Key)
	fmt.Println(s.State, s.PointsDone, "points", s.Merged, "replicas", err)
	err = conn.Results(ctx, outcome.Key, func(p ensemble.PointResult) error {
		sum, _ := p.Output("sum")
		fmt.Printf("%s: %.2f\n", p.Point.Set["dice"], sum.Mean)
		return nil
	})
	fmt.Println(err, conn.Forget(ctx, outcome.Key))
	all, err := conn.Jobs(ctx)
	fmt.Println(len(all), "jobs", err)
	cancel()
	fmt.Println(<-ended, worker.Stats().Failures, "failures")
	// Output:
	// done 3 points 150 replicas <nil>
	// 1: 3.16
	// 2: 7.12
	// 10: 35.64
	// <nil> <nil>
	// 0 jobs <nil>
	// <nil> 0 failures
}
