//go:build linux || darwin

package ensemble

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
)

// A dose is how much of a fault there is: little in make test, much in make soak.
type dose struct {
	points, replicas, faults int
	lease                    time.Duration
}

var little = dose{points: 24, replicas: 40, faults: 6, lease: 300 * time.Millisecond}

// job is the job of a dose, and what it has to give.
func (d dose) job(t testing.TB) (Job, []byte) {
	return walks(d.points, d.replicas, "milliseconds", "1"), plain(t, testKinds("test"), walks(d.points, d.replicas))
}

// patience is how long to wait for what may not come: a worker that had nothing in hand leaves
// nothing to others.
func (d dose) patience() time.Duration { return 10 * d.lease }

// whenever calls fault so many times while a job runs, each time that so many more points are
// finished, beside the coordinator and after a moment at random. It returns the coordinator's
// Point, and what waits for the last fault.
func (d dose) whenever(out *bytes.Buffer, fault func(n int)) (point func(PointResult) error, wait func()) {
	var wg sync.WaitGroup
	var one sync.Mutex
	random, n, seen := rand.New(rand.NewPCG(1, 9)), 0, 0
	return func(p PointResult) error {
		seen++
		for ; n < d.faults && seen > n*d.points/(d.faults+1); n++ {
			moment, number := time.Duration(random.IntN(40))*time.Millisecond, n
			wg.Go(func() {
				one.Lock()
				defer one.Unlock()
				time.Sleep(moment)
				fault(number)
			})
		}
		return collect(out)(p)
	}, wg.Wait
}

// Workers that are killed at random cost time, and nothing else.
func TestWorkersKilled(t *testing.T) { workersKilled(t, little) }

func workersKilled(t *testing.T, d dose) {
	t.Parallel()
	h := testHub(t, HubOptions{})
	job, want := d.job(t)
	r := role{What: "worker", URL: h.URL(), Lease: d.lease, Slots: 2}
	workers := []*process{r.start(t), r.start(t), r.start(t)}
	random := rand.New(rand.NewPCG(2, 9))
	deaths := 0
	var out bytes.Buffer
	point, wait := d.whenever(&out, func(int) {
		i := random.IntN(len(workers))
		workers[i].kill()
		deaths++
		workers[i] = r.start(t)
	})
	_, outcome, err := run(t, connect(t, h, d.lease), job, RunOptions{Point: point})
	if wait(); err != nil {
		t.Fatal(err)
	}
	same(t, out.Bytes(), want)
	t.Logf("%d workers killed: %+v", deaths, outcome.Counts)
	if deaths != d.faults {
		t.Errorf("%d workers were killed, not %d", deaths, d.faults)
	}
}

// A coordinator that is killed is followed by one that goes on where it was.
func TestCoordinatorKilled(t *testing.T) {
	coordinatorKilled(t, dose{points: 30, replicas: 40, faults: 3, lease: little.lease})
}

func coordinatorKilled(t *testing.T, d dose) {
	t.Parallel()
	h := testHub(t, HubOptions{})
	work(t, connect(t, h, d.lease), WorkerOptions{Slots: 3})
	killAndResume(t, d, role{What: "coordinator", URL: h.URL(), Lease: d.lease})
}

// So is a process that is hub, worker and coordinator at once.
func TestHereKilled(t *testing.T) {
	hereKilled(t, dose{points: 30, replicas: 40, faults: 3})
}

func hereKilled(t *testing.T, d dose) {
	t.Parallel()
	killAndResume(t, d, role{What: "here", Store: filepath.Join(quickDir(t), ".state"), Slots: 3})
}

