package caddyqueue

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// example is the Caddyfile of the documentation.
const example = `example.com {
	# At most capacity requests at a backend, the rest in one queue, oldest first.
	queue {
		to localhost:9001 localhost:9002 localhost:9003
		capacity 2
		max_queue 1000 # 503 with Retry-After beyond it
		max_wait 5s
	}
}
`

// The example is formatted as caddy fmt does it, and is this JSON.
func TestExample(t *testing.T) {
	if got := string(caddyfile.Format([]byte(example))); got != example {
		t.Errorf("caddy fmt makes\n%s", got)
	}
	config, err := adapt(example)
	if err != nil {
		t.Fatal(err)
	}
	mustContain(t, string(config), `{"capacity":2,"handler":"queue","max_queue":1000,"max_wait":"5s",`+
		`"reverse_proxy":{"upstreams":[{"dial":"localhost:9001"},{"dial":"localhost:9002"},{"dial":"localhost:9003"}]}}`)
	validate(t, config, "")
	page, err := os.ReadFile("../../docs/guide/dispatch.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), example) {
		t.Errorf("the page does not have\n%s", example)
	}
}

// validate does what caddy validate does.
func validate(t *testing.T, config []byte, want string) {
	t.Helper()
	var c *caddy.Config
	if err := json.Unmarshal(config, &c); err != nil {
		t.Fatal(err)
	}
	switch err := caddy.Validate(c); {
	case want == "" && err != nil:
		t.Error(err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%v\nwant %s", err, want)
	}
}

// Everything of reverse_proxy that does not choose a backend works as there.
func TestSubdirectives(t *testing.T) {
	b := startBackend(t, ok)
	in := start(t, `
	@api path /api/*
	queue @api `+b.address+` {
		header_up X-A b
		header_down X-C d
		rewrite /new{uri}
		flush_interval -1
		transport http {
			dial_timeout 1s
			response_header_timeout 10s
		}
		@bad status 404
		handle_response @bad {
			respond gone
		}
	}
	respond /none none`)
	if r := in.get("/api/x"); r.body != "/new/api/x" || r.header.Get("X-C") != "d" {
		t.Errorf("%+v", r)
	}
	if r := in.get("/none"); r.body != "none" {
		t.Errorf("%+v", r)
	}
}

// Messages say what would be right, and where.
func TestMessages(t *testing.T) {
	for _, c := range []struct{ lines, want string }{
		{"capacity 2", `write "to" with at least one address, like "to localhost:9001"`},
		{"to a:1\ncapacity 0", `queue: capacity must be a whole number from 1, like 2, not "0"`},
		{"to a:1\ncapacity two", `not "two"`},
		{"to a:1\ncapacity 2 3", "capacity must have one argument, and has 2, at Caddyfile:4"},
		{"to a:1\ncapacity 2\ncapacity 3", "capacity is there twice"},
		{"to a:1\nmax_queue -1", `queue: max_queue must be a whole number from 0, like 1024, not "-1"`},
		{"to a:1\nmax_wait 5", `queue: max_wait must be a duration above 0 with a unit, like 5s or 500ms, not "5"`},
		{"to a:1\nmax_wait 5\ncapacity x", `capacity must be`}, // all problems at once
		{"to a:1\ncapasity 2", "unrecognized subdirective capasity: expected one of attempts, capacity"},
		{"to a:1\nfoo 2", "trusted_proxies, verbose_logs, at Caddyfile:4"},
		{"to a:1 a:1", `backend "a:1" is there twice`},
		{"to a:1\nlb_policy first", "lb_policy is not for queue: remove it, or use reverse_proxy"},
		{"to a:1\nlb_retries 3", "use attempts"},
		{"to a:1\nhealth_status 2xx", "health checks need health_uri, like health_uri /healthy"},
		{"to a:1\nhealth_interval 3s", "health checks need health_uri, like health_uri /healthy"},
		{"to a:1\nhealth_uri healthy", "health_uri must be a path that begins with /"},
		{"to a:1\nhealth_uri /\nhealth_body (", "health_body must be a regular expression"},
		{"to a:1\nhealth_uri /\nhealth_status ok", "bad status value 'ok'"},
		{"to a:1\nhealth_path /", "use health_uri"},
		{"to a:1 {\ncapacity 0\n}", `capacity must be a whole number from 1, like 2, not "0", at Caddyfile:4`},
		{"to a:1 {\nweight 2\n}", "unrecognized subdirective weight of to: expected capacity"},
		{"to a:1 {\ncapacity 2\ncapacity 2\n}", "capacity is there twice"},
		{"dynamic nothing", "http.reverse_proxy.upstreams.nothing"},
		{"to {http.request.host}:80", "write a value, or one like {env.NAME}"},
		{"to a:1\ncapacity {env.QUEUE_NONE}", "capacity"},
		{"to https://a http://b", "same scheme"},
		{"to a:1\nheader_up", "header_up"},
	} {
		config, err := adapt(":80 {\nqueue {\n" + c.lines + "\n}\n}")
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v\nwant %s", c.lines, err, c.want)
			}
			continue
		}
		validate(t, config, c.want)
	}
	// JSON alone.
	for proxy, want := range map[string]string{
		`"load_balancing": {"selection_policy": {"policy": "first"}}`: "remove the selection policy",
		`"load_balancing": {"retries": 3}`:                            "use attempts",
		`"health_checks": {"passive": {}}`:                            "remove the passive health checks",
		`"upstreams": [{"dial": "a:1-3"}]`:                            "one port, like localhost:9001",
		`"upstreams": [{"dial": "a:1", "max_requests": -3}]`:          `the capacity of backend "a:1" must be 1 or more`,
	} {
		validate(t, []byte(`{"apps": {"http": {"servers": {"s": {"listen": [":80"], "routes": [{"handle": [
			{"handler": "queue", "reverse_proxy": {`+proxy+`}}]}]}}}}}`), want)
	}
	// Two handlers with one queue.
	config, err := adapt(":80 {\nqueue /a {\nto a:1\n}\nqueue /b {\nto a:1\ncapacity 5\n}\n}")
	if err != nil {
		t.Fatal(err)
	}
	validate(t, config, `share the queue "a:1", and must have the same settings`)
	config, err = adapt(":80 {\nqueue /a {\nto a:1\n}\nqueue /b {\nto a:1\n}\n}")
	if err != nil {
		t.Fatal(err)
	}
	validate(t, config, "")
}

// Placeholders of the environment are replaced when the configuration is loaded.
func TestPlaceholders(t *testing.T) {
	b := startBackend(t, ok)
	t.Setenv("QUEUE_TO", b.address)
	t.Setenv("QUEUE_C", "7")
	in := start(t, block("to {env.QUEUE_TO}", "capacity {env.QUEUE_C}"))
	if r := in.get("/x"); r.body != "/x" {
		t.Errorf("%+v", r)
	}
	if q := in.idle(); q.Capacity != 7 || q.Name != b.address || q.Backends[0].Address != b.address {
		t.Errorf("%+v", q)
	}
}
