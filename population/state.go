package population

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/engine"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/statefile"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// SaveAt makes a run end at a time, written as for [Until], so that its state can be saved there
// with [Options.Save]. Up to then the run is the one without SaveAt, byte for byte. The end of the
// model stays what it is, and a run that goes on with the state ends there unless Until sets
// another end.
func SaveAt(time string) Change { return func(c *syntax.Changes) { c.Stop = &time } }

// A StateWriter writes the states of the replicas of a run to a file; see [Options].Save. The file
// gets its name when it is complete.
type StateWriter struct {
	file *statefile.File

	mu    sync.Mutex
	turn  *sync.Cond
	next  int // the place of the replica whose turn it is
	ended bool
}

// savedModel is the section of a file that says what was run. Values are texts as a user writes
// them.
type savedModel struct {
	Version  string            `json:"version"` // of the program
	Name     string            `json:"name"`    // of the model file
	Source   string            `json:"source"`
	Tables   map[string][]byte `json:"tables,omitempty"`
	Changes  savedChanges      `json:"changes"`
	Seed     uint64            `json:"seed"`
	First    int               `json:"first"` // replica
	Replicas int               `json:"replicas"`
	Stop     float64           `json:"stop"`              // on the model's clock
	Weights  []float64         `json:"weights,omitempty"` // of the states, if they are of a sample
	Rows     []int             `json:"rows,omitempty"`    // of the sample
}

type savedChanges struct {
	Size     *int          `json:"size,omitempty"`
	Until    *string       `json:"until,omitempty"`
	Scenario *string       `json:"scenario,omitempty"`
	Set      []Parameter   `json:"set,omitempty"`
	Base     *savedChanges `json:"base,omitempty"`
	RecordBy [][]string    `json:"record_by,omitempty"`
	Later    *savedLater   `json:"later,omitempty"`
}

type savedLater struct {
	Time     float64     `json:"time"`
	Scenario *string     `json:"scenario,omitempty"`
	Set      []Parameter `json:"set,omitempty"`
	Until    *string     `json:"until,omitempty"`
	State    bool        `json:"state,omitempty"`
	Before   *savedLater `json:"before,omitempty"`
}

// CreateState begins the file of the states of a run of this model, which was compiled with
// [SaveAt]. It is an error if the model has something whose state cannot be saved.
func (m *Model) CreateState(path string) (*StateWriter, error) {
	if what := m.unsavable(); what != "" {
		return nil, fmt.Errorf("this model has %s; its state cannot be saved yet", what)
	}
	if err := statefile.CheckOrder(); err != nil {
		return nil, err
	}
	f, err := statefile.Create(path)
	if err != nil {
		return nil, err
	}
	w := &StateWriter{file: f}
	w.turn = sync.NewCond(&w.mu)
	return w, nil
}

// unsavable says what the model has whose state cannot be saved; "" if nothing.
func (m *Model) unsavable() string {
	f := &m.compiled.Changes.Functions
	if len(f.Durations)+len(f.Chances)+len(f.Values) > 0 {
		return "functions in Go"
	}
	return engine.Unsavable(m.program)
}

// begin writes what is run.
func (w *StateWriter) begin(m *Model, o *Options, replicas int) error {
	c := &m.compiled.Changes
	about := savedModel{
		Version: Version(), Name: m.compiled.File.Path, Source: string(m.source), Tables: m.compiled.Tables,
		Changes: savedChanges{Size: c.Size, Until: c.Until, Scenario: c.Scenario, Set: parametersOf(c.Set),
			RecordBy: c.RecordBy, Later: savedLaterOf(c.Later)},
		Seed: o.Seed, First: o.First, Replicas: replicas, Stop: m.program.Stop,
		Weights: o.savedWeights, Rows: o.savedRows,
	}
	if c.Base != nil {
		about.Changes.Base = &savedChanges{Scenario: c.Base.Scenario, Set: parametersOf(c.Base.Set)}
	}
	text, err := json.Marshal(&about)
	if err != nil {
		return err
	}
	return w.file.Section("model", text)
}

