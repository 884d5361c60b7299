package population

import "fmt"

// complain reports what is wrong with a value, unless something has been said of it. A value is worked out once for each
// time between interventions, and one mistake is enough.
func (s scope) complain(v value, at place, format string, args ...any) {
	if s.said[v.at] || s.said[at] {
		return
	}
	s.said[v.at], s.said[at] = true, true
	s.report(v.at, at, format, args...)
}

// broken reports that values which are right by themselves are wrong together: the chances of a split, or a row of a matrix. If
// one of them was changed by an intervention or by --set, then that is where it went wrong, and the last such change is to be
// reported and not the place where they stand.
func (s scope) broken(stands place, values []value, format string, args ...any) {
	if s.said[stands] {
		return
	}
	s.said[stands] = true
	at, latest := stands, 0
	for _, v := range values {
		if latest == 0 && asked(v.at) {
			at = v.at
		}
		s.latest(v, &at, &latest)
	}
	s.report(stands, at, format, args...)
}

// report says what is wrong at a place, and with what, if that stands in another line.
func (s scope) report(stands, at place, format string, args ...any) {
	if stands.line > 0 && (stands.file != at.file || stands.line != at.line) {
		format += fmt.Sprintf(" (see line %d)", stands.line)
	}
	s.add(at, format, args...)
}

// latest looks for the parameter that was changed last of those that a value is made of.
func (s scope) latest(v value, at *place, change *int) {
	s.behind(v, map[string]bool{}, func(p parameter) {
		if p.change > *change {
			*at, *change = p.at, p.change
		}
	})
}

// behind visits the parameters that a value is made of, and those behind them, but none that has been seen.
func (s scope) behind(v value, seen map[string]bool, do func(p parameter)) {
	if v.name == "" {
		v.each(func(part value) { s.behind(part, seen, do) })
		return
	}
	if p, ok := s.parameter(v.name); ok && !seen[v.name] {
		seen[v.name] = true
		do(p)
		s.behind(p.value, seen, do)
	}
}

// written is a value as a message repeats it, and what its name stands for if it has one.
func (s scope) written(v value) string {
	s.problemList, s.said = &problemList{}, map[place]bool{} // whatever is wrong with it is said elsewhere
	got, _, _ := s.resolve(v, "")
	return called(v, got)
}
