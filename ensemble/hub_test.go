//go:build linux || darwin

package ensemble

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// file writes a file of a test.
func file(t testing.TB, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A hub that can be reached from other machines does not start without credentials.
func TestHubRefuses(t *testing.T) {
	token := file(t, "token", "a-very-secret-word\n")
	for _, c := range []struct {
		o    HubOptions
		want string // in the error; none if empty
	}{
		{HubOptions{Listen: "127.0.0.1:0"}, ""},
		{HubOptions{Listen: "localhost:0"}, ""},
		{HubOptions{Listen: "[::1]:0"}, ""},
		{HubOptions{Listen: "0.0.0.0:0", TokenFile: token}, ""},
		{HubOptions{Listen: "0.0.0.0:0"}, "needs credentials"},
		{HubOptions{Listen: ":0"}, "needs credentials"},
		{HubOptions{Listen: "[::]:0"}, "needs credentials"},
		{HubOptions{Listen: "hub.example.org:4222"}, "needs credentials"},
		{HubOptions{Listen: "here"}, `"here": HOST:PORT is right`},
		{HubOptions{Listen: "127.0.0.1:70000"}, "a number up to 65535"},
		{HubOptions{Listen: "0.0.0.0:0", TokenFile: file(t, "empty", "\n")}, "should have a token: one word on one line"},
		{HubOptions{Listen: "0.0.0.0:0", TokenFile: "/nowhere/token"}, "no such file"},
		{HubOptions{Cert: "x"}, "TLS needs a certificate and its key"},
		{HubOptions{CA: "x"}, "TLS needs a certificate and its key"},
		{HubOptions{Cert: token, Key: token}, "the hub's certificate"},
		{HubOptions{Listen: "127.0.0.1:0", Config: file(t, "hub.conf", "listen: [")}, "the hub's configuration"},
		{HubOptions{Config: file(t, "hub.conf", "listen: 0.0.0.0:0")}, "needs credentials"},
		{HubOptions{Listen: "0.0.0.0:0",
			Config: file(t, "hub.conf", "authorization { users: [ { user: a, password: b } ] }")}, ""},
		{HubOptions{Listen: "127.0.0.1:0", Cluster: &ClusterOptions{Name: "c", Listen: "127.0.0.1:0"}},
			"each hub one of its own"},
		{HubOptions{Listen: "127.0.0.1:0", Name: "a", Cluster: &ClusterOptions{Name: "c", Listen: "0.0.0.0:0"}},
			"a cluster that listens on 0.0.0.0, beyond this machine"},
		{HubOptions{Listen: "127.0.0.1:0", Name: "a", Cluster: &ClusterOptions{Name: "c", Listen: "127.0.0.1:0",
			Routes: []string{"b"}}}, `"b": HOST:PORT is right`},
	} {
		c.o.Store = filepath.Join(quickDir(t), "hub")
		h, err := StartHub(c.o)
		if err == nil {
			h.Close()
		}
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c.o, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%+v: %v, and not %q", c.o, err, c.want)
		case err != nil && strings.Contains(err.Error(), "very-secret"):
			t.Errorf("the token is in %v", err)
		}
	}
	if _, err := StartHub(HubOptions{}); err == nil {
		t.Error("a hub without a store has started")
	}
}

// Two hubs cannot have one store, and a port that is taken is said to be.
func TestHubIsAlone(t *testing.T) {
	store := filepath.Join(quickDir(t), "hub")
	h := testHub(t, HubOptions{Store: store})
	if _, err := StartHub(HubOptions{Store: store, Listen: "127.0.0.1:0"}); err == nil || !strings.Contains(err.Error(),
		"another process is using it") {
		t.Error(err)
	}
	if _, err := StartHub(HubOptions{Store: filepath.Join(quickDir(t), "hub"), Listen: h.addresses()[0]}); !errors.Is(err,
		ErrNotStarted) || !strings.Contains(err.Error(), "address already in use") {
		t.Error(err)
	}
	h.Close()
	testHub(t, HubOptions{Store: store})
}

