// Package panics has the error of a panic that is caught in one goroutine and reported in another.
// The packages that return it export it under the name PanicError.
package panics

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// An Error is a panic of a function that the user gave.
type Error struct {
	Value   any     // the argument of panic
	Stack   []byte  // of the goroutine that panicked, as runtime/debug.Stack has it
	Process string  // the name of the process of a simulation; empty if it was not in a process
	Time    float64 // the simulated time, if it was in a process

	what  string // what panicked, as in "dispatch: a worker panicked"
	shown bool   // Error shows the stack
}

// New returns the error of a panic. What says what panicked: "dispatch: a worker panicked". Error
// shows the stack if shown is true.
func New(what string, value any, stack []byte, shown bool) *Error {
	return &Error{Value: value, Stack: stack, what: what, shown: shown}
}

// Error says what panicked, with which value, and, where nothing else would, shows the stack.
func (e *Error) Error() string {
	what := e.what
	if what == "" {
		what = "panic"
	}
	text := fmt.Sprintf("%s: %v", what, e.Value)
	if e.shown {
		text += "\n\n" + string(e.Stack)
	}
	return text
}

// Caught is the error of a panic whose value was just recovered; one that Group repeats is itself.
func Caught(value any) *Error {
	if e, ok := value.(*Error); ok {
		return e
	}
	return &Error{Value: value, Stack: debug.Stack()}
}

// A Group waits for goroutines, as a [sync.WaitGroup] does. A panic of one of them does not end the
// process: Wait panics with the first, as an *Error, when all have ended.
type Group struct {
	all   sync.WaitGroup
	once  sync.Once
	first *Error
}

// Go calls f in a goroutine.
func (g *Group) Go(f func()) {
	g.all.Go(func() {
		defer func() {
			if value := recover(); value != nil {
				e := Caught(value)
				g.once.Do(func() { g.first = e })
			}
		}()
		f()
	})
}

// Wait waits for all goroutines.
func (g *Group) Wait() {
	g.all.Wait()
	if g.first != nil {
		panic(g.first)
	}
}

// Unwrap returns the value of the panic, if that is an error.
func (e *Error) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
