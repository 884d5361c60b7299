package population

import (
	"context"

	"github.com/almanac-sim/almanac/internal/modelfit"
)

// What other packages of this module may do with a fit and a result, and users may not.
func init() {
	modelfit.Of = func(fit any) modelfit.Fit { return runs{fit.(*Fit)} }
	modelfit.SetDrawn = func(result any, d *modelfit.Drawn) { result.(*Result).drawn = d }
	modelfit.DrawnOf = func(result any) *modelfit.Drawn { return result.(*Result).drawn }
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
