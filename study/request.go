package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/allocation"
	"github.com/almanac-sim/almanac/internal/design"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// The kinds of studies, named after their commands.
const (
	Run     = "run"     // one point; every replica is kept
	Sweep   = "sweep"   // points are combinations of values
	Compare = "compare" // one point; each replica runs every scenario
	Fit     = "fit"     // stages planned by package fit
	Check   = "check"   // not a study: the model is only checked
)

var kinds = []string{Run, Sweep, Compare, Fit}

// A Request describes a study: the model and its changes, the points, the number of replicas, and
// the outputs. Flags of the command and forms of the page are parsed into one, a job carries one to
// the workers, and study.json beside the results is one.
//
// Values are texts as a user writes them, with their units. Zero values mean that nothing was
// requested.
type Request struct {
	Version int    `json:"version,omitempty"` // of study.json
	Kind    string `json:"sort"`
	Model   string `json:"model"`            // the file, or StandardInput
	SHA256  string `json:"sha256,omitempty"` // of the model file, in study.json

	Size     string                 `json:"size,omitempty"`
	Until    string                 `json:"until,omitempty"`
	Scenario string                 `json:"scenario,omitempty"`
	Set      []population.Parameter `json:"set,omitempty"`

	Vary      []string `json:"vary,omitempty"`      // of a sweep: NAME=VALUES
	Sample    int      `json:"sample,omitempty"`    // number of points sampled from ranges; 0 means all combinations
	Design    string   `json:"design,omitempty"`    // of the sample
	Scenarios []string `json:"scenarios,omitempty"` // of a comparison; the others are compared with the first
	Outputs   []string `json:"outputs,omitempty"`   // nil means outputs.Defaults
	Precision string   `json:"precision,omitempty"`
	// a sweep or comparison also records counts over time, if there is an output directory
	Series bool     `json:"series,omitempty"`
	Draw   []string `json:"draw,omitempty"` // states and flows that a comparison records over time; nil means all

	ICER string `json:"icer,omitempty"` // of a comparison: the outcomes of cost and effect, as cost/qalys

	From string `json:"from,omitempty"` // a fit or a table from which each replica draws values of parameters
	// replicas with From start afresh, also if they could go on with the runs of the fit
	ParametersOnly bool `json:"parameters_only,omitempty"`

	SaveAt    string `json:"save_at,omitempty"`    // when the state of each replica is saved, and the run ends
	As        string `json:"as,omitempty"`         // the file of the states
	FromState string `json:"from_state,omitempty"` // a file of states that replicas go on with
	StateSum  string `json:"state_sum,omitempty"`  // its hash

	Seed     uint64 `json:"seed,omitempty"`
	Replica  int    `json:"replica,omitempty"` // the first one
	Replicas int    `json:"replicas,omitempty"`

	Data       string   `json:"data,omitempty"` // of a fit; the model may name it
	Unknown    []string `json:"unknown,omitempty"`
	Match      []string `json:"match,omitempty"`
	Method     string   `json:"method,omitempty"`
	Population int      `json:"population,omitempty"`
	Budget     int      `json:"budget,omitempty"`
	States     int      `json:"states,omitempty"` // how many states at the last data point are saved

	LimitTime   Duration `json:"limit_time,omitempty"` // of a replica, or of a task of a fit
	LimitMemory string   `json:"limit_memory,omitempty"`

	Events bool   `json:"events,omitempty"`
	Format string `json:"format,omitempty"` // of tables
	Out    string `json:"-"`                // a directory on the machine that starts the study

	// Contents that a job carries; study.json has them in files beside it.
	Source    []byte            `json:"source,omitempty"`
	Files     map[string][]byte `json:"files,omitempty"` // tables that the model names
	Table     []byte            `json:"table,omitempty"` // the data of a fit, if the model does not name them
	Posterior *From             `json:"posterior,omitempty"`

	state  *population.State // of FromState, once it is open
	groups [][]string        // by which the model is recorded because of outputs; see RecordOutputs

	// Name is the model's name in messages; empty means its file.
	Name string `json:"-"`
	// Moved are the names of Files beside the results, if they are not their own.
	Moved map[string]string `json:"-"`
	// Read reads a table that is not in Files; Compile adds it there. It is nil on workers.
	Read func(name string) ([]byte, error) `json:"-"`
	// Stream opens a file that may be too large for Files, such as one of people. It may be nil.
	Stream func(name string) (fs.File, error) `json:"-"`
	// Reading is called now and then while such a file is read. It may be nil.
	Reading func(name string, done, of int64) `json:"-"`

	shared *population.Shared // by all compilations
	large  map[string]bool    // files that are too large to be carried
}

