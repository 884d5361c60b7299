//go:build linux || darwin

package ensemble

import (
	"crypto/tls"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	guests    = "authorization { users: [ { user: a, password: b } ] }\n"
	nkeyUsers = "authorization { users: [ { nkey: UCNGL4W5QX66CFX6A6DCBVDH5VOHMI7B2UZZU7TXAUQQSI2JPHULCKBR } ] }\n"
)

// TestHubConfigRefused checks configurations that open a listener beside the clients', or that
// admit clients without credentials. Each must be refused before the hub has made its store, and so
// before it has opened a port.
func TestHubConfigRefused(t *testing.T) {
	ca, sign := authority(t)
	cert, key := sign("hub")
	encrypted := "cert_file: \"" + cert + "\", key_file: \"" + key + "\""
	included := file(t, "more.conf", "\nhttp_port: 8222\n")
	for name, c := range map[string]struct{ config, want string }{
		// Other listeners. The clients' one has users, or is on loopback.
		"websocket": {guests + "websocket { listen: \"0.0.0.0:0\", no_tls: true }",
			`hub.conf:2: "websocket" is not accepted`},
		"ws": {guests + "ws { port: 8080, no_tls: true }", `hub.conf:2: "ws" is not accepted`},
		"mqtt": {guests + "server_name: s\nmqtt { listen: \"0.0.0.0:0\" }",
			`hub.conf:3: "mqtt" is not accepted`},
		"leafnodes": {guests + "leafnodes { listen: \"0.0.0.0:0\" }", `hub.conf:2: "leafnodes" is not accepted`},
		"leaf":      {guests + "leaf { port: 7422 }", `hub.conf:2: "leaf" is not accepted`},
		"leafnodes, users": {guests + "leafnodes { port: 7422, authorization { user: a, password: b } }",
			`"leafnodes" is not accepted`},
		"gateway":         {guests + "gateway { name: g, listen: \"0.0.0.0:0\" }", `hub.conf:2: "gateway" is not accepted`},
		"cluster":         {guests + "cluster { name: c, listen: \"0.0.0.0:0\" }", `hub.conf:2: "cluster" is not accepted`},
		"cluster, routes": {guests + "cluster { name: c, port: 6222, routes: [\"nats://10.0.0.2:6222\"] }", `--cluster`},
		"http":            {guests + "http: 0.0.0.0:8222", `hub.conf:2: "http" is not accepted`},
		"HTTP":            {guests + "HTTP: 0.0.0.0:8222", `hub.conf:2: "HTTP" is not accepted`},
		"https": {guests + "tls { " + encrypted + " }\nhttps: 0.0.0.0:8222",
			`hub.conf:3: "https" is not accepted`},
		"http_port":    {guests + "http_port: 8222", `--metrics`},
		"monitor_port": {guests + "monitor_port: 8222", `hub.conf:2: "monitor_port" is not accepted`},
		"https_port": {guests + "tls { " + encrypted + " }\nhttps_port: 8222",
			`hub.conf:3: "https_port" is not accepted`},
		"prof_port": {guests + "prof_port: 6060", `hub.conf:2: "prof_port" is not accepted`},
		"http, included": {guests + "include \"" + filepath.Base(included) + "\"",
			`more.conf:2: "http_port" is not accepted`},
		"http as variable": {"http_port: 8222\nmax_connections: $http_port\n" + guests,
			`hub.conf:1: "http_port" is not accepted`},
		"http on loopback":  {"http: 127.0.0.1:8222", `hub.conf:1: "http" is not accepted`},
		"a key of tomorrow": {guests + "quic { port: 1 }", `"quic"`},

		// Ways past the credentials.
		"no_auth_user": {guests + "no_auth_user: a", `hub.conf:2: "no_auth_user" is not accepted`},
		"no_auth_user nkey": {nkeyUsers + "no_auth_user: UCNGL4W5QX66CFX6A6DCBVDH5VOHMI7B2UZZU7TXAUQQSI2JPHULCKBR",
			`"no_auth_user" is not accepted`},
		"allow_non_tls": {"tls { " + encrypted + ", ca_file: \"" + ca + "\", verify: true }\nallow_non_tls: true",
			`hub.conf:2: "allow_non_tls" is not accepted`},
		"default_sentinel": {guests + "default_sentinel: x", `hub.conf:2: "default_sentinel" is not accepted`},
		"proxies":          {guests + "proxies { trusted: [] }", `hub.conf:2: "proxies" is not accepted`},
		"proxy_protocol":   {guests + "proxy_protocol: true", `hub.conf:2: "proxy_protocol" is not accepted`},
		"auth_callout": {"authorization { users: [ { user: a, password: b } ]\n" +
			" auth_callout { issuer: ABJHLOVMPA4CI6R5KLNGOB4GSLNIY7IOUPAJC4YFNDLQVIOBYQGUWVLA, auth_users: [a] } }",
			`"auth_callout" is not accepted`},
		"proxy_required": {"authorization { user: a, password: b, proxy_required: true }",
			`"proxy_required" is not accepted`},

		// Credentials that are none, for a listener beyond loopback.
		"nothing":               {"max_connections: 10", "needs credentials"},
		"empty authorization":   {"authorization { }", "needs credentials"},
		"timeout alone":         {"authorization { timeout: 2 }", "needs credentials"},
		"no users":              {"authorization { users: [] }", "needs credentials"},
		"empty token":           {`authorization { token: "" }`, "needs credentials"},
		"password without user": {"authorization { password: b }", "needs credentials"},
		"user without password": {"authorization { user: a }", `user "a" has no password`},
		"users without password": {"authorization { users: [ { user: a, password: b }, { user: c } ] }",
			`user "c" has no password`},
		"account's user without": {"accounts { A: { users: [ { user: c } ] } }", `user "c" has no password`},
		"accounts without users": {"accounts { A: { }, B: { jetstream: true } }", "needs credentials"},
		"no operators":           {"operator: []", "needs credentials"},
		"TLS alone":              {"tls { " + encrypted + " }", "needs credentials"},
		"verify: false":          {"tls { " + encrypted + ", ca_file: \"" + ca + "\", verify: false }", "needs credentials"},
		"verify without CA":      {"tls { " + encrypted + ", verify: true }", "ca_file"},
		"map without CA": {"tls { " + encrypted + ", verify_and_map: true }\n" +
			"authorization { users: [ { user: \"a@example.org\" } ] }", "ca_file"},
	} {
		t.Run(name, func(t *testing.T) {
			config := file(t, "hub.conf", c.config)
			text, err := os.ReadFile(included)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(filepath.Dir(config), filepath.Base(included)), text, 0o600); err != nil {
				t.Fatal(err)
			}
			o := HubOptions{Store: filepath.Join(quickDir(t), "hub"), Listen: "0.0.0.0:0", Config: config}
			if strings.Contains(name, "loopback") {
				o.Listen = "127.0.0.1:0"
			}
			h, err := StartHub(o)
			if err == nil {
				h.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrNotStarted) {
				t.Errorf("%v, and not %q", err, c.want)
			}
			if _, err := os.Stat(o.Store); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the hub began to start: %v", err)
			}
		})
	}
}

