package page

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/page/internal/httperr"
)

// A server on loopback can be reached by every program of the machine and, through the browser, by
// every site that its user visits:
//
//   - A site can resolve its own name to 127.0.0.1 (DNS rebinding). The browser then sends that
//     name as Host, which the server refuses.
//   - A site can post a form to the server. Browsers send where a request comes from
//     (Sec-Fetch-Site, Origin), and requests that change something must come from the page itself.
//   - A model file can contain anything. Templates escape it, and if one did not, the policy below
//     would still allow no script but ours.

// policy is the Content-Security-Policy of every response: our own files, nothing inline. Images
// may also be made by the script.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src " +
	"'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// tokenCookie stores a hash of the token, since browsers send cookies to all ports of a host. The
// port is part of its name, so that two servers on a host do not interfere.
const tokenCookie = "almanac_token"

func cookieName(r *http.Request) string {
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		return tokenCookie + "_" + port
	}
	return tokenCookie
}

// NewToken returns a random token.
func NewToken() string { return rand.Text() }

// guard checks every request and sets the headers of every response.
func (s *Server) guard(next http.Handler) http.Handler {
	next = s.requireToken(next)
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, httperr.Errorf(http.StatusForbidden, "this came from another site, and would change something here"))
	}))
	// MaxBytesHandler copies the request: net/http inspects its own body.
	next = http.MaxBytesHandler(origin.Handler(next), s.limits.Body)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !s.knownHost(r.Host) {
			http.Error(w, "Host: this server does not go by that name", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knownHost reports whether the server accepts a Host: localhost and loopback addresses; all
// addresses if it listens on them, since no site can use those as its name; and, with a token, the
// configured names.
func (s *Server) knownHost(host string) bool {
	name := host
	if h, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil { // not a port
			return false
		}
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if a, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return a.Unmap().IsLoopback() || s.config.Anywhere
	}
	return name == "localhost" || s.config.Token != "" && slices.ContainsFunc(s.config.Names, func(n string) bool {
		return strings.EqualFold(n, name)
	})
}

// requireToken admits requests that have the token in a cookie, in a link that sets the cookie, or
// in a header.
func (s *Server) requireToken(next http.Handler) http.Handler {
	if s.config.Token == "" {
		return next
	}
	hash := func(token string) []byte {
		sum := sha256.Sum256([]byte(token))
		return []byte(hex.EncodeToString(sum[:]))
	}
	// Hashes have equal lengths, so the comparison takes constant time.
	known := hash(s.config.Token)
	right := func(token string) bool { return subtle.ConstantTimeCompare(hash(token), known) == 1 }
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if token := query.Get("token"); token != "" && (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
			right(token) {
			http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: string(known), Path: "/", HttpOnly: true,
				SameSite: http.SameSiteLaxMode, MaxAge: 30 * 24 * 3600})
			query.Del("token") // keep it out of the address bar and the history
			to := *r.URL
			to.RawQuery = query.Encode()
			http.Redirect(w, r, "/"+strings.TrimLeft(to.RequestURI(), "/\\"), http.StatusSeeOther)
			return
		}
		if query.Has("token") { // pages contain their own address
			query.Del("token")
			r = r.Clone(r.Context())
			r.URL.RawQuery = query.Encode()
		}
		cookie, err := r.Cookie(cookieName(r))
		token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if err == nil && subtle.ConstantTimeCompare([]byte(cookie.Value), known) == 1 || bearer && right(token) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="almanac"`)
		http.Error(w, "a token is needed: open the link that almanac serve printed", http.StatusUnauthorized)
	})
}
