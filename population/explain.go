package population

import "github.com/almanac-sim/almanac/population/internal/explain"

// Explain says in plain words what the model is, with all values in the unit of the model, and what may be a mistake in it.
func (m *Model) Explain() string { return explain.Model(m.compiled) }
