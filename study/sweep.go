package study

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/design"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population"
)

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
	if (s.state != nil || s.Posterior != nil && s.Posterior.Past != nil) && len(s.Points) > 0 {
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
