package caddyqueue

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
)

func init() {
	httpcaddyfile.RegisterHandlerDirective("queue", parseCaddyfile)
	httpcaddyfile.RegisterDirectiveOrder("queue", httpcaddyfile.Before, "reverse_proxy")
}

func parseCaddyfile(helper httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	h := new(Handler)
	if err := h.UnmarshalCaddyfile(helper.Dispenser); err != nil {
		return nil, err
	}
	return h, h.Proxy.FinalizeUnmarshalCaddyfile(helper)
}

// ofProxy are the subdirectives that are those of reverse_proxy. Names that begin with @ are too.
var ofProxy = []string{
	"to", "transport", "header_up", "header_down", "method", "rewrite", "trusted_proxies",
	"flush_interval", "request_buffers", "response_buffers",
	"stream_timeout", "stream_close_delay", "stream_buffer_size",
	"handle_response", "replace_status", "lb_retry_match", "proxy_status_name", "verbose_logs",
	"dynamic", "health_port", "health_upstream", "health_timeout", "health_status", "health_body",
	"health_method", "health_request_body", "health_headers", "health_passes", "health_fails",
	"health_follow_redirects",
}

// instead says what to use for subdirectives of reverse_proxy that would choose backends.
var instead = map[string]string{
	"health_path":             "use health_uri",
	"lb_policy":               "remove it, or use reverse_proxy",
	"lb_retries":              "use attempts",
	"lb_try_duration":         "use max_wait and attempts",
	"lb_try_interval":         "use max_wait and attempts",
	"fail_duration":           "remove it: a backend that fails is ejected",
	"max_fails":               "remove it: a backend that fails is ejected",
	"unhealthy_request_count": "use capacity",
	"unhealthy_status":        "remove it: 502, 503 and 504 eject a backend",
	"unhealthy_latency":       "use response_header_timeout of the transport",
}

// UnmarshalCaddyfile reads the handler from a Caddyfile. The forms of addresses, and everything
// that does not choose a backend, are as in reverse_proxy.
//
//	queue [<matcher>] [<backends...>] {
//		to              <backends...> [{
//			capacity    <requests at each of these>
//		}]
//		dynamic         <source> ...
//		capacity        <requests at a backend>
//		max_queue       <requests that wait>
//		max_wait        <duration>
//		attempts        <number>
//		name            <name of the queue>
//		health_uri      <path>
//		health_interval <duration>
//
//		health_port, health_upstream, health_timeout, health_status, health_body, health_method,
//		health_request_body, health_headers, health_passes, health_fails, health_follow_redirects,
//		transport, header_up, header_down, method, rewrite, trusted_proxies,
//		flush_interval, request_buffers, response_buffers,
//		stream_timeout, stream_close_delay, stream_buffer_size,
//		handle_response, replace_status, lb_retry_match, proxy_status_name, verbose_logs
//	}
func (h *Handler) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	own := map[string]func(string){
		"capacity":        func(s string) { h.Capacity = caddyhttp.WeakString(s) },
		"max_queue":       func(s string) { h.MaxQueue = caddyhttp.WeakString(s) },
		"max_wait":        func(s string) { h.MaxWait = caddyhttp.WeakString(s) },
		"attempts":        func(s string) { h.Attempts = caddyhttp.WeakString(s) },
		"name":            func(s string) { h.Name = s },
		"health_uri":      func(s string) { h.HealthURI = s },
		"health_interval": func(s string) { h.HealthInterval = caddyhttp.WeakString(s) },
	}
	names := slices.Clone(ofProxy)
	for name := range own {
		names = append(names, name)
	}
	slices.Sort(names)

	// The rest goes to the parser of reverse_proxy, with its lines, so that its messages name them.
	d.Next()
	word := d.Token()
	token := func(text string) caddyfile.Token {
		t := word
		t.Text = text
		return t
	}
	rest := []caddyfile.Token{token("reverse_proxy")}
	rest = append(rest, d.RemainingArgsAsTokens()...)
	rest = append(rest, token("{"))
	seen, capacities := map[string]bool{}, map[string]int{}
	for d.NextBlock(0) {
		name := d.Val()
		if name == "queue" {
			name = "max_queue" // its old name
		}
		set, mine := own[name]
		switch {
		case mine:
			if seen[name] {
				return d.Errf("%s is there twice", name)
			}
			seen[name] = true
			args := d.RemainingArgs()
			if len(args) != 1 {
				return d.Errf("%s must have one argument, and has %d", name, len(args))
			}
			set(args[0])
		case name == "to":
			tokens, err := h.backends(d, token("reverse_proxy"), capacities)
			if err != nil {
				return err
			}
			rest = append(rest, tokens...)
		case slices.Contains(ofProxy, name) || strings.HasPrefix(name, "@"):
			rest = append(rest, d.NextSegment()...)
		case instead[name] != "":
			return d.Errf("%s is not for queue: %s", name, instead[name])
		default:
			return d.Errf("unrecognized subdirective %s: expected one of %s", name, strings.Join(names, ", "))
		}
	}
	end := token("}")
	end.Line = d.Line() + 1
	rest = append(rest, end)
	h.Proxy = new(reverseproxy.Handler)
	if err := h.Proxy.UnmarshalCaddyfile(caddyfile.NewDispenser(rest)); err != nil {
		return err
	}
	for _, u := range h.Proxy.Upstreams {
		u.MaxRequests = capacities[u.Dial]
	}
	return nil
}

// backends reads "to", perhaps with a block, and returns its tokens without the block. It adds the
// capacities of these backends by their dial addresses.
func (h *Handler) backends(
	d *caddyfile.Dispenser, first caddyfile.Token, capacities map[string]int,
) ([]caddyfile.Token, error) {
	line := append([]caddyfile.Token{d.Token()}, d.RemainingArgsAsTokens()...)
	capacity := 0
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		switch {
		case d.Val() != "capacity":
			return nil, d.Errf("unrecognized subdirective %s of to: expected capacity", d.Val())
		case capacity != 0:
			return nil, d.Err("capacity is there twice")
		default:
			args := d.RemainingArgs()
			if len(args) != 1 {
				return nil, d.Errf("capacity must have one argument, and has %d", len(args))
			}
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 1 || n > math.MaxInt32 {
				return nil, d.Errf("capacity must be a whole number from 1, like %d, not %q", defaultCapacity, args[0])
			}
			capacity = n
		}
	}
	if capacity == 0 {
		return line, nil
	}
	open, end := first, first
	open.Text, end.Text, end.Line = "{", "}", line[len(line)-1].Line+1
	var part reverseproxy.Handler
	tokens := append(append([]caddyfile.Token{first, open}, line...), end)
	if err := part.UnmarshalCaddyfile(caddyfile.NewDispenser(tokens)); err != nil {
		return nil, err
	}
	for _, u := range part.Upstreams {
		capacities[u.Dial] = capacity
	}
	return line, nil
}

var _ caddyfile.Unmarshaler = (*Handler)(nil)