// ParseSet parses NAME=VALUE, a change of a model's value.
func ParseSet(text string) (population.Parameter, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return population.Parameter{}, fmt.Errorf("--set: %q has no =; expected a parameter and its value, as in --set "+
			"beta=\"0.4 per day\"", text)
	}
	return population.Parameter{Name: strings.TrimSpace(name), Value: value}, nil
}

// A Duration is a time.Duration written as "10m0s".
type Duration time.Duration

// MarshalText formats the duration.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText parses a duration.
func (d *Duration) UnmarshalText(text []byte) error {
	t, err := time.ParseDuration(string(text))
	*d = Duration(t)
	return err
}

// StandardInput in place of a file means that the model is read from standard input.
const StandardInput = "-"

// Default values of flags.
const (
	DefaultDesign = "lhs"
	DefaultFormat = string(results.CSV)
	DefaultMethod = "abc"
)

// Validate returns an error if the request is not valid, whatever the model. given reports whether
// a flag was given, also with its default; it is nil where there are no flags.
func (r *Request) Validate(given func(flag string) bool) error {
	if given == nil {
		given = func(string) bool { return false }
	}
	switch {
	case r.Kind != Fit && r.Kind != Check && r.Replicas < 1:
		return fmt.Errorf("--replicas %d: at least one is needed", r.Replicas)
	case r.LimitTime < 0:
		return fmt.Errorf("--limit-time %v: expected a time above 0, as in 10m", time.Duration(r.LimitTime))
	case r.Replica < 0:
		return fmt.Errorf("--replica %d: replicas are numbered from 0", r.Replica)
	case r.Events && r.Out == "":
		return errors.New("--events: where to? Name a directory with --out")
	case r.Out == "" && given("format"):
		return errors.New("--format: of which tables? Name a directory with --out")
	case given("from") && r.From == "":
		return errors.New("--from: from what? Name a file, as in --from results/posterior.csv")
	case r.ParametersOnly && r.From == "":
		return errors.New("--parameters-only: of which fit? Name it with --from, as in --from results")
	case given("scenario") && r.Kind == Compare:
		return errors.New("--scenario: compare takes several; name them with --scenarios")
	case given("scenario") && r.Scenario == "":
		return errors.New("--scenario: which one? Name a scenario of the file")
	case r.Kind == Compare && r.Replicas < 2:
		return fmt.Errorf("--replicas %d: at least two are needed for an interval", r.Replicas)
	case given("draw") && r.Out == "":
		return errors.New("--draw: where to? Name a directory with --out")
	case given("draw") && !r.Series:
		return errors.New("--draw: nothing is recorded over time with --series=false; leave out one of the two")
	case r.Kind == Sweep && len(r.Vary) == 0:
		return errors.New("sweep over what? Name it with --vary, as in --vary beta=\"0.2..0.6 per day by 0.1\"")
	case r.Sample < 0 || given("sample") && r.Sample == 0:
		return fmt.Errorf("--sample %d: at least one point is needed", r.Sample)
	case given("design") && r.Sample == 0:
		return errors.New("--design: of which sample? Say how many points with --sample")
	case r.Population < 0 || given("population") && r.Population == 0:
		return fmt.Errorf("--population %d: expected a number above 0", r.Population)
	case r.Budget < 0 || given("budget") && r.Budget == 0:
		return fmt.Errorf("--budget %d: expected a number of runs above 0", r.Budget)
	}
	if err := r.validateState(given); err != nil {
		return err
	}
	for _, one := range []struct {
		flag, name string
		known      []string
	}{{"--format", r.Format, formats()}, {"--design", r.Design, design.Kinds}, {"--method", r.Method, fit.Methods()}} {
		if err := suggest.Among(one.flag, one.name, one.known); one.name != "" && err != nil {
			return err
		}
	}
	_, err := r.size()
	return err
}

