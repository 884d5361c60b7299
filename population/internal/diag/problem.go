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

// String is file:line:column: message.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Problems is the error for a model that cannot be run: all that is wrong with it, in the order of the file.
type Problems []Problem

// Error lists the problems, a line each.
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

// A Place is where something stands in a file.
type Place struct {
	File         string
	Line, Column int
}

// Most is how many are listed. A file can have a hundred thousand, and whoever has mended a hundred runs the check again.
const Most = 100

// A List collects what is wrong.
type List struct {
	All     Problems
	seen    map[Problem]bool
	Found   int  // how many there are, with those that are not listed
	Stopped bool // the rest of the file is not looked at, and that has been said
}

func (l *List) Add(at Place, format string, args ...any) {
	if l.Stopped {
		return
	}
	if len(l.All) == Most { // what is not listed need not be put into words either
		l.Found++
		return
	}
	if strings.HasPrefix(at.File, "--") { // what stands on a command line has no lines
		at = Place{File: at.File}
	}
	p := Problem{File: at.File, Line: at.Line, Column: at.Column, Message: Cut(fmt.Sprintf(format, args...), maxMessage)}
	if l.seen == nil {
		l.seen = map[Problem]bool{}
	}
	if !l.seen[p] { // something may be looked at more than once
		l.seen[p] = true
		l.All = append(l.All, p)
		l.Found++
	}
}

// Err is the collected problems as an error, those of the file in its order, or nil.
func (l *List) Err() error {
	if len(l.All) == 0 {
		return nil
	}
	slices.SortStableFunc(l.All, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if l.Found > len(l.All) {
		return append(l.All, Problem{File: l.All[0].File, Message: fmt.Sprintf("there are more problems; these are the first %d that were found", len(l.All))})
	}
	return l.All
}
