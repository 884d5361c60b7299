// Package proxies measures real proxies before real servers on this machine: Caddy with the handler
// queue and with policies of its own, HAProxy and nginx. They run as processes of their own, and
// are found by a path or by PATH; Caddy must be built by go build ./cmd/caddy in dispatch/caddy.
//
// # Files
//
//   - proxies.go: the proxies and their configurations
//   - measure.go: servers, requests, times, and the processor time of a proxy
package proxies

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A Proxy is a program with a policy.
type Proxy struct {
	Name, About string
	program     string // caddy, haproxy or nginx
	config      func(listen string, backends []string, dir string) string
}

// All returns every proxy, whether it is installed or not.
func All() []Proxy {
	caddy := func(directive string) func(string, []string, string) string {
		return func(listen string, backends []string, _ string) string {
			return fmt.Sprintf("{\n\tadmin off\n\tauto_https off\n\tpersist_config off\n\tlog {\n\t\tlevel PANIC\n\t}\n}\n"+
				"http://:%s {\n\tbind 127.0.0.1\n\t%s\n}\n", port(listen),
				strings.ReplaceAll(directive, "BACKENDS", strings.Join(backends, " ")))
		}
	}
	capped := func(c int) func(string, []string, string) string {
		return caddy(fmt.Sprintf("queue BACKENDS {\n\t\tcapacity %d\n\t\tmax_queue 100000\n\t}", c))
	}
	policy := func(name string) func(string, []string, string) string {
		return caddy("reverse_proxy BACKENDS {\n\t\tlb_policy " + name + "\n\t}")
	}
	return []Proxy{
		{"capped-1", "Caddy with queue, at most one request at a backend", "caddy", capped(1)},
		{"capped-2", "Caddy with queue, at most two", "caddy", capped(2)},
		{"caddy-least-conn", "Caddy's reverse_proxy: the backend with the fewest requests", "caddy", policy("least_conn")},
		{"caddy-random-2", "Caddy's reverse_proxy: the better of two at random", "caddy", policy("random_choose 2")},
		{"caddy-round-robin", "Caddy's reverse_proxy: one after the other", "caddy", policy("round_robin")},
		{"haproxy-maxconn-1", "HAProxy: leastconn, at most one at a backend, the rest in its queue", "haproxy",
			haproxy("leastconn", 1)},
		{"haproxy-maxconn-2", "HAProxy: leastconn, at most two", "haproxy", haproxy("leastconn", 2)},
		{"haproxy-leastconn", "HAProxy: leastconn", "haproxy", haproxy("leastconn", 0)},
		{"nginx-least-conn", "nginx: least_conn", "nginx", nginx("least_conn;")},
		{"nginx-random-2", "nginx: random two least_conn", "nginx", nginx("random two least_conn;")},
	}
}

func haproxy(balance string, maxconn int) func(string, []string, string) string {
	return func(listen string, backends []string, _ string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "global\n\tmaxconn 5000\ndefaults\n\tmode http\n\ttimeout connect 10s\n\ttimeout client 5m\n"+
			"\ttimeout server 5m\n\ttimeout queue 5m\nfrontend f\n\tbind %s\n\tdefault_backend b\nbackend b\n\tbalance %s\n",
			listen, balance)
		for i, address := range backends {
			fmt.Fprintf(&b, "\tserver s%d %s", i, address)
			if maxconn > 0 {
				fmt.Fprintf(&b, " maxconn %d", maxconn)
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
}

func nginx(policy string) func(string, []string, string) string {
	return func(listen string, backends []string, dir string) string {
		servers := ""
		for _, address := range backends {
			servers += "server " + address + " max_fails=0; "
		}
		return fmt.Sprintf("daemon off; pid %[1]s/pid; error_log stderr crit; worker_processes auto;\n"+
			"events { worker_connections 10000; }\nhttp { access_log off; client_body_temp_path %[1]s/a; "+
			"proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;\n"+
			"upstream u { zone u 1m; %[2]s %[3]s keepalive 1000; }\n"+
			"server { listen %[4]s; location / { proxy_pass http://u; proxy_http_version 1.1; "+
			"proxy_set_header Connection \"\"; proxy_read_timeout 5m; } } }\n", dir, policy, servers, listen)
	}
}

// Programs are the paths of the programs; one that is missing is looked for in PATH.
type Programs struct{ Caddy, HAProxy, Nginx string }

// find returns the path of the program of p, or an error that says what to do.
func (programs Programs) find(ctx context.Context, p Proxy) (string, error) {
	given := map[string]string{"caddy": programs.Caddy, "haproxy": programs.HAProxy, "nginx": programs.Nginx}[p.program]
	if given == "" {
		given = p.program
	}
	path, err := exec.LookPath(given)
	if err != nil {
		return "", fmt.Errorf("%s is not installed: %w", p.program, err)
	}
	if p.program == "caddy" && strings.HasPrefix(p.Name, "capped") {
		modules, err := exec.CommandContext(ctx, path, "list-modules").Output()
		if err != nil || !strings.Contains(string(modules), "http.handlers.queue") {
			return "", fmt.Errorf("%s has no module queue: build one by go build ./cmd/caddy in dispatch/caddy", path)
		}
	}
	return path, nil
}

// running is a proxy that runs.
type running struct {
	address string
	command *exec.Cmd
	output  *strings.Builder
	dir     string
}

// start starts a proxy before backends, and waits until it takes connections.
func (p Proxy) start(ctx context.Context, path string, backends []string) (_ *running, err error) {
	dir, err := os.MkdirTemp("", "almanac-proxies")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &running{address: l.Addr().String(), output: new(strings.Builder), dir: dir}
	l.Close()
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, []byte(p.config(r.address, backends, dir)), 0o600); err != nil {
		return nil, err
	}
	args := map[string][]string{
		"caddy":   {"run", "--adapter", "caddyfile", "--config", file},
		"haproxy": {"-f", file},
		"nginx":   {"-p", dir, "-c", file},
	}[p.program]
	r.command = exec.CommandContext(ctx, path, args...)
	r.command.Stdout, r.command.Stderr = io.Discard, r.output
	if err := r.command.Start(); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", r.address); err == nil {
			c.Close()
			return r, nil
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			r.stop()
			return nil, fmt.Errorf("%s takes no connections: %s", p.Name, r.output)
		}
	}
}

func (r *running) stop() {
	r.command.Process.Signal(os.Interrupt)
	done := make(chan struct{})
	go func() {
		r.command.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		r.command.Process.Kill()
		<-done
	}
	os.RemoveAll(r.dir)
}

func port(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}
