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

// Problems is the error for a model that cannot be run: everything that is wrong with it, in the
// order of the file.
type Problems = diag.Problems

// ErrMemory is the error of a run that needs more memory than is available.
var ErrMemory = engine.ErrMemory

// ErrDiagram is the error of a model with too many states or arrows to lay out a diagram in
// reasonable time.
var ErrDiagram = explain.ErrDiagram

// Out is the target of flows that leave the population.
const Out = syntax.Out
