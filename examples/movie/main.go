// Movie is a cinema with one ticket counter and three films. Who stands in line for a film that is
// sold out leaves at once: each waits for the counter or for that, whichever comes first.
//
//	go run ./examples/movie -tickets 80
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/almanac-sim/almanac/sim"
)

// A film that is shown. Times are in minutes.
type film struct {
	title   string
	left    int // tickets
	soldOut *sim.Signal
	at      float64 // when it was
	renege  int     // how many left the line then
	refused int     // how many came to the counter, or to the door, too late
}

// cinema sells tickets for two hours.
func cinema(seed uint64, tickets int) ([]*film, *sim.Resource, error) {
	s := sim.New(sim.Seed(seed))
	defer s.Close()
	counter := sim.NewResource(s, "counter", 1)
	var films []*film
	for _, title := range []string{"The Last Ferry", "Harbour Lights", "A Quiet Line"} {
		films = append(films, &film{title: title, left: tickets, soldOut: s.Signal(title + " is sold out")})
	}
	choice := s.Stream("choice")
	s.Arrive(sim.Poisson(s.Stream("arrivals"), 2), func() {
		f, wants := films[choice.IntN(len(films))], 1+choice.IntN(6)
		s.Go("moviegoer", func(p *sim.Process) {
			if f.soldOut.Happened() {
				f.refused++
				return
			}
			turn := counter.NewRequest(p, 1)
			if err := p.WaitFor(sim.AnyOf(turn, f.soldOut)); err != nil {
				return
			}
			if !turn.Happened() {
				f.renege++
				return
			}
			defer turn.Grant().Release()
			f.buy(p, wants)
		})
	})
	err := s.Run(context.Background(), 120)
	return films, counter, err
}

// buy is a moviegoer at the counter.
func (f *film) buy(p *sim.Process, wants int) {
	if f.left < wants {
		f.refused++
		_ = p.Wait(0.5) // to discuss it
		return
	}
	if f.left -= wants; f.left < 2 { // a single seat is not sold
		f.at = p.Now()
		f.soldOut.Trigger()
	}
	_ = p.Wait(1)
}

func main() {
	tickets := flag.Int("tickets", 50, "tickets for each film")
	seed := flag.Uint64("seed", 1, "random seed")
	flag.Parse()
	if *tickets < 2 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "movie: -tickets is at least 2, and there are no other arguments")
		os.Exit(2)
	}
	films, counter, err := cinema(*seed, *tickets)
	if err != nil {
		fmt.Fprintln(os.Stderr, "movie:", err)
		os.Exit(1)
	}
	for _, f := range films {
		if f.soldOut.Happened() {
			fmt.Printf("%-15s sold out after %4.1f minutes, when %d left the line; %d came too late\n", f.title, f.at, f.renege,
				f.refused)
		} else {
			fmt.Printf("%-15s has %d tickets left; %d wanted more than there were\n", f.title, f.left, f.refused)
		}
	}
	fmt.Printf("\n%d were served, after %.1f minutes on average; %d left the line; the counter was busy %.0f %% of "+
		"the time\n",
		counter.Waits().N(), counter.Waits().Mean(), counter.Withdrawn(), 100*counter.Utilization())
}
