package study

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population"
)

// A From is a sample of parameter values, from which each replica draws its own by weight; usually
// a posterior.
type From struct {
	Name      string        `json:"name"` // of the file, without directories
	Posterior fit.Posterior `json:"posterior"`
	// Past is of the fit that accepted the runs of the sample, which replicas go on with; nil if they
	// start afresh.
	Past *Past `json:"past,omitempty"`
	// Fitted is how the model of the fit was changed, if replicas start afresh with a sample of a fit:
	// they run that model.
	Fitted *Fitted `json:"fitted,omitempty"`
	// Effective is the effective sample size that a fit with chains reported, whose rows depend on
	// each other; 0 if the weights say it.
	Effective float64 `json:"effective,omitempty"`

	// States are the states of the runs at the last data point, in a file on this machine, and their
	// hash; empty if replicas run up to there.
	States   string `json:"states,omitempty"`
	StateSum string `json:"state_sum,omitempty"`

	path   string
	lines  []int             // of the rows
	states *population.State // of States, once it is open
}

// mostFrom bounds the file of a sample, in bytes.
const mostFrom = 64 << 20

// sampleName is the file of the sample in the directory of a fit.
const sampleName = "posterior.csv"

// readSample reads a sample of almanac fit or of another program: a column for each parameter, and
// weight. A directory stands for the sample of the fit in it. Units are those of the fit.json
// beside it, or else of the priors in the model's section fit, or else those in which the model
// writes the parameters.
//
// Unless only the parameters are wanted, the runs of the fit are read, too; afresh says why
// replicas cannot go on with them. If they start afresh, they run the model as the fit had changed
// it, if that is known.
func readSample(path string, m *population.Model, parametersOnly bool) (from *From, afresh string, err error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, sampleName)
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) && filepath.Base(path) == sampleName {
		if _, there := os.Stat(filepath.Join(filepath.Dir(path), "fit.json")); there == nil {
			return nil, "", fmt.Errorf("the fit in %s has no %s: only abc and pmmh give a sample", filepath.Dir(path),
				sampleName)
		}
	}
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostFrom+1))
	switch {
	case err != nil:
		return nil, "", err
	case len(text) > mostFrom:
		return nil, "", fmt.Errorf("%s: larger than %d MB", path, mostFrom>>20)
	}
	report, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "fit.json")) // if there is one
	if from, err = parseFrom(path, text, report, m); err != nil {
		return nil, "", err
	}
	if !parametersOnly {
		if afresh, err = from.readPast(report); err != nil {
			return nil, "", err
		}
	}
	if from.Past == nil {
		from.Posterior.Paths = nil
		from.readFitted(report)
	}
	return from, afresh, nil
}

// ParseFrom parses a sample, given the fit.json beside it, if there is one. Replicas with it start
// afresh.
func ParseFrom(path string, text, report []byte, m *population.Model) (*From, error) {
	from, err := parseFrom(path, text, report, m)
	if err == nil {
		from.Posterior.Paths = nil
	}
	return from, err
}

func parseFrom(path string, text, report []byte, m *population.Model) (*From, error) {
	from := &From{Name: filepath.Base(path), path: path}
	if err := from.check(text, m); err != nil {
		return nil, err
	}
	p, err := fit.ReadCSV(bytes.NewReader(text), path)
	if err != nil {
		return nil, err
	}
	from.Posterior = *p
	units := fitUnits(report, m)
	for i, name := range p.Names {
		unit, ok := units[name]
		if !ok {
			if unit, ok = m.UnitOf(name); !ok {
				return nil, fmt.Errorf("%s:1: the parameter %s of the model is not one value, which a sample could give it", path,
					name)
			}
		}
		from.Posterior.Units[i] = unit
	}
	from.Effective = effectiveOf(report)
	return from, nil
}

// check checks the names of the columns, and records the lines of the rows.
func (f *From) check(text []byte, m *population.Model) error {
	var names []string
	for _, p := range m.Parameters() {
		names = append(names, p.Name)
	}
	in := csv.NewReader(bytes.NewReader(text))
	in.FieldsPerRecord, in.TrimLeadingSpace = -1, true
	head, err := in.Read()
	if err != nil {
		return nil // which is said when it is read
	}
	weights := false
	for _, column := range head {
		column = strings.TrimSpace(strings.TrimPrefix(column, "\ufeff"))
		switch {
		case column == "weight":
			weights = true
		case column == "" || slices.Contains(names, column) || slices.Contains(fit.PathColumns(), column):
		default:
			if near := suggest.Name(column, names); near != "" {
				return fmt.Errorf("%s:1: the model has no parameter %q; did you mean %q?", f.path, column, near)
			}
			return fmt.Errorf("%s:1: the model has no parameter %q; expected a column for each of some of %s, and weight",
				f.path, column, strings.Join(names, ", "))
		}
	}
	if !weights {
		return fmt.Errorf("%s:1: there is no column weight; expected one, with 1 in each row if all count the same", f.path)
	}
	for {
		if _, err := in.Read(); err != nil {
			return nil
		}
		line, _ := in.FieldPos(0)
		f.lines = append(f.lines, line)
	}
}

