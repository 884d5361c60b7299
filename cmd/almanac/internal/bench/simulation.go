package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/almanac-sim/almanac/cmd/almanac/internal/bench/rivals"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/sim"
)

// A Simulated is a workload for simulation kernels on one of them, and what was measured.
type Simulated struct {
	Workload string `json:"workload"` // one of Simulations
	Kernel   string `json:"kernel"`   // one of Kernels

	Events  uint64    `json:"events"`               // dispatched, all repetitions together
	Best    float64   `json:"best_per_second"`      // events per second in the fastest repetition
	Each    []float64 `json:"each_per_second"`      // in every repetition
	Allocs  float64   `json:"allocations_an_event"` // all repetitions together
	Over    float64   `json:"times_channels"`       // Best over that of channels, where it has the workload
	Rounds  uint64    `json:"rounds"`               // what users count: events, switches, customers
	Rates   float64   `json:"rounds_per_second"`    // in the fastest repetition
	Settled string    `json:"round"`                // what a round is
}

// Simulations are the workloads for kernels.
func Simulations() []Engine {
	return []Engine{
		{"events", "1,000 events, each of which schedules itself again an exponential time later"},
		{"processes", "1,000 processes, each of which waits for an exponential time, again and again"},
		{"m/m/1", "a queue: customers are processes that come at rate 0.8, wait for a server, and are served at rate 1"},
	}
}

// Kernels are what runs them.
func Kernels() []Engine {
	return []Engine{
		{"sim", "package sim: a calendar queue, and processes that are coroutines"},
		{"channels", "a binary heap, and processes that are goroutines which hand over through channels"},
	}
}

// in is how many events there are, or processes.
const in = 1000

// A running simulation goes on for a while, and tells how many events it dispatched and how many rounds were completed.
type running struct {
	advance func(while time.Duration) (events, rounds uint64)
	close   func()
}

// start begins a workload on a kernel.
func (c *Simulated) start(seed uint64) (running, error) {
	r := random.New(seed)
	switch c.Kernel + " " + c.Workload {
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
			_ = server.Use(p, 1, func() { _ = p.Wait(r.Exp()) })
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
	return running{}, fmt.Errorf("bench: there is no workload %q on a kernel %q", c.Workload, c.Kernel)
}

// arrivals is the rate at which customers come.
const arrivals = 0.8

// simRunning goes on by a stretch of simulated time at once, so that looking at the clock does not count.
func simRunning(s *sim.Simulation, rounds *uint64, stretch float64) running {
	return running{
		advance: func(while time.Duration) (uint64, uint64) {
			events, before := s.Events(), *rounds
			for began := time.Now(); time.Since(began) < while; {
				_ = s.Run(context.Background(), s.Now()+stretch)
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

// RunSimulated times workloads, in turns, on one processor. Each is started anew for every repetition, and the only one that is there: the
// goroutines of the others would have to be looked at by the garbage collector.
func RunSimulated(ctx context.Context, all []Simulated, o Options) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	mallocs := make([]uint64, len(all))
	for turn := range o.Repetitions {
		for i := range all {
			c := &all[i]
			if o.Progress != nil {
				o.Progress(turn*len(all)+i, o.Repetitions*len(all), fmt.Sprintf("%s on %s: repetition %d", c.Workload, c.Kernel, turn+1))
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			n, err := c.repeat(o)
			if err != nil {
				return err
			}
			mallocs[i] += n
		}
	}
	for i := range all {
		c := &all[i]
		c.Allocs = float64(mallocs[i]) / float64(max(1, c.Events))
		c.Settled = map[string]string{"events": "event", "processes": "switch", "m/m/1": "customer"}[c.Workload]
		k := slices.IndexFunc(all, func(o Simulated) bool { return o.Workload == c.Workload && o.Kernel == "channels" })
		if k >= 0 {
			c.Over = c.Best / all[k].Best
		}
	}
	return nil
}

// repeat makes one repetition, and returns how many allocations there were.
func (c *Simulated) repeat(o Options) (mallocs uint64, err error) {
	r, err := c.start(o.Seed)
	if err != nil {
		return 0, err
	}
	defer r.close()
	r.advance(o.Least / 4) // to warm up
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	events, rounds := r.advance(o.Least)
	took := time.Since(began).Seconds()
	runtime.ReadMemStats(&after)
	c.Events += events
	c.Rounds += rounds
	rate := float64(events) / took
	c.Each = append(c.Each, rate)
	if rate > c.Best {
		c.Best, c.Rates = rate, float64(rounds)/took
	}
	return after.Mallocs - before.Mallocs, nil
}

// JudgeSimulated compares what was measured with what is wanted, on one core.
func JudgeSimulated(all []Simulated) (targets []Target) {
	for _, c := range all {
		wanted := map[string]float64{"events": 10, "processes": 2.5, "m/m/1": 3}[c.Workload]
		if c.Kernel == "sim" && wanted > 0 {
			targets = append(targets, Target{
				What: c.Workload + ", million events per second", Limit: wanted, Least: true, Value: c.Best / 1e6, Met: c.Best/1e6 >= wanted,
			})
		}
	}
	return targets
}
