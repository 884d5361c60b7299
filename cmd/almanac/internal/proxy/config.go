package proxy

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// A Config is what a proxy is told. The names of its settings are those of flags, and of keys in a file: see [Config.Flags].
type Config struct {
	Backends []string
	Capacity int
	Listen   string
	Cert     string
	Key      string

	Admin      string
	AdminToken string

	Room         int
	MaxWait      time.Duration
	Limit        int
	LimitRoom    int
	Trust        []string
	OldestBirth  time.Duration
	SendBirth    bool
	RetryRefused bool

	Tries       int
	TryTimeout  time.Duration
	DialTimeout time.Duration
	BackendIdle time.Duration
	BackendCA   string
	BackendH2C  bool
	Rest        time.Duration
	LongestRest time.Duration
	FailOn      []int
	Health      string
	HealthEvery time.Duration

	MaxHeader      Size
	MaxBody        Size
	BodyBuffer     Size
	AnswerBuffer   Size
	BufferMemory   Size
	MaxConnections int
	MaxRequests    int
	HeaderTimeout  time.Duration
	ClientIdle     time.Duration
	MinRate        Size
	KeepAlive      time.Duration
	Drain          time.Duration

	file  string         // that it is from, if it is from one
	lines map[string]int // of settings there

	noLane bool // all requests go through net/http
}

// Defaults are what a proxy does unless told.
func Defaults() Config {
	return Config{
		Capacity: 2, Listen: "127.0.0.1:8080", Admin: "127.0.0.1:8081",
		Room: 1024, MaxWait: 30 * time.Second, LimitRoom: 1024, OldestBirth: time.Minute,
		Tries: 3, TryTimeout: time.Minute, DialTimeout: 5 * time.Second, BackendIdle: 5 * time.Minute,
		Rest: 100 * time.Millisecond, LongestRest: 30 * time.Second, HealthEvery: 10 * time.Second,
		MaxHeader: 64e3, MaxBody: 64e6, BodyBuffer: 1e6, AnswerBuffer: 1e6, BufferMemory: 256e6, MaxConnections: 10_000, MaxRequests: 10_000,
		HeaderTimeout: 10 * time.Second, ClientIdle: 30 * time.Second, MinRate: 1e3, KeepAlive: time.Minute, Drain: 30 * time.Second,
	}
}

