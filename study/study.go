package study

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/design"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outputs"
	tables "github.com/almanac-sim/almanac/internal/study"
	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population"
)

// ReadModel reads the model file, or standard input. Tables are read beside it when it is compiled.
func (r *Request) ReadModel(stdin io.Reader) (err error) {
	if r.Model == StandardInput {
		r.Read = population.Dir(".")
		if r.Source, err = io.ReadAll(stdin); err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
		return nil
	}
	r.Read = population.Dir(filepath.Dir(r.Model))
	if r.Source, err = os.ReadFile(r.Model); err != nil {
		return fmt.Errorf("the model file: %w", err)
	}
	return nil
}

// Compile is the model with the changes that are asked for, and with more.
func (r *Request) Compile(more ...population.Change) (*population.Model, error) {
	changes := []population.Change{population.Files(r.file)}
	size, err := r.size()
	if err != nil {
		return nil, err
	}
	if size != nil {
		changes = append(changes, population.Size(*size))
	}
	if r.Until != "" {
		changes = append(changes, population.Until(r.Until))
	}
	if r.Scenario != "" {
		changes = append(changes, population.Scenario(r.Scenario))
	}
	changes = append(changes, sets(r.Set)...)
	name := cmp.Or(r.Name, r.Model)
	if name == StandardInput {
		name = "standard input"
	}
	return population.Compile(name, r.Source, append(changes, more...)...)
}

// sets are settings as changes of a model.
func sets(all []population.Parameter) (changes []population.Change) {
	for _, s := range all {
		changes = append(changes, population.Set(s.Name, s.Value))
	}
	return changes
}

// file is a table that the model names.
func (r *Request) file(name string) ([]byte, error) {
	if data, ok := r.Files[name]; ok {
		return data, nil
	}
	if r.Read == nil {
		return nil, fmt.Errorf("the table %s is not with the study", name)
	}
	data, err := r.Read(name)
	if err == nil {
		if r.Files == nil {
			r.Files = map[string][]byte{}
		}
		r.Files[name] = data
	}
	return data, err
}

// A Study is a request that can be run: its model is compiled, and all that is asked of it is there.
type Study struct {
	*Request
	Plain    *population.Model // with what is the same at all points, and in all scenarios
	Axes     []*design.Axis
	Points   []design.Point // of a sweep
	Told     []string       // the outputs of each replica
	Compared []string       // scenarios; the first is what the others are compared with
	Notes    []string       // what a user should know before it is run
}

// Open compiles the model, which has been read, and looks whether all that is asked for can be run.
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
	switch r.Sort {
	case Sweep:
		err = s.openSweep(ensemble.MaxPoints)
	case Compare:
		err = s.openCompare()
	}
	return s, err
}

// compiled is the study with its model, and without a look at what is asked of it.
func (r *Request) compiled() (s *Study, err error) {
	s = &Study{Request: r, Compared: r.Scenarios, Told: r.Outputs}
	if s.Plain, err = r.Compile(); err == nil {
		s.Axes, err = r.Axes()
	}
	return s, err
}

// OpenJob is the study that a job is of, for putting its results together.
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

// At is the model at a point. To read the file is most of the work of compiling it, and is done once: parameters get their values
// by [population.Model.With]. What it cannot do, such as another size, or a value that is not a quantity, is left to the compiler, which
// also says what is wrong with a value.
func (s *Study) At(values []population.Parameter) (*population.Model, error) {
	trimmed := slices.Clone(values) // as the compiler reads them
	for i := range trimmed {
		trimmed[i].Value = strings.TrimSpace(trimmed[i].Value)
	}
	if m, err := s.Plain.With(trimmed...); err == nil {
		return m, nil
	}
	return s.Compile(sets(values)...)
}

// Values are those of a point of a job, in the order of the axes.
func (s *Study) Values(p ensemble.Point) []string {
	values := make([]string, len(s.Axes))
	for i, a := range s.Axes {
		values[i] = p.Set[a.Name]
	}
	return values
}

// Settings are the values of a point, in the order of the axes.
func (s *Study) Settings(p design.Point) (all []population.Parameter) {
	for i, a := range s.Axes {
		all = append(all, population.Parameter{Name: a.Name, Value: p[i]})
	}
	return all
}

