package ensemble_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/almanac-sim/almanac/ensemble"
)

// Replicas that are there already are summarised as a job would.
func ExampleMerge() {
	names := []string{"x"}
	p, err := ensemble.Merge(slices.Values([]ensemble.Values{{Names: names, Numbers: []float64{1}},
		{Names: names, Numbers: []float64{2}}, {Names: names, Numbers: []float64{6}}}))
	if err != nil {
		fmt.Println(err)
		return
	}
	x, _ := p.Output("x")
	fmt.Printf("%d replicas, mean %g, from %.2f to %.2f\n", p.Replicas, x.Mean, x.Low, x.High)
	// Output: 3 replicas, mean 3, from -3.57 to 9.57
}

// Who works for a hub is heard of within seconds.
func ExampleMember() {
	dir, err := os.MkdirTemp("", "hub")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	hub, err := ensemble.StartHub(ensemble.HubOptions{Store: dir, Listen: "none"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer hub.Close()
	conn, err := hub.Connect(ensemble.ConnectOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	registry := new(ensemble.Registry)
	registry.Register("dice", dice)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = ensemble.Serve(ctx, conn, ensemble.WorkerOptions{Name: "ours", Slots: 2, Registry: registry})
	}()
	_ = conn.Workers(ctx, func(all []ensemble.Member) {
		if len(all) == 1 && ctx.Err() == nil {
			fmt.Println(all[0].Name, all[0].Slots)
			cancel()
		}
	})
	<-done
	// Output: ours 2
}