// Flags are the settings by their names. What is set there is set in the Config.
func (c *Config) Flags() *pflag.FlagSet {
	f := pflag.NewFlagSet("proxy", pflag.ContinueOnError)
	f.StringArrayVar(&c.Backends, "backend", c.Backends, "URL of a backend, as http://10.0.0.1:8080; once for each")
	f.IntVar(&c.Capacity, "capacity", c.Capacity, "how many requests a backend may have at once")
	f.StringVar(&c.Listen, "listen", c.Listen, "HOST:PORT for clients; 0.0.0.0:PORT for all of the machine's addresses")
	f.StringVar(&c.Cert, "cert", c.Cert, "a file with a certificate: clients then come by TLS")
	f.StringVar(&c.Key, "key", c.Key, "a file with the key of the certificate")

	f.StringVar(&c.Admin, "admin", c.Admin, "HOST:PORT of the status page, /metrics and /healthy, or none")
	f.StringVar(&c.AdminToken, "admin-token-file", c.AdminToken, "a file with a token that who looks must have; needed beyond this machine")

	f.IntVar(&c.Room, "room", c.Room, "how many requests may wait for a backend; the others get 503")
	f.DurationVar(&c.MaxWait, "max-wait", c.MaxWait, "how long they may")
	f.IntVar(&c.Limit, "limit", c.Limit, "how many requests may be with backends or wait for one, in all; others wait by age or get 429; 0 for no such limit")
	f.IntVar(&c.LimitRoom, "limit-room", c.LimitRoom, "how many may wait before the limit")
	f.StringArrayVar(&c.Trust, "trust", c.Trust, "a network, as 10.0.0.0/8, of proxies whose X-Forwarded-For, Forwarded and Request-Birth are believed; once for each")
	f.DurationVar(&c.OldestBirth, "oldest-birth", c.OldestBirth, "how old a request may say that it is, with --trust and --limit")
	f.BoolVar(&c.SendBirth, "send-birth", c.SendBirth, "tell backends how old requests are, in Request-Birth")
	f.BoolVar(&c.RetryRefused, "retry-refused", c.RetryRefused, "ask another backend when one answers 429")

	f.IntVar(&c.Tries, "tries", c.Tries, "how often a request is tried, where that is safe")
	f.DurationVar(&c.TryTimeout, "try-timeout", c.TryTimeout, "how long a backend has until the head of its answer is here")
	f.DurationVar(&c.DialTimeout, "dial-timeout", c.DialTimeout, "how long a connection to a backend may take to be made")
	f.DurationVar(&c.BackendIdle, "backend-idle", c.BackendIdle, "how long a backend may be silent in the middle of an answer, or both sides of a WebSocket")
	f.StringVar(&c.BackendCA, "backend-ca", c.BackendCA, "a file with the certificate of who signed those of https backends; the system's unless told")
	f.BoolVar(&c.BackendH2C, "backend-h2c", c.BackendH2C, "http backends speak HTTP/2 without TLS")
	f.DurationVar(&c.Rest, "rest", c.Rest, "how long a backend that has failed is left alone; twice as long after each further failure")
	f.DurationVar(&c.LongestRest, "longest-rest", c.LongestRest, "and at most so long")
	f.IntSliceVar(&c.FailOn, "fail-on", c.FailOn, "statuses that are failures of the backend, as 502,503")
	f.StringVar(&c.Health, "health", c.Health, "a path that backends are asked for, and must answer with 2xx, as /healthy")
	f.DurationVar(&c.HealthEvery, "health-every", c.HealthEvery, "how often")

	f.Var(&c.MaxHeader, "max-header", "how large the head of a request, or of an answer, may be")
	f.Var(&c.MaxBody, "max-body", "how large the body of a request may be; 413 above")
	f.Var(&c.BodyBuffer, "body-buffer", "how much of a request's body is read before a slot is taken")
	f.Var(&c.AnswerBuffer, "answer-buffer", "how much of an answer is read ahead of its client")
	f.Var(&c.BufferMemory, "buffer-memory", "how much there is for all buffers; when it is used up, bodies stream")
	f.IntVar(&c.MaxConnections, "max-connections", c.MaxConnections, "how many connections clients may have")
	f.IntVar(&c.MaxRequests, "max-requests", c.MaxRequests, "how many requests may be here at once, those of slow clients too; the others get 503")
	f.DurationVar(&c.HeaderTimeout, "header-timeout", c.HeaderTimeout, "how long the head of a request may take to come")
	f.DurationVar(&c.ClientIdle, "client-idle", c.ClientIdle, "how long a client may be silent in the middle of its body, or not read its answer")
	f.Var(&c.MinRate, "min-rate", "bytes a second that a client must send and take on average, after that time; 0 for no such rate")
	f.DurationVar(&c.KeepAlive, "keep-alive", c.KeepAlive, "how long a connection of a client may be without a request")
	f.DurationVar(&c.Drain, "drain", c.Drain, "how long requests may go on when the proxy is told to stop")
	f.SortFlags = false
	return f
}

// whileRunning are the settings that [Server.Reload] changes. The others are part of what was made at the start.
var whileRunning = map[string]bool{
	"backend": true, "cert": true, "key": true, "trust": true, "drain": true,
	"max-body": true, "body-buffer": true, "answer-buffer": true, "client-idle": true, "min-rate": true, "max-requests": true,
}

// A Problem is something wrong with one setting.
type Problem struct {
	Setting string
	Text    string
	place   string // in a file
}

func (p Problem) Error() string {
	if p.place != "" {
		return p.place + ": " + p.Text
	}
	return "--" + p.Setting + ": " + p.Text
}

