package eval

// ParameterNames returns the sorted names of the parameters.
func (s Scope) ParameterNames() []string { return s.names() }