func formats() (names []string) {
	for _, f := range results.Formats() {
		names = append(names, string(f))
	}
	return names
}

// CheckFormat returns an error if there is no such format of tables.
func CheckFormat(name string) error { return suggest.Among("--format", name, formats()) }

// size is the requested number of individuals; nil if none is requested.
func (r *Request) size() (*int, error) {
	if r.Size == "" {
		return nil, nil
	}
	const most = 4e9
	for word := range strings.SplitSeq(r.Size, ",") {
		x, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(word), "_", ""), 64)
		n := int(x)
		switch {
		case err != nil || x != float64(int64(x)) || !(x >= 0 && x <= most):
			return nil, fmt.Errorf("--size: %q is not a number of individuals; wanted are whole numbers from 0 to %.0f, "+
				"as in 1e6", word, most)
		case !strings.Contains(r.Size, ","):
			return &n, nil
		}
	}
	return nil, fmt.Errorf("--size: %q is more than one number", r.Size)
}

// mostValues bounds the number of values of all axes: parsing them takes a second or two.
const mostValues = 2 * design.MostValues

// Axes parses the axes.
func (r *Request) Axes() (axes []*design.Axis, err error) {
	values := 0
	for _, text := range r.Vary {
		a, err := design.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("--vary: %w", err)
		}
		if slices.ContainsFunc(r.Set, func(s population.Parameter) bool { return s.Name == a.Name }) {
			return nil, fmt.Errorf("--vary %s: --set gives it one value; leave out one of the two", a.Name)
		}
		if a.Name == "population.size" && r.Size != "" {
			return nil, fmt.Errorf("--vary %s: --size gives it one value; leave out one of the two", a.Name)
		}
		if values += len(a.Values); values > mostValues {
			return nil, fmt.Errorf("--vary: there are more than %d values in all", mostValues)
		}
		axes = append(axes, a)
	}
	return axes, nil
}

// Limits are the limits of a replica.
func (r *Request) Limits() (l ensemble.Limits, err error) {
	l.Time = time.Duration(r.LimitTime)
	if r.LimitMemory != "" {
		l.Memory, err = ParseBytes("--limit-memory", r.LimitMemory)
	}
	return l, err
}

// ParseBytes parses an amount of memory.
func ParseBytes(flag, s string) (uint64, error) {
	for _, u := range []struct {
		name string
		size float64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if number, ok := strings.CutSuffix(s, u.name); ok {
			if x := allocation.ParseNumber(number); x > 0 && x*u.size < 1e18 {
				return uint64(x * u.size), nil
			}
		}
	}
	return 0, fmt.Errorf("%s: %q is no amount of memory; expected one such as 4GB or 500MB", flag, s)
}

// precision is the precision of a point, for the given outputs.
func (r *Request) precision(outputs []string) (p ensemble.Precision, err error) {
	if r.Precision == "" {
		return p, nil
	}
	number, percent := strings.CutSuffix(strings.TrimSpace(r.Precision), "%")
	x := allocation.ParseNumber(number)
	if percent {
		x /= 100
	}
	if !(x > 0 && x < 1) {
		return p, fmt.Errorf("--precision: %q is no share of a mean; expected one such as 2%%", r.Precision)
	}
	return ensemble.Precision{Relative: x, Outputs: outputs}, nil
}

