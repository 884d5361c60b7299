package study

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population"
)

// An Opened is a fit that can be worked on.
type Opened struct {
	Model     *population.Model
	Fit       *population.Fit
	Data      *population.Observations
	Problem   *fit.Problem
	Simulator fit.Simulator
}

// OpenFit reads the data of a fit, and makes the problem.
func (s *Study) OpenFit() (*Opened, error) {
	asked, err := s.Plain.Fit(population.FitOptions{Data: s.Data, Unknown: s.Unknown, Match: s.Match})
	if err != nil {
		return nil, err
	}
	for _, u := range asked.Unknowns {
		switch {
		case slices.ContainsFunc(s.Set, func(set population.Parameter) bool { return set.Name == u.Name }):
			return nil, fmt.Errorf("--set %s: it is unknown, and --set gives it one value; leave out one of the two", u.Name)
		case s.Plain.Changed(u.Name):
			return nil, fmt.Errorf("--scenario %s: it gives %s one value, and %[2]s is unknown; fit without the scenario, or "+
				"with another one that leaves %[2]s as it is, or take %[2]s from the unknown ones of the file", s.Scenario, u.Name)
		}
	}
	switch {
	case asked.Data == "":
		return nil, errors.New("fit to what? Name a table with --data, as in --data cases.csv, or in the model, as in " +
			"fit: {data: cases.csv, …}")
	case s.Data != "":
		s.Table, err = population.Dir(".")(s.Data)
	default:
		_, err = s.file(asked.Data)
	}
	if err != nil {
		var where *os.PathError
		if errors.As(err, &where) {
			err = where.Err
		}
		return nil, fmt.Errorf("the data: %s: %w", asked.Data, err)
	}
	o, err := s.problem()
	if err != nil {
		return nil, err
	}
	if err := o.Problem.Check(); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "fit: "))
	}
	return o, nil
}

// problem makes the problem of a fit, whose data are there.
func (r *Request) problem() (*Opened, error) {
	m, err := r.Compile()
	if err != nil {
		return nil, err
	}
	o := &Opened{Model: m}
	if o.Fit, err = m.Fit(population.FitOptions{Data: r.Data, Unknown: r.Unknown, Match: r.Match}); err != nil {
		return nil, err
	}
	data := r.Table
	if data == nil { // then it is a table that the model names
		if data, err = r.file(o.Fit.Data); err != nil {
			return nil, err
		}
	}
	if o.Data, err = o.Fit.Read(o.Fit.Data, data); err != nil {
		return nil, err
	}
	o.Problem = &fit.Problem{Times: o.Data.Times}
	for i := range o.Fit.Unknowns {
		u := &o.Fit.Unknowns[i]
		o.Problem.Unknowns = append(o.Problem.Unknowns, fit.Unknown{Name: u.Name, Unit: u.Unit, Prior: prior(u)})
	}
	for i, column := range o.Data.Columns {
		o.Problem.Columns = append(o.Problem.Columns, fit.Column{Name: o.Fit.Columns[i], Data: column})
	}
	o.Simulator = &simulator{fit: modelfit.Of(o.Fit), times: o.Data.Times}
	return o, nil
}

// prior is what is known of a parameter beforehand.
func prior(u *population.Unknown) fit.Prior {
	p := fit.NewPrior(u.Family, u.Args...)
	if low, high := p.Support(); low < u.Low || high > u.High {
		p = p.Within(u.Low, u.High)
	}
	if u.Whole {
		p = p.Whole()
	}
	return p
}

// law is how a column is scattered.
func law(s modelfit.Observation) fit.Law {
	switch s.Error {
	case "negative binomial":
		return fit.Law{Family: fit.NegativeBinomial, Arg: s.Arg}
	case "normal":
		return fit.Law{Family: fit.Gaussian, Arg: s.Arg, Share: s.Share}
	}
	return fit.Law{}
}

// A simulator runs the model with values of the unknowns. Those who use it at once have trials of
// their own, whose memory is used again.
type simulator struct {
	fit   modelfit.Fit
	times []float64
	room  *room

	mu   sync.Mutex
	free []modelfit.Trials
}

func (s *simulator) take() modelfit.Trials {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		t := s.free[n-1]
		s.free = s.free[:n-1]
		return t
	}
	return s.fit.Trials(s.times)
}

func (s *simulator) give(t modelfit.Trials) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, t)
}

// clear gives up the memory of those that nobody uses.
func (s *simulator) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = nil
}

// Simulate runs the model once.
func (s *simulator) Simulate(ctx context.Context, x []float64, seed uint64) (c fit.Trajectory, err error) {
	var trial modelfit.Trial
	err = s.Share(ctx, func() (err error) {
		t := s.take()
		trial, err = t.Run(ctx, x, seed)
		s.give(t)
		return err
	})
	if err != nil {
		return c, impossible(err)
	}
	for i, means := range trial.Means {
		c.Columns = append(c.Columns, fit.Reports{Mean: means, Law: law(trial.Observations[i])})
	}
	c.Events = trial.Events
	return c, nil
}

// impossible says of values with which the model cannot be that they are impossible. What goes
// wrong in a run is another matter.
func impossible(err error) error {
	if errors.As(err, new(population.Problems)) {
		return fmt.Errorf("%w: %w", fit.ErrImpossible, err)
	}
	return err
}

// fitKind is the kind of job that the stages of a fit are.
func fitKind(version string, room *room) ensemble.Kind {
	kind := fit.NewKind(FitKind, version, func(payload []byte) (*fit.Problem, fit.Simulator, error) {
		r, err := ReadPayload(payload)
		if err != nil {
			return nil, nil, err
		}
		o, err := r.problem()
		if err != nil {
			return nil, nil, err
		}
		s := o.Simulator.(*simulator)
		s.room = room
		return o.Problem, s, nil
	})
	kind.Portable = true
	return kind
}
