package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// Rates that change with time, or with how many there are, are drawn by thinning [Lewis and Shedler, 1979], without a time step. A course has a
// bound in each piece of the run. Candidates come at the rate of the bounds, in one draw for all pieces up to the next: the integral of
// the bounds is inverted. When a candidate's time has come it is something with the probability of its rate over its bound, and nothing
// otherwise; only then is it known how many there are. Since a clock at a rate has no memory, it is drawn anew whenever its individual is planned anew.
//
// Where the rate is the same throughout a piece, as with steps, no candidate is in vain.

// candidate is when the next of all that happens at a rate may be: what does not change, at a rate, and what does.
func (r *Run) candidate(s *random.Stream, fixed float64, vary []program.VaryingRate) float64 {
	left := s.Exp()
	for t := r.Now; t <= r.end; {
		end, total := math.Inf(1), fixed
		for i := range vary {
			until, bound := vary[i].Rate.Piece(t)
			end, total = min(end, until), total+float64(bound*vary[i].Factor)
		}
		if at := t + left/total; at < end { // which is infinite, or NaN, if nothing can happen
			return at
		}
		left = max(0, left-float64(total*(end-t))) // which rounding may take below
		t = end
	}
	return math.Inf(1)
}

// choose tells what a candidate is whose time has come: one of those that change, by its number, or of what does not, by its place on the menu.
// It reports false if it is nothing.
func (r *Run) choose(s *random.Stream, fixed float64, vary []program.VaryingRate) (k int, place float64, ok bool) {
	total := fixed
	for i := range vary {
		_, bound := vary[i].Rate.Piece(r.Now)
		total += float64(bound * vary[i].Factor)
	}
	u := float64(s.Float64() * total)
	if u < fixed {
		return -1, u, true
	}
	u -= fixed
	for k = range vary {
		v := &vary[k]
		_, bound := v.Rate.Piece(r.Now)
		if bound = float64(bound * v.Factor); u >= bound {
			u -= bound
			continue
		}
		rate, ok := v.Rate.Rate(r.Now, program.Census{Total: r.Alive, Counts: r.Counts})
		if !ok {
			r.exceed(v)
		}
		return k, 0, u < rate*v.Factor
	}
	return 0, 0, false // rounding
}

// exceed ends the run, because a rate is above its most.
func (r *Run) exceed(v *program.VaryingRate) {
	if r.broke != nil {
		return
	}
	unit := r.M.Unit
	r.most = -1
	x := v.Rate.At(r.Now, program.Census{Total: r.Alive, Counts: r.Counts})
	if math.IsNaN(x) {
		r.broke = fmt.Errorf("at time %.12g: %s: rate: the value is not a number, as 0/0 is none; write max(1, total), for example, for what it is divided by", r.M.Start+r.Now, v.What)
		return
	}
	r.broke = fmt.Errorf("at time %.12g: %s: rate: the value is %.6g per %s, above its most, %.6g per %s; write a most that it does not exceed",
		r.M.Start+r.Now, v.What, x, unit, v.Rate.Most, unit)
}

// inspect ends the run if the rate of somebody's clock is above its most now. Thinning finds that when such a clock may strike, which is never if
// its most is far too small; so every row is looked at too.
func (r *Run) inspect() error {
	n := program.Census{Total: r.Alive, Counts: r.Counts}
	above := func(vary []program.VaryingRate) *program.VaryingRate {
		for i := range vary {
			if c := vary[i].Rate; c.ByCounts && vary[i].Factor > 0 {
				if _, ok := c.Rate(r.Now, n); !ok {
					return &vary[i]
				}
			}
		}
		return nil
	}
	for k := range r.t.Immigration {
		if v := above(r.t.Immigration[k].Varying); v != nil {
			r.exceed(v)
		}
	}
	for s := range r.t.States {
		st := &r.t.States[s]
		if r.Counts[s] == 0 {
			continue
		}
		if v := above(st.Varying); st.By == nil && v != nil {
			r.exceed(v)
		}
		if !slices.ContainsFunc(st.Cells, func(cell *program.State) bool { return above(cell.Varying) != nil }) {
			continue
		}
		for id := r.first; int(id) < r.Ids && r.broke == nil; id++ { // is anybody in such a cell?
			if int(r.person(id).state) == s {
				if v := above(r.table(id, uint16(s)).Varying); v != nil {
					r.exceed(v)
				}
			}
		}
	}
	return r.broke
}

// windClock starts a clock of a race, or of a branch.
func (r *Run) windClock(id uint32, column int, c *program.Clock) {
	if c.Varying != nil {
		r.setTimer(id, column, wordOf(r.candidate(r.stream(id), 0, c.Varying))|memoryless)
		return
	}
	r.windTimer(id, column, &c.Law, c.Off)
}

// branch draws a branch of a split whose chances change with time.
func (r *Run) branch(st *program.State, u float64) int {
	sum, drawn := 0.0, st.Chances.Otherwise
	for k, c := range st.Chances.Of {
		if k != st.Chances.Otherwise {
			if sum += c.Chance(r.Now); u < sum && drawn == st.Chances.Otherwise {
				drawn = k
			}
		}
	}
	if sum > 1+1e-6 && r.broke == nil {
		r.broke = fmt.Errorf("at time %.12g: the chances of a split add up to %.6g, more than 1", r.M.Start+r.Now, sum)
		r.most = -1
	}
	return drawn
}
