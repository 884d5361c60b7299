// Package httperr has errors with an HTTP status and a message for the visitor.
package httperr

import "fmt"

// An Error is shown to the visitor.
type Error struct {
	Status  int
	Message string
}

func (e Error) Error() string { return e.Message }

// Errorf formats an Error.
func Errorf(status int, format string, args ...any) error {
	return Error{status, fmt.Sprintf(format, args...)}
}
