package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population"
)

// A Past is what projections need of a fit beside its sample, to go on with the runs that it
// accepted: when the data are from, and how the model was changed. It stands in fit.json and
// study.json beside the sample.
type Past struct {
	Times   []float64 `json:"times"` // of the rows of the data, on the model's clock
	Last    int       `json:"last"`  // row with an observation
	Fitted            // how the model was changed
	Until   string    `json:"until,omitempty"`
	Data    string    `json:"data,omitempty"`
	Unknown []string  `json:"unknown,omitempty"`
	Match   []string  `json:"match,omitempty"`

	// Columns are the data, for pictures. A job does not carry them.
	Columns []fit.Column `json:"-"`
	// Tested are, by column of a survey, how many were tested; see [fit.Problem.OutOf].
	Tested [][]float64 `json:"-"`
}

// newPast reads fit.json and study.json of a fit.
func newPast(report, request []byte) (*Past, error) {
	var of struct {
		Data struct {
			Times   []float64 `json:"times"`
			Columns []struct {
				Name   string     `json:"name"`
				Values []*float64 `json:"values"`
				Tested []*float64 `json:"tested"`
			} `json:"columns"`
		} `json:"data"`
	}
	if err := json.Unmarshal(report, &of); err != nil {
		return nil, fmt.Errorf("fit.json: %w", err)
	}
	r, err := ReadJSON(request)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", FileName, err)
	case r.Kind != Fit:
		return nil, fmt.Errorf("%s is of a %s", FileName, r.Kind)
	}
	p := &Past{Times: of.Data.Times, Fitted: Fitted{r.Size, r.Scenario, r.Set}, Until: r.Until, Data: r.Data,
		Unknown: r.Unknown, Match: r.Match}
	for _, c := range of.Data.Columns {
		if len(c.Values) != len(p.Times) || c.Tested != nil && len(c.Tested) != len(p.Times) {
			return nil, errors.New("fit.json: a column of the data has not one value for each time")
		}
		p.Columns = append(p.Columns, fit.Column{Name: c.Name, Data: orGap(c.Values)})
		p.Tested = append(p.Tested, orGap(c.Tested))
	}
	problem := fit.Problem{Times: p.Times, Columns: p.Columns}
	if len(p.Times) == 0 || len(p.Columns) == 0 {
		return nil, errors.New("fit.json has no data")
	}
	p.Last = problem.LastRow()
	return p, nil
}

// orGap are numbers with NaN for null; nil for none.
func orGap(values []*float64) (all []float64) {
	for _, y := range values {
		if y == nil {
			all = append(all, math.NaN())
		} else {
			all = append(all, *y)
		}
	}
	return all
}

// Time is that of the last observation, on the model's clock.
func (p *Past) Time() float64 { return p.Times[p.Last] }

// sound reports whether a past that came with a job is valid with its sample.
func (p *Past) sound(q *fit.Posterior) bool {
	if p.Last < 0 || p.Last >= len(p.Times) || len(q.Paths) != len(q.Rows) || !slices.IsSorted(p.Times) {
		return false
	}
	return !slices.ContainsFunc(q.Paths, func(path *fit.Path) bool {
		return path == nil || slices.ContainsFunc(path.Forks, func(f fit.Fork) bool { return f.Row < 0 || f.Row > p.Last })
	})
}

// changes are those of the model that the fit ran, and those of a request after the data.
func (p *Past) changes(r *Request, later []population.Change) (all []population.Change, err error) {
	if r.Size != "" {
		return nil, errors.New("--size: the runs of the fit have begun, with as many as the fit had; " +
			"--parameters-only begins anew")
	}
	size, err := (&Request{Size: p.Size}).size()
	if err != nil {
		return nil, err
	}
	if size != nil {
		all = append(all, population.Size(*size))
	}
	if r.Until != "" {
		all = append(all, population.Until(r.Until))
	}
	if p.Scenario != "" {
		all = append(all, population.Scenario(p.Scenario))
	}
	all = append(append(all, sets(p.Set)...), population.After(p.Time(), p.Until, later...))
	if r.Posterior.States != "" {
		all = append(all, modelfit.KeepRows().(population.Change))
	}
	return all, nil
}

