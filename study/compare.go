package study

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/outputs"
	tables "github.com/almanac-sim/almanac/internal/study"
	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population"
)

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
