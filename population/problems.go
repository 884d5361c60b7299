package population

import (
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/engine"
	"github.com/almanac-sim/almanac/population/internal/explain"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A Problem is one thing that is wrong with a model, and where: the File, or the change that was
// asked for (--set beta); Line and Column, from 1, or 0 if the problem has no place in a file; and
// a Message that says what was found and what was expected.
type Problem = diag.Problem

// Problems is the error for a model that cannot be run: all that is wrong with it, in the order of
// the file.
type Problems = diag.Problems

// ErrMemory is the error of a run that would take, or has come to take, more memory than there is.
var ErrMemory = engine.ErrMemory

// ErrDiagram is the error of a model with so many states, or ways between them, that a diagram
// would take too long to lay out.
var ErrDiagram = explain.ErrDiagram

// Out is where those go who leave the population.
const Out = syntax.Out