// TestHubConfigAccepted checks that configurations with credentials start beyond loopback, with the
// clients' listener alone.
func TestHubConfigAccepted(t *testing.T) {
	ca, sign := authority(t)
	cert, key := sign("hub")
	verified := "cert_file: \"" + cert + "\", key_file: \"" + key + "\", ca_file: \"" + ca + "\""
	for name, config := range map[string]string{
		"user":  "authorization { user: a, password: b }",
		"token": "authorization { token: a-token }",
		"users": guests,
		"nkeys": nkeyUsers,
		"accounts": "accounts { A: { jetstream: enabled, users: [ { user: a, password: b } ] }, SYS: { users: [ { user: " +
			"s, password: t } ] } }\nsystem_account: SYS",
		"variables": "WORK = { publish: \">\", subscribe: \">\" }\nauthorization { ALL = { publish: \">\" }\n" +
			" users: [ { user: a, password: b, permissions: $WORK }, { user: c, password: d, permissions: $ALL } ] }",
		"limits":    guests + "Max_Connections: 100\nmax_payload: 2MB\nping_interval: \"1m\"\nwrite_deadline: \"5s\"",
		"tls":       guests + "tls { cert_file: \"" + cert + "\", key_file: \"" + key + "\" }",
		"verify":    "tls { " + verified + ", verify: true }",
		"map":       "tls { " + verified + ", verify_and_map: true }\nauthorization { users: [ { user: \"CN=worker\" } ] }",
		"jetstream": guests + "jetstream { domain: study }",
	} {
		t.Run(name, func(t *testing.T) {
			h := testHub(t, HubOptions{Listen: "0.0.0.0:0", Config: file(t, "hub.conf", config)})
			if n := len(h.addresses()); n != 1 {
				t.Errorf("%d listeners: %v", n, h.addresses())
			}
			if err := h.server.Reload(); err == nil {
				t.Error("a reload would take the configuration without the hub's own options, and unchecked")
			}
		})
	}
}

