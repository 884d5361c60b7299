package live

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Proxy is a program between clients and backends, and how it is told to behave.
type Proxy struct {
	Name, About string

	Package  string // of Debian, if it is not ours
	capacity int    // at most so many at a backend; 0 for any number
	costOnly bool   // it is there for what it costs, and not in the open loop
	start    func(ctx context.Context, s starting) (*process, error)
}

// starting is what a proxy is started with.
type starting struct {
	name     string
	capacity int
	address  string
	backends []string // addresses
	program  string   // the almanac command
	dir      string   // for files of configuration
}

// manyAtOnce is the capacity in the closed loop, which is about what a request costs, and where nobody should have to wait.
const manyAtOnce = 1000

// Names that targets are about.
const (
	Ours      = "almanac" // in the closed loop, where the capacity does not matter
	CappedOne = "almanac-1"
	CappedTwo = "almanac-2"
	Leastconn = "haproxy-leastconn"
)

// Packages of Debian, whose names begin with that of the program.
const (
	haproxyPackage = "haproxy"
	nginxPackage   = "nginx-light"
)

// Proxies lists them.
func Proxies() []Proxy {
	haproxy := func(name, balance string, maxconn int) Proxy {
		about := "HAProxy, balance " + balance
		if maxconn > 0 {
			about += fmt.Sprintf(", maxconn %d at each server", maxconn)
		}
		return Proxy{
			Name: name, About: about, Package: haproxyPackage, capacity: maxconn,
			start: func(ctx context.Context, s starting) (*process, error) { return startHAProxy(ctx, s, balance) },
		}
	}
	return []Proxy{
		{Name: CappedOne, About: "almanac proxy --capacity 1", capacity: 1, start: startOurs},
		{Name: CappedTwo, About: "almanac proxy --capacity 2", capacity: 2, start: startOurs},
		haproxy(Leastconn, "leastconn", 0),
		haproxy(Leastconn+"-1", "leastconn", 1),
		haproxy("haproxy-random2", "random(2)", 0),
		haproxy("haproxy-random2-1", "random(2)", 1),
		{Name: "nginx-leastconn", About: "nginx, least_conn", Package: nginxPackage, start: startNginx},
		{Name: "reverse", About: "httputil.ReverseProxy, any backend, no limit: what net/http costs; small requests only", costOnly: true, start: startReverse},
	}
}

// program is the program of a proxy that is not ours, or why it is not there.
func (p Proxy) program() (string, error) {
	if p.Package == "" {
		return "", nil
	}
	name, _, _ := strings.Cut(p.Package, "-")
	for _, dir := range []string{"", "/usr/sbin/", "/usr/local/sbin/"} { // which not every PATH has
		if path, err := exec.LookPath(dir + name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed (Debian's package %s)", name, p.Package)
}

// version is what a program says of itself.
func (p Proxy) version() string {
	path, err := p.program()
	if err != nil || path == "" {
		return ""
	}
	text, err := exec.Command(path, "-v").CombinedOutput()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

// oneCore has programs in Go use one processor, as HAProxy and nginx are told to.
var oneCore = []string{"GOMAXPROCS=1"}

func startOurs(ctx context.Context, s starting) (*process, error) {
	args := []string{"proxy", "--listen", s.address, "--admin", "none", "--capacity", fmt.Sprint(s.capacity)}
	for _, b := range s.backends {
		args = append(args, "--backend", "http://"+b)
	}
	return start(ctx, s.name, s.address, oneCore, s.program, args...)
}

func startReverse(ctx context.Context, s starting) (*process, error) {
	args := []string{"bench", "dispatch", "reverse", "--listen", s.address}
	for _, b := range s.backends {
		args = append(args, "--backend", "http://"+b)
	}
	return start(ctx, s.name, s.address, oneCore, s.program, args...)
}

// HAProxy has one thread, reuses connections to servers as much as it may, and lets requests wait for a server as long as it takes.
func startHAProxy(ctx context.Context, s starting, balance string) (*process, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "global\n  nbthread 1\n  maxconn 4000\ndefaults\n  mode http\n  http-reuse always\n"+
		"  timeout connect 5s\n  timeout client 60s\n  timeout server 60s\n  timeout queue 60s\n"+
		"frontend front\n  bind %s\n  default_backend back\nbackend back\n  balance %s\n", s.address, balance)
	for i, address := range s.backends {
		fmt.Fprintf(&b, "  server s%d %s", i, address)
		if s.capacity > 0 {
			fmt.Fprintf(&b, " maxconn %d", s.capacity)
		}
		b.WriteString("\n")
	}
	return s.configured(ctx, Proxy{Package: haproxyPackage}, b.String(), func(file string) []string { return []string{"-db", "-f", file} })
}

// nginx is one process, and keeps connections to backends.
func startNginx(ctx context.Context, s starting) (*process, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "daemon off;\nmaster_process off;\npid %[1]s/nginx.pid;\nerror_log stderr error;\nevents { worker_connections 8000; }\n"+
		"http {\n  access_log off;\n  keepalive_requests 1000000000;\n  client_body_temp_path %[1]s/body;\n  proxy_temp_path %[1]s/proxy;\n  fastcgi_temp_path %[1]s/fastcgi;\n"+
		"  uwsgi_temp_path %[1]s/uwsgi;\n  scgi_temp_path %[1]s/scgi;\n  upstream back {\n    least_conn;\n", s.dir)
	for _, address := range s.backends {
		fmt.Fprintf(&b, "    server %s;\n", address)
	}
	fmt.Fprintf(&b, "    keepalive 512;\n    keepalive_requests 1000000000;\n  }\n  server {\n    listen %s;\n    location / {\n      proxy_pass http://back;\n"+
		"      proxy_http_version 1.1;\n      proxy_set_header Connection \"\";\n    }\n  }\n}\n", s.address)
	return s.configured(ctx, Proxy{Package: nginxPackage}, b.String(), func(file string) []string { return []string{"-p", s.dir, "-c", file} })
}

// configured starts a program with a file.
func (s starting) configured(ctx context.Context, p Proxy, text string, args func(file string) []string) (*process, error) {
	program, err := p.program()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(s.dir, s.name+".conf")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	return start(ctx, s.name, s.address, nil, program, args(file)...)
}
