// Package access decides who may use a listener: programs of this machine alone, or clients that
// have a token.
package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
)

// Loopback reports whether only this machine can reach a listener on host. An empty host stands for
// every interface.
func Loopback(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.IsLoopback()
	}
	return host == "localhost"
}

// ReadToken reads a token from a file: one word on one line. Errors name the file and never its
// content.
func ReadToken(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	words := strings.Fields(string(text))
	if len(words) != 1 || len(words[0]) > 4096 {
		return "", fmt.Errorf("%s should have a token: one word on one line", file)
	}
	return words[0], nil
}

// Guard serves requests that have the token, as bearer or as password. Without a token it serves
// requests for an address or localhost: a browser whose page was loaded from elsewhere, and whose
// host name now resolves to this address, sends that name.
func Guard(next http.Handler, token, realm string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		switch {
		case token == "" && host != "localhost" && net.ParseIP(strings.Trim(host, "[]")) == nil:
			http.Error(w, "ask for this page by the address of the machine, or as localhost", http.StatusForbidden)
		case token != "" && !admits(r, token):
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Basic realm=%q, charset="UTF-8"`, realm))
			http.Error(w, "a token is needed: as bearer, or as password", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// admits reports whether a request has the token. The time it takes does not depend on how much of
// it is right.
func admits(r *http.Request, token string) bool {
	said, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bearer {
		_, said, _ = r.BasicAuth()
	}
	a, b := sha256.Sum256([]byte(said)), sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