// fitUnits returns the units of unknowns from the fit.json beside a sample, or from the model.
func fitUnits(text []byte, m *population.Model) map[string]string {
	units := map[string]string{}
	if f, err := m.Fit(population.FitOptions{}); err == nil {
		for _, u := range f.Unknowns {
			units[u.Name] = u.Unit
		}
	}
	var report struct {
		Unknowns []struct{ Name, Unit string } `json:"unknowns"`
	}
	if json.Unmarshal(text, &report) == nil {
		for _, u := range report.Unknowns {
			units[u.Name] = u.Unit
		}
	}
	return units
}

// effectiveOf returns the effective sample size in the fit.json beside a sample of chains, and 0
// for other samples.
func effectiveOf(report []byte) float64 {
	var of struct {
		Effective float64         `json:"effective"`
		Chains    json.RawMessage `json:"chains"`
	}
	if json.Unmarshal(report, &of) != nil || of.Chains == nil || !(of.Effective > 0) {
		return 0
	}
	return of.Effective
}

// effective is the effective sample size: that of the weights, or that of the chains if it is
// smaller.
func (f *From) effective() float64 {
	if n := f.Posterior.Effective(); f.Effective == 0 || n < f.Effective {
		return n
	}
	return f.Effective
}

// Path is the file of the sample; empty if it came with a job.
func (f *From) Path() string { return f.path }

// sound reports whether a sample that came with a job is valid.
func (f *From) sound() bool {
	p := &f.Posterior
	return len(p.Rows) > 0 && len(p.Weights) == len(p.Rows) && len(p.Units) == len(p.Names) &&
		(f.Past == nil || f.Past.sound(p)) &&
		!slices.ContainsFunc(p.Rows, func(row []float64) bool { return len(row) != len(p.Names) })
}

// Drawn returns the names of the parameters that are drawn for a model, without those to which a
// scenario or --set gives a value.
func (f *From) Drawn(m *population.Model) (drawn, given []string) {
	for _, name := range f.Posterior.Names {
		if m.Changed(name) {
			given = append(given, name)
		} else {
			drawn = append(drawn, name)
		}
	}
	return drawn, given
}

// Told says what is drawn for a model, and from which file; nil if nothing is drawn.
func (f *From) Told(m *population.Model, path string) *modelfit.Drawn {
	if f == nil {
		return nil
	}
	names, _ := f.Drawn(m)
	d := &modelfit.Drawn{From: path, Rows: len(f.Posterior.Rows), Effective: f.effective(), Parameters: names}
	if f.Past != nil {
		last := f.Past.Time()
		d.Last = &last
	}
	return d
}

// Row is the draw of a replica, in the order of the names. It depends on the seed and the replica's
// number alone.
func (f *From) Row(seed uint64, replica int) []float64 {
	return f.Posterior.Rows[f.index(seed, replica)]
}

// index is that of the row.
func (f *From) index(seed uint64, replica int) int {
	s := random.New(seed, drawStream)
	return f.Posterior.DrawIndex(s.Uint64(), uint64(replica))
}

// drawStream separates the draws from the random numbers of the replicas.
const drawStream = 0x706f73746572696f

// Vary returns the model of each replica.
func (f *From) Vary(m *population.Model, seed uint64) func(replica int) (*population.Model, error) {
	return func(replica int) (*population.Model, error) { return f.with(m, f.Row(seed, replica)) }
}

// with is the model with the values of a row.
func (f *From) with(m *population.Model, row []float64) (*population.Model, error) {
	var values []population.Parameter
	for i, name := range f.Posterior.Names {
		if !m.Changed(name) {
			x, unit := row[i], f.Posterior.Units[i]
			if of, _ := m.UnitOf(name); of == "%" && unit == "" {
				x, unit = 100*x, "%" // it stays what it is: a share of people at the start, for example
			}
			values = append(values, population.Parameter{Name: name, Value: valueText(x, unit)})
		}
	}
	own, err := m.With(values...)
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), "--set ", ""))
	}
	return own, nil
}

