package dispatchhttp

import (
	"context"
	"net/http"
	"net/netip"
	"strconv"
	"time"
)

// StartHeader is the header for the time at which a request started, when its first hop received or
// made it: milliseconds since 1970 in decimal digits, an Integer of RFC 9651. A [Transport] sets it
// with [SendStart] and removes it otherwise, so that a value from outside is not passed on. A
// [Limiter] reads it with [TrustStart].
const StartHeader = "Request-Start"

// maxDigits is the length of an Integer of RFC 9651.
const maxDigits = 15

// ParseStart parses the value of a [StartHeader]: 1 to 15 digits and nothing else. It reports
// whether the value is valid.
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

// FormatStart returns the value of a [StartHeader]. Times before 1970 become 1970, and times after
// the year 33658, which need more digits, become the last that fits.
func FormatStart(t time.Time) string {
	const last = 999_999_999_999_999
	return strconv.FormatInt(min(max(t.UnixMilli(), 0), last), 10)
}

type startKey struct{}

// WithStart returns a context with the start of a request, by which a [Transport] orders requests.
// A [Limiter] sets it for its handler. Set it if you retry a request yourself, so that it keeps its
// age.
func WithStart(ctx context.Context, start time.Time) context.Context {
	return context.WithValue(ctx, startKey{}, start)
}

// StartOf returns the start of the request of a context, if [WithStart] has set it.
func StartOf(ctx context.Context) (time.Time, bool) {
	t, ok := ctx.Value(startKey{}).(time.Time)
	return t, ok
}

// TrustedNetworks returns a function for [TrustStart]: it reports whether the peer address of a
// request is within one of the networks. Headers of proxies are ignored. It panics if a network is
// not valid.
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
