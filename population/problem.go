package population

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

// A place is where something stands in a file.
type place struct {
	file         string
	line, column int
}

// mostProblems is how many are listed. A file can have a hundred thousand, and whoever has mended a hundred runs the check again.
const mostProblems = 100

// A problemList collects what is wrong.
type problemList struct {
	all     Problems
	seen    map[Problem]bool
	found   int  // how many there are, with those that are not listed
	stopped bool // the rest of the file is not looked at, and that has been said
}

func (l *problemList) add(at place, format string, args ...any) {
	if l.stopped {
		return
	}
	if len(l.all) == mostProblems { // what is not listed need not be put into words either
		l.found++
		return
	}
	if strings.HasPrefix(at.file, "--") { // what stands on a command line has no lines
		at = place{file: at.file}
	}
	p := Problem{File: at.file, Line: at.line, Column: at.column, Message: cut(fmt.Sprintf(format, args...), longestMessage)}
	if l.seen == nil {
		l.seen = map[Problem]bool{}
	}
	if !l.seen[p] { // something may be looked at more than once
		l.seen[p] = true
		l.all = append(l.all, p)
		l.found++
	}
}

// err is the collected problems as an error, those of the file in its order, or nil.
func (l *problemList) err() error {
	if len(l.all) == 0 {
		return nil
	}
	slices.SortStableFunc(l.all, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if l.found > len(l.all) {
		return append(l.all, Problem{File: l.all[0].File, Message: fmt.Sprintf("there are more problems; these are the first %d that were found", len(l.all))})
	}
	return l.all
}
