// Package httperr has errors with an HTTP status and a message for the visitor.
package httperr

import (
	"errors"
	"fmt"
	"net/http"
)

// An Error is shown to the visitor.
type Error struct {
	Status  int
	Message string
}

func (e Error) Error() string { return e.Message }

// Is reports whether err has a status.
func Is(err error, status int) bool {
	e, ok := errors.AsType[Error](err)
	return ok && e.Status == status
}

// NotFound formats an Error with status 404.
func NotFound(format string, args ...any) error {
	return Errorf(http.StatusNotFound, format, args...)
}

// Unprocessable formats an Error with status 422.
func Unprocessable(format string, args ...any) error {
	return Errorf(http.StatusUnprocessableEntity, format, args...)
}

// Errorf formats an Error.
func Errorf(status int, format string, args ...any) error {
	return Error{status, fmt.Sprintf(format, args...)}
}