// Check returns the first thing that is wrong, in the order of the flags; nil if nothing is.
func (c *Config) Check() error {
	var first error
	want := func(good bool, setting, format string, args ...any) {
		if !good && first == nil {
			first = Problem{Setting: setting, Text: fmt.Sprintf(format, args...)}
		}
	}
	want(len(c.Backends) > 0, "backend", "name at least one backend, as --backend http://127.0.0.1:9000")
	_, err := c.urls()
	want(err == nil, "backend", "%v", err)
	want(c.Capacity >= 1 && c.Capacity <= 1e6, "capacity", "%d: a backend must have room for 1 request, or more, up to a million", c.Capacity)
	want(address(c.Listen) == nil, "listen", "%v", address(c.Listen))
	want((c.Cert == "") == (c.Key == ""), "cert", "a certificate needs its key, and a key its certificate: give both --cert and --key")
	if c.Admin != "none" {
		want(address(c.Admin) == nil, "admin", "%v", address(c.Admin))
		host, _, _ := net.SplitHostPort(c.Admin)
		want(c.AdminToken != "" || loopback(host), "admin",
			"%q is beyond this machine, where who looks must have a token: name its file with --admin-token-file, or listen on 127.0.0.1", c.Admin)
		want(c.Admin != c.Listen || strings.HasSuffix(c.Admin, ":0"), "admin", "%q is where clients come; give it another port", c.Admin)
	}
	_, err = c.trusted()
	want(err == nil, "trust", "%v", err)
	for _, code := range c.FailOn {
		want(code >= 400 && code <= 599, "fail-on", "%d: a failure has a status from 400 to 599", code)
	}
	_, err = url.Parse(c.Health)
	want(c.Health == "" || strings.HasPrefix(c.Health, "/") && err == nil, "health", "%q: a path begins with /, as /healthy", c.Health)
	for _, n := range []struct {
		setting  string
		is, from int
	}{{"room", c.Room, 0}, {"limit", c.Limit, 0}, {"limit-room", c.LimitRoom, 0}, {"tries", c.Tries, 1},
		{"max-connections", c.MaxConnections, 1}, {"max-requests", c.MaxRequests, 1}} {
		want(n.is >= n.from && n.is <= 1e9, n.setting, "%d: wanted is a number from %d to a milliard", n.is, n.from)
	}
	for _, d := range []struct {
		setting string
		is      time.Duration
	}{{"max-wait", c.MaxWait}, {"oldest-birth", c.OldestBirth}, {"try-timeout", c.TryTimeout}, {"dial-timeout", c.DialTimeout},
		{"backend-idle", c.BackendIdle}, {"rest", c.Rest}, {"longest-rest", c.LongestRest}, {"health-every", c.HealthEvery}, {"header-timeout", c.HeaderTimeout}, {"client-idle", c.ClientIdle},
		{"keep-alive", c.KeepAlive}, {"drain", c.Drain}} {
		want(d.is >= time.Millisecond && d.is <= 24*time.Hour, d.setting, "%v: wanted is a time from 1ms to 24h", d.is)
	}
	want(c.LongestRest <= 30*time.Second, "longest-rest", "%v: wanted is at most 30s", c.LongestRest)
	want(c.Rest <= c.LongestRest, "rest", "%v: wanted is at most what --longest-rest is, %v", c.Rest, c.LongestRest)
	want(c.MaxHeader >= 4e3 && c.MaxHeader <= 16e6, "max-header", "%v: wanted is from 4kB to 16MB", c.MaxHeader)
	want(c.BodyBuffer <= 1e9, "body-buffer", "%v: wanted is at most 1GB", c.BodyBuffer)
	want(c.AnswerBuffer <= 1e9, "answer-buffer", "%v: wanted is at most 1GB", c.AnswerBuffer)
	return first
}

// urls are the backends.
func (c *Config) urls() ([]*url.URL, error) {
	var all []*url.URL
	seen := map[string]bool{}
	for _, text := range c.Backends {
		u, err := url.Parse(text)
		switch {
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Opaque != "":
			return nil, fmt.Errorf("%q must be a URL like http://127.0.0.1:9000", hide(text, u))
		case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
			return nil, fmt.Errorf("%q must have a scheme, a host and perhaps a path, and nothing else", hide(text, u))
		case u.Host == c.Listen:
			return nil, fmt.Errorf("%q is where the proxy itself listens", text)
		case seen[strings.TrimRight(u.String(), "/")]:
			return nil, fmt.Errorf("%q is there twice", text)
		}
		seen[strings.TrimRight(u.String(), "/")] = true
		all = append(all, u)
	}
	return all, nil
}

// hide is a URL without its password.
func hide(text string, u *url.URL) string {
	if u != nil && u.User != nil {
		return u.Redacted()
	}
	if i := strings.LastIndex(text, "@"); i >= 0 {
		return "…" + text[i:]
	}
	return text
}

// trusted are the networks of proxies that are believed.
func (c *Config) trusted() (all []netip.Prefix, err error) {
	for _, text := range c.Trust {
		n, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not a network; wanted is one like 10.0.0.0/8, or 192.0.2.1/32 for a single machine", text)
		}
		all = append(all, n.Masked())
	}
	return all, nil
}

// address says what is wrong with HOST:PORT. The host must be there: that it is left out means all of a machine's addresses to some, and nobody is
// to open them by leaving out something.
func address(text string) error {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return fmt.Errorf("%q: HOST:PORT is right, as 127.0.0.1:8080", text)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%q: the port is a number up to 65535", text)
	}
	if host == "" {
		return fmt.Errorf("%q has no host: say 127.0.0.1:%s for this machine alone, or 0.0.0.0:%s for all of its addresses", text, port, port)
	}
	return nil
}

// loopback reports whether a host is this machine alone.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// differs names the settings that another Config has otherwise.
func (c *Config) differs(from *Config) (names []string) {
	mine, theirs := *c, *from
	other := theirs.Flags()
	mine.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Value.String() != other.Lookup(f.Name).Value.String() {
			names = append(names, f.Name)
		}
	})
	return names
}
