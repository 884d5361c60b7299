package allocation

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/format"
)

// A Sweep is several processes that differ in one quantity.
type Sweep struct {
	What   string // Capacity or Rate
	Values []Value
}

// What can be swept.
const (
	Capacity = "capacity"
	Rate     = "rate"
)

// NewSweep puts the values in order, each of them once.
func NewSweep(what string, values []Value) Sweep {
	values = slices.Clone(values)
	slices.SortStableFunc(values, func(a, b Value) int { return cmp.Compare(a.Value, b.Value) })
	return Sweep{what, slices.CompactFunc(values, func(a, b Value) bool { return a.Value == b.Value })}
}

// A Value is a value of what is swept, as it was written.
type Value struct {
	Name  string
	Value float64
}

// config is the process of a value.
func (s Sweep) config(c capped.Config, v Value) capped.Config {
	if s.What == Capacity {
		c.Capacity = int(v.Value)
	} else {
		c.Rate = v.Value
	}
	return c
}

// A Swept is what was measured of a sweep.
type Swept struct {
	Incomplete bool     `json:"incomplete,omitempty"` // interrupted: some points are missing
	Sweep      string   `json:"sweep"`
	Best       int      `json:"best_capacity,omitempty"` // of those measured: which waits least on average
	Points     []*Point `json:"points"`

	Values []Value       `json:"-"` // of all points, also of those that are missing
	Config capped.Config `json:"-"` // of all points, but for what is swept
}

// Measure runs the processes one after the other. When the context is done the points that there
// are come with its error.
func (s Sweep) Measure(ctx context.Context, config capped.Config, plan capped.Plan, tell Tell) (*Swept, error) {
	swept := &Swept{Sweep: s.What, Points: []*Point{}, Values: s.Values, Config: config}
	var all []*Point
	rounds := 0
	for _, v := range s.Values {
		if ctx.Err() != nil { // theory takes its time, too
			break
		}
		p, err := New(s.config(config, v), plan, false)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", s.What, v.Name, err)
		}
		rounds += p.BurnIn + p.Rounds
		all = append(all, p)
	}
	done := 0
	for i, p := range all {
		v := s.Values[i]
		err := p.measure(ctx, s.config(config, v), plan, func(r *record) {
			tell(done+r.done, rounds, fmt.Sprintf("%s %s, %d of %d", s.What, v.Name, i+1, len(all)))
		})
		if ctx.Err() != nil && err != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		done += p.Reached
		swept.Points = append(swept.Points, p)
	}
	if s.What == Capacity {
		least := 0.0
		for _, p := range swept.Points {
			if wait := p.Measured.Wait.Mean; swept.Best == 0 || wait < least {
				swept.Best, least = p.Capacity, wait
			}
		}
	}
	if swept.Incomplete = len(swept.Points) < len(s.Values); swept.Incomplete {
		return swept, ctx.Err()
	}
	return swept, nil
}

// Subject is the process with what is not swept.
func (r *Swept) Subject() string {
	if r.Sweep == Capacity {
		return fmt.Sprintf("%v, λ = %s", r.Config.Kind, format.Rate(r.Config.Rate))
	}
	p := Point{Process: r.Config.Kind.String(), Capacity: r.Config.Capacity, Choices: r.Config.Choices}
	return p.Name()
}
