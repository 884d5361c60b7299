//go:build linux || darwin

package ensemble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The output is that of a plain loop, byte for byte, with one, two and five workers.
func TestOutputIsThatOfOneProcess(t *testing.T) {
	t.Parallel()
	precise := walks(12, 2000)
	precise.Precision = Precision{Relative: 0.2, Outputs: []string{"square"}}
	for name, job := range map[string]Job{"grid": walks(40, 60), "precision": precise} {
		want := plain(t, testKinds("test"), job)
		for _, workers := range []int{1, 2, 5} {
			c := connect(t, testHub(t, HubOptions{Listen: "none"}), 0)
			var stops []func()
			for range workers {
				_, stop := work(t, c, WorkerOptions{Slots: 1})
				stops = append(stops, stop)
			}
			got, outcome, err := run(t, c, job, RunOptions{TaskTime: 2 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			if same(t, got, want); outcome.PointsDone != len(job.Points) {
				t.Errorf("%s: %+v", name, outcome)
			}
			for _, stop := range stops {
				stop()
			}
		}
	}
}

// A job that is interrupted goes on where it was, in another process as it were: with a new server
// on the same directory.
func TestHereGoesOn(t *testing.T) {
	t.Parallel()
	job := walks(30, 40)
	want := plain(t, testKinds("test"), job)
	o := here{State: filepath.Join(quickDir(t), ".state"), RunOptions: RunOptions{Registry: testKinds("test"),
		TaskTime: 5 * time.Millisecond}}
	enough := errors.New("enough")
	for _, stopAt := range []int{4, 11, 1000} {
		var out bytes.Buffer
		n := 0
		o.Point = func(p PointResult) error {
			if n++; n == stopAt {
				return enough
			}
			return collect(&out)(p)
		}
		outcome, err := o.run(t.Context(), job)
		switch {
		case stopAt < 1000 && !errors.Is(err, enough):
			t.Fatal(err)
		case stopAt < 1000 && outcome.Resumed != (stopAt > 4):
			t.Errorf("stopped at %d: %+v", stopAt, outcome)
		case stopAt == 1000:
			if same(t, out.Bytes(), want); err != nil || !outcome.Resumed || outcome.Counts.Resumed < 10*40 || outcome.WasDone {
				t.Errorf("%+v, %v", outcome, err)
			}
		}
	}
	// Once it is done, it is not run again.
	var out bytes.Buffer
	o.Point = collect(&out)
	outcome, err := o.run(t.Context(), job)
	if same(t, out.Bytes(), want); err != nil || !outcome.WasDone || outcome.Counts.Tasks != 0 {
		t.Errorf("%+v, %v", outcome, err)
	}
	// Another seed is another job.
	job.Seed++
	out.Reset()
	if outcome, err = o.run(t.Context(), job); err != nil || outcome.Resumed || bytes.Equal(out.Bytes(), want) {
		t.Errorf("%+v, %v", outcome, err)
	}
}

// A replica that takes its worker down with it fails the job after some tries, and is found among
// those that share its task.
func TestPoison(t *testing.T) {
	t.Parallel()
	h := testHub(t, HubOptions{})
	c := connect(t, h, 400*time.Millisecond)
	job := walks(2, 30)
	job.Points[1].Set["bad"], job.Points[1].Set["how"] = "17", "4"
	r := role{What: "worker", URL: h.URL(), Lease: 400 * time.Millisecond, Slots: 3}
	deaths := 0
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			p := r.start(t)
			select {
			case <-p.done:
				deaths++
			case <-done:
				p.kill()
				return
			}
		}
	}()
	_, _, err := run(t, c, job, RunOptions{TaskTime: 100 * time.Millisecond})
	close(done)
	<-ended
	var failed *ReplicaError
	if !errors.As(err, &failed) || failed.Point != 1 || failed.Replica != 17 || failed.Reason != "died" {
		t.Errorf("%v", err)
	}
	t.Logf("%d workers died: %v", deaths, err)
	if deaths < 3 || deaths > 30 { // some more on a busy machine, where leases expire
		t.Errorf("%d workers died", deaths)
	}
}

