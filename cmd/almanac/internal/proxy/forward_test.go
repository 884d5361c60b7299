package proxy

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What proxies that are believed have said comes first, in both headers; what others have is dropped.
func TestForwarded(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}
	for name, c := range map[string]struct {
		from, host string
		tls        bool
		in         http.Header
		want       http.Header
	}{
		"a client": {"192.0.2.1:5", "example.org", false, nil, http.Header{
			"X-Forwarded-For": {"192.0.2.1"}, "X-Forwarded-Host": {"example.org"}, "X-Forwarded-Proto": {"http"}, "Forwarded": {"for=192.0.2.1;proto=http;host=example.org"}}},
		"a client that lies": {"192.0.2.1:5", "example.org:8080", true, http.Header{"X-Forwarded-For": {"6.6.6.6"}, "Forwarded": {"for=6.6.6.6"}, "X-Forwarded-Host": {"evil"}, "X-Forwarded-Proto": {"evil"}}, http.Header{
			"X-Forwarded-For": {"192.0.2.1"}, "X-Forwarded-Host": {"example.org:8080"}, "X-Forwarded-Proto": {"https"}, "Forwarded": {`for=192.0.2.1;proto=https;host="example.org:8080"`}}},
		"a client by IPv6, and a strange host": {"[2001:db9::1%eth0]:5", `a"b\`, false, nil, http.Header{
			"X-Forwarded-For": {"2001:db9::1"}, "X-Forwarded-Host": {`a"b\`}, "X-Forwarded-Proto": {"http"}, "Forwarded": {`for="[2001:db9::1]";proto=http;host="a\"b\\"`}}},
		"a proxy": {"10.1.2.3:5", "inner", false, http.Header{"X-Forwarded-For": {"192.0.2.1, 2001:db8::2", "nonsense;"}, "X-Forwarded-Host": {"example.org"}, "X-Forwarded-Proto": {"https"}}, http.Header{
			"X-Forwarded-For": {"192.0.2.1, 2001:db8::2, nonsense;, 10.1.2.3"}, "X-Forwarded-Host": {"example.org"}, "X-Forwarded-Proto": {"https"},
			"Forwarded": {`for=192.0.2.1, for="[2001:db8::2]", for=unknown, for=10.1.2.3;proto=http;host=inner`}}},
		"a proxy that speaks RFC 7239": {"[2001:db8::1]:5", "inner", false, http.Header{"Forwarded": {"for=192.0.2.1;proto=https, for=_hidden"}, "X-Forwarded-Host": {"a", "b"}}, http.Header{
			"X-Forwarded-For": {"2001:db8::1"}, "X-Forwarded-Host": {"inner"}, "X-Forwarded-Proto": {"http"},
			"Forwarded": {`for=192.0.2.1;proto=https, for=_hidden, for="[2001:db8::1]";proto=http;host=inner`}}},
		"a proxy, mapped into IPv6": {"[::ffff:10.1.2.3]:5", "", false, http.Header{"X-Forwarded-For": {"192.0.2.1"}}, http.Header{
			"X-Forwarded-For": {"192.0.2.1, ::ffff:10.1.2.3"}, "X-Forwarded-Host": {""}, "X-Forwarded-Proto": {"http"}, "Forwarded": {"for=192.0.2.1, for=10.1.2.3;proto=http"}}},
		"nobody knows who": {"@", "h", false, http.Header{"X-Forwarded-For": {"6.6.6.6"}}, http.Header{
			"X-Forwarded-For": {"unknown"}, "X-Forwarded-Host": {"h"}, "X-Forwarded-Proto": {"http"}, "Forwarded": {"for=unknown;proto=http;host=h"}}},
	} {
		in := &http.Request{RemoteAddr: c.from, Host: c.host, Header: c.in}
		if c.tls {
			in.TLS = &tls.ConnectionState{}
		}
		got := http.Header{}
		forwarded(got, in, believed(trusted, c.from))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestVouched(t *testing.T) {
	for name, want := range map[string]bool{
		"Forwarded": true, "X-Forwarded-For": true, "X_forwarded_for": true, "X-Forwarded_port": true, "X-Real-Ip": true, "X_real-Ip": true, "Request_birth": true,
		"Request-Birth": false, // which the transport removes
		"X-Forward":     false, "Cookie": false, "X-Realm": false,
	} {
		if vouched(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
