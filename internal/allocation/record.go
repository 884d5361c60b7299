package allocation

import (
	"fmt"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/format"
)

// A Row is a round by its number, from 1.
type Row struct {
	Number int
	Held   int // balls that came and were not deleted; without those of a warm start
	capped.Round
}

// A record is what is noted while a process goes on.
type record struct {
	burnIn, rounds int   // as planned
	every          int   // how often a row is kept; 0 is never
	rows           []Row // rounds every, 2·every, …
	done           int   // rounds
	thrown         int   // balls
	held           int   // balls that came and were not deleted
	first, last    int   // pools of the first and the last tenth of the measured rounds, summed
}

// mostRows is how many rows are kept at most.
const mostRows = 100_000

// tenth is the number of rounds in a tenth of those measured.
func (r *record) tenth() int { return max(1, r.rounds/10) }

func (r *record) note(round capped.Round) {
	r.done++
	r.thrown += round.Thrown
	r.held += round.Arrived - round.Served
	if i := r.done - r.burnIn; i > 0 {
		if i <= r.tenth() {
			r.first += round.Pool
		}
		if i > r.rounds-r.tenth() {
			r.last += round.Pool
		}
	}
	if r.every > 0 && r.done%r.every == 0 {
		r.rows = append(r.rows, Row{r.done, r.held, round})
	}
}

// pace says how a process is getting on.
func (r *record) pace(since time.Duration) string {
	doing := "measuring"
	if r.done <= r.burnIn {
		doing = "burn-in"
	}
	all := float64(r.burnIn + r.rounds)
	left := time.Duration(float64(since) * (all - float64(r.done)) / float64(r.done))
	return fmt.Sprintf("%s, round %s of %s, %v left", doing, format.Thousands(float64(r.done)), format.Thousands(all),
		left.Round(time.Second))
}
