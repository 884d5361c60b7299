package diag

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/nearest"
)

const (
	maxEcho     = 60   // runes of what a file says that a message repeats
	LongestName = 200  // runes of a name
	maxMessage  = 2000 // runes of all that is said; nothing that is cut as it should be comes near
	maxNames    = 15   // that are listed
	shownNames  = 10   // of more than those
)

// Cut is a text of at most so many runes, the last of which then says that there was more.
func Cut(s string, most int) string {
	if len(s) <= most { // it cannot have more runes than bytes
		return s
	}
	runes := 0
	end := 0
	for i := range s {
		if runes == most-1 {
			end = i
		}
		if runes++; runes > most {
			return s[:end] + "…"
		}
	}
	return s
}

// Echo is what a file says, as a message repeats it.
func Echo(s string) string { return Cut(s, maxEcho) }

// Quote is what a file says, in quotes.
func Quote(s string) string { return strconv.Quote(Echo(s)) }

// Some lists names, all of them if they are few.
func Some(names []string) string {
	more := 0
	if len(names) > maxNames {
		names, more = names[:shownNames], len(names)-shownNames
	}
	short := make([]string, len(names))
	for i, n := range names {
		short[i] = Echo(n)
	}
	all := strings.Join(short, ", ")
	if more > 0 {
		all += fmt.Sprintf(" and %s more", format.Thousands(float64(more)))
	}
	return all
}

// An unknownName says that there is no such name, and which was probably meant. It is worked out when it is printed: the names that
// were not meant can be many, and so can be those that are missing.
type unknownName struct {
	sort, name string
	names      func() []string
}

// Unknown says that a name is missing.
func Unknown(sort, name string, names func() []string) unknownName {
	return unknownName{sort, name, names}
}

// String is the sentence.
func (m unknownName) String() string {
	names := m.names()
	if near := nearest.Name(m.name, names); near != "" {
		return fmt.Sprintf("there is no %s %s; did you mean %q?", m.sort, Quote(m.name), near)
	}
	if len(names) == 0 {
		return fmt.Sprintf("there is no %s %s; none is defined", m.sort, Quote(m.name))
	}
	return fmt.Sprintf("there is no %s %s; expected one of %s", m.sort, Quote(m.name), Some(names))
}

// TooLong tells whether a name is longer than names can be.
func TooLong(name string) bool {
	return len(name) > LongestName && utf8.RuneCountInString(name) > LongestName
}

// OnCommandLine tells whether something stands in an option of the command line.
func OnCommandLine(at Place) bool { return strings.HasPrefix(at.File, "--") }