// killAndResume kills one who does a job, again and again, each time after some more points were
// finished.
func killAndResume(t *testing.T, d dose, r role) {
	t.Helper()
	var want []byte
	r.Job, want = d.job(t)
	r.Out = filepath.Join(t.TempDir(), "out")
	deaths := 0
	for r.Hold = true; deaths < d.faults; {
		_ = os.Remove(r.Out + ".count")
		p := r.start(t)
		for p.alive() {
			if info, err := os.Stat(r.Out + ".count"); err == nil && int(info.Size()) >= (deaths+1)*d.points/(d.faults+2) {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if !p.alive() {
			t.Fatalf("it ended before it was killed: %s", p.said.String())
		}
		p.kill()
		deaths++
	}
	r.Hold = false
	last := r.start(t)
	<-last.done
	got, err := os.ReadFile(r.Out)
	if err != nil {
		t.Fatalf("%v\n%s", err, last.said.String())
	}
	same(t, got, want)
	var outcome Outcome
	data, err := os.ReadFile(r.Out + ".outcome")
	if err != nil || json.Unmarshal(data, &outcome) != nil {
		t.Fatal(err)
	}
	t.Logf("%d times killed: %+v", deaths, outcome)
	if !outcome.Resumed || outcome.Counts.Resumed < d.faults*d.points/(d.faults+2)*d.replicas {
		t.Errorf("%+v", outcome)
	}
}

// A hub that is killed and started again goes on, and so do its clients, by themselves.
func TestHubKilled(t *testing.T) {
	hubKilled(t, dose{points: 24, replicas: 40, faults: 2, lease: little.lease})
}

func hubKilled(t *testing.T, d dose) {
	t.Parallel()
	r := role{What: "hub", Store: filepath.Join(quickDir(t), "hub"), Listen: freePort(t)}
	hub := r.start(t)
	job, want := d.job(t)
	c, err := Connect(t.Context(), ConnectOptions{URL: hub.line, Lease: d.lease})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	w, stop := work(t, c, WorkerOptions{Slots: 4})
	defer stop()
	var out bytes.Buffer
	deaths := 0
	point, wait := d.whenever(&out, func(int) {
		hub.kill()
		deaths++
		hub = r.start(t)
	})
	_, outcome, err := run(t, c, job, RunOptions{Point: point})
	if wait(); err != nil {
		t.Fatal(err)
	}
	same(t, out.Bytes(), want)
	t.Logf("hub killed %d times: %+v, worker %+v", deaths, outcome.Counts, w.Stats())
	if deaths != d.faults {
		t.Errorf("%d hubs were killed, not %d", deaths, d.faults)
	}
}

// A worker that stands still for longer than its lease comes back with results that others have
// given: they are recognised.
func TestWorkerStopped(t *testing.T) {
	workerStopped(t, dose{points: 12, replicas: 60, faults: 1, lease: 200 * time.Millisecond})
}

func workerStopped(t *testing.T, d dose) {
	t.Parallel()
	h := testHub(t, HubOptions{})
	job, want := d.job(t)
	c := connect(t, h, d.lease)
	r := role{What: "worker", URL: h.URL(), Lease: d.lease, Slots: 2}
	p := r.start(t)
	var other *Worker
	var out bytes.Buffer
	stops, stopped := 0, make(chan struct{})
	point, wait := d.whenever(&out, func(int) {
		_ = p.Process.Signal(syscall.SIGSTOP)
		if stops++; stops == 1 {
			close(stopped)
		}
		if other == nil {
			other, _ = work(t, c, WorkerOptions{Slots: 1})
		}
		before, deadline := other.Stats().Redelivered, time.Now().Add(d.patience())
		for other.Stats().Redelivered == before && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond) // until the lease has ended, and the other has what it had
		}
		_ = p.Process.Signal(syscall.SIGCONT)
	})
	emitted := 0
	_, outcome, err := run(t, c, job, RunOptions{TaskTime: 50 * time.Millisecond, Point: func(q PointResult) error {
		if emitted++; emitted == 2 { // while tasks are left for the worker that stands still
			<-stopped
		}
		return point(q)
	}})
	if wait(); err != nil {
		t.Fatal(err)
	}
	same(t, out.Bytes(), want)
	t.Logf("stopped %d times, beyond its lease of %v: %+v, the other %+v", stops, d.lease, outcome.Counts, other.Stats())
	if other.Stats().Redelivered == 0 {
		t.Error("nothing was done by another worker")
	}
}

// Tasks that are all delivered twice, and results that are all stored twice, count once.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	h := testHub(t, HubOptions{})
	job, want := dose{points: 20, replicas: 50}.job(t)
	c := connect(t, h, 0)
	var tasks, results atomic.Int64
	copier := func(count *atomic.Int64) nats.MsgHandler {
		return func(m *nats.Msg) {
			if m.Header.Get("Copy") != "" {
				return
			}
			count.Add(1)
			copied := nats.NewMsg(m.Subject)
			copied.Data = m.Data
			copied.Header.Set("Copy", "1")
			_ = c.nc.PublishMsg(copied)
		}
	}
	for subject, count := range map[string]*atomic.Int64{"almanac.task.>": &tasks, "almanac.result.>": &results} {
		sub, err := c.nc.Subscribe(subject, copier(count))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = sub.Unsubscribe() }()
	}
	w, _ := work(t, c, WorkerOptions{Slots: 3})
	w2, _ := work(t, c, WorkerOptions{Slots: 3})
	got, outcome, err := run(t, c, job, RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, want)
	duplicates := w.Stats().Duplicates + w2.Stats().Duplicates
	t.Logf("%d tasks and %d results copied: %d results were not stored again; %+v", tasks.Load(), results.Load(),
		duplicates, outcome.Counts)
	if tasks.Load() < 10 || results.Load() < 10 || duplicates == 0 || outcome.Counts.Duplicates == 0 {
		t.Error("too little was copied")
	}
}

