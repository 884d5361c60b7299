package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Problem is one thing that is wrong with a model, and where.
type Problem struct {
	File         string // the model file, or the change that was asked for: --set beta
	Line, Column int    // from 1; 0 if the problem has no place in a file
	Message      string // what was found and what was expected
}

// String returns file:line:column: message.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	if p.Column == 0 { // it is about a whole line
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Problems is the error of a model that cannot be run: all that is wrong with it, in the order of
// the file.
type Problems []Problem

// Error returns the problems, one per line.
func (ps Problems) Error() string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// A Place is where something stands: in a file, or, without a line, in a flag of the command line.
type Place struct {
	File         string // or the flag: --set beta
	Line, Column int    // from 1
}

// OnCommandLine reports whether a place is a flag of the command line.
func OnCommandLine(at Place) bool { return strings.HasPrefix(at.File, "--") }

// MaxListed is how many problems are listed. A file can have a hundred thousand; its author fixes
// the first hundred and checks again.
const MaxListed = 100

// A List collects problems.
type List struct {
	All     Problems
	seen    map[Problem]bool
	Count   int  // how many there are, including those that are not listed
	Stopped bool // reading was given up, which has been reported: later problems are ignored
}

// Add adds a problem, unless the list has it already: a part of a file may be read more than once.
// Beyond Most, problems are counted but not formatted.
func (l *List) Add(at Place, format string, args ...any) {
	if l.Stopped {
		return
	}
	if len(l.All) == MaxListed {
		l.Count++
		return
	}
	if OnCommandLine(at) { // has no lines
		at = Place{File: at.File}
	}
	message := Truncate(fmt.Sprintf(format, args...), maxMessage)
	p := Problem{File: at.File, Line: at.Line, Column: at.Column, Message: message}
	if l.seen == nil {
		l.seen = map[Problem]bool{}
	}
	if !l.seen[p] {
		l.seen[p] = true
		l.All = append(l.All, p)
		l.Count++
	}
}

// Err returns the problems as an error of type Problems, in the order of the file, or nil.
func (l *List) Err() error {
	if len(l.All) == 0 {
		return nil
	}
	slices.SortStableFunc(l.All, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if l.Count > len(l.All) {
		more := fmt.Sprintf("there are more problems; these are the first %d that were found", len(l.All))
		return append(l.All, Problem{File: l.All[0].File, Message: more})
	}
	return l.All
}
