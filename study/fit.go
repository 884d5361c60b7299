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

// An OpenedFit is a fit that is ready to run.
type OpenedFit struct {
	Model     *population.Model
	Fit       *population.Fit
	Data      *population.Observations
	Problem   *fit.Problem
	Simulator fit.Simulator
}

// OpenFit reads the data of a fit, and makes the problem.
func (s *Study) OpenFit() (*OpenedFit, error) {
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

// problem makes the problem of a fit, whose data have been read.
func (r *Request) problem() (*OpenedFit, error) {
	m, err := r.Compile()
	if err != nil {
		return nil, err
	}
	o := &OpenedFit{Model: m}
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
	o.Problem.OutOf = o.Data.Tested
	o.Simulator = &simulator{fit: modelfit.Of(o.Fit), times: o.Data.Times, tested: o.Data.Tested,
		last: o.Problem.LastRow()}
	return o, nil
}

// prior is the prior of a parameter.
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

// law is the distribution of a column's reports.
func law(s modelfit.Observation) fit.Law {
	switch s.Error {
	case "negative binomial":
		return fit.Law{Family: fit.NegativeBinomial, Arg: s.Arg}
	case "normal":
		return fit.Law{Family: fit.Gaussian, Arg: s.Arg, Relative: s.Relative}
	case "binomial":
		return fit.Law{Family: fit.Binomial}
	}
	return fit.Law{}
}

// A simulator runs the model with values of the unknowns. Concurrent runs use separate trials,
// whose memory is reused.
type simulator struct {
	fit   modelfit.Fit
	times []float64
	// tested are, by column, the numbers of tests that a survey is out of; nil for other columns
	tested [][]float64
	last   int // row with an observation
	room   *memoryGate

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

// clear frees the memory of unused trials.
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
		for row := range means {
			means[row] = positives(s.tested[i], row, means[row])
		}
		c.Columns = append(c.Columns, fit.Reports{Mean: means, Law: law(trial.Observations[i])})
	}
	c.Events, c.Check = trial.Events, trial.Fingerprint(s.last)
	return c, nil
}

// positives is how many of those tested in a row are expected to be positive, if a column is of a
// survey, by the mean of its chance; and otherwise the mean of the column. A row without tests, or
// without anybody to ask, has none. Whoever draws reports takes the number of tests for the
// [fit.Problem.OutOf], too.
func positives(tested []float64, row int, mean float64) float64 {
	if tested == nil {
		return mean
	}
	if n := tested[row] * mean; n >= 0 {
		return n
	}
	return 0
}

// impossible marks values with which the model does not compile. Errors of a run are not marked.
func impossible(err error) error {
	if errors.As(err, new(population.Problems)) {
		return fmt.Errorf("%w: %w", fit.ErrImpossible, err)
	}
	return err
}

// fitKind is the kind of the jobs that the stages of a fit are.
func fitKind(version string, room *memoryGate) ensemble.Kind {
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

// Start prepares a run that stops at each row of the data, and can be forked there.
func (s *simulator) Start(ctx context.Context, x []float64, seed uint64) (fit.Particle, error) {
	run, err := s.fit.Follow(ctx, s.times, x, seed)
	if err != nil {
		return nil, impossible(err)
	}
	p := &particle{run: run, tested: s.tested}
	for _, o := range run.Observations() {
		p.laws = append(p.laws, law(o))
	}
	return p, nil
}

// Share calls f concurrently with others, or alone if memory is short.
func (s *simulator) Share(ctx context.Context, f func() error) error {
	try := func() error {
		err := f()
		if errors.Is(err, population.ErrMemory) {
			s.clear()
		}
		return err
	}
	if s.room == nil {
		return try()
	}
	return s.room.run(ctx, try)
}

// A particle is a run that stops at each row.
type particle struct {
	run    modelfit.Followed
	laws   []fit.Law
	before uint64 // events that were returned before
	tested [][]float64
	row    int // the next one
}

// Step advances to the next row. Events are those since the previous step.
func (p *particle) Step(ctx context.Context) ([]float64, uint64, error) {
	means, err := p.run.Step(ctx)
	events := p.run.Events() - p.before
	p.before += events
	for i := range means {
		means[i] = positives(p.tested[i], p.row, means[i])
	}
	p.row++
	return means, events, err
}

// Fork is a copy with the same past.
func (p *particle) Fork(seed uint64) (fit.Particle, error) {
	run, err := p.run.Fork(seed)
	if err != nil {
		return nil, err
	}
	return &particle{run, p.laws, p.before, p.tested, p.row}, nil
}

func (p *particle) Check() uint64   { return p.run.Fingerprint() }
func (p *particle) Laws() []fit.Law { return p.laws }
func (p *particle) Close()          { p.run.Close() }
