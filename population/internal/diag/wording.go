package diag

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/suggest"
)

const (
	maxEcho      = 60   // runes of the file that a message repeats
	MaxNameRunes = 200  // runes of a name
	maxMessage   = 2000 // runes of a message; one whose parts are bounded comes nowhere near
	maxNames     = 15   // a list of at most so many names is complete
	shownNames   = 10   // of a longer one, so many are shown
)

// Truncate returns s, or, if s has more than most runes, its first most−1 runes and "…".
func Truncate(s string, most int) string {
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

// Shorten returns a text of the file as a message repeats it: cut to 60 runes.
func Shorten(s string) string { return Truncate(s, maxEcho) }

// Quote returns a text of the file as a message repeats it, in quotes.
func Quote(s string) string { return strconv.Quote(Shorten(s)) }

// ListNames returns names separated by commas: all of them if they are at most 15, otherwise 10 and
// how many more there are.
func ListNames(names []string) string {
	more := 0
	if len(names) > maxNames {
		names, more = names[:shownNames], len(names)-shownNames
	}
	short := make([]string, len(names))
	for i, n := range names {
		short[i] = Shorten(n)
	}
	all := strings.Join(short, ", ")
	if more > 0 {
		all += fmt.Sprintf(" and %s more", format.Thousands(float64(more)))
	}
	return all
}

// An unknownName formats itself as a sentence. It looks for the nearest name only when it is
// printed: a file can refer to many unknown names and define many others, and most of the problems
// may not be listed.
type unknownName struct {
	sort, name string
	names      func() []string
}

// Unknown returns the sentence that there is no such name, with the nearest one, or some, of those
// that there are. sort says what it is the name of.
func Unknown(sort, name string, names func() []string) unknownName {
	return unknownName{sort, name, names}
}

// String returns the sentence.
func (u unknownName) String() string {
	names := u.names()
	if near := suggest.Name(u.name, names); near != "" {
		return fmt.Sprintf("there is no %s %s; did you mean %q?", u.sort, Quote(u.name), near)
	}
	if len(names) == 0 {
		return fmt.Sprintf("there is no %s %s; none is defined", u.sort, Quote(u.name))
	}
	return fmt.Sprintf("there is no %s %s; expected one of %s", u.sort, Quote(u.name), ListNames(names))
}

// DidYouMean returns the question whether the nearest of some names is meant, or what else to say
// if none is near.
func DidYouMean(name string, names []string, otherwise string) string {
	if near := suggest.Name(name, names); near != "" {
		return "did you mean " + Quote(near) + "?"
	}
	return otherwise
}

// NameTooLong reports whether a name is longer than names may be.
func NameTooLong(name string) bool {
	return len(name) > MaxNameRunes && utf8.RuneCountInString(name) > MaxNameRunes
}
