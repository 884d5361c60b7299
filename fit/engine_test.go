package fit

import (
	"context"
	"errors"
	"testing"
	"time"
)

// here fits a model on a hub in this process, with its state in a directory.
func (g *goModel) here(ctx context.Context, dir string, slots int, o Options) (r *Result, err error) {
	o.Kind, o.Registry = "fit", g.register()
	err = Here(ctx, HereOptions{State: dir, Slots: slots, Registry: o.Registry}, func(ctx context.Context, run Runner) error {
		o.Run = run
		r, err = Run(ctx, g.problem, []byte("model"), o)
		return err
	})
	return r, err
}

func TestOverhead(t *testing.T) {
	g, _, _ := rateModel([]float64{7, 12, 9, 11, 14})
	begun := time.Now()
	r, err := g.here(t.Context(), t.TempDir(), 2, Options{Seed: 1})
	t.Log(time.Since(begun), r.Runs, len(r.Jobs), err)
	h := coins(2, 3, 20, 7)
	begun = time.Now()
	r, err = h.here(t.Context(), t.TempDir(), 2, Options{Seed: 1})
	t.Log(time.Since(begun), r.Runs, len(r.Jobs), err)
	_ = errors.Is
}
