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

// Who may ask, and what a browser may do with the answer.
//
// A page on loopback is open to every program of the machine, and through a browser to every site
// that its user visits, unless it is careful:
//
//   - A site can give its own name the address 127.0.0.1 and so make the browser take us for itself
//     (DNS rebinding). The browser then sends that name as Host, and we answer only to our own.
//   - A site can let the browser post a form to us. Browsers say where a request comes from
//     (Sec-Fetch-Site, Origin), and what changes something must come from us.
//   - A model file can have anything in it. Templates escape it, and should one not, the policy
//     lets no script run but ours.

// policy is the Content-Security-Policy of every answer: our own files, and nothing inline.
// Pictures may also be those that the script makes.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src " +
	"'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// tokenCookie is where a browser keeps that it knows the token. It is sent to whatever else listens
// on the same host, on any port, so it has a hash of the token, from which nobody learns it; and it
// has the port in its name, so that two servers on a host do not take each other's place.
const tokenCookie = "almanac_token"

// cookieName is that of the server that a browser asks for.
func cookieName(r *http.Request) string {
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		return tokenCookie + "_" + port
	}
	return tokenCookie
}

// NewToken makes a token that nobody guesses.
func NewToken() string { return rand.Text() }

// guard stands before everything.
func (s *Server) guard(next http.Handler) http.Handler {
	next = s.requireToken(next)
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, httperr.Error{Status: http.StatusForbidden, Message: "this came from another site, and would change something here"})
	}))
	// in a copy of the request: net/http looks at its own body
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

// knownHost reports whether the server goes by a name: localhost and addresses of loopback; if it
// listens anywhere, all addresses, which no site can pass off as its own name; and, if visitors
// must know a token, the names that it was told: something before it may have them.
func (s *Server) knownHost(host string) bool {
	name := host
	if h, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil { // something else stands there
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

// requireToken lets those in who know the token, if there is one: by a cookie, by a link that sets it, or
// by a header.
func (s *Server) requireToken(next http.Handler) http.Handler {
	if s.config.Token == "" {
		return next
	}
	hash := func(token string) []byte {
		sum := sha256.Sum256([]byte(token))
		return []byte(hex.EncodeToString(sum[:]))
	}
	// Hashes have the same length, and comparing them takes as long wherever they differ.
	known := hash(s.config.Token)
	right := func(token string) bool { return subtle.ConstantTimeCompare(hash(token), known) == 1 }
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if token := query.Get("token"); token != "" && (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
			right(token) {
			http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: string(known), Path: "/", HttpOnly: true,
				SameSite: http.SameSiteLaxMode, MaxAge: 30 * 24 * 3600})
			query.Del("token") // which is not to stay in the address, nor in the history
			to := *r.URL
			to.RawQuery = query.Encode()
			http.Redirect(w, r, "/"+strings.TrimLeft(to.RequestURI(), "/\\"), http.StatusSeeOther)
			return
		}
		if query.Has("token") { // a page has its own address in it, and that is not to have the token
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
