package caddyqueue

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
)

// The defaults of the health checks of reverse_proxy, and how much of a body is read here at most
// if there is no max_size.
const (
	defaultHealthInterval = 30 * time.Second
	defaultHealthTimeout  = 5 * time.Second
	defaultHealthBody     = 1 << 20
)

// A check is an active health check with the options of reverse_proxy, and their meaning. The
// checker of reverse_proxy itself keeps what it finds to itself.
type check struct {
	reverseproxy.ActiveHealthChecks
	uri    *url.URL
	body   *regexp.Regexp
	client *http.Client
}

// check reads the options of health checks, from those of the proxy and from those of h. It returns
// nil if there are none.
func (h *Handler) check(p *problems) *check {
	c := new(check)
	given := h.HealthURI != "" || h.HealthInterval != ""
	if h.Proxy != nil && h.Proxy.HealthChecks != nil && h.Proxy.HealthChecks.Active != nil {
		given = true
		c.ActiveHealthChecks = *h.Proxy.HealthChecks.Active
	}
	if !given {
		return nil
	}
	c.URI = p.text("health_uri", cmp.Or(h.HealthURI, c.URI, c.Path))
	if c.URI == "" && c.Port == 0 {
		p.addf("health checks need health_uri, like health_uri /healthy")
		return nil
	}
	c.Interval = caddy.Duration(p.duration("health_interval", h.HealthInterval,
		cmp.Or(time.Duration(c.Interval), defaultHealthInterval)))
	c.Timeout = cmp.Or(c.Timeout, caddy.Duration(defaultHealthTimeout))
	if c.Interval < 0 || c.Timeout < 0 {
		p.addf("health_interval and health_timeout must be above 0, like 30s and 5s, not %v and %v",
			time.Duration(c.Interval), time.Duration(c.Timeout))
	}
	c.Method = cmp.Or(c.Method, http.MethodGet)
	c.Passes, c.Fails = max(c.Passes, 1), max(c.Fails, 1)
	if c.MaxSize <= 0 {
		c.MaxSize = defaultHealthBody
	}
	var err error
	uri := cmp.Or(c.URI, "/")
	if c.uri, err = url.Parse(uri); err != nil || !strings.HasPrefix(uri, "/") || strings.ContainsAny(uri, " #") {
		p.addf("health_uri must be a path that begins with /, like /healthy, not %q", uri)
	}
	if c.body, err = regexp.Compile(c.ExpectBody); err != nil {
		p.addf("health_body must be a regular expression, like ^ok: %v", err)
	}
	if _, err := caddy.ParseNetworkAddress(c.Upstream); c.Upstream != "" && err != nil {
		p.addf("health_upstream must be an address like localhost:9001: %v", err)
	}
	return c
}

// String has all options, to compare two checks.
func (c *check) String() string {
	text, err := json.Marshal(c.ActiveHealthChecks)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// use sets the transport.
func (c *check) use(rt http.RoundTripper) {
	c.client = &http.Client{Transport: rt, Timeout: time.Duration(c.Timeout)}
	if !c.FollowRedirects {
		c.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
}

// dialInfoKey is the key by which reverse_proxy tells its transport what to dial. It has no
// exported name; a backend that is a Unix socket cannot be dialled without it.
const dialInfoKey caddy.CtxKey = "reverse_proxy.dial_info"

// run checks a backend.
func (c *check) run(ctx context.Context, backend *url.URL) error {
	addr, err := caddy.ParseNetworkAddress(cmp.Or(c.Upstream, backend.Host))
	if err != nil {
		return err
	}
	if c.Upstream == "" && c.Port != 0 {
		if addr.IsUnixNetwork() {
			addr = caddy.NetworkAddress{Network: "tcp", Host: "localhost"}
		}
		addr.StartPort, addr.EndPort = uint(c.Port), uint(c.Port)
	}
	dial := reverseproxy.DialInfo{
		Network: addr.Network, Address: addr.JoinHostPort(0),
		Host: addr.Host, Port: strconv.Itoa(int(addr.StartPort)),
	}
	u := &url.URL{Scheme: backend.Scheme, Host: dial.Address, Path: c.uri.Path, RawPath: c.uri.RawPath, RawQuery: c.uri.RawQuery}
	if addr.IsUnixNetwork() {
		u.Host = "localhost"
	}
	if o, ok := c.client.Transport.(reverseproxy.HealthCheckSchemeOverriderTransport); ok {
		u.Scheme = "http"
		o.OverrideHealthCheckScheme(u, dial.Port)
	}

	repl := caddy.NewReplacer()
	repl.Set("http.reverse_proxy.active.target_upstream", backend.Host)
	ctx = context.WithValue(ctx, caddy.ReplacerCtxKey, repl)
	ctx = context.WithValue(ctx, caddyhttp.VarsCtxKey, map[string]any{})
	ctx = context.WithValue(ctx, dialInfoKey, dial)
	req, err := http.NewRequestWithContext(ctx, c.Method, u.String(), strings.NewReader(repl.ReplaceKnown(c.Body, "")))
	if err != nil {
		return err
	}
	req = req.WithContext(context.WithValue(ctx, caddyhttp.OriginalRequestCtxKey, *req))
	for name, values := range c.Headers {
		name = http.CanonicalHeaderKey(repl.ReplaceKnown(name, ""))
		for _, v := range values {
			if v = repl.ReplaceKnown(v, ""); name == "Host" {
				req.Host = v
			} else {
				req.Header.Add(name, v)
			}
		}
	}
	return c.judge(c.client.Do(req))
}

// judge says whether the response is that of a healthy backend.
func (c *check) judge(res *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer res.Body.Close()
	status := cmp.Or(c.ExpectStatus, 2)
	if !caddyhttp.StatusCodeMatches(res.StatusCode, status) {
		want := strconv.Itoa(status)
		if status < 10 {
			want += "xx"
		}
		return fmt.Errorf("queue: the status of the check is %s, and must be %s", res.Status, want)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, c.MaxSize)) // also so that the connection can be reused
	switch {
	case c.ExpectBody == "":
	case err != nil:
		return err
	case !c.body.Match(body):
		return fmt.Errorf("queue: the body of the check does not match %q", c.ExpectBody)
	}
	return nil
}