// Command is the command line that repeats the study.
func (r *Request) Command() string {
	line := r.command()
	if r.Model == StandardInput {
		line += " < model.yaml"
	}
	return line
}

func (r *Request) command() string {
	words := []string{"almanac", r.Kind}
	if r.Model != "" { // otherwise it is in the file of the state
		words = append(words, format.Word(r.Model))
	}
	texts := func(flag string, values ...string) {
		for _, value := range values {
			if value != "" {
				words = append(words, flag, format.Word(value))
			}
		}
	}
	number := func(flag string, n int) {
		if n != 0 {
			words = append(words, flag, strconv.Itoa(n))
		}
	}
	texts("--method", r.Method)
	if r.Kind != Check {
		words = append(words, "--seed", strconv.FormatUint(r.Seed, 10))
	}
	number("--replicas", r.Replicas)
	number("--replica", r.Replica)
	texts("--data", r.Data)
	texts("--unknown", r.Unknown...)
	texts("--match", r.Match...)
	texts("--size", r.Size)
	texts("--until", r.Until)
	texts("--scenario", r.Scenario)
	for _, s := range r.Set {
		texts("--set", s.Name+"="+s.Value)
	}
	texts("--save-at", r.SaveAt)
	texts("--as", r.As)
	if r.FromState == StatesOfFit {
		words = append(words, "--from-state")
	} else {
		texts("--from-state", r.FromState)
	}
	texts("--from", r.From)
	if r.ParametersOnly {
		words = append(words, "--parameters-only")
	}
	number("--population", r.Population)
	number("--budget", r.Budget)
	number("--states", r.States)
	texts("--vary", r.Vary...)
	number("--sample", r.Sample)
	if r.Design != DefaultDesign {
		texts("--design", r.Design)
	}
	texts("--scenarios", strings.Join(r.Scenarios, ","))
	texts("--output", r.Outputs...)
	texts("--icer", r.ICER)
	texts("--precision", r.Precision)
	if (r.Kind == Sweep || r.Kind == Compare) && !r.Series {
		words = append(words, "--series=false")
	}
	texts("--draw", strings.Join(r.Draw, ","))
	if r.LimitTime != 0 {
		texts("--limit-time", time.Duration(r.LimitTime).String())
	}
	texts("--limit-memory", r.LimitMemory)
	if r.Events {
		words = append(words, "--events")
	}
	if r.Format != DefaultFormat {
		texts("--format", r.Format)
	}
	texts("--out", r.Out)
	return strings.Join(words, " ")
}

// repeatOne is the command that runs one replica of a point; replica is its number, or a
// placeholder.
func (r *Request) repeatOne(values []population.Parameter, seed uint64, scenario, replica string) string {
	one := Request{Kind: Run, Model: r.Model, Size: r.Size, Until: r.Until, Scenario: r.Scenario, From: r.From, Seed: seed,
		ParametersOnly: r.ParametersOnly, Set: slices.Concat(r.Set, values)}
	if scenario != "" {
		one.Scenario = scenario
	}
	if r.FromState != "" {
		one.FromState, one.Replicas = r.FromState, 1 // otherwise there would be as many as states
	}
	return one.command() + " --replica " + replica
}

// named is the request without the directories of this machine.
func (r Request) named() *Request {
	base := func(path string) string {
		if path == "" {
			return ""
		}
		return filepath.Base(path)
	}
	r.Model, r.From, r.Data = base(r.Model), base(r.From), base(r.Data)
	if r.As = base(r.As); r.fromFile() {
		r.FromState = base(r.FromState)
	}
	return &r
}

