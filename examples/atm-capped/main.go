// Atm-capped simulates a switch with many servers, each with a small buffer. In every time slot a
// server sends one cell, and a cell without a place asks one server, chosen at random. If its
// buffer is full of older cells, the cell asks again in the next slot. That is CAPPED(c, λ) of
// Berenbrink et al., whose limit package capped has.
//
//	go run ./examples/atm-capped -rate 0.99 -buffers 8
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/sim"
)

// A cell has the slot of its arrival.
type cell struct{ came float64 }

// A fabric is the inside of a switch.
type fabric struct {
	*sim.Simulation
	sources, choices *rand.Rand
	buffers          []*sim.Store[cell]
	pool             []cell // cells without a place, the oldest first
	rate             float64
	waits            *sim.Tally        // in slots
	without          *sim.TimeWeighted // cells without a place, between slots
}

func newFabric(seed uint64, servers, capacity int, rate float64) *fabric {
	s := &fabric{Simulation: sim.New(sim.Seed(seed)), rate: rate}
	s.sources, s.choices = s.Stream("sources"), s.Stream("choices")
	for i := range servers {
		s.buffers = append(s.buffers, sim.NewStore[cell](s.Simulation, fmt.Sprint("buffer ", i), capacity))
	}
	s.waits, s.without = s.NewTally("waits", sim.QuantileSketch(0.001)), s.NewTimeWeighted("without a place", 0)
	s.Every(0, 1, s.slot)
	return s
}

// slot is what happens in one slot. The oldest cells ask first, so that a buffer takes the oldest
// of those that ask it.
func (s *fabric) slot() {
	for range s.buffers { // as many sources as servers
		if s.sources.Float64() < s.rate {
			s.pool = append(s.pool, cell{s.Now()})
		}
	}
	rejected := s.pool[:0]
	for _, c := range s.pool {
		if !s.buffers[s.choices.IntN(len(s.buffers))].TryPut(c) {
			rejected = append(rejected, c)
		}
	}
	s.pool = rejected
	s.without.Set(float64(len(s.pool)))
	for _, b := range s.buffers {
		if c, ok := b.TryGet(); ok {
			s.waits.Add(s.Now() - c.came)
		}
	}
}

func main() {
	servers := flag.Int("servers", 500, "number of servers")
	most := flag.Int("buffers", 5, "the largest capacity of a buffer to try")
	rate := flag.Float64("rate", 0.95, "cells per server and slot")
	slots := flag.Int("slots", 1000, "slots to measure, after a burn-in of a fifth of them")
	seed := flag.Uint64("seed", 1, "random seed")
	flag.Parse()
	if *servers < 1 || *most < 1 || *most > 100 || !(*rate > 0 && *rate < 1) || *slots < 10 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "atm-capped: -servers is at least 1, -buffers from 1 to 100, -rate between 0 and 1, "+
			"-slots at least 10,",
			"and there are no other arguments")
		os.Exit(2)
	}
	fmt.Printf("%d servers, %g cells for each in a slot, %d slots; in brackets the limit of many servers\n\n", *servers,
		*rate, *slots)
	fmt.Println("capacity    slots waited       99 of 100 up to    without a place    longest wait")
	for c := 1; c <= *most; c++ {
		s := newFabric(*seed, *servers, c, *rate)
		s.WarmUp(float64(*slots / 5))
		if err := s.Run(context.Background(), float64(*slots/5+*slots)); err != nil {
			fmt.Fprintln(os.Stderr, "atm-capped:", err)
			os.Exit(1)
		}
		limit := capped.NewLimit(c, *rate)
		most, up := 0, 0.0 // of the waits in the limit
		for ; up < 0.99; most++ {
			up += limit.Waits()[most]
		}
		fmt.Printf("%8d   %5.2f (%5.2f)   %10.0f (%2d)   %8.1f (%6.1f)   %12.0f\n", c, s.waits.Mean(), limit.Wait,
			s.waits.Quantile(0.99), most-1, s.without.Mean(), limit.Pool*float64(*servers), s.waits.Max())
	}
	fmt.Printf("\nwith many servers, the best capacity is %d\n", capped.SweetSpot(*rate))
}
