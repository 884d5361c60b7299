package models

import (
	"fmt"

	"github.com/almanac-sim/almanac/ensemble"
	tables "github.com/almanac-sim/almanac/internal/study"
)

// Comparison puts the numbers of the one point of a comparison into their places.
func (s *Study) Comparison(p ensemble.PointResult) (*tables.Comparison, error) {
	c := &tables.Comparison{}
	for i, name := range s.Scenarios {
		one := tables.Scenario{Name: name}
		for _, o := range s.Outputs {
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
