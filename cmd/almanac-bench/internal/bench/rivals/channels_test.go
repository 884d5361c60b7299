package rivals_test

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/bench/rivals"
	"github.com/almanac-sim/almanac/internal/random"
)

func TestChannelsOrder(t *testing.T) {
	c := rivals.NewChannels()
	var got []float64
	for _, d := range []float64{3, 1, 2} {
		c.After(d, func() { got = append(got, c.Now()) })
	}
	c.Go(func(p *rivals.ChannelProcess) {
		p.Wait(1)
		got = append(got, 1.5)
		p.Wait(1.5)
		got = append(got, 2.5)
	})
	for c.Step() {
	}
	if want := []float64{1, 1.5, 2, 2.5, 3}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

// An M/M/1 queue of utilisation ½ has a customer in it on average, with a mean stay of 2: the
// standard error over 40,000 customers is about 0.03, since stays are correlated.
func TestChannelsQueue(t *testing.T) {
	c := rivals.NewChannels()
	defer c.Close()
	r := random.New(1)
	var server rivals.ChannelServer
	sum := 0.0
	const customers = 40_000
	c.Go(func(p *rivals.ChannelProcess) {
		for range customers {
			p.Wait(2 * r.Exp())
			c.Go(func(p *rivals.ChannelProcess) {
				came := c.Now()
				server.Use(p, func() { p.Wait(r.Exp()) })
				sum += c.Now() - came
			})
		}
	})
	for c.Step() {
	}
	if mean := sum / customers; math.Abs(mean-2) > 0.1 {
		t.Errorf("mean stay %v, not 2", mean)
	}
}

func TestChannelsClose(t *testing.T) {
	before := runtime.NumGoroutine()
	c := rivals.NewChannels()
	for range 100 {
		c.Go(func(p *rivals.ChannelProcess) {
			for {
				p.Wait(1)
			}
		})
	}
	for range 150 {
		c.Step()
	}
	c.Close()
	for try := 0; runtime.NumGoroutine() > before && try < 60_000; try++ {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines are left", n-before)
	}
}
