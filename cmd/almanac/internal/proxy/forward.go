package proxy

import (
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/capped/cappedhttp"
)

// refused answers requests that are not for backends, and reports whether it did.
func (p *Proxy) refused(out *pacedWriter, r *http.Request) bool {
	switch {
	case r.Method == http.MethodConnect || r.Method == http.MethodTrace:
		// The one is for another kind of proxy, the other tells scripts what they should not see.
		out.close = out.close || r.Method == http.MethodConnect
		out.refuse(&p.counts.method, http.StatusMethodNotAllowed)
	case r.URL.Opaque != "" || r.URL.User != nil || r.URL.Scheme != "" && r.URL.Scheme != "http" && r.URL.Scheme != "https" || !strings.HasPrefix(r.URL.Path, "/"):
		out.close = true
		out.refuse(&p.counts.malformed, http.StatusBadRequest)
	case r.Method == http.MethodOptions && r.Header.Get("Max-Forwards") == "0":
		// RFC 9110, section 7.6.2: we are who is asked.
		out.WriteHeader(http.StatusNoContent)
	default:
		return false
	}
	return true
}

// onlyWebSocket drops what asks for another protocol, as a server may (RFC 9110, section 7.8), unless it is WebSocket: to pass an upgrade to h2c is to pass all further
// requests unseen.
func onlyWebSocket(r *http.Request) {
	if up := r.Header["Upgrade"]; len(up) > 0 && (len(up) > 1 || !strings.EqualFold(up[0], "websocket") || r.Method != http.MethodGet) {
		r.Header.Del("Upgrade")
	}
	r.Header.Del("Http2-Settings")
}

// rewrite makes the request that a backend gets. ReverseProxy has removed hop-by-hop headers (RFC 9110, section 7.6.1), with those that Connection names.
func (p *Proxy) rewrite(r *httputil.ProxyRequest) {
	// RFC 9110, section 7.7: the path and the query are as they were asked for, also where they are strange.
	r.Out.URL.RawQuery = r.In.URL.RawQuery
	h := r.Out.Header
	h.Del("Expect") // that the body may be sent was said by us
	if r.Out.Method == http.MethodOptions {
		if n, err := strconv.Atoi(h.Get("Max-Forwards")); err == nil && n > 0 {
			h.Set("Max-Forwards", strconv.Itoa(n-1))
		}
	}
	h.Add("Via", strconv.Itoa(r.In.ProtoMajor)+"."+strconv.Itoa(r.In.ProtoMinor)+" almanac") // section 7.6.3
	for name := range h {
		if vouched(name) {
			delete(h, name)
		}
	}
	s := r.In.Context().Value(settingsKey{}).(*settings)
	forwarded(h, r.In, believed(s.trusted, r.In.RemoteAddr))
}

// vouched reports whether a header is one by which a proxy says where a request came from, also as programs see it that take _ for -.
func vouched(name string) bool {
	if name == cappedhttp.BirthHeader {
		return false // the limit reads it, and the transport removes it
	}
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	return name == "forwarded" || strings.HasPrefix(name, "x-forwarded-") || name == "x-real-ip" || name == "request-birth"
}

func believed(trusted []netip.Prefix, remote string) bool {
	from, err := netip.ParseAddrPort(remote)
	return err == nil && slices.ContainsFunc(trusted, func(n netip.Prefix) bool { return n.Contains(from.Addr().Unmap()) })
}

// forwarded says where a request came from, in both ways. What proxies that are believed have said comes before that; what others have is dropped.
func forwarded(h http.Header, in *http.Request, believed bool) {
	peer, _, err := net.SplitHostPort(in.RemoteAddr)
	if err != nil {
		peer = "unknown"
	}
	peer, _, _ = strings.Cut(peer, "%") // a zone means something on this machine alone
	proto := "http"
	if in.TLS != nil {
		proto = "https"
	}
	host := in.Host
	var chain []string // as X-Forwarded-For has it
	var elements []string
	if believed {
		for _, line := range in.Header["X-Forwarded-For"] {
			for node := range strings.SplitSeq(line, ",") {
				if node = strings.TrimSpace(node); node != "" {
					chain = append(chain, node)
				}
			}
		}
		for _, line := range in.Header["Forwarded"] {
			if line = strings.TrimSpace(line); line != "" {
				elements = append(elements, line)
			}
		}
		if len(elements) == 0 { // RFC 7239, section 7.4
			for _, node := range chain {
				elements = append(elements, "for="+quoted(nodeOf(node)))
			}
		}
		// The first proxy was asked for these; they are kept only if there is no doubt which they are.
		if v := in.Header["X-Forwarded-Host"]; len(v) == 1 && v[0] != "" {
			h["X-Forwarded-Host"] = v
		}
		if v := in.Header["X-Forwarded-Proto"]; len(v) == 1 && v[0] != "" {
			h["X-Forwarded-Proto"] = v
		}
	}
	h.Set("X-Forwarded-For", strings.Join(append(chain, peer), ", "))
	if h["X-Forwarded-Host"] == nil {
		h.Set("X-Forwarded-Host", host)
	}
	if h["X-Forwarded-Proto"] == nil {
		h.Set("X-Forwarded-Proto", proto)
	}
	element := "for=" + quoted(nodeOf(peer)) + ";proto=" + proto
	if host != "" {
		element += ";host=" + quoted(host)
	}
	h.Set("Forwarded", strings.Join(append(elements, element), ", "))
}

// nodeOf is an address as RFC 7239, section 6, has it.
func nodeOf(text string) string {
	if a, err := netip.ParseAddr(text); err == nil {
		if a = a.Unmap().WithZone(""); a.Is6() {
			return "[" + a.String() + "]"
		}
		return a.String()
	}
	return "unknown"
}

// quoted is a value as a token if it is one, and else as a quoted string (RFC 9110, section 5.6).
func quoted(s string) string {
	token := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !token(r) }) < 0 {
		return s
	}
	return `"` + escapes.Replace(s) + `"`
}

// escapes is made once: to make it takes longer than to use it.
var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
