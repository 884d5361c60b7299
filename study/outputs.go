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

// RecordOutputs returns the model m of the request, recorded by the groups that outputs name, as in
// final(recovered, region=north). From then on, [Request.Compile] records them too. If an output is
// wrong, the error says so, without a prefix.
func (r *Request) RecordOutputs(m *population.Model, texts []string) (*population.Model, error) {
	groups, err := outputs.Groups(m, texts)
	if err != nil || len(groups) == 0 {
		return m, err
	}
	r.groups = append(r.groups, groups...)
	return r.Compile()
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

// Output converts a summary for tables.
func Output(s ensemble.Summary, name string) tables.Output {
	return tables.Output{Name: name, N: s.N, Mean: s.Mean, SD: s.SD, Low: s.Low, High: s.High}
}
