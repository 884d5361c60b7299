//go:build soak && linux

package ensemble

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
)

// The faults of faults_test.go, and many of them.

func TestSoakWorkersKilled(t *testing.T) {
	workersKilled(t, dose{points: 1200, replicas: 60, faults: 220, lease: 500 * time.Millisecond})
}

func TestSoakCoordinatorKilled(t *testing.T) {
	coordinatorKilled(t, dose{points: 400, replicas: 60, faults: 25, lease: 500 * time.Millisecond})
}

func TestSoakHereKilled(t *testing.T) {
	hereKilled(t, dose{points: 400, replicas: 60, faults: 25})
}

func TestSoakHubKilled(t *testing.T) {
	hubKilled(t, dose{points: 400, replicas: 60, faults: 20, lease: 500 * time.Millisecond})
}

func TestSoakWorkerStopped(t *testing.T) {
	workerStopped(t, dose{points: 120, replicas: 60, faults: 10, lease: 300 * time.Millisecond})
}

// Three servers, of which the leader of the tasks is killed again and again while ten thousand
// tasks run.
func TestSoakLeaderKilled(t *testing.T) {
	const deaths, tasks = 10, 10_000
	const lease = 2 * time.Second
	c := startCluster(t)
	conn, err := Connect(t.Context(), ConnectOptions{URL: c.url(), Lease: lease})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if conn.copies != 3 {
		t.Errorf("%d copies are kept on a cluster", conn.copies)
	}
	r := role{What: "worker", URL: c.url(), Lease: lease, Slots: 4}
	for range 2 {
		r.start(t)
	}
	// A task of one replica each: they are as long as a task should be.
	job := walks(2500, 4, "milliseconds", "2")
	want := plain(t, testKinds("test"), walks(2500, 4))
	killed := map[int]int{}
	n, seen := 0, 0
	wait := make(chan struct{}, deaths)
	var out bytes.Buffer
	_, outcome, err := run(t, conn, job, RunOptions{TaskTime: time.Microsecond, Window: 64,
		Point: func(p PointResult) error {
			if seen++; n < deaths && seen > (n+1)*2500/(deaths+1) {
				n++
				go func() {
					leader := c.leader(t, conn)
					killed[leader]++
					c.restart(t, leader)
					wait <- struct{}{}
				}()
				<-wait // one at a time: of two that are away, a cluster of three does not recover before they are back
			}
			return collect(&out)(p)
		}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, out.Bytes(), want)
	t.Logf("leader killed %d times (%v): %+v", n, killed, outcome.Counts)
	if n != deaths || outcome.Counts.Tasks < tasks {
		t.Errorf("%d leaders were killed, %d tasks were handed out", n, outcome.Counts.Tasks)
	}
}

// A cluster is three hubs, each a process.
type cluster struct {
	roles [3]role
	hubs  [3]*process
}

func startCluster(t *testing.T) *cluster {
	t.Helper()
	c := new(cluster)
	var routes []string
	for range c.roles {
		routes = append(routes, freePort(t))
	}
	dir := quickDir(t)
	for i := range c.roles {
		c.roles[i] = role{What: "hub", Store: filepath.Join(dir, fmt.Sprint(i)), Listen: freePort(t),
			Name:    fmt.Sprintf("hub-%d", i),
			Cluster: &ClusterOptions{Name: "soak", Listen: routes[i], Routes: routes}}
		c.hubs[i] = c.roles[i].start(t)
	}
	return c
}

func (c *cluster) url() string {
	var all []string
	for _, r := range c.roles {
		all = append(all, "nats://"+r.Listen)
	}
	return strings.Join(all, ",")
}

// leader is the server that leads the stream of tasks.
func (c *cluster) leader(t *testing.T, conn *Conn) int {
	for range 300 {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		stream, err := conn.js.Stream(ctx, wire.TasksStream)
		cancel()
		if err == nil {
			if info := stream.CachedInfo().Cluster; info != nil {
				for i, r := range c.roles {
					if r.Name == info.Leader {
						return i
					}
				}
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("the tasks have no leader")
	return rand.IntN(3)
}

func (c *cluster) restart(t *testing.T, i int) {
	c.hubs[i].kill()
	time.Sleep(time.Second)
	c.hubs[i] = c.roles[i].start(t)
}

// A disk that is really full: a file system of 3 MB in memory. The hub ends; with room, all goes
// on.
func TestSoakFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=3m"); err != nil {
		t.Skipf("a file system that can be filled needs root: %v; TestHubsDiskIsFull does the same with a limit on files",
			err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	job := walks(4000, 30)
	want := plain(t, testKinds("test"), job)
	o := here{State: filepath.Join(dir, ".state"), MaxStore: 1 << 30, RunOptions: RunOptions{Registry: testKinds("test"),
		TaskTime: 10 * time.Millisecond}}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 2500<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	_, err := o.run(ctx, job)
	t.Logf("with a full disk: %v", err)
	if err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("a full disk: %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=100m"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	o.Point = collect(&out)
	outcome, err := o.run(ctx, job)
	if same(t, out.Bytes(), want); err != nil || !outcome.Resumed {
		t.Errorf("%+v, %v", outcome, err)
	}
	t.Logf("with room: %+v", outcome)
}

// Many replicas leave the memory of worker and coordinator as it was: 300,000 of 100 numbers each
// would be 240 MB. That a million are as few as these is in TestStudyMemoryIsBounded. (The server
// keeps for some seconds what was written and read, and is another process.)
func TestSoakMemory(t *testing.T) {
	g := new(Registry)
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("number %d", i)
	}
	g.AddKind(Kind{Name: "wide", Version: "1", Open: func([]byte) (Model, error) { return wide(names), nil }})
	job := Job{Kind: "wide", Points: []Point{{}}, Replicas: 300_000, Seed: 1}
	want := plain(t, g, job)
	var out bytes.Buffer
	var early, late uint64
	hub := role{What: "hub", Store: filepath.Join(t.TempDir(), "hub"), Listen: freePort(t)}.start(t)
	c, err := Connect(t.Context(), ConnectOptions{URL: hub.line})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, stop := work(t, c, WorkerOptions{Registry: g})
	defer stop()
	o := RunOptions{Registry: g, TaskTime: 50 * time.Millisecond, Point: collect(&out)}
	o.Progress = func(p Progress) {
		if p.Merged < 15_000 {
			return // quantiles are still exact, and the numbers held
		}
		runtime.GC()
		if late = max(late, inUse()); early == 0 {
			early = inUse()
		}
	}
	outcome, err := c.Run(t.Context(), job, o)
	if same(t, out.Bytes(), want); err != nil || outcome.Replicas != 300_000 {
		t.Errorf("%+v, %v", outcome, err)
	}
	t.Logf("%d MB in use after 15,000 replicas, %d MB at most afterwards; %+v", early>>20, late>>20, outcome.Counts)
	if late > early+64<<20 {
		t.Errorf("%d MB in use after 15,000 replicas, and %d MB at most afterwards", early>>20, late>>20)
	}
}

type wide []string

func (w wide) At(Point) (Runner, error) {
	return func(_ context.Context, r Replica) (Values, error) {
		random, v := r.Rand(), Values{Names: w, Events: 1}
		for range w {
			v.Numbers = append(v.Numbers, random.Float64())
		}
		return v, nil
	}, nil
}
