package study

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population"
)

// StatesName is the file of the states in the directory of a fit.
const StatesName = "states.almanac"

// chooseStates chooses at most n rows of a sample, each in proportion to its weight: the points (i
// + ½)/n, i = 0 … n−1, on the line of the weights. A row that several points choose is there once,
// with their weight. If there are as many points as rows, or more, it is all rows.
func chooseStates(p *fit.Posterior, n int) (rows []int, weights []float64) {
	if n >= len(p.Rows) {
		for k, w := range p.Weights {
			rows, weights = append(rows, k), append(weights, w)
		}
		return rows, weights
	}
	point, sum := 0, 0.0
	for k, w := range p.Weights {
		sum += w
		copies := 0
		for ; point < n && (float64(point)+0.5)/float64(n) < sum; point++ {
			copies++
		}
		if copies > 0 {
			rows, weights = append(rows, k), append(weights, float64(copies)/float64(n))
		}
	}
	return rows, weights
}

// WriteStates saves states of a fit at the last data point, drawn from its sample by weight: the
// runs by which its rows were accepted are run again up to there.
func (s *Study) WriteStates(ctx context.Context, o *OpenedFit, sample *fit.Posterior, path string) error {
	if len(sample.Rows) == 0 || len(sample.Paths) != len(sample.Rows) {
		return errors.New("--states: the fit has no runs to save the states of: only abc and pmmh have")
	}
	last := o.Problem.Times[o.Problem.LastRow()]
	m, err := s.Compile(population.SaveAt(strconv.FormatFloat(last, 'g', -1, 64)))
	if err != nil {
		return err
	}
	of, err := m.Fit(population.FitOptions{Data: s.Data, Unknown: s.Unknown, Match: s.Match})
	if err != nil {
		return err
	}
	rows, weights := chooseStates(sample, s.States)
	options := population.Options{Seed: s.Seed, Replicas: len(rows)}
	options.Vary = func(k int) (*population.Model, error) { return of.At(sample.Rows[rows[k]]) }
	modelfit.SetSaved(&options, rows, weights)
	modelfit.SetPast(&options, func(k int) modelfit.Past {
		run := sample.Paths[rows[k]]
		past := modelfit.Past{Seed: run.Seed, Until: last, Fingerprint: run.Check, Saved: true}
		for _, f := range run.Forks {
			past.Forks = append(past.Forks, modelfit.Fork{Time: o.Problem.Times[f.Row], Luck: f.Seed})
		}
		return past
	})
	if options.Save, err = m.CreateState(path); err != nil {
		return fmt.Errorf("--states: %w", err)
	}
	defer options.Save.Drop()
	if _, err := m.Run(ctx, options); err != nil {
		return fmt.Errorf("--states: %w", err)
	}
	return options.Save.Keep()
}

// readStates opens the states of a fit, and reduces the sample to their rows.
func (f *From) readStates() error {
	if f.Past == nil {
		return fmt.Errorf("--from-state: %s does not name the runs of a fit", f.path)
	}
	path := filepath.Join(filepath.Dir(f.path), StatesName)
	s, err := population.OpenState(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--from-state: there is no %s: the fit has saved no states; almanac fit … --states 200 does, and "+
			"without --from-state replicas run up to the last data point", path)
	case err != nil:
		return fmt.Errorf("--from-state: %w", err)
	}
	rows, weights := s.Sample()
	of, all := f.Posterior, &f.Posterior
	of.Rows, of.Paths, of.Weights = nil, nil, weights
	var lines []int
	for _, row := range rows {
		if row < 0 || row >= len(all.Rows) || len(all.Paths) != len(all.Rows) {
			_ = s.Close()
			return fmt.Errorf("--from-state: %s is not of the fit beside it", path)
		}
		of.Rows, of.Paths = append(of.Rows, all.Rows[row]), append(of.Paths, all.Paths[row])
		if len(f.lines) == len(all.Rows) {
			lines = append(lines, f.lines[row])
		}
	}
	if len(rows) == 0 || s.Time() != f.Past.Time() {
		_ = s.Close()
		return fmt.Errorf("--from-state: %s is not of the fit beside it", path)
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	f.Posterior, f.lines, f.states, f.States, f.StateSum = of, lines, s, path, s.Sum()
	return nil
}

// useStates makes the replicas of a run go on with the saved states, if there are.
func (f *From) useStates(m *population.Model, o *population.Options) error {
	if f.States == "" {
		return nil
	}
	if f.states == nil { // it came with a job
		if _, err := os.Stat(f.States); err != nil {
			return err
		}
		s, err := population.OpenState(f.States)
		if err != nil {
			return err
		}
		if rows, _ := s.Sample(); s.Sum() != f.StateSum || len(rows) != len(f.Posterior.Rows) {
			_ = s.Close()
			return fmt.Errorf("%s is another one than when the study began", f.States)
		}
		f.states = s
	}
	if err := modelfit.SameModel(m, f.states); err != nil {
		return fmt.Errorf("--from-state: the model is not that of the states: %w", err)
	}
	modelfit.SetStates(o, f.states)
	return nil
}
