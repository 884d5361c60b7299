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

// A problemList collects what is wrong.
type problemList struct {
	all  Problems
	seen map[Problem]bool
}

func (l *problemList) add(at place, format string, args ...any) {
	if strings.HasPrefix(at.file, "--") { // what stands on a command line has no lines
		at = place{file: at.file}
	}
	p := Problem{File: at.file, Line: at.line, Column: at.column, Message: fmt.Sprintf(format, args...)}
	if l.seen == nil {
		l.seen = map[Problem]bool{}
	}
	if !l.seen[p] { // something may be looked at more than once
		l.seen[p] = true
		l.all = append(l.all, p)
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
	return l.all
}