// TestHubClusterVerifies checks that a configuration with client certificates guards the cluster's
// listener as well.
func TestHubClusterVerifies(t *testing.T) {
	ca, sign := authority(t)
	cert, key := sign("hub")
	config := file(t, "hub.conf",
		"tls { cert_file: \""+cert+"\", key_file: \""+key+"\", ca_file: \""+ca+"\", verify: true }")
	o := HubOptions{Store: "hub", Name: "a", Listen: "0.0.0.0:0", Config: config, Cluster: &ClusterOptions{Name: "c",
		Listen: "0.0.0.0:0"}}
	s, err := o.server()
	if err != nil {
		t.Fatal(err)
	}
	if s.Cluster.TLSConfig == nil || s.Cluster.TLSConfig.ClientAuth != tls.RequireAndVerifyClientCert ||
		s.Cluster.TLSConfig.RootCAs == nil {
		t.Error("the other hubs need no certificate")
	}
	o.Config = file(t, "hub.conf", guests)
	if _, err := o.server(); err == nil || !strings.Contains(err.Error(), "needs a token file or a CA") {
		t.Errorf("a cluster without credentials: %v", err)
	}
}

// A hub whose configuration has users, or the hash of a token, cannot connect to itself without
// credentials, and says so.
func TestHubKnowsNoPasswords(t *testing.T) {
	for _, text := range []string{
		`authorization { users: [ { user: a, password: b } ] }`,
		`authorization { token: "$2a$11$ooo7kZqJ7GvlO2C3iIYJ3O4oXxQp9rF1yYd5h5Cq3o1p2e8lQk8m6" }`,
	} {
		h, err := StartHub(HubOptions{Store: quickDir(t), Listen: "none", Config: file(t, "hub.conf", text)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Connect(ConnectOptions{}); err == nil || !strings.Contains(err.Error(),
			"credentials that the hub itself does not know") {
			t.Errorf("%s: %v", text, err)
		}
		h.Close()
	}
}

// A configuration that includes itself is refused. The parser of nats-server would overflow its
// stack, which ends the program.
func TestHubConfigIncludesItself(t *testing.T) {
	name := file(t, "hub.conf", "port: 4222\ninclude \"./hub.conf\"\n")
	_, err := StartHub(HubOptions{Store: filepath.Join(quickDir(t), "hub"), Config: name})
	if err == nil || !strings.Contains(err.Error(), "does it include itself?") {
		t.Error(err)
	}
}
