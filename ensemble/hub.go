package ensemble

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/almanac-sim/almanac/ensemble/internal/hubconf"
	"github.com/almanac-sim/almanac/internal/access"
	"github.com/almanac-sim/almanac/internal/outdir"
)

// HubOptions configure a hub.
type HubOptions struct {
	Store string // a directory of its own, for all its data

	// Listen is HOST:PORT; empty means 127.0.0.1:4222, "none" means no port. Beyond loopback, a hub
	// does not start without TokenFile, CA, or a Config in which every user has a secret.
	Listen string

	TokenFile string // clients must have this token
	Cert, Key string // files for TLS
	CA        string // with Cert and Key: clients must have a certificate signed by this CA

	// Config is a configuration file of nats-server, for accounts, NKeys, operators, TLS and
	// limits. A key that opens another listener, or that admits clients without credentials, is
	// refused.
	Config string

	Cluster *ClusterOptions
	Name    string // of this server; required in a cluster, where it must not change

	MaxStore int64 // bytes; 0 means three quarters of the free space
	Logger   *slog.Logger
}

// ClusterOptions configure one of several hubs that replicate everything. Three survive the loss of
// one.
type ClusterOptions struct {
	Name string // of the cluster, the same for all
	// HOST:PORT for the other servers; as with clients, beyond loopback only with a token or TLS
	// client certificates
	Listen string
	Routes []string // HOST:PORT of the others
}

// A Hub is a NATS server in this process.
type Hub struct {
	server *server.Server
	lock   *outdir.Locked
	failed chan struct{} // closed when it can store nothing more
	stop   chan struct{}
	once   sync.Once
	done   sync.WaitGroup
	token  string
	// guarded means that clients need credentials. The hub does not know those of users.
	guarded bool
	reason  string // of the failure
}

// ErrNotStarted means that a server with valid options did not start, for example because its port
// is in use.
var ErrNotStarted = errors.New("ensemble: the hub did not start")

// StartHub starts a server, and returns when it accepts connections. Data are on disk before they
// are acknowledged.
func StartHub(o HubOptions) (*Hub, error) {
	options, err := o.server()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Store, 0o700); err != nil {
		return nil, fmt.Errorf("ensemble: the hub's store: %w", err)
	}
	lock, err := outdir.Lock(filepath.Join(o.Store, "lock"), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("ensemble: the hub's store %s: %w", o.Store, err)
	}
	s, err := server.NewServer(options)
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("ensemble: the hub: %w", err)
	}
	last := &hubconf.LastError{}
	s.SetLoggerV2(hubconf.Logger{Log: o.Logger, Last: last}, o.Logger != nil, false, false)
	s.Start()
	h := &Hub{server: s, lock: lock, failed: make(chan struct{}), stop: make(chan struct{}),
		guarded: hubconf.HasCredentials(options)}
	if !strings.HasPrefix(options.Authorization, "$2") { // a hash, not a token
		h.token = options.Authorization
	}
	ready := false
	for begun := time.Now(); !ready && !last.IsFatal() && time.Since(begun) < 10*time.Second; {
		ready = s.ReadyForConnections(20 * time.Millisecond)
	}
	if !ready || !s.Running() || !s.JetStreamEnabled() {
		h.Close()
		return nil, fmt.Errorf("%w: %s", ErrNotStarted, last.Get())
	}
	h.done.Go(h.watch)
	return h, nil
}

