package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
)

// A shared buffer is written by one goroutine and read by another.
type shared struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// A run on the page gives the files that almanac run gives with the command line that the page
// shows, byte for byte; an interrupt ends the server.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	model, err := os.ReadFile("../../examples/sir.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sir.yaml"), model, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out shared
	status := make(chan int)
	go func() { status <- run(ctx, []string{"serve", dir}, &out, &out) }()
	link := regexp.MustCompile(`http://localhost:\d+/`)
	for link.FindString(out.String()) == "" {
		time.Sleep(5 * time.Millisecond)
	}
	at := link.FindString(out.String())
	get := func(path string) string {
		t.Helper()
		answer, err := http.Get(at + path)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", path, answer.Status, err)
		}
		return string(body)
	}
	answer, err := http.PostForm(at+"runs", url.Values{"path": {"sir.yaml"}, "seed": {"3"}, "replicas": {"4"},
		"size": {"1000"}, "set.beta": {"0.6 per day"}})
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	for !strings.Contains(get("runs/1"), `data-state="done"`) {
		time.Sleep(5 * time.Millisecond)
	}
	results := filepath.Join(dir, "results")
	command := []string{"run", filepath.Join(dir, "sir.yaml"), "--seed", "3", "--replicas", "4", "--size", "1000", "--set",
		"beta=0.6 per day"}
	if want := "almanac " + strings.Join(command[:len(command)-1], " ") + " &#39;beta=0.6 per day&#39;"; !strings.Contains(
		get("runs/1"), want) {
		t.Errorf("the page does not show %s", want)
	}
	var printed bytes.Buffer
	if s := run(ctx, append(command, "--out", results), &printed, &printed); s != cli.ExitDone {
		t.Fatalf("%d: %s", s, printed.String())
	}
	for name, path := range map[string]string{"summary.json": "files/summary.json", "series.csv": "files/series.csv",
		"flows.csv": "files/flows.csv", "model.yaml": "files/model.yaml", "diagram.svg": "files/diagram.svg",
		"states.svg": "figures/states.svg", "states.png": "figures/states.png"} {
		want, err := os.ReadFile(filepath.Join(results, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := get("runs/1/" + path); got != string(want) {
			t.Errorf("%s differs", name)
		}
	}
	// What was written is shown as a result.
	if page := get("results/results"); !strings.Contains(page, "4 replicas, seed 3") || !strings.Contains(page, "svg") {
		t.Errorf("%.2000s", page)
	}
	cancel()
	if s := <-status; s != cli.ExitDone {
		t.Errorf("status %d: %s", s, out.String())
	}
}

// What is wrong with the command line is said before anything is opened.
func TestServeUsage(t *testing.T) {
	for _, x := range []struct {
		args []string
		want string
	}{
		{[]string{"nowhere"}, "nowhere"},
		{[]string{"serve.go"}, "not a directory; expected a directory with models"},
		{[]string{"--listen", "8080"}, "no HOST:PORT"},
		{[]string{"--listen", "localhost:http"}, "no port"},
		{[]string{"--runs", "0"}, "at least one"},
		{[]string{"--name", "lab.example"}, "needs --token"},
		{[]string{"--longest", "-1s"}, "such as 30m"},
		{[]string{"a", "b"}, "at most 1"},
	} {
		var out bytes.Buffer
		if s := run(t.Context(), append([]string{"serve"}, x.args...), &out, &out); s != cli.ExitUsage ||
			!strings.Contains(out.String(), x.want) {
			t.Errorf("%v: status %d, %s", x.args, s, out.String())
		}
	}
	// A port that another program has is said, and what to do about it.
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	var said bytes.Buffer
	if s := run(t.Context(), []string{"serve", "--listen", taken.Addr().String()}, &said, &said); s != cli.ExitWork ||
		!strings.Contains(said.String(), "or 0 for any that is free") {
		t.Errorf("a port that is taken: status %d, %s", s, said.String())
	}
	// Who can be reached from elsewhere has a token in the link, and says the name that it answers to.
	ctx, cancel := context.WithCancel(t.Context())
	var out shared
	status := make(chan int)
	go func() { status <- run(ctx, []string{"serve", "--listen", "0.0.0.0:0", "--token", "a&b"}, &out, &out) }()
	for !strings.Contains(out.String(), "\n") {
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	if <-status; !regexp.MustCompile(`^the examples at http://\S+:\d+/\?token=a%26b\n$`).MatchString(out.String()) {
		t.Errorf("%q", out.String())
	}
}
