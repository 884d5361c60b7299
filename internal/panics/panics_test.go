package panics

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// explode is in the stack of its panic.
func explode() { panic("no") }

// Wait panics in the goroutine of the caller, with the stack of the goroutine that panicked, also
// through a group within a group.
func TestGroup(t *testing.T) {
	calm := 0
	defer func() {
		e, ok := recover().(*Error)
		if !ok || e.Value != "no" || !bytes.Contains(e.Stack, []byte("panics.explode")) || e.Error() != "panic: no" {
			t.Errorf("%v", e)
		}
		if calm != 1 {
			t.Error("the others were not waited for")
		}
	}()
	var outer Group
	begun := make(chan struct{})
	outer.Go(func() { <-begun; calm++ })
	outer.Go(func() {
		var inner Group
		inner.Go(explode)
		defer close(begun)
		inner.Wait()
	})
	outer.Wait()
	t.Error("there was no panic")
}

func TestError(t *testing.T) {
	stack := []byte("goroutine 7 [running]:")
	for want, e := range map[string]*Error{
		"dispatch: a worker panicked: no":                            New("dispatch: a worker panicked", "no", stack, false),
		"sim: process a panicked at 3: no\n\ngoroutine 7 [running]:": New("sim: process a panicked at 3", "no", stack, true),
		"panic: no": {Value: "no", Stack: stack},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if e.Unwrap() != nil {
			t.Errorf("%q unwraps to %v", want, e.Unwrap())
		}
	}
	var got *Error
	err := errors.Join(io.EOF, New("x", io.ErrNoProgress, nil, false))
	if !errors.As(err, &got) || got.Value != io.ErrNoProgress || !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("%v, %v", got, err)
	}
}