// A cancelled job stops: its coordinator, and what workers do for it. Given again, it begins anew.
func TestCancel(t *testing.T) {
	c := connect(t, testHub(t, HubOptions{Listen: "none"}), 0)
	w, _ := work(t, c, WorkerOptions{Slots: 2})
	job := walks(5, 10, "milliseconds", "600000")
	key, err := job.Key(testKinds("test"))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for w.Stats().Busy < 2 {
			time.Sleep(time.Millisecond)
		}
		if err := c.Cancel(context.Background(), key); err != nil {
			t.Error(err)
		}
	}()
	if _, outcome, err := run(t, c, job, RunOptions{}); !errors.Is(err, ErrCanceled) || outcome.Key != key {
		t.Errorf("%+v, %v", outcome, err)
	}
	for deadline := time.Now().Add(2 * time.Minute); w.Stats().Busy > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a worker still works for a job that was cancelled")
		}
	}
	if s, err := c.Status(t.Context(), key); err != nil || s.State != Canceled {
		t.Errorf("%+v, %v", s, err)
	}
	if err := c.Forget(t.Context(), key); err != nil {
		t.Error(err)
	}
	if _, err := c.Status(t.Context(), key); !errors.Is(err, ErrNoJob) {
		t.Error(err)
	}
	if err := c.Cancel(t.Context(), "nonsense"); !errors.Is(err, ErrNoJob) {
		t.Error(err)
	}
	// Jobs that are listed, loaded and read.
	job = walks(3, 10)
	want, outcome, err := run(t, c, job, RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := c.Jobs(t.Context())
	if err != nil || len(jobs) != 1 || jobs[0].State != Done || jobs[0].Merged != 30 || jobs[0].PointsDone != 3 ||
		jobs[0].Name != "walks" {
		t.Errorf("%+v, %v", jobs, err)
	}
	var out bytes.Buffer
	if err := c.Results(t.Context(), outcome.Key, collect(&out)); err != nil {
		t.Error(err)
	}
	same(t, out.Bytes(), want)
	loaded, err := c.Load(t.Context(), outcome.Key)
	if again, kerr := loaded.Key(testKinds("test")); err != nil || kerr != nil || again != outcome.Key {
		t.Errorf("%s, %v, %v", again, err, kerr)
	}
}

// Of two coordinators of a job, the later one goes on, and the earlier one ends; the output is the
// same.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	c := connect(t, testHub(t, HubOptions{Listen: "none"}), 0)
	work(t, c, WorkerOptions{Slots: 2})
	job := walks(20, 20, "milliseconds", "3")
	want := plain(t, testKinds("test"), walks(20, 20))
	first := make(chan error, 1)
	began := make(chan struct{})
	go func() {
		n := 0
		_, err := c.Run(context.Background(), job, RunOptions{Registry: testKinds("test"), TaskTime: 10 * time.Millisecond,
			Point: func(PointResult) error {
				if n++; n == 3 {
					close(began)
				}
				return nil
			}})
		first <- err
	}()
	<-began
	got, outcome, err := run(t, c, job, RunOptions{})
	if same(t, got, want); err != nil || !outcome.Resumed {
		t.Errorf("%+v, %v", outcome, err)
	}
	if err := <-first; !errors.Is(err, ErrTakenOver) && err != nil {
		t.Error(err)
	}
}