// valueText formats a number with its unit, as --set takes it.
func valueText(x float64, unit string) string {
	number := strconv.FormatFloat(x, 'g', -1, 64)
	if unit == "" || unit == "%" {
		return number + unit
	}
	return number + " " + unit
}

// mostChecked is the number of rows that are checked before anything is run.
const mostChecked = 2000

// Try checks that the model compiles with the rows, and that something is drawn, before anything is
// run.
func (f *From) Try(m *population.Model) error {
	drawn, given := f.Drawn(m)
	if len(drawn) == 0 {
		return fmt.Errorf("%s: nothing is drawn from it: a scenario or --set gives values to %s", f.path,
			strings.Join(given, ", "))
	}
	with := func(row []float64) (*population.Model, error) { return f.with(m, row) }
	if f.Past != nil {
		of, err := f.Past.fit(m, f.Posterior.Names)
		if err != nil {
			return err
		}
		with = of.At
	}
	for i, row := range f.Posterior.Rows[:min(mostChecked, len(f.Posterior.Rows))] {
		if f.Posterior.Weights[i] == 0 {
			continue
		}
		if _, err := with(row); err != nil {
			return fmt.Errorf("%s:%d: %w", f.path, f.lines[i], err)
		}
	}
	return nil
}

// readFrom reads the sample of --from, and checks that the model can be run with it. Parameters to
// which a scenario or --set gives a value are not drawn, which is noted.
func (s *Study) readFrom() (err error) {
	var afresh string
	if s.Posterior, afresh, err = readSample(s.From, s.Plain, s.ParametersOnly); err != nil {
		if errors.As(err, new(*fs.PathError)) {
			return fmt.Errorf("--from: %w", err)
		}
		return err
	}
	if afresh != "" {
		s.Notes = append(s.Notes, afresh)
	}
	if s.FromState == StatesOfFit {
		if err := s.Posterior.readStates(); err != nil {
			return err
		}
	}
	switch {
	case s.Posterior.Past != nil:
		if s.Plain, err = s.Compile(); err == nil {
			err = s.notePast()
		}
		if err != nil {
			return err
		}
		s.notePassed(s.Plain, "")
	case s.Posterior.Fitted != nil:
		if s.Plain, err = s.Compile(); err != nil {
			return fmt.Errorf("--from: with %s, as in the fit: %w", s.Posterior.Fitted, err)
		}
		if of := s.Posterior.Fitted; s.matters(of) {
			s.Notes = append(s.Notes, fmt.Sprintf("--from: with %s, as in the fit, unless this command gives other values", of))
		}
	}
	if err := s.tryRows(s.Plain); err != nil {
		return err
	}
	if _, given := s.Posterior.Drawn(s.Plain); len(given) > 0 {
		s.Notes = append(s.Notes, "--from: not drawn, since a scenario or --set gives a value: "+strings.Join(given, ", "))
	}
	return nil
}

// tryRows checks the rows of the sample with a model, which was compiled with more changes. A later
// end than that of the file makes compiling slower, and no row more or less valid: the rows are
// checked without it.
func (s *Study) tryRows(m *population.Model, more ...population.Change) error {
	if s.Until == "" {
		return s.Posterior.Try(m)
	}
	early := *s.Request
	if early.Until = ""; early.Posterior.Past != nil {
		early.Until = early.Posterior.Past.Until
	}
	if e, err := early.Compile(more...); err == nil && e.End() < m.End() {
		m = e
	}
	return s.Posterior.Try(m)
}

// WriteDraws writes the draws of the replicas as a table, with the seeds of the runs that they go
// on with.
func (f *From) WriteDraws(w io.Writer, m *population.Model, seed uint64, first, replicas int) error {
	drawn, _ := f.Drawn(m)
	c := csv.NewWriter(w)
	head := append([]string{"replica"}, drawn...)
	if f.Past != nil {
		head = append(head, fit.PathColumns()[0])
	}
	if err := c.Write(head); err != nil {
		return err
	}
	for k := first; k < first+replicas; k++ {
		record, row := []string{strconv.Itoa(k)}, f.Row(seed, k)
		for i, name := range f.Posterior.Names {
			if slices.Contains(drawn, name) {
				record = append(record, strconv.FormatFloat(row[i], 'g', -1, 64))
			}
		}
		if f.Past != nil {
			record = append(record, strconv.FormatUint(f.Posterior.Paths[f.index(seed, k)].Seed, 10))
		}
		if err := c.Write(record); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
