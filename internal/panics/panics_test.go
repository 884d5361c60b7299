package panics

import (
	"errors"
	"io"
	"testing"
)

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