// A hub that has no room any more ends the job here, with an error that says so. With room, it goes
// on.
func TestHereWithoutRoom(t *testing.T) {
	t.Parallel()
	job := walks(400, 40)
	o := here{State: filepath.Join(quickDir(t), ".state"), MaxStore: 100_000, RunOptions: RunOptions{
		Registry: testKinds("test"), TaskTime: 5 * time.Millisecond}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if outcome, err := o.run(ctx, job); !errors.Is(err, ErrNoRoom) {
		t.Errorf("%+v, %v", outcome, err)
	}
	o.MaxStore = 0
	var out bytes.Buffer
	o.Point = collect(&out)
	outcome, err := o.run(ctx, job)
	if same(t, out.Bytes(), plain(t, testKinds("test"), job)); err != nil || !outcome.Resumed {
		t.Errorf("%+v, %v", outcome, err)
	}
}

// A hub whose files can grow no more ends, and says why. Started again with room, it goes on, and
// so do the others.
func TestHubsDiskIsFull(t *testing.T) {
	t.Parallel()
	r := role{What: "hub", Store: filepath.Join(quickDir(t), "hub"), Listen: freePort(t), Limit: 20_000}
	hub := r.start(t)
	d := dose{points: 200, replicas: 40, lease: little.lease}
	job, want := walks(d.points, d.replicas), plain(t, testKinds("test"), walks(d.points, d.replicas))
	c, err := Connect(t.Context(), ConnectOptions{URL: hub.line, Lease: d.lease})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	_, stop := work(t, c, WorkerOptions{Slots: 4})
	defer stop()
	ends := make(chan string, 1)
	go func() {
		<-hub.done
		ends <- hub.said.String()
		r.Limit = 0
		r.start(t)
	}()
	var got []byte
	var outcome Outcome
	for range 1000 {
		if got, outcome, err = run(t, c, job, RunOptions{TaskTime: 5 * time.Millisecond}); !errors.Is(err, ErrNoRoom) {
			break
		}
		time.Sleep(20 * time.Millisecond) // whoever hears of it at once is told to come back
	}
	if same(t, got, want); err != nil {
		t.Fatal(err)
	}
	if said := <-ends; !strings.Contains(said, "no room to store results") || !strings.Contains(said, "file too large") {
		t.Errorf("the hub said %q", said)
	}
	t.Logf("%+v", outcome)
}

// A task that is delivered again and again and never answered does not circulate for ever: the
// server gives it up, and the job fails.
func TestTaskIsGivenUp(t *testing.T) {
	t.Parallel()
	c := connect(t, testHub(t, HubOptions{Listen: "none"}), 100*time.Millisecond)
	if err := c.ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	k, _ := testKinds("test").kind("walk")
	version := k.version()
	consumer, err := c.js.CreateConsumer(t.Context(), wire.TasksStream, jetstream.ConsumerConfig{
		Durable: "workers-" + versionTag(version), FilterSubject: wire.TagTasks(versionTag(version)),
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.lease, MaxDeliver: 3, // where workers have maxDeliver
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	taken := make(chan int)
	go func() { // someone who takes tasks, and does nothing
		n := 0
		for ctx.Err() == nil {
			if batch, err := consumer.Fetch(1, jetstream.FetchContext(ctx)); err == nil {
				for range batch.Messages() {
					n++
				}
			}
		}
		taken <- n
	}()
	_, _, err = run(t, c, walks(1, 4), RunOptions{Window: 1})
	cancel()
	n := <-taken
	var failed *ReplicaError
	if !errors.As(err, &failed) || failed.Reason != "died" || failed.Replica != 0 || !strings.Contains(failed.Text,
		"was delivered 3 times") || n == 0 {
		t.Errorf("after %d deliveries: %v", n, err)
	}
}

// A hub that comes back with an empty store has lost the job, which is said; given again, it begins
// anew.
func TestHubComesBackEmpty(t *testing.T) {
	t.Parallel()
	where := freePort(t)
	hub, err := StartHub(HubOptions{Store: quickDir(t), Listen: where})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Connect(t.Context(), ConnectOptions{URL: hub.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.startup = 100 * time.Millisecond
	_, stop := work(t, c, WorkerOptions{Slots: 2})
	defer stop()
	job, n := walks(6, 10), 0
	_, outcome, err := run(t, c, job, RunOptions{Point: func(PointResult) error {
		if n++; n == 2 {
			hub.Close()
			hub = testHub(t, HubOptions{Listen: where})
		}
		return nil
	}})
	if !errors.Is(err, ErrLost) || outcome.PointsDone >= 6 {
		t.Fatalf("%+v, %v", outcome, err)
	}
	got, outcome, err := run(t, c, job, RunOptions{})
	if same(t, got, plain(t, testKinds("test"), job)); err != nil || outcome.Resumed {
		t.Errorf("%+v, %v", outcome, err)
	}
}

// lastPort is the last port that freePort has returned.
var lastPort atomic.Uint32

// freePort is a port of this machine for a hub that is stopped and started again. It is below those
// that the system gives to others, and no two tests have the same.
func freePort(t testing.TB) string {
	t.Helper()
	lastPort.CompareAndSwap(0, 10_000+rand.Uint32N(20_000))
	for range 100 {
		where := "127.0.0.1:" + strconv.Itoa(int(lastPort.Add(1)))
		if l, err := net.Listen("tcp", where); err == nil {
			_ = l.Close()
			return where
		}
	}
	t.Fatal("no port is free")
	return ""
}