// server returns the options of the server, or an error if they are not safe.
func (o *HubOptions) server() (*server.Options, error) {
	if o.Store == "" {
		return nil, errors.New("ensemble: a hub needs a directory for its store")
	}
	s := &server.Options{}
	if o.Config != "" {
		var err error
		if s, err = hubconf.Read(o.Config); err != nil {
			return nil, err
		}
	}
	s.NoSigs, s.JetStream, s.SyncAlways, s.StoreDir, s.JetStreamMaxStore = true, true, true, o.Store, o.MaxStore
	s.JetStreamMaxMemory = 256 << 20 // for the state of readers, which need not survive
	if o.MaxStore == 0 {
		s.JetStreamMaxStore = -1 // by the free space
	}
	if o.Name != "" {
		s.ServerName = o.Name
	}
	if o.TokenFile != "" {
		token, err := access.ReadToken(o.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("ensemble: the hub's token: %w", err)
		}
		s.Authorization = token
	}
	if err := o.encryption(s); err != nil {
		return nil, err
	}
	if o.Listen == "none" {
		s.DontListen = true
	} else if err := listen(o.Listen, "127.0.0.1:4222", &s.Host, &s.Port); err != nil {
		return nil, fmt.Errorf("ensemble: where the hub is to listen: %w", err)
	}
	if !s.DontListen && !access.Loopback(s.Host) {
		if err := hubconf.Guarded(s); err != nil {
			return nil, fmt.Errorf("ensemble: a hub that listens on %s, beyond this machine, %w", s.Host, err)
		}
	}
	if o.Cluster != nil {
		if err := o.cluster(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// encryption configures TLS, for clients and for the other servers of a cluster.
func (o *HubOptions) encryption(s *server.Options) error {
	if (o.Cert == "") != (o.Key == "") || o.CA != "" && o.Cert == "" {
		return errors.New("ensemble: TLS needs a certificate and its key; a CA for clients needs both")
	}
	if o.Cert == "" {
		return nil
	}
	config, err := server.GenTLSConfig(&server.TLSConfigOpts{CertFile: o.Cert, KeyFile: o.Key, CaFile: o.CA,
		Verify: o.CA != ""})
	if err != nil {
		return fmt.Errorf("ensemble: the hub's certificate %s with key %s: %w", o.Cert, o.Key, err)
	}
	s.TLSConfig, s.TLS, s.TLSTimeout = config, true, 5
	return nil
}

// cluster configures the connections between the servers of a cluster. They use the clients' token
// and certificates.
func (o *HubOptions) cluster(s *server.Options) error {
	c := o.Cluster
	if c.Name == "" || o.Name == "" {
		return errors.New("ensemble: a cluster needs a name, the same for all its hubs, and each hub one of its own")
	}
	if err := listen(c.Listen, "", &s.Cluster.Host, &s.Cluster.Port); err != nil {
		return fmt.Errorf("ensemble: where the hub is to listen for the other hubs: %w", err)
	}
	if !access.Loopback(s.Cluster.Host) && s.Authorization == "" && !hubconf.VerifiesClients(s) {
		return fmt.Errorf("ensemble: a cluster that listens on %s, beyond this machine, needs a token file or a CA",
			s.Cluster.Host)
	}
	s.Cluster.Name = c.Name
	s.Cluster.PoolSize = -1
	if s.Authorization != "" {
		s.Cluster.Username, s.Cluster.Password = "hub", s.Authorization
	}
	if hubconf.VerifiesClients(s) {
		config := s.TLSConfig.Clone()
		config.RootCAs = config.ClientCAs // each server is a client of the others, too
		s.Cluster.TLSConfig, s.Cluster.TLSTimeout = config, 5
	}
	for _, route := range c.Routes {
		if _, _, err := net.SplitHostPort(route); err != nil {
			return fmt.Errorf("ensemble: another hub's address %q: HOST:PORT is right", route)
		}
		u := &url.URL{Scheme: "nats-route", Host: route}
		if s.Authorization != "" {
			u.User = url.UserPassword("hub", s.Authorization)
		}
		s.Routes = append(s.Routes, u)
	}
	return nil
}

// listen parses an address.
func listen(text, otherwise string, host *string, port *int) error {
	if text == "" && (*host != "" || *port != 0) { // set by the configuration file
		if *host == "" {
			*host = "127.0.0.1"
		}
		return nil
	}
	if text == "" {
		text = otherwise
	}
	h, p, err := net.SplitHostPort(text)
	if err != nil {
		return fmt.Errorf("%q: HOST:PORT is right", text)
	}
	n, err := strconv.Atoi(p)
	if err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%q: the port is a number up to 65535", text)
	}
	if *host, *port = h, n; h == "" {
		*host = "0.0.0.0" // every interface, as usual
	}
	if n == 0 {
		*port = server.RANDOM_PORT
	}
	return nil
}

// URL is the address for clients; empty without a port.
func (h *Hub) URL() string { return h.server.ClientURL() }

// Connect connects within the process, without a port. It uses the hub's token, if there is one.
func (h *Hub) Connect(o ConnectOptions) (*Conn, error) {
	o.URL = "nats://in-process"
	options, err := o.credentials()
	if err != nil {
		return nil, err
	}
	switch {
	case h.token != "":
		options = append(options, nats.Token(h.token))
	case h.guarded && len(options) == 0:
		return nil, errors.New("ensemble: the hub's configuration has credentials that the hub itself does not know: give " +
			"it a token file, or connect with credentials")
	}
	return dial(context.Background(), o, append(options, nats.InProcessServer(h.server))...)
}

// Failed is closed when the hub can store nothing more, for example because the disk is full; Err
// then says why. Acknowledged data are kept: a hub that is started again, with room, continues.
func (h *Hub) Failed() <-chan struct{} { return h.failed }

// Err says why the hub has failed; nil if it has not.
func (h *Hub) Err() error {
	select {
	case <-h.failed:
		return fmt.Errorf("%w: %s", ErrNoRoom, h.reason)
	default:
		return nil
	}
}

// watch checks whether the server can still store. When a write fails, the server disables the
// stream or all of JetStream, and reports it in its log and in its health status only.
func (h *Hub) watch() {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-h.stop:
			return
		case <-tick.C:
		}
		if !h.server.JetStreamEnabled() {
			h.reason = "the server has given up storing: is the disk full?"
			close(h.failed)
			return
		}
		for _, e := range h.server.Healthz(&server.HealthzOptions{Details: true}).Errors {
			if strings.Contains(e.Error, "write error") { // other errors are transient, such as a stream that is not up to date
				h.reason = e.Error
				close(h.failed)
				return
			}
		}
	}
}

// Close stops the server, and with it all connections.
func (h *Hub) Close() {
	h.once.Do(func() {
		close(h.stop)
		h.done.Wait()
		h.server.Shutdown()
		h.server.WaitForShutdown()
		h.lock.Close()
	})
}

// addresses are the addresses on which the hub listens.
func (h *Hub) addresses() []string {
	var all []string
	if a := h.server.Addr(); a != nil {
		all = append(all, a.String())
	}
	if a := h.server.ClusterAddr(); a != nil {
		all = append(all, a.String())
	}
	return slices.Compact(all)
}
