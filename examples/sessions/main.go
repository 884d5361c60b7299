// Sessions keeps the idle time-outs of a server. Every request of a session postpones its time-out.
// A session without requests for too long is closed, until its user comes back.
//
// An hour is simulated, on a calendar.Queue. With -live, sessions are kept by the wall clock
// instead, for two seconds, in a timers.Set (live.go).
//
//	go run ./examples/sessions -sessions 100000
//	go run ./examples/sessions -sessions 100000 -live
package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/almanac-sim/almanac/calendar"
)

const (
	idle  = 30.0  // seconds of silence after which a session is closed
	pause = 20.0  // between two requests, on average
	away  = 300.0 // until a user whose session was closed comes back, on average
)

// A session has two events, and so two ids: its next request, and its time-out.
func request(session int) calendar.ID { return calendar.ID(2 * session) }
func timeout(session int) calendar.ID { return calendar.ID(2*session + 1) }

func main() {
	sessions := flag.Int("sessions", 10_000, "number of users")
	hours := flag.Float64("hours", 1, "simulated hours")
	seed := flag.Uint64("seed", 1, "random seed")
	wall := flag.Bool("live", false, "keep sessions by the wall clock, for two seconds")
	flag.Parse()
	if *sessions < 1 || *sessions > 100_000_000 || !(*hours > 0 && *hours <= 1000) || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "sessions: -sessions is from 1 to 100000000, -hours above 0 and at most 1000, "+
			"and there are no other arguments")
		os.Exit(2)
	}
	if *wall {
		live(*sessions, 2*time.Second)
		return
	}
	if err := watch(*sessions, *hours*3600, rand.New(rand.NewPCG(*seed, 0))); err != nil {
		fmt.Fprintln(os.Stderr, "sessions:", err)
		os.Exit(1)
	}
}

func watch(sessions int, end float64, r *rand.Rand) error {
	// Events with dense numbers go into a Queue …
	q := calendar.New(calendar.Capacity(2 * sessions))
	for s := range sessions {
		if err := q.Schedule(request(s), away*r.ExpFloat64()); err != nil {
			return err
		}
	}
	// … and rare events that carry a value into an Agenda.
	plan := calendar.NewAgenda[string]()
	for quarter := 1; quarter <= 4; quarter++ {
		if _, err := plan.Schedule(end*float64(quarter)/4, fmt.Sprintf("quarter %d", quarter)); err != nil {
			return err
		}
	}
	requests, closed, open := 0, 0, 0
	for what, by := range plan.Until(end) {
		for id, at := range q.Until(by) { // in order of time, including events scheduled in the loop
			session := int(id / 2)
			if id == timeout(session) {
				closed++
				open--
				// Replaces the request that was planned.
				if err := q.Reschedule(request(session), at+away*r.ExpFloat64()); err != nil {
					return err
				}
				continue
			}
			requests++
			if _, isOpen := q.Due(timeout(session)); !isOpen {
				open++
			}
			// Postpones the time-out, or schedules it if the session was closed.
			if err := q.Reschedule(timeout(session), at+idle); err != nil {
				return err
			}
			if err := q.Schedule(request(session), at+pause*r.ExpFloat64()); err != nil {
				return err
			}
		}
		fmt.Printf("%s: %d requests, %d sessions closed, %d open\n", what, requests, closed, open)
	}
	stats := q.Stats()
	fmt.Printf("\n%.3f of the requests were followed by a time-out; the pauses between them say %.3f\n",
		float64(closed)/float64(requests), math.Exp(-idle/pause))
	fmt.Printf("%d events pending, %.1f moves for each event dispatched\n",
		q.Len(), float64(stats.Moved)/float64(requests+closed))
	return nil
}
