package study

import (
	"github.com/almanac-sim/almanac/internal/outputs"
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
