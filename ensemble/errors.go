package ensemble

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// refused reports whether the hub was reached and rejected us, which waiting does not change.
func refused(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) ||
		errors.Is(err, nats.ErrAuthRevoked) || errors.Is(err, nats.ErrSecureConnRequired)
}

// connectError explains an error of a connection.
func connectError(where string, err error) error {
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		return fmt.Errorf("ensemble: the hub at %s does not accept our credentials: %w", where, err)
	case errors.Is(err, nats.ErrSecureConnRequired):
		return fmt.Errorf("ensemble: the hub at %s wants TLS: %w", where, err)
	case errors.Is(err, nats.ErrConnectionClosed):
		return fmt.Errorf("ensemble: the connection to %s was closed: %w", where, err)
	default:
		return fmt.Errorf("ensemble: no hub at %s: %w", where, err)
	}
}

// transient reports whether an error may go away by itself: the server restarts, elects a leader,
// or is not reachable. A cancelled attempt means that the connection was lost; callers check their
// own context.
func transient(err error) bool {
	if isFull(err) {
		return false
	}
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.Code == 503 || api.Code == 500
	}
	for _, e := range []error{
		context.DeadlineExceeded, context.Canceled, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected,
		nats.ErrConnectionReconnecting,
		nats.ErrReconnectBufExceeded, nats.ErrNoServers, jetstream.ErrNoStreamResponse, jetstream.ErrNoHeartbeat,
		jetstream.ErrJetStreamNotEnabled,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// noJetStream reports whether the server is reachable and has no JetStream, or not yet.
func noJetStream(err error) bool {
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled) ||
		errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount)
}

// isFull reports whether the server cannot store more.
func isFull(err error) bool {
	// The server's error codes for exceeded storage limits and for a failed write.
	const limit, resources, failed, created = 10047, 10023, 10077, 10049
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return false
	}
	return api.ErrorCode == limit || api.ErrorCode == resources || api.ErrorCode == failed ||
		// A failed write while a stream is made has the code of all that can fail there.
		api.ErrorCode == created && strings.HasPrefix(api.Description, "error creating store for stream")
}

// redact removes secrets from addresses.
func redact(text string) string {
	all := strings.Split(text, ",")
	for i, one := range all {
		one = strings.TrimSpace(one)
		u, err := url.Parse(one)
		switch {
		case err == nil && u.User != nil:
			u.User = nil
			all[i] = u.String()
		case strings.Contains(one, "@"):
			all[i] = one[strings.LastIndex(one, "@")+1:]
		case err != nil && !strings.Contains(one, ":"):
			all[i] = "(an address that cannot be parsed)"
		}
	}
	return strings.Join(all, ",")
}

// isStoredAlready reports whether a message was not stored because its subject already had one.
func isStoredAlready(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode ==
		jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// A backoff is the time to wait before the next attempt. It doubles each time, up to five seconds.
type backoff struct{ next time.Duration }

// wait waits, and reports whether ctx is not done.
func (b *backoff) wait(ctx context.Context) bool {
	b.next = min(max(2*b.next, 50*time.Millisecond), 5*time.Second)
	timer := time.NewTimer(b.next)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
