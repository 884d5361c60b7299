package dispatchhttp

import (
	"context"
	"errors"
	"net"
	"net/http"

	"github.com/almanac-sim/almanac/dispatch"
)

// ErrorHandler is for [net/http/httputil.ReverseProxy] over a [Transport]: it answers 503 with Retry-After if there was no slot, 504 if the backend did not
// answer in time, 413 if the body was too large, and 502 otherwise. The client is not told which backend it was.
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