// A worker of another version is never handed the job's tasks, and says why, with both versions;
// one of the right version does them.
func TestAnotherVersion(t *testing.T) {
	t.Parallel()
	c := connect(t, testHub(t, HubOptions{Listen: "none"}), 0)
	other, _ := work(t, c, WorkerOptions{Registry: testKinds("other"), Name: "old"})
	job := walks(3, 20)
	heard := make(chan string, 1)
	began := false
	got, _, err := run(t, c, job, RunOptions{Progress: func(p Progress) {
		if len(p.Refused) > 0 && !began {
			began = true
			heard <- p.Refused[0]
			work(t, c, WorkerOptions{})
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, plain(t, testKinds("test"), job))
	why := <-heard
	if !strings.Contains(why, "engine 1, walk test, ") || !strings.Contains(why, "engine 1, walk other, ") ||
		!strings.Contains(why, "worker old refuses") {
		t.Errorf("it says %q", why)
	}
	if s := other.Stats(); s.Tasks != 0 || s.Refused != 1 {
		t.Errorf("the worker of another version: %+v", s)
	}
}

// A worker that is told to stop stores what it has, and returns what it has not started: no lease
// has to expire.
func TestDrain(t *testing.T) {
	t.Parallel()
	c := connect(t, testHub(t, HubOptions{Listen: "none"}), 0)
	job := walks(1, 400)
	want := plain(t, testKinds("test"), job)
	reached, stopping := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(reached) })
	g := new(Registry)
	g.AddKind(FuncKind("walk", "test", func(ctx context.Context, p Params, r Replica) (Outputs, error) {
		if r.Number >= 100 { // in the middle of a task that has all replicas from about 10 on
			once()
			<-stopping
		}
		return walk(ctx, p, r)
	}))
	first, stop := work(t, c, WorkerOptions{Slots: 2, Registry: g})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-reached
		go func() {
			for !first.stop.Load() {
				time.Sleep(time.Millisecond)
			}
			close(stopping)
		}()
		stop()
		work(t, c, WorkerOptions{Slots: 2})
	}()
	got, outcome, err := run(t, c, job, RunOptions{TaskTime: time.Hour})
	<-stopped
	if same(t, got, want); err != nil || outcome.Counts.Short == 0 {
		t.Errorf("%+v, %v", outcome, err)
	}
}

func TestBadJobs(t *testing.T) {
	g := testKinds("test")
	for want, change := range map[string]func(*Job){
		"this program has no kind \"run\"; it has walk": func(j *Job) { j.Kind = "run" },
		"a job with 0 points":                           func(j *Job) { j.Points = nil },
		"a job with 0 replicas":                         func(j *Job) { j.Replicas = 0 },
		"a precision of NaN":                            func(j *Job) { j.Precision.Relative = nan() },
		"batches of 1 replicas":                         func(j *Job) { j.Precision.Batch = 1 },
		"a quantile of 1":                               func(j *Job) { j.Quantiles = []float64{1} },
		"the model and its files have":                  func(j *Job) { j.Payload = make([]byte, MaxPayload+1) },
	} {
		job := walks(1, 1)
		change(&job)
		if _, err := job.Key(g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
	many := walks(1, math.MaxInt32)
	many.Points = slices.Repeat(many.Points, 2)
	if err := many.check(); (err != nil) != (strconv.IntSize == 32) {
		t.Errorf("twice as many replicas as fit 32 bits: %v", err)
	}
}

// What a coordinator cannot write away ends it, with the error of the disk; with room, the job goes
// on.
func TestCoordinatorsDiskIsFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full, on which no byte finds room")
	}
	defer full.Close()
	job := walks(10, 20)
	o := here{State: filepath.Join(quickDir(t), ".state"), RunOptions: RunOptions{Registry: testKinds("test"),
		TaskTime: 5 * time.Millisecond}}
	o.Point = func(PointResult) error { _, err := fmt.Fprintln(full, "a line"); return err }
	if _, err := o.run(t.Context(), job); err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Error(err)
	}
	var out bytes.Buffer
	o.Point = collect(&out)
	outcome, err := o.run(t.Context(), job)
	if same(t, out.Bytes(), plain(t, testKinds("test"), job)); err != nil || !outcome.Resumed {
		t.Errorf("%+v, %v", outcome, err)
	}
}

func nan() float64 { x := 0.0; return x / x }
