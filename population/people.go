package population

// ID returns the id that the file of people gives the individual with a number, as in
// [Event.Individual]: "" if the model has no such file, if the cell is empty, or if the individual
// was not there at the start.
func (m *Model) ID(individual uint64) string {
	p := m.program.People
	if p == nil || individual == 0 || individual > uint64(p.Size) {
		return ""
	}
	return p.ID(int(individual - 1))
}
