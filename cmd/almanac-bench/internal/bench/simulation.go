package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/bench/rivals"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/sim"
)

// Simulations are the workloads for kernels.
func Simulations() []Engine {
	return []Engine{
		{"events", "1,000 events, each of which schedules the next one an exponential time later"},
		{"processes", "1,000 processes, each of which waits for exponential times"},
		{"m/m/1", "a queue: customers are processes that arrive at rate 0.8 and are served at rate 1 by one server"},
	}
}

// Kernels are what runs them.
func Kernels() []Engine {
	return []Engine{
		{"sim", "package sim: a calendar queue, and processes that are coroutines"},
		{"channels", "a binary heap, and processes that are goroutines connected by channels"},
	}
}

// in is how many events there are, or processes.
const in = 1000

// A running simulation goes on for a while, and tells how many events it dispatched and how many
// rounds were completed.
type running struct {
	advance func(while time.Duration) (events, rounds uint64)
	close   func()
}

// start begins a workload on a kernel.
func (c Cell) start(seed uint64) (running, error) {
	r := random.New(seed)
	switch c.Structure + " " + c.Workload {
	case "sim events":
		s := sim.New()
		rounds := uint64(0)
		for range in {
			var again func()
			again = func() {
				rounds++
				s.After(r.Exp(), again)
			}
			s.After(r.Exp(), again)
		}
		return simRunning(s, &rounds, 100), nil
	case "sim processes":
		s := sim.New()
		rounds := uint64(0)
		for range in {
			s.Go("worker", func(p *sim.Process) {
				for p.Wait(r.Exp()) == nil {
					rounds++
				}
			})
		}
		return simRunning(s, &rounds, 20), nil
	case "sim m/m/1":
		s := sim.New()
		rounds := uint64(0)
		server := sim.NewResource(s, "server", 1)
		customer := func(p *sim.Process) {
			_ = server.Use(p, 1, func() error { return p.Wait(r.Exp()) })
			rounds++
		}
		s.Go("arrivals", func(p *sim.Process) {
			for p.Wait(r.Exp()/arrivals) == nil {
				s.Go("customer", customer)
			}
		})
		return simRunning(s, &rounds, 20_000), nil
	case "channels events":
		k := rivals.NewChannels()
		rounds := uint64(0)
		for range in {
			var again func()
			again = func() {
				rounds++
				k.After(r.Exp(), again)
			}
			k.After(r.Exp(), again)
		}
		return channelsRunning(k, &rounds), nil
	case "channels processes":
		k := rivals.NewChannels()
		rounds := uint64(0)
		for range in {
			k.Go(func(p *rivals.ChannelProcess) {
				for {
					p.Wait(r.Exp())
					rounds++
				}
			})
		}
		return channelsRunning(k, &rounds), nil
	case "channels m/m/1":
		k := rivals.NewChannels()
		rounds := uint64(0)
		var server rivals.ChannelServer
		customer := func(p *rivals.ChannelProcess) {
			server.Use(p, func() { p.Wait(r.Exp()) })
			rounds++
		}
		k.Go(func(p *rivals.ChannelProcess) {
			for {
				p.Wait(r.Exp() / arrivals)
				k.Go(customer)
			}
		})
		return channelsRunning(k, &rounds), nil
	}
	return running{}, fmt.Errorf("bench: there is no workload %q on a kernel %q", c.Workload, c.Structure)
}

// arrivals is the rate at which customers come.
const arrivals = 0.8

// simRunning goes on by a step of simulated time at once, so that looking at the clock does not
// count.
func simRunning(s *sim.Simulation, rounds *uint64, step float64) running {
	return running{
		advance: func(while time.Duration) (uint64, uint64) {
			events, before := s.Events(), *rounds
			for began := time.Now(); time.Since(began) < while; {
				_ = s.Run(context.Background(), s.Now()+step)
			}
			return s.Events() - events, *rounds - before
		},
		close: s.Close,
	}
}

func channelsRunning(k *rivals.Channels, rounds *uint64) running {
	return running{
		advance: func(while time.Duration) (events, _ uint64) {
			before := *rounds
			for began := time.Now(); time.Since(began) < while; {
				for range 1000 {
					k.Step()
				}
				events += 1000
			}
			return events, *rounds - before
		},
		close: k.Close,
	}
}

// A kernelSubject is a workload on a kernel. It is started anew for every repetition, and the only
// one that is there: the goroutines of the others would have to be looked at by the garbage
// collector.
type kernelSubject struct{ Cell }

// prepareKernel makes sure that there is such a workload and such a kernel.
func prepareKernel(c Cell, o Options, _ *Result) (subject, error) {
	r, err := c.start(o.Seed)
	if err != nil {
		return nil, err
	}
	r.close()
	return kernelSubject{c}, nil
}

// repeat times one repetition.
func (s kernelSubject) repeat(o Options, r *Result) error {
	running, err := s.start(o.Seed)
	if err != nil {
		return err
	}
	defer running.close()
	running.advance(o.Least / 4) // to warm up
	runtime.GC()
	before := mallocs()
	began := time.Now()
	events, rounds := running.advance(o.Least)
	took := time.Since(began)
	r.Allocs += mallocs() - before
	r.add(int(events), int(rounds), took)
	return nil
}

// KernelCells are all workloads on all kernels.
func KernelCells() (cells []Cell) {
	for _, workload := range Simulations() {
		for _, kernel := range Kernels() {
			cells = append(cells, Cell{Kind: SimKernels, Structure: kernel.Name, Workload: workload.Name})
		}
	}
	return cells
}
