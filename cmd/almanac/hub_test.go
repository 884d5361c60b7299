package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/ensemble"
)

// freePort is a port that nobody has at the moment.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

// scriptFreePort is freeport NAME: it puts the number of a free port into a variable.
func scriptFreePort(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: freeport NAME")
	}
	port, err := freePort()
	ts.Check(err)
	ts.Setenv(args[0], port)
}

// reach waits until somebody listens.
func reach(address string) error {
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			return c.Close()
		}
		if time.Now().After(until) {
			return err
		}
	}
}

// scriptReach is reach ADDRESS.
func scriptReach(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: reach ADDRESS")
	}
	ts.Check(reach(args[0]))
}

// scriptJobKey is jobkey NAME JOB: it puts the key of a job that the hub at NATS_URL has into a
// variable.
func scriptJobKey(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: jobkey NAME JOB")
	}
	c, err := ensemble.Connect(context.Background(), ensemble.ConnectOptions{URL: ts.Getenv("NATS_URL")})
	ts.Check(err)
	defer c.Close()
	all, err := c.Jobs(context.Background())
	ts.Check(err)
	for _, s := range all {
		if s.Name == args[1] {
			ts.Setenv(args[0], s.Key)
			return
		}
	}
	ts.Fatalf("there is no %q among %v", args[1], all)
}

// command starts the command as a process of its own.
func command(t *testing.T, args ...string) (*exec.Cmd, *said) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Args[0] = "almanac" // by which it knows that it is not to test
	errs := new(said)
	c.Stderr = errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	return c, errs
}

// said is what a process has said so far.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// TestMetricsToken checks that a listener for Prometheus that has a token answers those who have
// it, and nobody else.
func TestMetricsToken(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("a-secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	f := hubFlags{metrics: "0.0.0.0:" + port, metricsToken: token}
	stop, err := f.serveMetrics(new(ensemble.Metrics))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for header, want := range map[string]int{"": http.StatusUnauthorized, "Bearer another": http.StatusUnauthorized,
		"Bearer a-secret": http.StatusOK} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://127.0.0.1:"+port+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", header)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%q: %s", header, answer.Status)
		}
	}
}

const enduring = `
name: enduring
time: {unit: day, end: 60}
population: {size: 4000, start: {infectious: 5, susceptible: rest}}
parameters: {beta: 0.4 per day}
states: {susceptible: {}, infectious: {race: [{rate: 0.2 per day, to: recovered}]}, recovered: {}}
transmission: [{from: infectious, rate: beta, to: {susceptible: infectious}}]
record: {every: 20 days}
`

