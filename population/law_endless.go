package population

// endless tells whether a duration may have no end.
func (l *law) endless() bool { return l.whyEndless() != "" }

// whyEndless says why a duration may have no end; it is empty if it always has one.
func (l *law) whyEndless() string {
	switch {
	case l.family == lawHazard && l.steps[len(l.steps)-1].rate == 0:
		return "a hazard that ends with a rate of 0 has no end"
	case l.family == lawGompertz && l.b < 0 && l.c == 0:
		return "a hazard whose growth is negative may have no end"
	}
	for i := range l.parts {
		if l.shares[i] > 0 {
			if why := l.parts[i].whyEndless(); why != "" {
				return why
			}
		}
	}
	return ""
}