func parametersOf(all []syntax.Setting) (to []Parameter) {
	for _, s := range all {
		to = append(to, Parameter{Name: s.Name, Value: s.Text})
	}
	return to
}

func settingsOf(all []Parameter) (to []syntax.Setting) {
	for _, p := range all {
		to = append(to, syntax.Setting{Name: p.Name, Text: p.Value})
	}
	return to
}

func savedLaterOf(l *syntax.Later) *savedLater {
	if l == nil {
		return nil
	}
	return &savedLater{l.Time, l.Scenario, parametersOf(l.Set), l.Until, l.State, savedLaterOf(l.Before)}
}

func (l *savedLater) later() *syntax.Later {
	if l == nil {
		return nil
	}
	return &syntax.Later{Time: l.Time, Scenario: l.Scenario, Set: settingsOf(l.Set), Until: l.Until, State: l.State,
		Before: l.Before.later()}
}

// replica writes the state of the replica at a place, once those before it have been written: the
// file does not depend on which was ready first.
func (w *StateWriter) replica(r *engine.Run, place, replica int, run *Run) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.next != place && !w.ended {
		w.turn.Wait()
	}
	if w.ended {
		return context.Canceled // by another replica, whose error is told
	}
	err := r.Save(w.file.Writer, place, replica, &run.rec)
	w.next++
	w.ended = err != nil
	w.turn.Broadcast()
	return err
}

// end lets no more replicas wait for their turn: one of them has failed.
func (w *StateWriter) end() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.turn.Broadcast()
}

// Keep completes the file and gives it its name. It takes the place of a file that had the name.
func (w *StateWriter) Keep() error { return w.file.Keep() }

// Drop removes what was written, unless it was kept.
func (w *StateWriter) Drop() {
	if w != nil {
		w.file.Drop()
	}
}

// A State is a file with the states of the replicas of a run at a time. Models that its methods
// compile go on with them: the replica of a number goes on with the state of that number as if it
// had not been interrupted, whatever the seed. Other numbers go on with the states in turn, and all
// that is to come is drawn again; see [Options].Redraw. A State may be used from several goroutines
// at once. It must not be closed while a model of it runs.
type State struct {
	path  string
	file  *os.File
	model savedModel
	runs  []*engine.Saved
	sum   string
}

// Errors of files of states. ErrNoState is returned if a file is not a saved state, ErrDamagedState
// if a state is damaged. Some parts of a state are read only when a replica goes on with it.
var (
	ErrNoState      = statefile.ErrForeign
	ErrDamagedState = statefile.ErrDamaged
)

// OpenState opens a file that [StateWriter] wrote. A file that is damaged, not complete, of a later
// version or something else is an error that says so. The states themselves are checked when a
// replica reads them.
func OpenState(path string) (*State, error) {
	// Stat before Open: opening a pipe would block.
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: it is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s, err := readState(f)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s.path = path
	return s, nil
}

func readState(f *os.File) (*State, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	in, err := statefile.NewReader(f, info.Size())
	if err != nil {
		return nil, err
	}
	s := &State{file: f}
	if len(in.Sections) == 0 || in.Sections[0].Name != "model" {
		return nil, fmt.Errorf("%w: it has no model", statefile.ErrDamaged)
	}
	text := make([]byte, in.Sections[0].Length)
	if err := in.Read(in.Sections[0], text); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &s.model); err != nil {
		return nil, fmt.Errorf("%w: %v", statefile.ErrDamaged, err)
	}
	if s.runs, err = engine.SavedRuns(in); err != nil {
		return nil, err
	}
	sum, err := in.Sum()
	if err != nil {
		return nil, err
	}
	s.sum = hex.EncodeToString(sum)
	switch {
	case len(s.runs) == 0 || len(s.runs) != s.model.Replicas:
		return nil, fmt.Errorf("%w: it has the states of %s, not of %d", statefile.ErrDamaged,
			format.Count(len(s.runs), "replica"), s.model.Replicas)
	case len(s.model.Weights) != len(s.model.Rows) || len(s.model.Rows) != 0 && len(s.model.Rows) != len(s.runs):
		return nil, fmt.Errorf("%w: it has not one weight for each state", statefile.ErrDamaged)
	case s.model.First < 0:
		return nil, fmt.Errorf("%w: the first replica has no number", statefile.ErrDamaged)
	}
	for _, run := range s.runs {
		if !run.IsAt(s.model.Stop) {
			return nil, fmt.Errorf("%w: %v is not of the time of the model", statefile.ErrDamaged, run)
		}
	}
	return s, nil
}

