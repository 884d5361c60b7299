package ensemble

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
	"github.com/almanac-sim/almanac/internal/access"
)

// Lease is the time after which a task of a silent worker is delivered to another, unless a
// [ConnectOptions] says less.
const Lease = 30 * time.Second

// ConnectOptions say where the hub is, and how to authenticate.
type ConnectOptions struct {
	URL  string // nats://HOST:4222 or tls://HOST:4222, several separated by commas; empty means 127.0.0.1
	Name string // shown by the server; empty means almanac

	TokenFile string // a file with the hub's token
	User      string // or a name and a password
	Password  string
	Creds     string // or a file of NATS credentials
	NKey      string // or a file with the seed of an NKey

	CA   string // a file with the CA's certificate
	Cert string // files with a client certificate and its key
	Key  string

	Copies int           // number of servers that store everything; 0 means 3 on a cluster, else 1
	Lease  time.Duration // of tasks, at most 30 s; 0 means 30 s
	Logger *slog.Logger  // silent if nil

	// Wait is how long to retry if the hub is not reachable: 0 means once, negative means forever.
	Wait time.Duration
}

// FromEnv fills empty fields from the environment variables of NATS programs: NATS_URL, NATS_USER,
// NATS_PASSWORD, NATS_CREDS, NATS_NKEY, NATS_CA, NATS_CERT and NATS_KEY.
func (o ConnectOptions) FromEnv() ConnectOptions {
	for name, field := range map[string]*string{
		"NATS_URL": &o.URL, "NATS_USER": &o.User, "NATS_PASSWORD": &o.Password, "NATS_CREDS": &o.Creds, "NATS_NKEY": &o.NKey,
		"NATS_CA": &o.CA, "NATS_CERT": &o.Cert, "NATS_KEY": &o.Key,
	} {
		if *field == "" {
			*field = os.Getenv(name)
		}
	}
	return o
}

// A Conn is a connection to a hub. It reconnects by itself. It may be used from several goroutines.
type Conn struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	lease   time.Duration
	copies  int
	log     *slog.Logger
	address string // without secrets

	startup time.Duration // how long a server may lack JetStream while it starts

	mu       sync.Mutex
	prepared bool // the shared streams and stores exist, as far as we know
	jobs     jetstream.KeyValue
	models   jetstream.ObjectStore

	linkMu sync.Mutex
	link   context.Context // done when the connection is lost; then replaced
	unlink context.CancelFunc
}

// Connect connects to a hub.
func Connect(ctx context.Context, o ConnectOptions) (*Conn, error) {
	if o.URL == "" {
		o.URL = nats.DefaultURL
	}
	for one := range strings.SplitSeq(o.URL, ",") {
		if one = strings.TrimSpace(one); !strings.Contains(one, "://") {
			one = "nats://" + one
		}
		// The parser's error would contain the address with its secrets.
		if u, err := url.Parse(one); err != nil || u.Hostname() == "" ||
			!slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) {
			return nil, fmt.Errorf("ensemble: the hub's address %s cannot be read: nats://HOST:4222 is right", redact(o.URL))
		}
	}
	options, err := o.credentials()
	if err != nil {
		return nil, err
	}
	return dial(ctx, o, options...)
}

// credentials are the options for authentication. Errors name files and never their contents.
func (o ConnectOptions) credentials() (options []nats.Option, err error) {
	if o.TokenFile != "" {
		token, err := access.ReadToken(o.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("ensemble: the token: %w", err)
		}
		options = append(options, nats.Token(token))
	}
	if o.User != "" {
		options = append(options, nats.UserInfo(o.User, o.Password))
	}
	if o.Creds != "" {
		if _, err := os.Stat(o.Creds); err != nil {
			return nil, fmt.Errorf("ensemble: NATS credentials: %w", err)
		}
		options = append(options, nats.UserCredentials(o.Creds))
	}
	if o.NKey != "" {
		option, err := nats.NkeyOptionFromSeed(o.NKey)
		if err != nil {
			return nil, fmt.Errorf("ensemble: the NKey in %s cannot be read: %w", o.NKey, err)
		}
		options = append(options, option)
	}
	if o.CA != "" {
		if _, err := readCA(o.CA); err != nil {
			return nil, err
		}
		options = append(options, nats.RootCAs(o.CA))
	}
	if (o.Cert == "") != (o.Key == "") {
		return nil, errors.New("ensemble: a certificate and its key go together: one of the two files is missing")
	}
	if o.Cert != "" {
		if _, err := tls.LoadX509KeyPair(o.Cert, o.Key); err != nil {
			return nil, fmt.Errorf("ensemble: certificate %s with key %s: %w", o.Cert, o.Key, err)
		}
		options = append(options, nats.ClientCert(o.Cert, o.Key))
	}
	return options, nil
}

