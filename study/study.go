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
		r.filesIn(".")
		if r.Source, err = io.ReadAll(stdin); err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
		return nil
	}
	r.filesIn(filepath.Dir(r.Model))
	if r.Source, err = os.ReadFile(r.Model); err != nil {
		if near := nearFile(r.Model); near != "" && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the model file: %w; did you mean %s?", err, near)
		}
		return fmt.Errorf("the model file: %w", err)
	}
	return nil
}

// filesIn lets the model read files of a directory.
func (r *Request) filesIn(dir string) {
	r.Read, r.Stream = population.Dir(dir), population.OpenDir(dir)
	r.shared, r.large = new(population.Shared), map[string]bool{}
}

// nearFile returns the model file in the directory of path that has a similar name, or "".
func nearFile(path string) string {
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return ""
	}
	var models []string
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if e.IsDir() || ext != ".yaml" && ext != ".yml" {
			continue
		}
		if strings.TrimSuffix(e.Name(), ext) == strings.TrimSuffix(name, filepath.Ext(name)) { // sir, sir.yml for sir.yaml
			return dir + e.Name()
		}
		models = append(models, e.Name())
	}
	if near := suggest.Name(name, models); near != "" {
		return dir + near
	}
	return ""
}

// Compile compiles the model with the changes of the request, and with more.
func (r *Request) Compile(more ...population.Change) (*population.Model, error) {
	changes, err := r.changes(more)
	if err != nil {
		return nil, err
	}
	for _, attributes := range r.groups {
		changes = append(changes, population.RecordBy(attributes...))
	}
	name := cmp.Or(r.Name, r.Model)
	if name == StandardInput {
		name = "standard input"
	}
	return population.Compile(name, r.Source, append(changes, r.reading()...)...)
}

// changes are those of the request, and more. If the model goes on with runs of a fit, they hold
// from its last data point on.
func (r *Request) changes(more []population.Change) (all []population.Change, err error) {
	var values []population.Change
	if r.Scenario != "" {
		values = append(values, population.Scenario(r.Scenario))
	}
	values = append(append(values, sets(r.Set)...), more...)
	if r.Posterior != nil && r.Posterior.Past != nil {
		return r.Posterior.Past.changes(r, values)
	}
	if r.Posterior != nil && r.Posterior.Fitted != nil {
		base, err := r.Posterior.Fitted.base()
		if err != nil {
			return nil, err
		}
		all = append(all, base)
	}
	size, err := r.size()
	if err != nil {
		return nil, err
	}
	if size != nil {
		all = append(all, population.Size(*size))
	}
	if r.Until != "" {
		all = append(all, population.Until(r.Until))
	}
	return append(all, values...), nil
}

// sets turns settings into changes of a model.
func sets(all []population.Parameter) (changes []population.Change) {
	for _, s := range all {
		changes = append(changes, population.Set(s.Name, s.Value))
	}
	return changes
}

// file reads a table that the model names.
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

// reading is how the model reads its files.
func (r *Request) reading() []population.Change {
	all := []population.Change{population.Files(r.file)}
	if r.Stream != nil {
		all = append(all, population.Streams(r.stream))
	}
	if r.Reading != nil {
		all = append(all, population.Reading(r.Reading))
	}
	if r.shared != nil {
		all = append(all, population.Share(r.shared))
	}
	return all
}