// A client with wrong credentials is told so at once, however long it would wait for a hub; one
// with the right ones works. Nothing secret is in what is logged.
func TestCredentials(t *testing.T) {
	right, wrong := file(t, "token", "a-very-secret-word\n"), file(t, "wrong", "another-secret-word\n")
	h := testHub(t, HubOptions{TokenFile: right})
	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug}))
	address := strings.TrimPrefix(h.URL(), "nats://")
	for name, o := range map[string]ConnectOptions{
		"no token":       {URL: h.URL()},
		"a wrong token":  {URL: h.URL(), TokenFile: wrong},
		"a wrong user":   {URL: h.URL(), User: "somebody", Password: "some-secret"},
		"one in the URL": {URL: "nats://some-secret@" + address},
	} {
		o.Wait, o.Logger = -1, log
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		c, err := Connect(ctx, o)
		cancel()
		if err == nil {
			c.Close()
			t.Errorf("%s: connected", name)
			continue
		}
		if !strings.Contains(err.Error(), "does not accept our credentials") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	c, err := Connect(t.Context(), ConnectOptions{URL: h.URL(), TokenFile: right, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, stop := work(t, c, WorkerOptions{Logger: log})
	job := walks(2, 5)
	got, _, err := run(t, c, job, RunOptions{Logger: log})
	if same(t, got, plain(t, testKinds("test"), job)); err != nil {
		t.Error(err)
	}
	stop()
	if strings.Contains(said.String(), "secret") {
		t.Errorf("the log has a secret: %s", said.String())
	}
	// Where there is no hub, it is waited for as long as was said.
	if _, err := Connect(t.Context(), ConnectOptions{URL: "nats://user:secret@" + freePort(t)}); err == nil ||
		!strings.Contains(err.Error(), "no hub at nats://127.0.0.1:") {
		t.Error(err)
	}
	for _, text := range []string{"nats://user:secret@host:port", "user:secret@%zz", "nats://", "nats://user:secret@",
		"http://user:secret@host"} {
		if _, err := Connect(t.Context(), ConnectOptions{URL: text}); err == nil || !strings.Contains(err.Error(),
			"nats://HOST:4222 is right") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, o := range []ConnectOptions{{TokenFile: "/nowhere/token"}, {Creds: "/nowhere/creds"}, {NKey: right},
		{CA: right}, {Cert: right}, {Cert: right, Key: right}, {Lease: time.Hour}} {
		if c, err := Connect(t.Context(), o); err == nil || strings.Contains(err.Error(), "very-secret") {
			t.Errorf("%+v: %v", o, err)
			if err == nil {
				c.Close()
			}
		}
	}
}

// A worker whose credentials are no longer accepted when the hub comes back ends, and says why.
func TestWorkerIsTurnedAway(t *testing.T) {
	t.Parallel()
	token := file(t, "token", "one\n")
	o := HubOptions{Store: filepath.Join(quickDir(t), "hub"), Listen: freePort(t), TokenFile: token}
	h := testHub(t, o)
	c, err := Connect(t.Context(), ConnectOptions{URL: h.URL(), TokenFile: token})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ended := make(chan error, 1)
	go func() { ended <- Serve(context.Background(), c, WorkerOptions{Registry: testKinds("test")}) }()
	for h.server.NumSubscriptions() < 5 {
		time.Sleep(time.Millisecond)
	}
	h.Close()
	o.TokenFile = file(t, "token", "two\n")
	testHub(t, o)
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "does not accept our credentials") {
			t.Error(err)
		}
	case <-time.After(2 * time.Minute):
		t.Error("a worker that is turned away goes on trying")
	}
}

// With TLS and certificates for clients, a client that has one is let in, and one that has none is
// not.
func TestCertificates(t *testing.T) {
	ca, sign := authority(t)
	cert, key := sign("hub")
	h := testHub(t, HubOptions{Cert: cert, Key: key, CA: ca})
	mine, myKey := sign("worker")
	c, err := Connect(t.Context(), ConnectOptions{URL: h.URL(), CA: ca, Cert: mine, Key: myKey})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, stop := work(t, c, WorkerOptions{})
	defer stop()
	job := walks(2, 5)
	got, _, err := run(t, c, job, RunOptions{})
	if same(t, got, plain(t, testKinds("test"), job)); err != nil {
		t.Error(err)
	}
	for name, o := range map[string]ConnectOptions{"without a certificate": {URL: h.URL(), CA: ca}, "without the CA": {
		URL: h.URL(), Cert: mine, Key: myKey}} {
		if c, err := Connect(t.Context(), o); err == nil {
			c.Close()
			t.Errorf("%s: connected", name)
		}
	}
	_, signOther := authority(t)
	foreign, foreignKey := signOther("worker")
	if c, err := Connect(t.Context(), ConnectOptions{URL: h.URL(), CA: ca, Cert: foreign, Key: foreignKey}); err == nil {
		c.Close()
		t.Error("a certificate that somebody else signed is accepted")
	}
}

// authority is a CA, which signs.
func authority(t testing.TB) (ca string, sign func(name string) (cert, key string)) {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	template := func(name string) *x509.Certificate {
		n, err := rand.Int(rand.Reader, big.NewInt(1<<62))
		check(err)
		return &x509.Certificate{SerialNumber: n, Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
			NotAfter: time.Now().Add(time.Hour)}
	}
	root := template("CA")
	root.IsCA, root.BasicConstraintsValid, root.KeyUsage = true, true, x509.KeyUsageCertSign
	rootKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	der, err := x509.CreateCertificate(rand.Reader, root, root, &rootKey.PublicKey, rootKey)
	check(err)
	write := func(name, kind string, der []byte) string {
		return file(t, name, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
	}
	return write("ca.pem", "CERTIFICATE", der), func(name string) (string, string) {
		c := template(name)
		c.IPAddresses, c.KeyUsage = []net.IP{net.IPv4(127, 0, 0, 1)}, x509.KeyUsageDigitalSignature
		c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		check(err)
		der, err := x509.CreateCertificate(rand.Reader, c, root, &key.PublicKey, rootKey)
		check(err)
		keyDER, err := x509.MarshalECPrivateKey(key)
		check(err)
		return write(name+".pem", "CERTIFICATE", der), write(name+".key", "EC PRIVATE KEY", keyDER)
	}
}

// Servers of others that will not do are told apart from those that are not there yet.
func TestServerDoesNotSuit(t *testing.T) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server did not start")
	}
	c, err := Connect(t.Context(), ConnectOptions{URL: s.ClientURL()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.startup = 200 * time.Millisecond
	if _, err := c.Jobs(t.Context()); err == nil || !strings.Contains(err.Error(), "nats-server -js") {
		t.Error(err)
	}
	for _, x := range []struct {
		version string
		payload int64
		want    string
	}{{"2.10.29", 1 << 20, "2.11 or later"}, {"1.4.1", 1 << 20, "2.11 or later"}, {"2.11.0", 1 << 20, ""},
		{"2.15.2", 64 << 10, "max_payload"}, {"3.0.0-beta", 8 << 20, ""}} {
		if err := checkServer(x.version, x.payload); (err == nil) != (x.want == "") || err != nil &&
			!strings.Contains(err.Error(),
				x.want) {
			t.Errorf("NATS %s with messages of %d: %v", x.version, x.payload, err)
		}
	}
}

func TestFromEnv(t *testing.T) {
	t.Setenv("NATS_URL", "nats://hub:4222")
	t.Setenv("NATS_CREDS", "a.creds")
	t.Setenv("NATS_USER", "somebody")
	o := ConnectOptions{Creds: "b.creds"}.FromEnv()
	if o.URL != "nats://hub:4222" || o.Creds != "b.creds" || o.User != "somebody" {
		t.Errorf("%+v", o)
	}
	for text, want := range map[string]string{"nats://a:b@h:1,nats://c@k:2": "nats://h:1,nats://k:2", "h:4222": "h:4222",
		"x@h:1": "h:1", "nats://h": "nats://h", "nats://%zz@h": "h", "%zz": "(an address that cannot be parsed)"} {
		if got := redact(text); got != want {
			t.Errorf("%q is shown as %q, not %q", text, got, want)
		}
	}
}
