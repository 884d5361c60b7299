package experiment

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/ensemble"
)

// A Source returns observations: for each point, those of n replicas from number first on. Replica
// r uses the same random numbers at every point, if the source has common random numbers. The same
// call returns the same observations.
type Source func(ctx context.Context, points []ensemble.Params, first, n int) ([][]float64, error)

// observe calls a source, and returns an error if the observations are incomplete or not finite:
// with those, no procedure would end.
func (s Source) observe(ctx context.Context, points []ensemble.Params, first, n int) ([][]float64, error) {
	values, err := s(ctx, points, first, n)
	if err != nil {
		return nil, err
	}
	if len(values) != len(points) {
		return nil, fmt.Errorf("experiment: the source gives observations of %d points, where those of %d were asked for",
			len(values), len(points))
	}
	for i, of := range values {
		if len(of) != n {
			return nil, fmt.Errorf("experiment: the source gives %d replicas of %v, where %d were asked for", len(of), points[i],
				n)
		}
		for r, y := range of {
			if math.IsNaN(y) || math.IsInf(y, 0) {
				return nil, fmt.Errorf("experiment: replica %d of %v gives %g; it must be finite", first+r, points[i], y)
			}
		}
	}
	return values, nil
}

// Register adds a function to the default registry of package ensemble, so that it can be used
// there and in a [Lab]. Workers must register it, too, with [ensemble.Main] or [ensemble.Serve]. It
// panics as [ensemble.Register] does.
func Register(name string, f ensemble.Func, parameters ...ensemble.Parameter) {
	RegisterIn(ensemble.Default(), name, f, parameters...)
}

// RegisterIn is [Register] for another registry.
func RegisterIn(g *ensemble.Registry, name string, f ensemble.Func, parameters ...ensemble.Parameter) {
	g.Register(name, f, parameters...)
	parameters = slices.Clone(parameters)
	g.AddKind(ensemble.Kind{Name: kindOf(name), Open: func(payload []byte) (ensemble.Model, error) {
		var s stage
		if err := json.Unmarshal(payload, &s); err != nil {
			return nil, err
		}
		return ensemble.FuncKind(name, "", s.later(f, parameters)).Open(nil)
	}})
}

// kindOf is the name of the kind of a lab's jobs. Jobs of package ensemble have replicas from 0 on,
// those of a lab from any number on.
func kindOf(name string) string { return name + "-lab" }

// A stage is the payload of a job: its first replica.
type stage struct {
	First int `json:"first"`
}

// later is a function whose replica 0 is the first one of the stage. If it declares its parameters,
// it gets all of them and no others.
func (s stage) later(f ensemble.Func, parameters []ensemble.Parameter) ensemble.Func {
	return func(ctx context.Context, params ensemble.Params, r ensemble.Replica) (ensemble.Outputs, error) {
		all := ensemble.Params{}
		for _, p := range parameters {
			all[p.Name] = p.Value
		}
		for name, x := range params {
			if _, has := all[name]; !has && len(parameters) > 0 {
				return nil, fmt.Errorf("the model has no parameter %q", name)
			}
			all[name] = x
		}
		return f(ctx, all, ensemble.NewReplica(r.JobSeed, s.First+r.Number))
	}
}

// LabOptions configure a [Lab].
type LabOptions struct {
	Model    string             // name given to Register
	Registry *ensemble.Registry // nil means the default registry
	Seed     uint64             // of all random numbers
	Set      ensemble.Params    // default parameters of all points

	// Executor runs the model, one job for each call of a source. One that stores results returns
	// them after an interruption without running the model again. nil means in memory.
	Executor ensemble.Executor

	Progress func(ensemble.Progress) // of each stage; may be nil
	Logger   *slog.Logger            // silent if nil
}

// A Lab runs a model for experiments. It must not be used from several goroutines at once.
type Lab struct {
	o    LabOptions
	runs int // replicas returned
}

// NewLab returns a lab.
func NewLab(o LabOptions) (*Lab, error) {
	if o.Registry == nil {
		o.Registry = ensemble.Default()
	}
	if o.Executor == nil {
		o.Executor = ensemble.InMemory{}
	}
	if !slices.ContainsFunc(o.Registry.Kinds(), func(k ensemble.Kind) bool { return k.Name == kindOf(o.Model) }) {
		return nil, fmt.Errorf("experiment: there is no model %q; register it with experiment.Register", o.Model)
	}
	for name, x := range o.Set {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("experiment: parameter %s is %g; it must be finite", name, x)
		}
	}
	return &Lab{o: o}, nil
}

// Replicas is the number of replicas that the lab has returned, including those that were stored.
func (l *Lab) Replicas() int { return l.runs }

// Source returns the observations of an output of the model. A missing output, or NaN, is an error.
func (l *Lab) Source(output string) Source {
	return func(ctx context.Context, points []ensemble.Params, first, n int) ([][]float64, error) {
		return l.observe(ctx, output, points, first, n)
	}
}

func (l *Lab) observe(ctx context.Context, output string, points []ensemble.Params, first, n int) ([][]float64, error) {
	payload, err := json.Marshal(stage{first})
	if err != nil {
		return nil, err
	}
	job := ensemble.Job{Name: "experiment " + l.o.Model, Kind: kindOf(l.o.Model), Payload: payload, Replicas: n,
		Seed: l.o.Seed, Keep: true}
	all := make([][]float64, len(points))
	for i, p := range points {
		set := map[string]string{}
		for _, params := range []ensemble.Params{l.o.Set, p} {
			for name, x := range params {
				set[name] = strconv.FormatFloat(x, 'g', -1, 64)
			}
		}
		job.Points = append(job.Points, ensemble.Point{Set: set})
		all[i] = make([]float64, 0, n)
	}
	_, err = l.o.Executor.Run(ctx, job, ensemble.RunOptions{
		Registry: l.o.Registry, Progress: l.o.Progress, Logger: l.o.Logger,
		Replica: func(point, replica int, v ensemble.Values) error {
			i := slices.Index(v.Names, output)
			if i < 0 {
				return fmt.Errorf("experiment: the model has no output %q; it has %s", output, strings.Join(v.Names, ", "))
			}
			if math.IsNaN(v.Numbers[i]) {
				return fmt.Errorf("experiment: replica %d of %v has no %s; every replica needs a number, so give it one there",
					first+replica, points[point], output)
			}
			all[point] = append(all[point], v.Numbers[i])
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	l.runs += n * len(points)
	return all, nil
}
