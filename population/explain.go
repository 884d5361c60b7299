package population

// Explain says in plain words what the model is, with all values in the unit of the model, and what may be a mistake in it.
func (m *Model) Explain() string { return explain(m.compiled) }
