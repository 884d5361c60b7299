package httperr

import "fmt"

// A Error is an error that is for the visitor to read.
type Error struct {
	Status  int
	Message string
}

func (p Error) Error() string { return p.Message }

// Errorf is a problem with an HTTP status.
func Errorf(status int, format string, args ...any) error {
	return Error{status, fmt.Sprintf(format, args...)}
}