// A study on a hub whose workers and then coordinator and then hub are killed ends with the files
// of one that nobody disturbed, in one process.
func TestStudySurvives(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows no process can be told by a signal to end in order")
	}
	dir := t.TempDir()
	model := filepath.Join(dir, "model.yaml")
	if err := os.WriteFile(model, []byte(enduring), 0o600); err != nil {
		t.Fatal(err)
	}
	sweep := func(out string, more ...string) []string {
		return append([]string{"sweep", model, "--vary", "beta=0.3..0.6 per day by 0.1", "--replicas", "60", "--output",
			"peak(infectious)", "--output", "final(recovered)", "--out", filepath.Join(dir, out)}, more...)
	}
	var out, errs bytes.Buffer
	if status := run(t.Context(), sweep("plain"), &out, &errs); status != cli.ExitDone {
		t.Fatal(errs.String())
	}
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	url := "nats://127.0.0.1:" + port
	startHub := func() *exec.Cmd {
		hub, _ := command(t, "hub", "--store", filepath.Join(dir, "hub"), "--listen", "127.0.0.1:"+port)
		if err := reach("127.0.0.1:" + port); err != nil {
			t.Fatal(err)
		}
		return hub
	}
	kill := func(c *exec.Cmd) {
		if err := c.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
	}
	hub := startHub()
	strait := throttle(t, "127.0.0.1:"+port, 36<<10) // all that the workers say is twice as much
	var workers []*exec.Cmd
	for range 3 {
		w, _ := command(t, "worker", "--hub", "nats://"+strait.address, "--slots", "1")
		workers = append(workers, w)
	}
	coordinator, _ := command(t, sweep("far", "--hub", url)...)
	conn, err := ensemble.Connect(t.Context(), ensemble.ConnectOptions{URL: url, Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	merged := func(least int) int {
		for until := time.Now().Add(2 * time.Minute); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
			if all, err := conn.Jobs(t.Context()); err == nil && len(all) == 1 && all[0].Merged >= least {
				return all[0].Merged
			}
		}
		t.Fatal("the study does not go on")
		return 0
	}
	merged(1)
	kill(workers[0])
	kill(coordinator)
	kill(workers[1])
	kill(hub)
	hub = startHub()
	before := merged(0)
	strait.open()
	w, _ := command(t, "worker", "--hub", url, "--slots", "2")
	errs.Reset()
	if status := run(t.Context(), sweep("far", "--hub", url), &out, &errs); status != cli.ExitDone ||
		!strings.Contains(errs.String(), "going on with this study where it was, from the hub") {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	if before >= 240 {
		t.Errorf("all %d replicas were merged before anything was killed: the test has tested nothing", before)
	}
	for _, name := range []string{"points.csv", "series.csv", "over-beta.svg", "over-beta.png", "model.yaml"} {
		want, err := os.ReadFile(filepath.Join(dir, "plain", name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "far", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is another: %v", name, err)
		}
	}
	for _, c := range []*exec.Cmd{w, workers[2], hub} {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err != nil {
			t.Errorf("%v does not end cleanly: %v", c.Args[1], err)
		}
	}
}

// A study in one process that is killed goes on, and ends with the files of one that was not.
func TestStudyKilledHere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows no process can be told by a signal to end in order")
	}
	dir := t.TempDir()
	model := filepath.Join(dir, "model.yaml")
	if err := os.WriteFile(model, []byte(enduring), 0o600); err != nil {
		t.Fatal(err)
	}
	args := func(out string) []string {
		return []string{"sweep", model, "--vary", "beta=0.3..0.6 per day by 0.1", "--replicas", "60", "--output",
			"peak(infectious)", "--workers", "2", "--out", filepath.Join(dir, out)}
	}
	stopTwice(t, args("cut"), filepath.Join(dir, "cut", ".state"), 20_000, syscall.SIGINT,
		"of at most 240 replicas done; the same command goes on from there")
	var out, errs bytes.Buffer
	if status := run(t.Context(), args("cut"), &out, &errs); status != cli.ExitDone || !strings.Contains(errs.String(),
		"going on with this study where it was, from ") {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	if status := run(t.Context(), args("whole"), &out, &errs); status != cli.ExitDone {
		t.Fatal(errs.String())
	}
	for _, name := range []string{"points.csv", "series.csv", "over-beta.svg"} {
		want, err := os.ReadFile(filepath.Join(dir, "whole", name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "cut", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is another: %v", name, err)
		}
	}
}

// stored is how many bytes the files of a directory have.
func stored(dir string) (n int64) {
	_ = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return nil
	})
	return n
}

// stopTwice starts a command that keeps what it has done in a directory, and kills it when that has
// more than so many bytes; and once more, and ends it by SIGINT or SIGTERM when it has found them. It
// then says how far it is. Where the test was halted until the command was done, it begins anew.
func stopTwice(t *testing.T, args []string, state string, begun int64, signal os.Signal, says string) {
	t.Helper()
	for range 10 {
		if stopped(t, args, state, begun, syscall.SIGKILL, "") && stopped(t, args, state, begun, signal, says) {
			return
		}
		if err := os.RemoveAll(filepath.Dir(state)); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("it was always done before it was stopped")
}

// stopped reports whether a command was stopped before it was done: killed when it has stored
// something, or interrupted when it has found that.
func stopped(t *testing.T, args []string, state string, begun int64, signal os.Signal, says string) bool {
	t.Helper()
	c, said := command(t, args...)
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for ready, end := false, time.After(5*time.Minute); !ready; {
		select {
		case <-ended:
			t.Logf("it was done before it was stopped by %v: %s", signal, said.String())
			return false
		case <-end:
			t.Fatalf("nothing is stored: %s", said.String())
		case <-time.After(5 * time.Millisecond):
			if signal != syscall.SIGKILL {
				ready = strings.Contains(said.String(), "going on with this study where it was")
			} else {
				ready = stored(state) > begun
			}
		}
	}
	if err := c.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Logf("it was done before it was stopped by %v: %s", signal, said.String())
		return false
	}
	if text := said.String(); signal != syscall.SIGKILL && (!strings.Contains(text, says) ||
		!strings.Contains(text, "almanac: interrupted")) {
		t.Errorf("interrupted, it says %q", text)
	}
	return true
}
