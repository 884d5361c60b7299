//go:build linux || darwin

package ensemble

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A role is what a process of the tests does, if it is not the tests themselves: workers,
// coordinators and hubs that can be killed.
type role struct {
	What    string // "worker", "coordinator", "hub", "here"
	URL     string
	Token   string // a file
	Version string // of the kinds
	Lease   time.Duration
	Slots   int
	Tries   int

	Store   string // of a hub
	Listen  string
	Name    string
	Cluster *ClusterOptions
	Limit   uint64 // of the sizes of its files

	Job Job    // of a coordinator
	Out string // where its output goes, and beside it a byte for each point

	Hold bool // wait at the last point until it is killed
}

func (r role) play() error {
	// Roles end with the tests, however those end.
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if r.What == "hub" {
		if r.Limit > 0 {
			signal.Ignore(syscall.SIGXFSZ)
			if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: r.Limit, Max: r.Limit}); err != nil {
				return err
			}
		}
		h, err := StartHub(HubOptions{Store: r.Store, Listen: r.Listen, Name: r.Name, Cluster: r.Cluster, TokenFile: r.Token,
			Logger: log})
		if err != nil {
			return err
		}
		fmt.Println(h.URL())
		select {
		case <-ctx.Done():
		case <-h.Failed():
			return h.Err()
		}
		h.Close()
		return nil
	}
	g := testKinds(r.Version)
	if r.What == "here" {
		return r.coordinate(g, func(o RunOptions) (Outcome, error) {
			return here{RunOptions: o, State: r.Store, Slots: r.Slots}.run(ctx, r.Job)
		})
	}
	c, err := Connect(ctx, ConnectOptions{URL: r.URL, TokenFile: r.Token, Lease: r.Lease, Wait: -1, Logger: log})
	if err != nil {
		return err
	}
	defer c.Close()
	if r.What == "worker" {
		fmt.Println("ready")
		return Serve(ctx, c, WorkerOptions{Registry: g, Slots: r.Slots, Tries: r.Tries, Logger: log})
	}
	return r.coordinate(g, func(o RunOptions) (Outcome, error) { return c.Run(ctx, r.Job, o) })
}

// coordinate does a job, and writes what came of it.
func (r role) coordinate(g *Registry, run func(RunOptions) (Outcome, error)) error {
	count, err := os.Create(r.Out + ".count")
	if err != nil {
		return err
	}
	defer count.Close()
	var out bytes.Buffer
	outcome, err := run(RunOptions{Registry: g, TaskTime: 20 * time.Millisecond, Point: func(p PointResult) error {
		if _, err := count.WriteString("."); err != nil {
			return err
		}
		if r.Hold && p.Index == len(r.Job.Points)-1 {
			select {}
		}
		return collect(&out)(p)
	}})
	if err != nil {
		return err
	}
	data, err := json.Marshal(outcome)
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.Out+".outcome", data, 0o600); err != nil {
		return err
	}
	return os.WriteFile(r.Out, out.Bytes(), 0o600)
}

// start starts a process that plays a role, and waits for the line by which it says that it is
// ready.
func (r role) start(t testing.TB) *process {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if r.Version == "" {
		r.Version = "test"
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(program), done: make(chan struct{})}
	p.Env = append(os.Environ(), "ENSEMBLE_TEST_ROLE="+string(text))
	p.Stderr = &p.said
	endWithParent(p.Cmd)
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if r.What == "worker" || r.What == "hub" {
		line := make([]byte, 256)
		n, err := out.Read(line)
		if err != nil {
			_ = p.Wait()
			t.Fatalf("a %s did not start: %v\n%s", r.What, err, p.said.String())
		}
		p.line = strings.TrimSpace(string(line[:n]))
	}
	go func() {
		_ = p.Wait()
		close(p.done)
	}()
	t.Cleanup(p.kill)
	return p
}

type process struct {
	*exec.Cmd
	line string
	said bytes.Buffer
	done chan struct{}
}

// kill is kill −9.
func (p *process) kill() {
	_ = p.Process.Kill()
	<-p.done
}

func (p *process) alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}
