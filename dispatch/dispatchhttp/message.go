package dispatchhttp

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// checkResponse returns an error if res cannot be the final response to req. A server panics if it
// is to send a status outside 100 to 999, and one below 200 would not end its response. Under
// ReverseProxy a switch to a protocol that was not asked for would hold its slot forever: it leaves
// such a response open.
func checkResponse(req *http.Request, res *http.Response) error {
	switch {
	case res.StatusCode == http.StatusSwitchingProtocols:
		if wanted, got := upgrade(req.Header), upgrade(res.Header); wanted == "" || !strings.EqualFold(wanted, got) {
			return fmt.Errorf("dispatchhttp: the backend switches to the protocol %q, and was asked for %q", got, wanted)
		}
	case res.StatusCode < 200 || res.StatusCode > 999:
		return fmt.Errorf("dispatchhttp: the backend's status is %q, and must be from 200 to 999", res.Status)
	}
	return nil
}

// upgrade returns the protocol that the header of a request or a response names to switch to, or
// "".
func upgrade(h http.Header) string {
	for _, value := range h["Connection"] {
		for option := range strings.SplitSeq(value, ",") {
			if strings.EqualFold(strings.TrimSpace(option), "upgrade") {
				return h.Get("Upgrade")
			}
		}
	}
	return ""
}

// locate returns the URL of a request at a backend. The path is written as it was in the request.
// host is what the request has as its Host.
func locate(backend, asked *url.URL, host string) *url.URL {
	u := *asked
	u.Scheme, u.Host, u.User = backend.Scheme, backend.Host, nil
	path := rawPath(asked)
	if backend.Path != "" {
		if path != "" && path[0] != '/' { // as of OPTIONS *
			path = "/" + path
			u.Path = "/" + u.Path
		}
		path = backend.EscapedPath() + path
		u.Path = backend.Path + u.Path
		u.RawPath = path
	}
	if path != u.EscapedPath() {
		u.Opaque = path
		if strings.HasPrefix(path, "//") { // net/url would take it for a host
			u.Opaque = "//" + host + path
		}
	}
	return &u
}

// rawPath returns the path of a URL as it was written. EscapedPath decodes and encodes a path that
// has a byte outside RFC 3986, and %2F becomes a slash. It is used if RawPath is not that of this
// path, or would end the path within a request line.
func rawPath(u *url.URL) string {
	path, err := url.PathUnescape(u.RawPath)
	ends := func(r rune) bool { return r <= ' ' || r == '?' || r == '#' || r == 0x7f }
	if u.RawPath == "" || err != nil || path != u.Path || strings.ContainsFunc(u.RawPath, ends) {
		return u.EscapedPath()
	}
	return u.RawPath
}
