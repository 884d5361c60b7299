package fit

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/almanac-sim/almanac/ensemble"
)

// ErrImpossible, wrapped, is what a [Simulator] returns for values of the unknowns at which there
// is no model: the data are then as far away as can be, and the fit goes on. Any other error ends
// the fit.
var ErrImpossible = errors.New("there is no model with these values")

// A stage is what one job of a fit does: replica k does task k. The job's payload is a stage and
// the model.
type stage struct {
	Kind string          `json:"sort"`
	Args json.RawMessage `json:"args"`
}

// An output is what a task gives: numbers of any kind, infinities and NaN included, and what it
// took.
type output struct {
	numbers []float64
	runs    int // of the model
	events  uint64
}

// A task does the k-th part of a stage. It is used from several goroutines at once, and depends on
// nothing but the stage and k.
type task func(ctx context.Context, k int) (output, error)

// An model is a problem with its simulator, as workers have it.
type model struct {
	problem *Problem
	sim     Simulator
}

// stageKinds are the sorts of stages: how the tasks of each are made from the arguments.
var stageKinds = map[string]func(o model, args json.RawMessage) (task, error){
	"predict":     decodeArgs(openPredict),
	"runs":        decodeArgs(openRuns),
	"likelihoods": decodeArgs(openLikelihoods),
	"chains":      decodeArgs(openChains),
	"courses":     decodeArgs(openTrajectories),
	"anneal":      decodeArgs(openAnneal),
}

// decodeArgs reads the arguments of a sort.
func decodeArgs[A any](open func(o model, args *A) (task, error)) func(model, json.RawMessage) (task, error) {
	return func(o model, text json.RawMessage) (task, error) {
		args := new(A)
		if err := json.Unmarshal(text, args); err != nil {
			return nil, err
		}
		return open(o, args)
	}
}

// NewKind is the kind of job that the stages of a fit are. Workers and whoever calls [Run] register
// the same. open makes a problem and its simulator from the payload that Run was given; it is
// called once for several stages, and what it returns is used from several goroutines. The version
// is as [ensemble.Kind] has it.
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
			return nil, fmt.Errorf("fit: a stage of an unknown sort, %q", s.Kind)
		}
		t, err := make(o, s.Args)
		if err != nil {
			return nil, fmt.Errorf("fit: a stage %q that cannot be read: %w", s.Kind, err)
		}
		return taskModel(t), nil
	}}
}

// A modelCache keeps the model that was opened last, since the stages of a fit follow one another.
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

type taskModel task

// runsName is the only number that the engine summarises; the answers are data.
var runsName = []string{"runs"}

// At makes a task a replica. A stage has one point, without parameters.
func (t taskModel) At(ensemble.Point) (ensemble.Runner, error) {
	return func(ctx context.Context, r ensemble.Replica) (ensemble.Values, error) {
		a, err := t(ctx, r.Number)
		if err != nil {
			return ensemble.Values{}, err
		}
		return ensemble.Values{Names: runsName, Numbers: []float64{float64(a.runs)}, Events: a.events,
			Data: encodeFloats(a.numbers)}, nil
	}, nil
}

func encodeFloats(numbers []float64) []byte {
	b := make([]byte, 0, 8*len(numbers))
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

func decodeFloats(b []byte) ([]float64, error) {
	if len(b)%8 != 0 {
		return nil, errors.New("fit: an answer that is cut short")
	}
	numbers := make([]float64, len(b)/8)
	for i := range numbers {
		numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return numbers, nil
}

// encodePayload is a stage and a model in one payload: the length of the stage in four bytes, the
// stage, the model.
func encodePayload(s stage, model []byte) ([]byte, error) {
	head, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	payload := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(head)+len(model)), uint32(len(head)))
	return append(append(payload, head...), model...), nil
}

func decodePayload(payload []byte) (s stage, model []byte, err error) {
	if len(payload) < 4 || uint64(binary.LittleEndian.Uint32(payload)) > uint64(len(payload)-4) {
		return s, nil, errors.New("fit: a stage that is cut short")
	}
	n := 4 + int(binary.LittleEndian.Uint32(payload))
	if err := json.Unmarshal(payload[4:n], &s); err != nil {
		return s, nil, fmt.Errorf("fit: a stage that cannot be read: %w", err)
	}
	return s, payload[n:], nil
}

// simulate runs the model once, and looks at what it gives. possible is false where there is no
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

func indicator(so bool) float64 {
	if so {
		return 1
	}
	return 0
}
