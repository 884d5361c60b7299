//go:build linux || darwin

package ensemble

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if text := os.Getenv("ENSEMBLE_TEST_ROLE"); text != "" {
		var r role
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			panic(err)
		}
		if err := r.play(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// In nats.go 1.55.0 this goroutine waits for ever if what it is to look after, an object that
	// is being stored, is stored before it looks.
	goleak.VerifyTestMain(m,
		goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"),
		// The server's own, in 2.15.2, and a timer of nats.go: seen once to be there still after
		// all had been shut down.
		goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server.(*fileStore).flushStreamStateLoop"),
		goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server/ats.Register.func1"),
		goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*pullSubscription).scheduleHeartbeatCheck.func1"))
}

// testKinds are the models of the tests.
func testKinds(version string) *Registry {
	g := new(Registry)
	g.AddKind(FuncKind("walk", version, walk))
	return g
}

// walk is a sum of random numbers, with parameters that make it take time, fail, or worse.
func walk(ctx context.Context, p Params, r Replica) (Outputs, error) {
	if d := p["milliseconds"]; d > 0 {
		select {
		case <-time.After(time.Duration(d * float64(time.Millisecond))):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if bad, ok := p["bad"]; ok && r.Number >= int(bad) && r.Number < int(bad+max(p["length"], 1)) {
		switch p["how"] {
		case 0:
			return nil, fmt.Errorf("%g is no good", p["bad"])
		case 1:
			panic("no good")
		case 4:
			os.Exit(7)
		}
	}
	random, x := r.Rand(), 0.0
	for range 100 {
		x += random.NormFloat64()
	}
	out := Outputs{"x": p["mean"] + p["sd"]*x, "square": x * x, "sometimes": x}
	if x < 0 {
		out["sometimes"] = math.NaN()
	}
	return out, nil
}

// walks is a job of so many points.
func walks(points, replicas int, set ...string) Job {
	job := Job{Name: "walks", Kind: "walk", Replicas: replicas, Seed: 5}
	for i := range points {
		p := Point{Set: map[string]string{"mean": strconv.Itoa(i), "sd": "2"},
			Repeat: fmt.Sprintf("walk --mean %d --replica {replica}", i)}
		for j := 0; j < len(set); j += 2 {
			p.Set[set[j]] = set[j+1]
		}
		job.Points = append(job.Points, p)
	}
	return job
}

// plain is a job done by a plain loop over points and replicas, in one goroutine: what everything
// else is held against.
func plain(t testing.TB, g *Registry, job Job) []byte {
	t.Helper()
	k, ok := g.kind(job.Kind)
	if !ok {
		t.Fatalf("no kind %q", job.Kind)
	}
	m, err := k.Open(job.Payload)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for i, p := range job.Points {
		run, err := m.At(p)
		if err != nil {
			t.Fatal(err)
		}
		var sum *tally
		precise := false
		for n := 0; n < job.Replicas && !precise; n++ {
			v, err := run(context.Background(), NewReplica(job.Seed, n))
			if err != nil {
				t.Fatal(err)
			}
			if sum == nil {
				sum = newTally(v.Names, 0)
			}
			sum.add(append([]float64{float64(v.Events)}, v.Numbers...))
			precise = (n+1)%job.Precision.batch() == 0 && sum.precise(job.Precision)
		}
		r := sum.result(job.quantiles())
		r.Index, r.Point, r.Precise = i, p, precise
		if err := collect(&out)(r); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// here does jobs in a directory that is open for one at a time, as if each had a process of its
// own.
type here struct {
	RunOptions
	State    string
	Slots    int
	MaxStore int64
}

func (h here) run(ctx context.Context, job Job) (Outcome, error) {
	d, err := OpenDirectory(h.State, DirectoryOptions{Slots: h.Slots, MaxStore: h.MaxStore, Logger: h.Logger})
	if err != nil {
		return Outcome{}, err
	}
	defer d.Close()
	return d.Run(ctx, job, h.RunOptions)
}

// collect writes points as they are stored, byte for byte, without how long their replicas were
// told to wait: a plain loop need not.
func collect(out *bytes.Buffer) func(PointResult) error {
	return func(p PointResult) error {
		p.Point.Set = maps.Clone(p.Point.Set)
		delete(p.Point.Set, "milliseconds")
		data, err := p.encode()
		out.Write(data)
		return err
	}
}

// quickDir is a directory in memory, if the system has such: what a disk takes to write for good is
// no part of these tests.
func quickDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "ensemble-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// testHub is a hub within the tests, on a port of its own unless it is told to have none.
func testHub(t testing.TB, o HubOptions) *Hub {
	t.Helper()
	if o.Store == "" {
		o.Store = filepath.Join(quickDir(t), "hub")
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	h, err := StartHub(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

func connect(t testing.TB, h *Hub, lease time.Duration) *Conn {
	t.Helper()
	c, err := h.Connect(ConnectOptions{Lease: lease})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// work starts a worker, which ends with the test or when the function that is returned is called.
func work(t testing.TB, c *Conn, o WorkerOptions) (w *Worker, stop func()) {
	t.Helper()
	if o.Registry == nil {
		o.Registry = testKinds("test")
	}
	ctx, cancel := context.WithCancel(context.Background())
	w = NewWorker(c, o)
	ended := make(chan error, 1)
	go func() { ended <- w.Serve(ctx) }()
	once := false
	stop = func() {
		if !once {
			once = true
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("a worker ends with %v", err)
			}
		}
	}
	t.Cleanup(stop)
	return w, stop
}

// run does a job and returns what it gives.
func run(t testing.TB, c *Conn, job Job, o RunOptions) ([]byte, Outcome, error) {
	t.Helper()
	var out bytes.Buffer
	if o.Registry == nil {
		o.Registry = testKinds("test")
	}
	if o.Point == nil {
		o.Point = collect(&out)
	}
	if o.TaskTime == 0 {
		o.TaskTime = 20 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	outcome, err := c.Run(ctx, job, o)
	return out.Bytes(), outcome, err
}

func same(t testing.TB, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("the output is not that of a plain loop: %d bytes against %d\n%s", len(got), len(want), debug.Stack())
	}
}
