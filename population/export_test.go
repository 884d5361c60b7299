package population

// Place is the id of the individual, which another had before it or will have after it, and ByPlace that of who brought it
// about: tests of how others are chosen look at both, since it is among ids that a contact chooses.
func (e *Event) Place() uint32   { return e.place }
func (e *Event) ByPlace() uint32 { return e.byPlace }
