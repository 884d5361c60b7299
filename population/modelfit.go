package population

import (
	"context"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population/internal/engine"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// What other packages of this module may do with a fit and a result, and users may not.
func init() {
	modelfit.Of = func(fit any) modelfit.Fit { return runs{fit.(*Fit)} }
	modelfit.SetDrawn = func(result any, d *modelfit.Drawn) { result.(*Result).drawn = d }
	modelfit.SetPast = func(options any, past func(replica int) modelfit.Past) {
		o := options.(*Options)
		o.past, o.forks = past, past != nil
	}
	modelfit.SetSaved = func(options any, rows []int, weights []float64) {
		o := options.(*Options)
		o.savedRows, o.savedWeights = rows, weights
	}
	modelfit.SetStates = func(options, state any) { options.(*Options).states = state.(*State) }
	modelfit.KeepRows = func() any {
		return Change(func(c *syntax.Changes) {
			if c.Later != nil {
				c.Later.Rows = true
			}
		})
	}
	modelfit.SameModel = func(model, state any) error {
		return sameModel([]byte(state.(*State).model.Source), model.(*Model).source)
	}
	modelfit.Passed = func(model any) []string { return model.(*Model).passed() }
	modelfit.Delayed = func(model any, observation int) bool {
		return model.(*Model).program.FirstPhase.Observations[observation].After != nil
	}
	modelfit.DrawnOf = func(result any) *modelfit.Drawn { return result.(*Result).drawn }
}

// passed says on which interventions the changes of [After] bear, and come too late.
func (m *Model) passed() (all []string) {
	f := m.compiled.File
	time := "the last data point"
	if m.state != nil {
		time = "the time of the state"
	}
	for _, p := range f.Passed() {
		last := fmt.Sprintf("%s %.12g", m.Unit(), format.Tidy(m.compiled.Changes.Later.Time))
		when := fmt.Sprintf("at %s %.12g", m.Unit(), format.Tidy(p.Time))
		switch {
		case p.Sets && math.IsNaN(p.Time):
			all = append(all, fmt.Sprintf("%s may have set %s; that is undone: from %s, %s, on, %[2]s has the value that is "+
				"given here", p.What, p.Parameter, last, time))
		case p.Sets:
			all = append(all, fmt.Sprintf("%s set %s %s; that is undone: from %s, %s, on, %[2]s has the value that is given "+
				"here", p.What, p.Parameter, when, last, time))
		default:
			all = append(all, fmt.Sprintf("%s was %s, not after %s, %s: it belongs to the past, and %s does not change it any "+
				"more", p.What, when, time, last, p.Parameter))
		}
	}
	return all
}

// pastOf returns the past of a replica, nil if it has none.
func (o *Options) pastOf(p *program.Program, replica int) (*engine.Past, error) {
	if o.past == nil {
		return nil, nil
	}
	of := o.past(replica)
	past := &engine.Past{Seed: of.Seed, Until: of.Until - p.Start, ForkSeed: of.Luck, Fingerprint: of.Fingerprint,
		Saved: of.Saved, Place: of.Place}
	for _, f := range of.Forks {
		past.Forks = append(past.Forks, engine.Fork{At: f.Time - p.Start, Seed: f.Luck})
	}
	if last := p.RecordTimes[len(p.RecordTimes)-1]; !(past.Until <= last+p.TimeTolerance) {
		return nil, fmt.Errorf("%s: the model ends at %.12g, before %.12g, where it should go on", p.Name, p.End, of.Until)
	}
	return past, nil
}

// runs are the runs of a fit: a [modelfit.Fit].
type runs struct{ f *Fit }

func (r runs) Matches() []modelfit.Match { return r.f.matches }

func (r runs) Observed(model any) ([]modelfit.Observation, error) {
	return r.f.observations(model.(*Model))
}

func (r runs) Trials(times []float64) modelfit.Trials { return r.f.trials(times) }

func (r runs) Follow(ctx context.Context, times, x []float64, seed uint64) (modelfit.Followed, error) {
	w, err := r.f.follow(ctx, times, x, seed)
	if err != nil {
		return nil, err
	}
	return w, nil
}
