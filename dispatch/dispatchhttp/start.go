package dispatchhttp

import (
	"context"
	"net/http"
	"net/netip"
	"strconv"
	"time"
)

// BirthHeader is the header in which a request says when it was born: milliseconds since the beginning of 1970, in decimal digits, an Integer of
// RFC 9651. A [Transport] sets it with [SendBirth] and removes it otherwise, so that what a stranger says does not get by; a [Limiter] reads it
// with [TrustBirth].
const StartHeader = "Request-Start"

// mostDigits are those of an Integer of RFC 9651.
const maxDigits = 15

// ParseBirth reads what a [BirthHeader] says, and reports whether it was one: 1 to 15 digits and nothing else.
func ParseStart(s string) (time.Time, bool) {
	if len(s) == 0 || len(s) > maxDigits {
		return time.Time{}, false
	}
	ms := int64(0)
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return time.Time{}, false
		}
		ms = 10*ms + int64(c-'0')
	}
	return time.UnixMilli(ms), true
}

// FormatBirth is what [ParseBirth] reads. Times before 1970 are as 1970, and those after the year 33658, for which there are no digits, as
// the last that there is.
func FormatStart(t time.Time) string {
	const last = 999_999_999_999_999
	return strconv.FormatInt(min(max(t.UnixMilli(), 0), last), 10)
}

type startKey struct{}

// WithBirth says when the request of a context was born: a [Transport] orders requests by that. A [Limiter] says it of what it lets through. Who
// tries a request again by hand says it, so that it comes before those that are younger.
func WithStart(ctx context.Context, birth time.Time) context.Context {
	return context.WithValue(ctx, startKey{}, birth)
}

// BirthOf is when the request of a context was born, if it was said.
func StartOf(ctx context.Context) (time.Time, bool) {
	t, ok := ctx.Value(startKey{}).(time.Time)
	return t, ok
}

// TrustedNetworks is for [TrustBirth]: it reports whether a request came straight from an address within one of the networks. That a proxy
// says it came from one does not count.
func TrustedNetworks(networks ...netip.Prefix) func(*http.Request) bool {
	for i, n := range networks {
		demand(n.IsValid(), "network "+strconv.Itoa(i), "valid, like 10.0.0.0/8", n)
	}
	return func(r *http.Request) bool {
		from, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil {
			return false
		}
		address := from.Addr().Unmap()
		for _, n := range networks {
			if n.Contains(address) {
				return true
			}
		}
		return false
	}
}