// stream opens a file that is too large for a table. Others are read as tables are.
func (r *Request) stream(name string) (fs.File, error) {
	if _, ok := r.Files[name]; ok {
		return nil, nil
	}
	f, err := r.Stream(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > population.MaxTable {
		if r.large != nil {
			r.large[name] = true
		}
		return f, nil
	}
	return nil, errors.Join(err, f.Close())
}

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
	switch r.Sort {
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

// openSweep makes the points, compiles the model at some, and chooses the outputs.
func (s *Study) openSweep(most int) (err error) {
	if s.Sample > 0 {
		s.Points, err = design.Sample(s.Axes, s.Design, s.Sample, most, s.Seed)
	} else {
		s.Points, err = design.Grid(s.Axes, most)
	}
	if err != nil {
		return fmt.Errorf("--vary: %w", err)
	}
	if err := s.checkPoints(); err != nil {
		return err
	}
	if err := s.checkVaried(); err != nil {
		return err
	}
	if s.Posterior != nil && s.Posterior.Past != nil && len(s.Points) > 0 {
		m, err := s.At(s.Settings(s.Points[0]))
		if err != nil {
			return err
		}
		s.notePassed(m, "")
	}
	if err := s.chooseOutputs(); err != nil {
		return err
	}
	if n := len(Columns(s.Plain))*len(s.Plain.Times()) + len(s.OutputNames); s.Series && s.Out != "" &&
		n > ensemble.MaxOutputs {
		return fmt.Errorf("--series: a replica would tell %s numbers over time, and %s are the most; leave them out with "+
			"--series=false, or record fewer rows",
			format.Thousands(float64(n)), format.Thousands(ensemble.MaxOutputs))
	}
	return nil
}

// checkVaried notes which parameters are not drawn from a sample, because --vary gives them values,
// and returns an error if none is. Runs that go on with those of a fit have drawn them before.
func (s *Study) checkVaried() error {
	if s.Posterior == nil || s.Posterior.Past != nil {
		return nil
	}
	drawn, _ := s.Posterior.Drawn(s.Plain)
	var varied []string
	for _, a := range s.Axes {
		if slices.Contains(drawn, a.Name) {
			varied = append(varied, a.Name)
		}
	}
	switch len(varied) {
	case 0:
	case len(drawn):
		return fmt.Errorf("--from: nothing is drawn from it: --vary gives values to %s", strings.Join(varied, ", "))
	default:
		s.Notes = append(s.Notes, "--from: not drawn, since --vary gives values: "+strings.Join(varied, ", "))
	}
	return nil
}

// maxChecked is the number of points that are compiled before a study starts.
const maxChecked = 400

// checkPoints compiles the model at some points, so that errors are reported before anything is
// run: at all points if they are few, otherwise with every value of each axis, as far as that goes.
func (s *Study) checkPoints() error {
	seen := map[population.Parameter]bool{}
	tried := 0
	for _, p := range s.Points {
		values := s.Settings(p)
		fresh := slices.ContainsFunc(values, func(v population.Parameter) bool { return !seen[v] })
		if tried >= maxChecked || len(s.Points) > maxChecked && !fresh {
			continue
		}
		tried++
		for _, v := range values {
			seen[v] = true
		}
		if _, err := s.At(values); err != nil {
			return s.varyError(err)
		}
	}
	return nil
}

// varyError attributes problems with values of --vary to it.
func (s *Study) varyError(err error) error {
	var problems population.Problems
	if !errors.As(err, &problems) {
		return err
	}
	for i, p := range problems {
		if name, ok := strings.CutPrefix(p.File, "--set "); ok && slices.ContainsFunc(s.Axes, func(a *design.Axis) bool {
			return a.Name == name
		}) {
			problems[i].File = "--vary " + name
		}
	}
	return problems
}

// chooseOutputs chooses the outputs.
func (s *Study) chooseOutputs() error {
	all, err := outputs.All(s.Plain, s.Outputs)
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	s.OutputNames = nil
	for _, o := range all {
		s.OutputNames = append(s.OutputNames, o.Text)
	}
	return s.chooseICER()
}

// chooseICER adds the outputs of the ratio of costs and effects, if one is asked for.
func (s *Study) chooseICER() error {
	if s.ICER == "" {
		return nil
	}
	cost, effect, ok := strings.Cut(s.ICER, "/")
	if cost, effect = strings.TrimSpace(cost), strings.TrimSpace(effect); !ok || cost == "" || effect == "" {
		return fmt.Errorf("--icer: %q is not two outcomes; write --icer cost/qalys, for example", s.ICER)
	}
	known := s.Plain.Outcomes()
	if len(known) == 0 {
		return errors.New("--icer: the model has no outcomes; expected some in the file, as in outcomes: {cost: {time: 50 " +
			"per year}}")
	}
	for _, name := range []string{cost, effect} {
		if err := suggest.Among("--icer", name, known); err != nil {
			return err
		}
	}
	for _, output := range tables.NewICER(s.ICER, s.Compared).Outputs() {
		if !slices.Contains(s.OutputNames, output) {
			s.OutputNames = append(s.OutputNames, output)
		}
	}
	return nil
}

// AddToICER adds the values of a replica of a comparison to the ratio of costs and effects.
func (s *Study) AddToICER(c *tables.ICER, v ensemble.Values) {
	n := len(s.OutputNames)
	of := c.Outputs()
	cost, effect := slices.Index(s.OutputNames, of[0]), slices.Index(s.OutputNames, of[1])
	c.Add(func(scenario int) (float64, float64) {
		return v.Numbers[scenario*n+cost], v.Numbers[scenario*n+effect]
	})
}

// openCompare chooses the scenarios and the outputs.
func (s *Study) openCompare() error {
	known := s.Plain.Scenarios()
	if len(known) == 0 {
		return errors.New("compare: the model has no scenarios; expected some in the file, as in scenarios: {base: {}, " +
			"lockdown: {beta: 0.2 per day}}")
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
		return fmt.Errorf("compare: %s is one scenario; at least two are needed, the first of which the others are "+
			"compared with", s.Compared[0])
	}
	if err := s.chooseOutputs(); err != nil {
		return err
	}
	if n := len(s.OutputNames) * (2*len(s.Compared) - 1); n > ensemble.MaxOutputs {
		return fmt.Errorf("compare: %d scenarios with %d outputs are too many at once; name some with --scenarios and "+
			"--output", len(s.Compared), len(s.OutputNames))
	}
	if s.Series && s.Out != "" {
		course, err := s.course()
		if err != nil {
			return err
		}
		s.Notes = append(s.Notes, course.Notes...)
	}
	drawn := false
	for _, name := range s.Compared { // so that errors are reported before anything is run
		scenario, err := s.Compile(population.Scenario(name))
		if err != nil {
			return err
		}
		if s.Posterior != nil {
			// One that gives values to all that could be drawn is compared with others that do not.
			own, _ := s.Posterior.Drawn(scenario)
			if len(own) > 0 {
				drawn = true
				if err := s.tryRows(scenario, population.Scenario(name)); err != nil {
					return fmt.Errorf("--from: in scenario %s: %w", name, err)
				}
			}
			base, _ := s.Posterior.Drawn(s.Plain)
			if given := slices.DeleteFunc(base, func(name string) bool { return slices.Contains(own, name) }); len(given) > 0 {
				s.Notes = append(s.Notes, fmt.Sprintf("--from: not drawn in scenario %s, which gives a value: %s", name,
					strings.Join(given, ", ")))
			}
		}
		s.notePassed(scenario, "scenario "+name+": ")
		if _, err := outputs.All(scenario, s.OutputNames); err != nil {
			return fmt.Errorf("--output: in scenario %s: %w", name, err)
		}
	}
	s.noteFitted()
	if s.Posterior != nil && !drawn {
		return fmt.Errorf("--from: nothing is drawn from it: each of the scenarios gives values to %s",
			strings.Join(s.Posterior.Posterior.Names, ", "))
	}
	return nil
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
	job := ensemble.Job{Name: s.Sort + " " + s.Plain.Name(), Kind: Kind, Payload: payload, Replicas: s.Replicas,
		Seed: s.Seed, Keep: s.Sort == Run || s.Sort == Compare && s.Out != ""} // for pairs.csv
	if s.Sort == Compare {
		job.Quantiles = tables.Shares
	}
	if s.Sort != Sweep {
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
	if s.Sort == Sweep {
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

// Comparison arranges the results of a comparison's only point.
func (s *Study) Comparison(p ensemble.PointResult) (*tables.Comparison, error) {
	labels, c := s.Labels(), &tables.Comparison{Replicas: p.Replicas}
	for i, name := range s.Compared {
		one := tables.Scenario{Name: labels[i]}
		for _, o := range s.OutputNames {
			of, ok := p.Scenario(i, o)
			one.Outputs = append(one.Outputs, ComparedOutput(of, o, p.Quantiles))
			if i > 0 && ok {
				of, ok = p.Difference(i, o)
				one.Differences = append(one.Differences, ComparedOutput(of, o, p.Quantiles))
			}
			if !ok {
				return nil, fmt.Errorf("the results have no %s in scenario %s", o, name)
			}
		}
		c.Scenarios = append(c.Scenarios, one)
	}
	if len(p.Series) == 0 {
		return c, nil
	}
	course, err := s.course()
	if err == nil {
		c.Course, err = course.Table(s.Plain, labels, p)
	}
	return c, err
}

// ComparedOutput converts a summary of a comparison for tables, with the range of its runs if its
// quantiles have it.
func ComparedOutput(s ensemble.Summary, name string, shares []float64) tables.Output {
	o := Output(s, name)
	o.Runs = tables.RunsOf(shares, s.Quantiles)
	return o
}

// WritePairs writes the rows of a replica of a comparison, with the values of its only point.
func (s *Study) WritePairs(w *tables.PairWriter, replica int, v ensemble.Values) error {
	n := len(s.OutputNames)
	if len(v.Numbers) < n*len(s.Compared) {
		return fmt.Errorf("replica %d has %d numbers where %d were asked for", replica, len(v.Numbers), n*len(s.Compared))
	}
	for k, name := range s.OutputNames {
		if err := w.Write(replica, name, func(i int) float64 { return v.Numbers[i*n+k] }); err != nil {
			return err
		}
	}
	return nil
}

// Output converts a summary for tables.
func Output(s ensemble.Summary, name string) tables.Output {
	return tables.Output{Name: name, N: s.N, Mean: s.Mean, SD: s.SD, Low: s.Low, High: s.High}
}
