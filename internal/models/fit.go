package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/population"
)

// FitKind is the name of the kind of job that the stages of a fit are.
const FitKind = "fit"

// A Fit is all that workers need to know of a fit: the model, the data, and what the command line says of unknowns and columns.
type Fit struct {
	Study
	DataName string   `json:"dataName"` // of the table, for messages
	Data     []byte   `json:"data"`
	Unknown  []string `json:"unknown,omitempty"`
	Match    []string `json:"match,omitempty"`
}

// An Opened is a fit that can be worked on.
type Opened struct {
	Model     *population.Model
	Fit       *population.Fit
	Data      *population.Observations
	Problem   *fit.Problem
	Simulator fit.Simulator
}

// Payload is the fit as a job carries it.
func (f *Fit) Payload() ([]byte, error) {
	data, err := json.Marshal(f)
	if err == nil && len(data) > ensemble.MaxPayload {
		err = fmt.Errorf("the model with its tables and data has %d bytes; %d are the most", len(data), ensemble.MaxPayload)
	}
	return data, err
}

// ReadFit reads a fit from a payload, which may be of any program.
func ReadFit(payload []byte) (*Fit, error) {
	f := new(Fit)
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields() // what is not understood could change the numbers
	if err := d.Decode(f); err != nil {
		return nil, fmt.Errorf("a fit that cannot be read: %w", err)
	}
	return f, nil
}

// Open makes the model and the problem.
func (f *Fit) Open() (*Opened, error) {
	m, err := f.Model(nil, "")
	if err != nil {
		return nil, err
	}
	o := &Opened{Model: m}
	if o.Fit, err = m.Fit(population.FitOptions{Data: f.DataName, Unknown: f.Unknown, Match: f.Match}); err != nil {
		return nil, err
	}
	if o.Data, err = o.Fit.Read(f.DataName, f.Data); err != nil {
		return nil, err
	}
	o.Problem = &fit.Problem{Times: o.Data.Times}
	for i := range o.Fit.Unknowns {
		u := &o.Fit.Unknowns[i]
		o.Problem.Unknowns = append(o.Problem.Unknowns, fit.Unknown{Name: u.Name, Unit: u.Unit, Prior: prior(u)})
	}
	for i, column := range o.Data.Columns {
		o.Problem.Columns = append(o.Problem.Columns, fit.Column{Name: o.Fit.Matches[i].Column, Data: column})
	}
	o.Simulator = &simulator{fit: o.Fit, times: o.Data.Times}
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
func law(s population.Seen) fit.Law {
	switch s.Error {
	case "negative binomial":
		return fit.Law{Family: fit.NegativeBinomial, Arg: s.Arg}
	case "normal":
		return fit.Law{Family: fit.Gaussian, Arg: s.Arg, Share: s.Share}
	}
	return fit.Law{}
}

// A simulator runs the model with values of the unknowns. Those who use it at once have trials of their own, whose memory is used again.
type simulator struct {
	fit   *population.Fit
	times []float64
	room  *room

	mu   sync.Mutex
	free []*population.Trials
}

func (s *simulator) take() *population.Trials {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		t := s.free[n-1]
		s.free = s.free[:n-1]
		return t
	}
	return s.fit.Trials(s.times, population.Options{})
}

func (s *simulator) give(t *population.Trials) {
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
func (s *simulator) Simulate(ctx context.Context, x []float64, seed uint64) (c fit.Course, err error) {
	var trial population.Trial
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
		c.Columns = append(c.Columns, fit.Reports{Mean: means, Law: law(trial.Seen[i])})
	}
	c.Events = trial.Events
	return c, nil
}

// impossible says of values with which the model cannot be that they are impossible. What goes wrong in a run is another matter.
func impossible(err error) error {
	if errors.As(err, new(population.Problems)) {
		return fmt.Errorf("%w: %w", fit.ErrImpossible, err)
	}
	return err
}

// fitKind is the kind of job that the stages of a fit are.
func fitKind(version string, room *room) ensemble.Kind {
	kind := fit.NewKind(FitKind, version, func(payload []byte) (*fit.Problem, fit.Simulator, error) {
		f, err := ReadFit(payload)
		if err != nil {
			return nil, nil, err
		}
		o, err := f.Open()
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