// named adds the name of the file to the error of a state in it that is damaged.
func (s *State) named(err error) error {
	if errors.Is(err, statefile.ErrDamaged) {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return err
}

// Close closes the file.
func (s *State) Close() error { return s.file.Close() }

// Path is the name of the file.
func (s *State) Path() string { return s.path }

// Sum is a hash of what the file has: two files with the same sum are the same states.
func (s *State) Sum() string { return s.sum }

// Time is that of the state, on the model's clock.
func (s *State) Time() float64 { return s.model.Stop }

// Replicas is how many replicas were saved.
func (s *State) Replicas() int { return len(s.runs) }

// First is the number of the first of them.
func (s *State) First() int { return s.model.First }

// Sample says which rows of a sample the states are of, and what weight each has; nil if they are
// of none.
func (s *State) Sample() (rows []int, weights []float64) { return s.model.Rows, s.model.Weights }

// Seed is that of the run that was saved.
func (s *State) Seed() uint64 { return s.model.Seed }

// Source is the text of the model that was saved, and Name that of its file.
func (s *State) Source() []byte { return []byte(s.model.Source) }

// Name is that of the model file that was saved.
func (s *State) Name() string { return s.model.Name }

// Files returns the tables that the saved model has read, by name.
func (s *State) Files() map[string][]byte { return s.model.Tables }

// Compile compiles the saved model so that it goes on with the state. Of the changes, [Until] sets
// another end, [Scenario] and [Set] give parameters other values from the time of the state on, as
// by an intervention, and [SaveAt] saves it again. If something is wrong, the error is of type
// [Problems].
func (s *State) Compile(changes ...Change) (*Model, error) {
	return s.compile(s.model.Name, []byte(s.model.Source), append([]Change{Files(func(name string) ([]byte, error) {
		if table, ok := s.model.Tables[name]; ok {
			return table, nil
		}
		return nil, fmt.Errorf("the table %s is not with the state", name)
	})}, changes...))
}

// CompileOther compiles another model file so that it goes on with the state: one that differs from
// the saved one in its interventions, its scenarios, its end, what it records and parameters that
// only these use. All else must be the same; the error says what is not. Changes are as for
// Compile, and [Files] says how its tables are read.
func (s *State) CompileOther(name string, source []byte, changes ...Change) (*Model, error) {
	if err := sameModel([]byte(s.model.Source), source); err != nil {
		return nil, fmt.Errorf("%s: it cannot go on with %s: %w", name, s.path, err)
	}
	m, err := s.compile(name, source, changes)
	if err != nil {
		return nil, err
	}
	for table, content := range m.compiled.Tables {
		if saved, ok := s.model.Tables[table]; ok && string(saved) != string(content) {
			return nil, fmt.Errorf("%s: it cannot go on with %s: the table %s is another one than in the saved model", name,
				s.path, table)
		}
	}
	return m, nil
}

func (s *State) compile(name string, source []byte, asked []Change) (*Model, error) {
	var later syntax.Changes
	for _, change := range asked {
		change(&later)
	}
	if later.Size != nil {
		return nil, errors.New("--size: the run has begun, with as many as the saved one had; a run without --from-state " +
			"begins anew")
	}
	was := &s.model.Changes
	c := syntax.Changes{
		Size: was.Size, Until: cmp.Or(later.Until, was.Until), Scenario: was.Scenario, Set: settingsOf(was.Set),
		RecordBy: was.RecordBy, Stop: later.Stop, ReadFile: later.ReadFile,
		Later: &syntax.Later{Time: s.model.Stop, Scenario: later.Scenario, Set: later.Set, Until: was.Until, State: true,
			Before: was.Later.later()},
	}
	if was.Base != nil {
		c.Base = &syntax.Base{Scenario: was.Base.Scenario, Set: settingsOf(was.Base.Set)}
	}
	for _, by := range later.RecordBy {
		if !slices.ContainsFunc(c.RecordBy, func(had []string) bool { return slices.Equal(had, by) }) {
			c.RecordBy = append(slices.Clip(c.RecordBy), by)
		}
	}
	m, err := compileWith(name, source, c)
	if err != nil {
		return nil, err
	}
	m.state = s
	if err := s.check(m.program); err != nil {
		return nil, fmt.Errorf("%s: %w", m.program.Name, err)
	}
	return m, nil
}

// check returns an error if a program cannot go on with the states.
func (s *State) check(p *program.Program) error {
	for _, run := range s.runs {
		if err := run.CheckProgram(p); err != nil {
			return err
		}
	}
	return nil
}

// with is the model with other values of some parameters from the time of the state on.
func (s *State) with(m *Model, values []syntax.NamedValue) (*Model, error) {
	c := m.compiled.Changes.Clone()
	for _, v := range values {
		c.Later.Set = slices.DeleteFunc(c.Later.Set, func(old syntax.Setting) bool { return old.Name == v.Label.Name })
		c.Later.Set = append(c.Later.Set, syntax.Setting{Name: v.Label.Name, Text: v.Node.Value, Any: true})
	}
	with, err := compileWith(m.compiled.File.Path, m.source, c)
	if err != nil {
		return nil, err
	}
	with.state = s
	return with, nil
}

// beginSaved is Begin with a saved state.
func (m *Model) beginSaved(ctx context.Context, o *Options, e *engine.Options, replica int) (*Process, error) {
	saved, seed := m.state.of(o, replica)
	r, err := engine.BeginSaved(ctx, m.program, e, saved, seed)
	if err != nil {
		return nil, m.replicaError(ctx, replica, m.state.named(err))
	}
	return &Process{m: m, r: r, time: m.state.Time()}, nil
}

// stateStream separates what is drawn again after a state from the other draws.
const stateStream = 0x73746174656c7563

// of returns the state that a replica goes on with, and the seed by which all that is to come is
// drawn again, or nil if it goes on as it was saved. There may be more replicas than states: the
// states are then used in turn, and each but the first use draws again.
func (s *State) of(o *Options, replica int) (run *engine.Saved, seed *uint64) {
	k := replica - s.model.First
	place := ((k % len(s.runs)) + len(s.runs)) % len(s.runs)
	if o.Redraw || k < 0 || k >= len(s.runs) {
		own := random.New(o.Seed, stateStream, uint64(replica))
		drawn := own.Uint64()
		seed = &drawn
		if o.anyState {
			place = int(own.Below(uint64(len(s.runs))))
		}
	}
	return s.runs[place], seed
}

// afresh are the options of a run of a fit: if the model goes on with a saved state, with any of
// its replicas, and with a seed of its own.
func (m *Model) afresh(seed uint64) Options {
	return Options{Seed: seed, Redraw: m.state != nil, anyState: m.state != nil}
}

// redraws reports whether one of the replicas draws again.
func (s *State) redraws(o *Options) bool {
	return o.Redraw || o.First < s.model.First || o.First+max(o.Replicas, 1) > s.model.First+len(s.runs)
}

// individuals is how many there are at most in one of the states.
func (s *State) individuals() (most int) {
	for _, run := range s.runs {
		most = max(most, run.Individuals())
	}
	return most
}
