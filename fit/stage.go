package fit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/frame"
)

// ErrImpossible, wrapped, is returned by a [Simulator] for values of the unknowns at which there is
// no model. Such values have likelihood 0, and the fit continues. Any other error ends the fit.
var ErrImpossible = errors.New("there is no model with these values")

// A stage is what one job of a fit computes: replica k is task k. The job's payload is a stage
// followed by the model.
type stage struct {
	Kind string          `json:"sort"`
	Args json.RawMessage `json:"args"`
}

// An output is what a task returns: numbers, including infinities and NaN, and what they cost.
type output struct {
	numbers []float64
	runs    int // of the model
	events  uint64
}

// A task computes part k of a stage. It may be called from several goroutines at once, and depends
// on the stage and k alone.
type task func(ctx context.Context, k int) (output, error)

// A model is a problem with its simulator, as workers have it.
type model struct {
	problem *Problem
	sim     Simulator
}

// stageKinds maps each kind of stage to the function that makes its tasks from the arguments.
var stageKinds = map[string]func(o model, args json.RawMessage) (task, error){
	"predict":     decodeArgs(openPredict),
	"runs":        decodeArgs(openRuns),
	"likelihoods": decodeArgs(openLikelihoods),
	"chains":      decodeArgs(openChains),
	"courses":     decodeArgs(openTrajectories),
	"anneal":      decodeArgs(openAnneal),
}

// decodeArgs decodes the arguments of a kind of stage.
func decodeArgs[A any](open func(o model, args *A) (task, error)) func(model, json.RawMessage) (task, error) {
	return func(o model, text json.RawMessage) (task, error) {
		args := new(A)
		if err := json.Unmarshal(text, args); err != nil {
			return nil, err
		}
		return open(o, args)
	}
}

// NewKind returns the kind of the jobs that the stages of a fit are. Workers and callers of [Run]
// register the same kind. open makes a problem and its simulator from the payload given to Run; it
// is called once for several stages, and its results are used from several goroutines. The version
// is that of [ensemble.Kind].
func NewKind(name, version string, open func(payload []byte) (*Problem, Simulator, error)) ensemble.Kind {
	memo := &modelCache{open: open}
	return ensemble.Kind{Name: name, Version: version, Open: func(payload []byte) (ensemble.Model, error) {
		s, model, err := decodePayload(payload)
		if err != nil {
			return nil, err
		}
		o, err := memo.get(model)
		if err != nil {
			return nil, err
		}
		make, ok := stageKinds[s.Kind]
		if !ok {
			return nil, fmt.Errorf("fit: unknown kind of stage %q", s.Kind)
		}
		t, err := make(o, s.Args)
		if err != nil {
			return nil, fmt.Errorf("fit: reading a stage %q: %w", s.Kind, err)
		}
		return taskModel(t), nil
	}}
}

// A modelCache keeps the last model that was opened: consecutive stages of a fit have the same
// model.
type modelCache struct {
	open func([]byte) (*Problem, Simulator, error)

	mu    sync.Mutex
	last  string
	model model
}

func (m *modelCache) get(payload []byte) (model, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.model.problem != nil && m.last == string(payload) {
		return m.model, nil
	}
	p, s, err := m.open(payload)
	if err != nil {
		return model{}, err
	}
	m.last, m.model = string(payload), model{p, s}
	return m.model, nil
}

// A taskModel is a stage as an [ensemble.Model].
type taskModel task

// runsName names the only number that ensemble summarises; outputs are carried as data.
var runsName = []string{"runs"}

// At returns the runner of the stage's only point, which has no parameters.
func (t taskModel) At(ensemble.Point) (ensemble.Runner, error) {
	return func(ctx context.Context, r ensemble.Replica) (ensemble.Values, error) {
		a, err := t(ctx, r.Number)
		if err != nil {
			return ensemble.Values{}, err
		}
		return ensemble.Values{Names: runsName, Numbers: []float64{float64(a.runs)}, Events: a.events,
			Data: frame.EncodeFloats(a.numbers)}, nil
	}, nil
}

// encodePayload joins a stage and a model.
func encodePayload(s stage, model []byte) ([]byte, error) {
	head, err := json.Marshal(s)
	return frame.Join(head, model), err
}

func decodePayload(payload []byte) (s stage, model []byte, err error) {
	head, model, err := frame.Split(payload)
	if err == nil {
		err = json.Unmarshal(head, &s)
	}
	if err != nil {
		return s, nil, fmt.Errorf("fit: reading a stage: %w", err)
	}
	return s, model, nil
}

// simulate runs the model once and validates its trajectory. possible is false where there is no
// model.
func (o model) simulate(ctx context.Context, x []float64, seed uint64) (c Trajectory, possible bool, err error) {
	c, err = o.sim.Simulate(ctx, x, seed)
	switch {
	case errors.Is(err, ErrImpossible):
		return c, false, nil
	case err != nil:
		return c, false, fmt.Errorf("at %s, seed %d: %w", o.problem.at(x), seed, err)
	case len(c.Columns) != len(o.problem.Columns):
		return c, false, fmt.Errorf("fit: the model reports %d columns where the data have %d", len(c.Columns),
			len(o.problem.Columns))
	}
	for i, r := range c.Columns {
		if len(r.Mean) != len(o.problem.Times) {
			return c, false, fmt.Errorf("fit: the model reports %d rows of %s where the data have %d", len(r.Mean),
				o.problem.Columns[i].Name, len(o.problem.Times))
		}
		if err := r.Law.Check(); err != nil {
			return c, false, fmt.Errorf("at %s: column %s: %w", o.problem.at(x), o.problem.Columns[i].Name, err)
		}
		for row, m := range r.Mean {
			if !(math.Abs(m) <= math.MaxFloat64) || m < 0 && r.Law.Counts() {
				return c, false, fmt.Errorf("at %s, seed %d: the mean of %s in row %d is %g, which is no mean of a report",
					o.problem.at(x), seed, o.problem.Columns[i].Name, row+1, m)
			}
		}
	}
	return c, true, nil
}

// indicator is 1 for true and 0 for false.
func indicator(so bool) float64 {
	if so {
		return 1
	}
	return 0
}
