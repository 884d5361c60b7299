package caddyqueue

import (
	"slices"
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
}

// instead says what to use for subdirectives of reverse_proxy that would choose backends.
var instead = map[string]string{
	"dynamic":                 `name the backends with "to", and change them by a reload`,
	"lb_policy":               "remove it, or use reverse_proxy",
	"lb_retries":              "use attempts",
	"lb_try_duration":         "use max_wait and attempts",
	"lb_try_interval":         "use max_wait and attempts",
	"fail_duration":           "remove it: a backend that fails is ejected",
	"max_fails":               "remove it: a backend that fails is ejected",
	"unhealthy_request_count": "use capacity",
	"unhealthy_status":        "use health_uri",
	"unhealthy_latency":       "use response_header_timeout of the transport",
}

// UnmarshalCaddyfile reads the handler from a Caddyfile. The forms of addresses, and everything
// that does not choose a backend, are as in reverse_proxy.
//
//	queue [<matcher>] [<backends...>] {
//		to              <backends...>
//		capacity        <requests at a backend>
//		max_queue       <requests that wait>
//		max_wait        <duration>
//		attempts        <number>
//		name            <name of the queue>
//		health_uri      <path>
//		health_interval <duration>
//
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
	seen := map[string]bool{}
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
		case slices.Contains(ofProxy, name) || strings.HasPrefix(name, "@"):
			rest = append(rest, d.NextSegment()...)
		case instead[name] != "":
			return d.Errf("%s is not for queue: %s", name, instead[name])
		case strings.HasPrefix(name, "health_"):
			return d.Errf("%s is not for queue: use health_uri and health_interval", name)
		default:
			return d.Errf("unrecognized subdirective %s: expected one of %s", name, strings.Join(names, ", "))
		}
	}
	end := token("}")
	end.Line = d.Line() + 1
	rest = append(rest, end)
	h.Proxy = new(reverseproxy.Handler)
	return h.Proxy.UnmarshalCaddyfile(caddyfile.NewDispenser(rest))
}

var _ caddyfile.Unmarshaler = (*Handler)(nil)