// fit is the section fit of a model, as the fit of the past had it.
func (p *Past) fit(m *population.Model, names []string) (*population.Fit, error) {
	f, err := m.Fit(population.FitOptions{Data: p.Data, Unknown: p.Unknown, Match: p.Match})
	if err != nil {
		return nil, err
	}
	var unknown []string
	for _, u := range f.Unknowns {
		unknown = append(unknown, u.Name)
	}
	if !slices.Equal(unknown, names) {
		return nil, fmt.Errorf("the sample is of %s, and the model says that %s are unknown: run the model of the fit, or "+
			"use --parameters-only", strings.Join(names, ", "), strings.Join(unknown, ", "))
	}
	return f, nil
}

// pastOf is how the run of a replica came to the last data point.
func (f *From) pastOf(seed uint64, replica int) modelfit.Past {
	row := f.index(seed, replica)
	path := f.Posterior.Paths[row]
	s := random.New(seed, projectionStream, uint64(replica))
	past := modelfit.Past{Seed: path.Seed, Until: f.Past.Time(), Luck: s.Uint64(), Fingerprint: path.Check, Place: row}
	for _, fork := range path.Forks {
		past.Forks = append(past.Forks, modelfit.Fork{Time: f.Past.Times[fork.Row], Luck: fork.Seed})
	}
	return past
}

// projectionStream separates what happens after the data from the draws.
const projectionStream = 0x70726f6a65637469

// Use makes the replicas of a run draw from the sample: each has its own values of the parameters,
// and goes on with its run of the fit, if the sample has a past.
func (f *From) Use(m *population.Model, o *population.Options) error {
	if f.Past == nil {
		o.Vary = f.Vary(m, o.Seed)
		return nil
	}
	of, err := f.Past.fit(m, f.Posterior.Names)
	if err != nil {
		return err
	}
	seed := o.Seed
	o.Vary = func(replica int) (*population.Model, error) { return of.At(f.Row(seed, replica)) }
	modelfit.SetPast(o, func(replica int) modelfit.Past { return f.pastOf(seed, replica) })
	return f.useStates(m, o)
}

// readPast reads what goes with a sample. If the sample names no runs, it returns a sentence that
// says so. If it does, and something is missing to go on with them, that is an error.
func (f *From) readPast(report []byte) (afresh string, err error) {
	if f.Posterior.Paths == nil {
		return "--from " + f.path + " does not name the runs of a fit: replicas start afresh, with parameters from it, " +
			"and do not know the data", nil
	}
	if len(report) == 0 {
		return "", f.incomplete(errors.New("there is no fit.json beside it"))
	}
	request, err := os.ReadFile(filepath.Join(filepath.Dir(f.path), FileName))
	if err == nil {
		f.Past, err = newPast(report, request)
	}
	if err == nil && !f.Past.sound(&f.Posterior) {
		err = errors.New("its runs are not of the data of the fit.json beside it")
	}
	if err != nil {
		return "", f.incomplete(err)
	}
	return "", nil
}

// incomplete says that replicas cannot go on with the runs that a sample names.
func (f *From) incomplete(err error) error {
	return fmt.Errorf("%s names the runs of a fit, and they cannot be gone on with: %w; --parameters-only starts afresh, "+
		"without the data", f.path, err)
}

// notePast notes how far the runs are those of the fit, and what holds from then on.
func (s *Study) notePast() error {
	past := s.Posterior.Past
	if last := past.Time(); s.Plain.End() < last {
		return fmt.Errorf("--until: the model ends at %s %.12g, before the last data point, %.12g; name a later time",
			s.Plain.Unit(), s.Plain.End(), last)
	}
	s.Notes = append(s.Notes, fmt.Sprintf("--from: replicas go on with the runs of the fit from %s %.12g, the last data "+
		"point%s", s.Plain.Unit(), past.Time(), s.fromThenOn()))
	return nil
}
