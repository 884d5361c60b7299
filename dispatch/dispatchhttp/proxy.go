package dispatchhttp

import (
	"context"
	"errors"
	"net"
	"net/http"

	"github.com/almanac-sim/almanac/dispatch"
)

// ErrorHandler is the ErrorHandler of a [net/http/httputil.ReverseProxy] over a [Transport]. It
// responds with 503 and Retry-After if there was no slot, 504 if the backend timed out, 413 if the
// body was too large, and 502 otherwise. The response does not name the backend.
func ErrorHandler(w http.ResponseWriter, _ *http.Request, err error) {
	status := http.StatusBadGateway
	n, timed := errors.AsType[net.Error](err)
	_, large := errors.AsType[*http.MaxBytesError](err)
	switch {
	case errors.Is(err, dispatch.ErrFull), errors.Is(err, dispatch.ErrTooOld), errors.Is(err, dispatch.ErrClosed):
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "1")
	case large:
		status = http.StatusRequestEntityTooLarge
	case errors.Is(err, context.DeadlineExceeded), timed && n.Timeout():
		status = http.StatusGatewayTimeout
	}
	http.Error(w, http.StatusText(status), status)
}