// openSweep makes the points, and looks whether there is a model at them and what is told of it.
func (s *Study) openSweep(most int) (err error) {
	if s.Sample > 0 {
		s.Points, err = design.Sample(s.Axes, s.Design, s.Sample, most, s.Seed)
	} else {
		s.Points, err = design.Grid(s.Axes, most)
	}
	if err != nil {
		return fmt.Errorf("--vary: %w", err)
	}
	if err := s.try(); err != nil {
		return err
	}
	if err := s.choose(); err != nil {
		return err
	}
	if n := len(Columns(s.Plain))*len(s.Plain.Times()) + len(s.Told); s.Series && s.Out != "" && n > ensemble.MaxOutputs {
		return fmt.Errorf("--series: a replica would tell %s numbers over time, and %s are the most; leave them out with --series=false, or record fewer rows",
			format.Thousands(float64(n)), format.Thousands(ensemble.MaxOutputs))
	}
	return nil
}

// mostTried is how many points are compiled before a study begins.
const mostTried = 400

// try compiles the model at some points, so that what is wrong with them is said before anything is run: at all if they are few, and
// otherwise with every value of each axis, as far as that goes.
func (s *Study) try() error {
	seen := map[population.Parameter]bool{}
	tried := 0
	for _, p := range s.Points {
		values := s.Settings(p)
		fresh := slices.ContainsFunc(values, func(v population.Parameter) bool { return !seen[v] })
		if tried >= mostTried || len(s.Points) > mostTried && !fresh {
			continue
		}
		tried++
		for _, v := range values {
			seen[v] = true
		}
		if _, err := s.At(values); err != nil {
			return s.varied(err)
		}
	}
	return nil
}

// varied says of problems with values of --vary that they are.
func (s *Study) varied(err error) error {
	var problems population.Problems
	if !errors.As(err, &problems) {
		return err
	}
	for i, p := range problems {
		if name, ok := strings.CutPrefix(p.File, "--set "); ok && slices.ContainsFunc(s.Axes, func(a *design.Axis) bool { return a.Name == name }) {
			problems[i].File = "--vary " + name
		}
	}
	return problems
}

// choose decides what is told.
func (s *Study) choose() error {
	all, err := outputs.All(s.Plain, s.Outputs)
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	s.Told = nil
	for _, o := range all {
		s.Told = append(s.Told, o.Text)
	}
	return nil
}

// openCompare decides which scenarios are compared, and by what.
func (s *Study) openCompare() error {
	known := s.Plain.Scenarios()
	if len(known) == 0 {
		return errors.New("compare: the model has no scenarios; expected some in the file, as in scenarios: {base: {}, lockdown: {beta: 0.2 per day}}")
	}
	if s.Compared = known; len(s.Scenarios) > 0 {
		s.Compared = nil
	}
	for _, name := range s.Scenarios {
		if name = strings.TrimSpace(name); name == "all" {
			s.Compared = append(s.Compared, known...)
			continue
		}
		if err := suggest.Among("--scenarios", name, known); err != nil {
			return err
		}
		s.Compared = append(s.Compared, name)
	}
	for i, name := range s.Compared {
		if slices.Contains(s.Compared[:i], name) {
			return fmt.Errorf("--scenarios: %s stands there twice", name)
		}
	}
	if len(s.Compared) == 1 {
		return fmt.Errorf("compare: %s is one scenario; at least two are needed, the first of which the others are compared with", s.Compared[0])
	}
	if err := s.choose(); err != nil {
		return err
	}
	if n := len(s.Told) * (2*len(s.Compared) - 1); n > ensemble.MaxOutputs {
		return fmt.Errorf("compare: %d scenarios with %d outputs are too many at once; name some with --scenarios and --output", len(s.Compared), len(s.Told))
	}
	drawn := false
	for _, name := range s.Compared { // so that what is wrong is said before anything is run
		scenario, err := s.Compile(population.Scenario(name))
		if err != nil {
			return err
		}
		if s.Posterior != nil {
			// One that gives values to all that could be drawn is compared with others that do not.
			own, _ := s.Posterior.Drawn(scenario)
			if len(own) > 0 {
				drawn = true
				if err := s.Posterior.Try(scenario); err != nil {
					return fmt.Errorf("--from: in scenario %s: %w", name, err)
				}
			}
			base, _ := s.Posterior.Drawn(s.Plain)
			if given := slices.DeleteFunc(base, func(name string) bool { return slices.Contains(own, name) }); len(given) > 0 {
				s.Notes = append(s.Notes, fmt.Sprintf("--from: not drawn in scenario %s, which gives a value: %s", name, strings.Join(given, ", ")))
			}
		}
		if _, err := outputs.All(scenario, s.Told); err != nil {
			return fmt.Errorf("--output: in scenario %s: %w", name, err)
		}
	}
	if s.Posterior != nil && !drawn {
		return fmt.Errorf("--from: nothing is drawn from it: each of the scenarios gives values to %s", strings.Join(s.Posterior.Posterior.Names, ", "))
	}
	return nil
}

