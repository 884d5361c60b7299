package study

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population"
)

// StatesOfFit as FromState means the states that the fit of From has saved. As a flag it has no
// value.
const StatesOfFit = "(of the fit)"

// fromFile reports whether the study goes on with the states of a file that is named.
func (r *Request) fromFile() bool { return r.FromState != "" && r.FromState != StatesOfFit }

// validateState returns an error if what is asked of saved states is not valid.
func (r *Request) validateState(given func(flag string) bool) error {
	switch {
	case r.States < 0 || given("states") && r.States == 0:
		return fmt.Errorf("--states %d: expected a number of states above 0", r.States)
	case r.States > 0 && r.Out == "":
		return errors.New("--states: where to? Name a directory with --out")
	case r.States > 0 && r.Method != "pmmh" && r.Method != DefaultMethod:
		return fmt.Errorf("--states: the method %s gives no sample of runs whose states could be saved; abc and pmmh do",
			r.Method)
	case r.States > 0 && r.fromFile():
		return errors.New("--states: the runs of this fit begin with saved states, and where they come to cannot be saved " +
			"yet; leave out --states or --from-state")
	case given("save-at") && r.SaveAt == "":
		return errors.New("--save-at: when? Name a time, as in --save-at 2005")
	case given("as") && r.As == "":
		return errors.New("--as: which file? Name one, as in --as calm.almanac")
	case r.SaveAt != "" && r.As == "":
		return errors.New("--save-at: to which file? Name it with --as, as in --as calm.almanac")
	case r.As != "" && r.SaveAt == "":
		return fmt.Errorf("--as %s: the state at which time? Name it with --save-at", r.As)
	case given("from-state") && r.FromState == "":
		return errors.New("--from-state: which one? Name a file that --save-at has written")
	case r.FromState == StatesOfFit && r.From == "":
		return errors.New("--from-state: which one? Name a file that --save-at has written, or the fit that " +
			"saved states with --from")
	case r.FromState == StatesOfFit && r.ParametersOnly:
		return errors.New("--from-state: replicas with --parameters-only start afresh; leave out one of the two")
	case r.fromFile() && r.From != "":
		return errors.New("--from-state: a table of parameters says how runs begin, and these have begun; leave out --from")
	case r.SaveAt != "" && r.From != "":
		return errors.New("--save-at: replicas with parameters from a table are different models, and a state is of one; " +
			"leave out --from")
	}
	return nil
}

// State opens the saved state that the study goes on with; nil if there is none.
func (r *Request) State() (*population.State, error) {
	if !r.fromFile() || r.state != nil {
		return r.state, nil
	}
	s, err := population.OpenState(r.FromState)
	if err != nil {
		return nil, fmt.Errorf("--from-state: %w", err)
	}
	if r.StateSum != "" && r.StateSum != s.Sum() {
		_ = s.Close()
		return nil, fmt.Errorf("--from-state: %s is another one than when the study began", r.FromState)
	}
	r.state, r.StateSum = s, s.Sum()
	return s, nil
}

// readSaved takes the model that was saved with the state, if no other is named.
func (r *Request) readSaved() error {
	s, err := r.State()
	if err != nil {
		return err
	}
	r.Source, r.Name, r.Files = s.Source(), s.Name(), map[string][]byte{}
	for name, table := range s.Files() {
		r.Files[name] = table
	}
	return nil
}

// compileSaved compiles the model so that it goes on with the saved state.
func (r *Request) compileSaved(name string, changes []population.Change) (*population.Model, error) {
	s, err := r.State()
	if err != nil {
		return nil, err
	}
	if r.Model == "" {
		return s.Compile(changes...)
	}
	return s.CompileOther(name, r.Source, append(changes, population.Files(r.file))...)
}

// redraws reports whether replicas draw all that is to come again, because the seed is another than
// that of the saved run.
func (r *Request) redraws(seed uint64) bool { return r.state != nil && seed != r.state.Seed() }

// Options are those of a run of the study here.
func (s *Study) Options() population.Options {
	return population.Options{Seed: s.Seed, Replicas: s.Replicas, First: s.Replica, Redraw: s.redraws(s.Seed)}
}

// stateFile is the path of the state for a job, which is run on this machine.
func (r *Request) stateFile() string {
	if !r.fromFile() {
		return r.FromState
	}
	if path, err := filepath.Abs(r.FromState); err == nil {
		return path
	}
	return r.FromState
}

// fromThenOn says which values hold from the time on at which replicas go on, for a note; it is
// empty if none change.
func (s *Study) fromThenOn() string {
	var later []string
	if s.Scenario != "" {
		later = append(later, "the values of scenario "+s.Scenario)
	}
	for _, p := range s.Set {
		later = append(later, p.Name+" = "+strings.TrimSpace(p.Value))
	}
	for _, a := range s.Axes {
		later = append(later, "the values of "+a.Name)
	}
	if len(s.Scenarios) > 0 || s.Kind == Compare {
		later = append(later, "the values of the scenarios")
	}
	if s.Kind == Fit {
		later = append(later, "values of the unknowns")
	}
	if len(later) == 0 {
		return ""
	}
	return "; from then on with " + strings.Join(later, ", ")
}

// noteState notes from when on replicas go on, and what holds from then on.
func (s *Study) noteState() {
	if s.state == nil {
		return
	}
	s.Notes = append(s.Notes, fmt.Sprintf("--from-state: replicas go on from %s %.12g%s", s.Plain.Unit(),
		format.Tidy(s.state.Time()), s.fromThenOn()))
	switch n := s.state.Replicas(); {
	case s.Kind == Fit:
	case s.redraws(s.Seed):
		s.Notes = append(s.Notes, fmt.Sprintf("--from-state: all that is to come is drawn again, since the seed is not that "+
			"of the saved run, %d", s.state.Seed()))
	case s.Replica < s.state.First() || s.Replica+s.Replicas > s.state.First()+n:
		s.Notes = append(s.Notes, fmt.Sprintf("--from-state: it has %s; more go on with the same states, and draw all that "+
			"is to come again", format.Count(n, "replica")))
	}
	s.notePassed(s.Plain, "")
}
