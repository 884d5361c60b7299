// Package hubconf reads configuration files of nats-server, refuses what is not safe for a hub, and
// adapts the server's log to slog.
package hubconf

import (
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/nats-io/nats-server/v2/conf"
	"github.com/nats-io/nats-server/v2/server"
)

// acceptedKeys are the top-level keys that a hub's configuration file may have. They configure the
// clients' listener, credentials, TLS and limits. None opens another listener, and none admits
// clients without credentials. Every other key is refused, including new keys of a later
// nats-server.
const acceptedKeys = `
	listen host net port client_advertise server_name server_tags server_metadata
	authorization accounts mappings maps
	operator operators roots root root_operators root_operator trusted trusted_keys
	resolver account_resolver accounts_resolver resolver_tls resolver_preload resolver_pinned_accounts
	system_account system no_system_account no_system no_sys_acc
	tls ocsp ocsp_cache jetstream
	max_connections max_conn max_subscriptions max_subs max_sub_tokens max_subscription_tokens
	max_control_line max_payload max_pending max_closed_clients
	ping_interval ping_max write_deadline write_timeout no_fast_producer_stall lame_duck_duration lame_duck_grace_period`

// whyRefused explains, for the best-known refused keys, what is wrong and what would be right.
func whyRefused(key string) string {
	switch strings.ToLower(key) {
	case "http", "https", "http_port", "https_port", "monitor_port", "prof_port":
		return "it opens a listener that needs no credentials; the hub's numbers are at --metrics"
	case "cluster":
		return "the hub sets it from --cluster, --cluster-listen and --routes"
	case "store_dir", "storedir":
		return "the hub sets it from --store"
	case "websocket", "ws", "mqtt", "leafnodes", "leaf", "gateway":
		return "it opens another listener; for that, run a nats-server of your own as the hub"
	case "no_auth_user", "default_sentinel":
		return "it admits clients without credentials; remove it, and give every client credentials"
	case "allow_non_tls":
		return "it admits clients without a certificate; remove it"
	}
	return "a hub's configuration may have the keys of the clients' listener, of credentials (authorization, accounts, " +
		"operator, resolver), " +
		"tls, jetstream and limits; for other keys, run a nats-server of your own as the hub"
}

// Read reads a configuration file of nats-server, with the files it includes.
func Read(name string) (*server.Options, error) {
	if err := followIncludes(name, 0); err != nil {
		return nil, err
	}
	all, err := conf.ParseFileWithChecks(name)
	if err != nil {
		return nil, fmt.Errorf("ensemble: the hub's configuration %s: %w", name, err)
	}
	keys := make([]string, 0, len(all))
	for key := range all {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	accepted := strings.Fields(acceptedKeys)
	for _, key := range keys {
		if slices.Contains(accepted, strings.ToLower(key)) {
			continue
		}
		where := name
		if at, ok := all[key].(configToken); ok {
			if at.IsUsedVariable() && !serverKnows(key) {
				continue
			}
			where = fmt.Sprintf("%s:%d", at.SourceFile(), at.Line())
		}
		return nil, fmt.Errorf("ensemble: the hub's configuration %s: %q is not accepted: %s", where, key, whyRefused(key))
	}
	s, err := server.ProcessConfigFile(name)
	if err != nil {
		return nil, fmt.Errorf("ensemble: the hub's configuration %s: %w", name, err)
	}
	switch {
	case s.AuthCallout != nil:
		return nil, fmt.Errorf("ensemble: the hub's configuration %s: in authorization, \"auth_callout\" is not accepted: "+
			"another program decides there whom to admit; for that, run a nats-server of your own as the hub", name)
	case s.ProxyRequired:
		return nil, fmt.Errorf("ensemble: the hub's configuration %s: in authorization, \"proxy_required\" is not accepted: "+
			"a hub has no trusted proxies; remove it", name)
	}
	// otherwise a client of the system account could reload it: unchecked, and without the hub's
	// own options
	s.ConfigFile = ""
	return s, nil
}

// followIncludes refuses a file that includes itself, or nests includes too deeply: the parser of
// nats-server would follow them until its stack overflows. Unreadable files are left to the parser,
// which reports them.
func followIncludes(name string, depth int) error {
	const most = 10
	if depth > most {
		return fmt.Errorf("ensemble: the hub's configuration %s is included more than %d files deep: does it include itself?",
			name, most)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	include := regexp.MustCompile(`(?m)^\s*include\s+['"]?([^'"\s;}]+)`)
	for _, found := range include.FindAllSubmatch(text, -1) {
		if err := followIncludes(filepath.Join(filepath.Dir(name), string(found[1])), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// A configToken is a value of a parsed configuration file.
type configToken interface {
	Line() int
	SourceFile() string
	IsUsedVariable() bool
}

// serverKnows reports whether nats-server has a top-level key of this name. Variables are top-level
// keys that it does not have.
func serverKnows(key string) bool {
	err := new(server.Options).ProcessConfigString(fmt.Sprintf("%q: true", key))
	return err == nil || !strings.Contains(err.Error(), "unknown field")
}

// VerifiesClients reports whether every client must have a certificate signed by a given CA.
// Without a CA, the server would accept certificates of the system's authorities.
func VerifiesClients(s *server.Options) bool {
	return s.TLSConfig != nil && s.TLSConfig.ClientAuth == tls.RequireAndVerifyClientCert && s.TLSConfig.ClientCAs != nil
}

// Guarded returns an error if a client could connect without a secret.
func Guarded(s *server.Options) error {
	if VerifiesClients(s) {
		return nil
	}
	if s.TLSConfig != nil && s.TLSConfig.ClientAuth == tls.RequireAndVerifyClientCert && (s.TLSMap || !HasCredentials(s)) {
		return errors.New("needs a ca_file with verify in tls: without it, every certificate of a public authority would " +
			"be accepted")
	}
	if !HasCredentials(s) {
		return errors.New("needs credentials: a token file, a CA for clients' certificates, or a configuration with users")
	}
	if s.Username != "" && s.Password == "" {
		return fmt.Errorf("needs credentials: user %q has no password", s.Username)
	}
	for _, u := range s.Users {
		if u.Password == "" {
			return fmt.Errorf("needs credentials: user %q has no password", u.Username)
		}
	}
	return nil
}

// HasCredentials reports whether clients need credentials.
func HasCredentials(s *server.Options) bool {
	return s.Authorization != "" || s.Username != "" || len(s.Users)+len(s.Nkeys)+len(s.TrustedOperators)+len(
		s.TrustedKeys) > 0
}