// readCA reads the certificates of a CA.
func readCA(name string) (*x509.CertPool, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("ensemble: the CA: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("ensemble: %s should have certificates in PEM form, and has none", name)
	}
	return pool, nil
}

// dial connects with options, and waits for the hub as long as o.Wait.
func dial(ctx context.Context, o ConnectOptions, options ...nats.Option) (*Conn, error) {
	if o.Lease == 0 {
		o.Lease = Lease
	}
	if o.Lease < 0 || o.Lease > Lease {
		return nil, fmt.Errorf("ensemble: a lease of %v: it is above 0 and at most %v, or 0 for that", o.Lease, Lease)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Name == "" {
		o.Name = "almanac"
	}
	c := &Conn{lease: o.Lease, copies: o.Copies, log: o.Logger, address: redact(o.URL), startup: 10 * time.Second}
	options = append(options, nats.Name(o.Name), nats.MaxReconnects(-1), nats.CustomReconnectDelay(reconnectDelay),
		nats.ReconnectBufSize(-1),
		nats.PingInterval(10*time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(5*time.Second),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			c.resetLink()
			if err != nil {
				c.log.Warn("the hub is gone; trying to reach it again", "hub", c.address, "err", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { c.log.Info("the hub is back", "hub", c.address) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.log.Debug("nats", "err", err) }))
	c.resetLink()
	deadline := time.Now().Add(o.Wait)
	for wait := (backoff{}); ; {
		nc, err := nats.Connect(o.URL, options...)
		if err == nil {
			c.nc = nc
			break
		}
		err = connectError(c.address, err)
		if refused(err) || o.Wait >= 0 && time.Now().After(deadline) {
			return nil, err
		}
		level := slog.LevelInfo
		if wait == (backoff{}) { // warn once
			level = slog.LevelWarn
		}
		c.log.Log(ctx, level, "waiting for the hub", "hub", c.address, "err", err)
		if !wait.wait(ctx) {
			return nil, context.Cause(ctx)
		}
	}
	var err error
	if c.js, err = jetstream.New(c.nc, jetstream.WithDefaultTimeout(5*time.Second)); err != nil {
		c.nc.Close()
		return nil, err
	}
	if err := checkServer(c.nc.ConnectedServerVersion(), c.nc.MaxPayload()); err != nil {
		c.nc.Close()
		return nil, fmt.Errorf("ensemble: the hub at %s %w", c.address, err)
	}
	if c.copies == 0 {
		if c.copies = 1; c.nc.ConnectedClusterName() != "" {
			c.copies = 3
		}
	}
	return c, nil
}

// checkServer returns an error if a server is not suitable.
func checkServer(version string, payload int64) error {
	var major, minor int
	if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); n == 2 && (major < 2 || major == 2 && minor < 11) {
		return fmt.Errorf("is NATS %s; 2.11 or later is needed", version)
	}
	if payload < 1<<20 {
		return fmt.Errorf("takes messages of %d bytes; results may have a megabyte (max_payload)", payload)
	}
	return nil
}

// reconnectDelay grows with each attempt up to about four seconds, with jitter, so that a thousand
// workers do not reconnect at once.
func reconnectDelay(attempts int) time.Duration {
	d := 50 * time.Millisecond << min(attempts, 6)
	return d + time.Duration(time.Now().UnixNano()%int64(d/4))
}

// Address is the hub's address, without secrets.
func (c *Conn) Address() string { return c.address }

// Close closes the connection.
func (c *Conn) Close() {
	c.nc.Close()
	c.linkMu.Lock()
	defer c.linkMu.Unlock()
	c.unlink()
}

// closedError says why the connection is closed for good, if it is: the hub no longer accepts us,
// or Close was called.
func (c *Conn) closedError() error {
	if !c.nc.IsClosed() {
		return nil
	}
	err := c.nc.LastError()
	if err == nil {
		err = nats.ErrConnectionClosed
	}
	return connectError(c.address, err)
}

// resetLink ends requests on a lost connection.
func (c *Conn) resetLink() {
	c.linkMu.Lock()
	defer c.linkMu.Unlock()
	if c.unlink != nil {
		c.unlink()
	}
	c.link, c.unlink = context.WithCancel(context.Background())
}

// attempt returns a context for one request: it ends after a time, and when the connection is lost,
// since there will be no response then.
func (c *Conn) attempt(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	c.linkMu.Lock()
	link := c.link
	c.linkMu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, most)
	stop := context.AfterFunc(link, cancel)
	return ctx, func() { stop(); cancel() }
}

// ensure creates what all jobs share, and retries while the server is not ready.
func (c *Conn) ensure(ctx context.Context) error {
	begun := time.Now()
	for wait := (backoff{}); ; {
		attempt, cancel := c.attempt(ctx, 5*time.Second)
		err := c.prepare(attempt)
		cancel()
		if closed := c.closedError(); err != nil && closed != nil {
			return closed
		}
		if noJetStream(err) && time.Since(begun) > c.startup {
			return fmt.Errorf("ensemble: the server at %s has no JetStream for us: it is to be started with it (nats-server "+
				"-js): %w", c.address, err)
		}
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if isFull(err) {
			return fmt.Errorf("%w (%s: %w)", ErrNoRoom, c.address, err)
		}
		if err == nil || !transient(err) && !noJetStream(err) {
			return err
		}
		c.log.Info("the hub is not ready", "hub", c.address, "err", err)
		if !wait.wait(ctx) {
			return context.Cause(ctx)
		}
	}
}

// prepare creates what all jobs share, unless it exists.
func (c *Conn) prepare(ctx context.Context) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.prepared {
		return nil
	}
	_, err = c.stream(ctx, jetstream.StreamConfig{
		Name: wire.TasksStream, Subjects: []string{"almanac.task.>"}, Description: "tasks of almanac's jobs",
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Replicas: c.copies, Duplicates: 2 * time.Minute,
	})
	if err != nil {
		return fmt.Errorf("ensemble: making the stream of tasks: %w", err)
	}
	models, err := c.js.ObjectStore(ctx, wire.ModelsBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		models, err = c.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: wire.ModelsBucket,
			Storage: jetstream.FileStorage, Replicas: c.copies})
	}
	if err != nil {
		return fmt.Errorf("ensemble: making the store of models: %w", err)
	}
	jobs, err := c.js.KeyValue(ctx, wire.JobsBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		jobs, err = c.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: wire.JobsBucket, History: 1,
			Storage: jetstream.FileStorage, Replicas: c.copies})
	}
	if err != nil {
		return fmt.Errorf("ensemble: making the store of jobs: %w", err)
	}
	if c.jobs == nil { // otherwise they are in use; they refer to their stores by name
		c.jobs, c.models = jobs, models
	}
	c.prepared = true
	return nil
}

// stream finds a stream, or creates it.
func (c *Conn) stream(ctx context.Context, config jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := c.js.Stream(ctx, config.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = c.js.CreateStream(ctx, config)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // created concurrently
			s, err = c.js.Stream(ctx, config.Name)
		}
	}
	return s, err
}

// journal finds a job's journal, or creates it.
func (c *Conn) journal(ctx context.Context, job string) (jetstream.Stream, error) {
	return c.stream(ctx, jetstream.StreamConfig{
		Name: wire.JournalName(job), Subjects: []string{wire.JobResults(job), wire.JobPoints(job), wire.JobTries(job)},
		Description: "results of almanac's job " + job,
		Storage:     jetstream.FileStorage, Compression: jetstream.S2Compression, Replicas: c.copies,
	})
}
