package study

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/design"
	tables "github.com/almanac-sim/almanac/internal/study"
	"github.com/almanac-sim/almanac/population"
)

// A Study is a request that can be run: its model is compiled, and the request is checked.
type Study struct {
	*Request
	Plain       *population.Model // with the settings of all points and scenarios
	Axes        []*design.Axis
	Points      []design.Point // of a sweep
	OutputNames []string       // of each replica
	Compared    []string       // scenarios; the others are compared with the first
	Notes       []string       // for the user, before it is run
}

// Open compiles the model, which has been read, and checks the request.
func (r *Request) Open() (*Study, error) {
	s, err := r.compiled()
	if err != nil {
		return nil, err
	}
	if r.From != "" {
		if err := s.readFrom(); err != nil {
			return nil, err
		}
	}
	s.noteConstants()
	s.noteState()
	switch r.Kind {
	case Sweep:
		err = s.openSweep(ensemble.MaxPoints)
	case Compare:
		err = s.openCompare()
	}
	return s, err
}

// noteConstants notes each --set that replaces a distribution, or a value that changes over time,
// by one quantity: it is a model with the same mean at best, and is easily taken for a new mean.
func (s *Study) noteConstants() {
	if len(s.Set) == 0 {
		return
	}
	without := *s.Request
	without.Set = nil
	m, err := without.Compile()
	if err != nil { // the file needs its settings
		return
	}
	old := map[string]string{}
	for _, p := range m.Parameters() {
		old[p.Name] = p.Value
	}
	isMap := func(value string) bool { return strings.HasPrefix(strings.TrimSpace(value), "{") }
	for _, p := range s.Set {
		if isMap(old[p.Name]) && !isMap(p.Value) {
			s.Notes = append(s.Notes, fmt.Sprintf("warning: --set %s: the constant %s replaces %s", p.Name,
				strings.TrimSpace(p.Value), old[p.Name]))
		}
	}
}

// compiled is the study with its model, without checks.
func (r *Request) compiled() (s *Study, err error) {
	s = &Study{Request: r, Compared: r.Scenarios, OutputNames: r.Outputs}
	if s.Plain, err = r.Compile(); err != nil {
		return s, err
	}
	if m, err := r.RecordOutputs(s.Plain, r.Outputs); err == nil { // chooseOutputs reports errors
		s.Plain = m
	}
	s.Axes, err = r.Axes()
	return s, err
}

// OpenJob returns the study of a job, for collecting its results.
func OpenJob(job ensemble.Job) (*Study, error) {
	r, err := ReadPayload(job.Payload)
	if err != nil {
		return nil, err
	}
	r.Seed, r.Replicas, r.LimitTime = job.Seed, job.Replicas, Duration(job.Limits.Time)
	if job.Limits.Memory > 0 {
		r.LimitMemory = fmt.Sprintf("%gkB", float64(job.Limits.Memory)/1e3)
	}
	if job.Precision.Relative > 0 {
		r.Precision = fmt.Sprint(job.Precision.Relative)
	}
	return r.compiled()
}

// At is the model at a point. Parsing the file is most of the work of compiling it, and is done
// once: parameters get their values by [population.Model.With]. What With cannot change, such as
// the size, or a value that is not a quantity, is left to the compiler, which also reports what is
// wrong with a value.
func (s *Study) At(values []population.Parameter) (*population.Model, error) {
	if s.Posterior != nil && s.Posterior.Past != nil {
		return s.Compile(sets(values)...) // they hold from the last data point on
	}
	trimmed := slices.Clone(values) // as the compiler reads them
	for i := range trimmed {
		trimmed[i].Value = strings.TrimSpace(trimmed[i].Value)
	}
	if m, err := s.Plain.With(trimmed...); err == nil {
		return m, nil
	}
	return s.Compile(sets(values)...)
}

// Values returns the values of a job's point, in the order of the axes.
func (s *Study) Values(p ensemble.Point) []string {
	values := make([]string, len(s.Axes))
	for i, a := range s.Axes {
		values[i] = p.Set[a.Name]
	}
	return values
}

// Settings returns the values of a point, in the order of the axes.
func (s *Study) Settings(p design.Point) (all []population.Parameter) {
	for i, a := range s.Axes {
		all = append(all, population.Parameter{Name: a.Name, Value: p[i]})
	}
	return all
}

// maxRepeats is the number of points up to which each carries the command that repeats it, for
// users who look at the hub; with more, the commands would be most of the job. The user who starts
// the study gets the command in any case.
const maxRepeats = 10_000

// Job is the study as a job of package ensemble.
func (s *Study) Job() (ensemble.Job, error) {
	carried := *s.Request
	carried.Outputs, carried.Scenarios = s.OutputNames, s.Compared
	payload, err := carried.Payload()
	if err != nil {
		return ensemble.Job{}, err
	}
	job := ensemble.Job{Name: s.Kind + " " + s.Plain.Name(), Kind: Kind, Payload: payload, Replicas: s.Replicas,
		Seed: s.Seed, Keep: s.Kind == Run || s.Kind == Compare && s.Out != ""} // for pairs.csv
	if s.Kind == Compare {
		job.Quantiles = tables.Shares
	}
	if s.Kind != Sweep {
		job.Points = []ensemble.Point{{Repeat: s.named().repeatOne(nil, s.Seed, "", "{replica}")}}
	}
	for _, p := range s.Points {
		values, point := s.Settings(p), ensemble.Point{Set: map[string]string{}}
		for _, v := range values {
			point.Set[v.Name] = v.Value
		}
		if len(s.Points) <= maxRepeats {
			point.Repeat = s.named().repeatOne(values, s.Seed, "", "{replica}")
		}
		job.Points = append(job.Points, point)
	}
	if job.Limits, err = s.Limits(); err != nil {
		return job, err
	}
	job.Precision, err = s.precision(s.OutputNames)
	return job, err
}

// RepeatHere adds the command that repeats a failed replica to the error, with the paths of the
// files as they were given here.
func (s *Study) RepeatHere(err error) error {
	var failed *ensemble.ReplicaError
	if !errors.As(err, &failed) || failed.Point < 0 || failed.Point >= max(len(s.Points), 1) {
		return err
	}
	var values []population.Parameter
	if s.Kind == Sweep {
		values = s.Settings(s.Points[failed.Point])
	}
	scenario := ""
	for _, name := range s.Compared { // the message begins with the one that failed
		if strings.HasPrefix(failed.Text, "scenario "+name+": ") {
			scenario = name
		}
	}
	failed.Repeat = s.repeatOne(values, s.Seed, scenario, fmt.Sprint(failed.Replica))
	return failed
}