// Payload encodes the request for a job: what workers need, and what is needed to collect the
// results. The job has the points, the number of replicas and the seed.
func (r *Request) Payload() ([]byte, error) {
	for name := range r.large {
		return nil, fmt.Errorf("%s has more than %d MB, which is the most that goes with a study to where it is run; "+
			"compress it with gzip, or use almanac run without a hub", name, population.MaxTable>>20)
	}
	n := r.named()
	j := Request{Kind: n.Kind, Model: n.Model, Size: n.Size, Until: n.Until, Scenario: n.Scenario, Set: n.Set,
		Vary: n.Vary, Sample: n.Sample, Scenarios: n.Scenarios, Outputs: n.Outputs, Series: n.Series && r.Out != "",
		ICER: n.ICER, Draw: n.Draw, From: n.From, ParametersOnly: n.ParametersOnly,
		Data: n.Data, Unknown: n.Unknown, Match: n.Match, Source: n.Source, Files: n.Files, Table: n.Table,
		Posterior: n.Posterior, FromState: r.stateFile(), StateSum: r.StateSum}
	data, err := json.Marshal(&j)
	if err == nil && len(data) > ensemble.MaxPayload {
		what := "tables"
		if r.Kind == Fit {
			what = "tables and data"
		}
		err = fmt.Errorf("the model with its %s has %d bytes; %d are the most", what, len(data), ensemble.MaxPayload)
	}
	return data, err
}

// ReadPayload decodes the request of a job of any program, and validates it.
func ReadPayload(payload []byte) (*Request, error) {
	r := new(Request)
	if err := decode(payload, r); err != nil {
		return nil, fmt.Errorf("a study that cannot be read: %w", err)
	}
	if _, err := r.Axes(); err != nil {
		return nil, fmt.Errorf("a study that cannot be read: %w", err)
	}
	switch {
	case !slices.Contains(kinds, r.Kind):
		return nil, fmt.Errorf("there is no study of kind %q", r.Kind)
	case r.Posterior != nil && !r.Posterior.sound():
		return nil, errors.New("a study with a sample of parameters that is none")
	case r.Kind == Compare && len(r.Scenarios) < 2:
		return nil, fmt.Errorf("a comparison of %d scenarios; it needs at least 2", len(r.Scenarios))
	}
	return r, nil
}

func decode(text []byte, r *Request) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields() // an unknown field could change the numbers
	if err := d.Decode(r); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something stands behind it")
	}
	return nil
}

// FileName is the file of the request beside the results, and FileVersion the version of its
// format.
const (
	FileName    = "study.json"
	FileVersion = 1
)

// WriteJSON writes study.json. It has no paths of this machine. The model is beside it as
// model.yaml, with its tables.
func (r *Request) WriteJSON(w io.Writer) error {
	n := r.named()
	sum := sha256.Sum256(r.SourceBeside())
	n.Version, n.SHA256 = FileVersion, hex.EncodeToString(sum[:])
	n.Source, n.Files, n.Table, n.Posterior = nil, nil, nil, nil
	if n.Sample == 0 {
		n.Design = ""
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(n)
}

// ReadJSON reads study.json of any program.
func ReadJSON(text []byte) (*Request, error) {
	var of struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &of); err != nil {
		return nil, err
	}
	switch {
	case of.Version > FileVersion:
		return nil, fmt.Errorf("it is of version %d, of a later program than this one, which knows %d", of.Version,
			FileVersion)
	case of.Version < 1:
		return nil, errors.New("it does not say of which version it is")
	}
	r := new(Request)
	if err := decode(text, r); err != nil {
		return nil, err
	}
	switch {
	case !slices.Contains(kinds, r.Kind):
		return nil, fmt.Errorf("there is no study of kind %q", r.Kind)
	case r.Source != nil || r.Files != nil || r.Table != nil || r.Posterior != nil:
		return nil, errors.New("it has a model or tables in it, which stand beside it")
	}
	r.Out = "." // the results are in the same directory
	if err := r.Validate(nil); err != nil {
		return nil, err
	}
	_, err := r.Axes()
	return r, err
}