// readFrom reads the sample of --from, and looks whether the model can be run with it. What a scenario or --set gives a value to is not
// drawn, and that is noted.
func (s *Study) readFrom() (err error) {
	if s.Posterior, err = ReadFrom(s.From, s.Plain); err != nil {
		if errors.As(err, new(*fs.PathError)) {
			return fmt.Errorf("--from: %w", err)
		}
		return err
	}
	if err := s.Posterior.Try(s.Plain); err != nil {
		return err
	}
	if _, given := s.Posterior.Drawn(s.Plain); len(given) > 0 {
		s.Notes = append(s.Notes, "--from: not drawn, since a scenario or --set gives a value: "+strings.Join(given, ", "))
	}
	return nil
}

// mostRepeats is up to how many points each carries the command that repeats it, for those who look at the hub; of more, the command would be
// most of the job. Whoever began the study is told it anyway.
const mostRepeats = 10_000

// Job is the study as package ensemble runs it.
func (s *Study) Job() (ensemble.Job, error) {
	carried := *s.Request
	carried.Outputs, carried.Scenarios = s.Told, s.Compared
	payload, err := carried.Payload()
	if err != nil {
		return ensemble.Job{}, err
	}
	job := ensemble.Job{Name: s.Sort + " " + s.Plain.Name(), Kind: Kind, Payload: payload, Replicas: s.Replicas, Seed: s.Seed, Keep: s.Sort == Run}
	if s.Sort != Sweep {
		job.Points = []ensemble.Point{{Repeat: s.named().RepeatOne(nil, s.Seed, "", "{replica}")}}
	}
	for _, p := range s.Points {
		values, point := s.Settings(p), ensemble.Point{Set: map[string]string{}}
		for _, v := range values {
			point.Set[v.Name] = v.Value
		}
		if len(s.Points) <= mostRepeats {
			point.Repeat = s.named().RepeatOne(values, s.Seed, "", "{replica}")
		}
		job.Points = append(job.Points, point)
	}
	if job.Limits, err = s.Limits(); err != nil {
		return job, err
	}
	job.Precision, err = s.precision(s.Told)
	return job, err
}

// RepeatHere puts the command that repeats a replica that failed into the error, with the paths of the files as they were given here.
func (s *Study) RepeatHere(err error) error {
	var failed *ensemble.ReplicaError
	if !errors.As(err, &failed) || failed.Point < 0 || failed.Point >= max(len(s.Points), 1) {
		return err
	}
	var values []population.Parameter
	if s.Sort == Sweep {
		values = s.Settings(s.Points[failed.Point])
	}
	scenario := ""
	for _, name := range s.Compared { // the message begins with the one that failed
		if strings.HasPrefix(failed.Text, "scenario "+name+": ") {
			scenario = name
		}
	}
	failed.Repeat = s.RepeatOne(values, s.Seed, scenario, fmt.Sprint(failed.Replica))
	return failed
}

// Comparison puts the numbers of the one point of a comparison into their places.
func (s *Study) Comparison(p ensemble.PointResult) (*tables.Comparison, error) {
	c := &tables.Comparison{}
	for i, name := range s.Compared {
		one := tables.Scenario{Name: name}
		for _, o := range s.Told {
			of, ok := p.Scenario(i, o)
			one.Outputs = append(one.Outputs, Output(of, o))
			if i > 0 && ok {
				of, ok = p.Difference(i, o)
				one.Differences = append(one.Differences, Output(of, o))
			}
			if !ok {
				return nil, fmt.Errorf("the results have no %s in scenario %s", o, name)
			}
		}
		c.Scenarios = append(c.Scenarios, one)
	}
	return c, nil
}

// Output is a summary as tables have it.
func Output(s ensemble.Summary, name string) tables.Output {
	return tables.Output{Name: name, N: s.N, Mean: s.Mean, SD: s.SD, Low: s.Low, High: s.High}
}
