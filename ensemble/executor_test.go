//go:build linux || darwin

package ensemble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// onEach runs a test on every executor. Workers have the registry that g returns, which is made
// anew for each.
func onEach(t *testing.T, g func() *Registry, test func(t *testing.T, e Executor, g *Registry)) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		test(t, InMemory{Slots: 3}, g())
	})
	t.Run("directory", func(t *testing.T) {
		t.Parallel()
		d, err := OpenDirectory(filepath.Join(quickDir(t), ".state"),
			DirectoryOptions{Slots: 3, drain: 10 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		test(t, d, g())
	})
	t.Run("hub", func(t *testing.T) {
		t.Parallel()
		registry := g()
		c := connect(t, testHub(t, HubOptions{Listen: "none"}), 0)
		work(t, c, WorkerOptions{Slots: 3, Registry: registry, Drain: time.Second, grace: 100 * time.Millisecond})
		test(t, c, registry)
	})
}

// oneReplica is a TaskTime with which every task is one replica, so that one that waits holds up no
// other.
const oneReplica = time.Nanosecond

func walkKind() *Registry { return testKinds("test") }

// all does a job, and gives its points as bytes and the values of each point's replicas.
func all(t *testing.T, e Executor, g *Registry, job Job) (points []byte, values [][]Values, outcome Outcome,
	err error) {
	t.Helper()
	var out bytes.Buffer
	values = make([][]Values, len(job.Points))
	next := 0
	outcome, err = e.Run(t.Context(), job, RunOptions{Registry: g, TaskTime: 30 * time.Millisecond,
		Point: func(p PointResult) error {
			if p.Index != next || len(values[p.Index]) != p.Replicas {
				t.Errorf("point %d with %d replicas, of which %d came, where point %d is due", p.Index, p.Replicas,
					len(values[p.Index]), next)
			}
			next++
			return collect(&out)(p)
		},
		Replica: func(point, replica int, v Values) error {
			if replica != len(values[point]) {
				t.Errorf("point %d: replica %d where %d is due", point, replica, len(values[point]))
			}
			values[point] = append(values[point], v)
			return nil
		},
	})
	return out.Bytes(), values, outcome, err
}

// The same job gives the same points, values and outcome on each, which are those of a plain loop:
// small and large, to a precision, with quantiles of its own, with data, with more replicas than
// exact quantiles have. Done again, it gives the same again.
func TestExecutorsAgree(t *testing.T) {
	precise := walks(8, 2000)
	precise.Precision = Precision{Relative: 0.2, Outputs: []string{"square"}}
	quantiles := walks(3, 40)
	quantiles.Quantiles, quantiles.Keep = []float64{0.1, 0.25}, true
	data := walks(3, 60)
	data.Kind = "data"
	jobs := map[string]Job{"grid": walks(40, 25), "one": walks(1, 1), "precise": precise, "quantiles": quantiles,
		"data":        data,
		"many points": walks(600, 1), "many replicas": walks(1, ExactReplicas+1000)}
	g := func() *Registry {
		g := testKinds("test")
		g.AddKind(Kind{Name: "data", Version: "1", Open: func([]byte) (Model, error) {
			return modelFunc(func(p Point) (Runner, error) {
				run, err := funcModel{walk}.At(p)
				return func(ctx context.Context, r Replica) (Values, error) {
					v, err := run(ctx, r)
					v.Events, v.Data = uint64(r.Number%7), bytes.Repeat([]byte(p.Set["mean"]), r.Number%3)
					return v, err
				}, err
			}), nil
		}})
		return g
	}
	for name, job := range jobs {
		t.Run(name, func(t *testing.T) {
			want := plain(t, g(), job)
			key, err := job.Key(g())
			if err != nil {
				t.Fatal(err)
			}
			_, values, first, err := all(t, InMemory{Slots: 1}, g(), job)
			if err != nil {
				t.Fatal(err)
			}
			onEach(t, g, func(t *testing.T, e Executor, g *Registry) {
				points, got, outcome, err := all(t, e, g, job)
				if same(t, points, want); err != nil || !reflect.DeepEqual(render(got), render(values)) {
					t.Errorf("%v, or other values", err)
				}
				if outcome.Key != key || outcome.PointsDone != len(job.Points) || outcome.Replicas != first.Replicas ||
					outcome.Events != first.Events ||
					outcome.Identical != first.Identical || outcome.Resumed || outcome.WasDone {
					t.Errorf("%+v\nwhere one slot gives\n%+v", outcome, first)
				}
				_, keeps := e.(InMemory)
				keeps = !keeps
				var out bytes.Buffer
				replicas := 0
				outcome, err = e.Run(t.Context(), job, RunOptions{Registry: g, Point: collect(&out),
					Replica: func(int, int, Values) error { replicas++; return nil }})
				if same(t, out.Bytes(), want); err != nil || outcome.WasDone != keeps || outcome.Replicas != first.Replicas {
					t.Errorf("again: %+v, %v", outcome, err)
				}
				if given := !keeps || job.Keep; given != (replicas == first.Replicas) {
					t.Errorf("again: %d of %d replicas were given", replicas, first.Replicas)
				}
			})
		})
	}
}

// render makes values comparable: NaN is not equal to itself.
func render(all [][]Values) (texts []string) {
	for _, of := range all {
		for _, v := range of {
			texts = append(texts, fmt.Sprintf("%v %v %d %q", v.Names, v.Numbers, v.Events, v.Data))
		}
	}
	return texts
}

// The first replica that fails, in the order of points and replicas, is the error, the same on
// each, whatever goes wrong and whatever else fails later; the points before it are given out.
func TestExecutorsFailAlike(t *testing.T) {
	kind := func(open func([]byte) (Model, error)) func() *Registry {
		return func() *Registry {
			g := new(Registry)
			g.AddKind(Kind{Name: "walk", Version: "1", Open: open})
			return g
		}
	}
	at := func(bad func(ctx context.Context, r Replica) (Values, error)) func() *Registry {
		return kind(func([]byte) (Model, error) {
			return modelFunc(func(p Point) (Runner, error) {
				good, err := funcModel{walk}.At(p)
				return func(ctx context.Context, r Replica) (Values, error) {
					if p.Set["mean"] >= "2" && r.Number >= 13 {
						return bad(ctx, r)
					}
					return good(ctx, r)
				}, err
			}), nil
		})
	}
	one := Values{Names: []string{"x"}, Numbers: []float64{1}}
	for name, c := range map[string]struct {
		g      func() *Registry
		limits Limits
		want   ReplicaError // without what all have
	}{
		"error": {at(func(_ context.Context, r Replica) (Values, error) {
			return one,
				fmt.Errorf("%d is no good", r.Number)
		}), Limits{}, ReplicaError{Reason: "error", Text: "13 is no good"}},
		"panic": {at(func(context.Context, Replica) (Values, error) { panic("no good") }), Limits{},
			ReplicaError{Reason: "panic", Text: "panic: no good"}},
		"goexit": {at(func(context.Context, Replica) (Values, error) { runtime.Goexit(); return one, nil }), Limits{},
			ReplicaError{Reason: "panic", Text: "it ended its goroutine"}},
		"infinite": {at(func(context.Context, Replica) (Values, error) {
			return Values{Names: []string{"x"}, Numbers: []float64{math.Inf(1)}}, nil
		}), Limits{}, ReplicaError{Reason: "error", Text: `its "x" is +Inf, which is no number to calculate with`}},
		"outputs": {at(func(context.Context, Replica) (Values, error) { return one, nil }), Limits{},
			ReplicaError{Reason: "error", Text: "it gives other outputs than the replicas before it"}},
		"none": {at(func(context.Context, Replica) (Values, error) { return Values{}, nil }), Limits{},
			ReplicaError{Reason: "error", Text: "it gives 0 numbers; from 1 to 16384 are possible"}},
		"data": {at(func(context.Context, Replica) (Values, error) {
			v := one
			v.Data = make([]byte, MaxData+1)
			return v, nil
		}), Limits{}, ReplicaError{Reason: "error", Text: "its data has 655361 bytes; 655360 are the most"}},
		"time": {at(func(ctx context.Context, _ Replica) (Values, error) { <-ctx.Done(); return one, ctx.Err() }),
			Limits{Time: 500 * time.Millisecond},
			ReplicaError{Reason: "time", Text: "it takes longer than the 500ms that it may"}},
		"memory": {at(func(ctx context.Context, _ Replica) (Values, error) {
			hoard := [][]byte{}
			for ctx.Err() == nil {
				hoard = append(hoard, make([]byte, 4<<20))
				time.Sleep(100 * time.Microsecond)
			}
			return one, fmt.Errorf("with %d: %w", len(hoard), ctx.Err())
		}), Limits{Memory: 256_000_000}, ReplicaError{Reason: "memory", Text: "it takes more than the 256000000 bytes of " +
			"memory that it may"}},
		"point": {kind(func([]byte) (Model, error) {
			return modelFunc(func(p Point) (Runner, error) {
				if p.Set["mean"] >= "2" {
					return nil, errors.New("no such mean")
				}
				return funcModel{walk}.At(p)
			}), nil
		}), Limits{}, ReplicaError{Replica: -13, Reason: "error", Text: "no such mean"}},
		"open": {kind(func([]byte) (Model, error) { return nil, errors.New("no such model") }), Limits{},
			ReplicaError{Point: -2, Replica: -13, Reason: "error", Text: "the model cannot be opened: no such model"}},
		"open panic": {kind(func([]byte) (Model, error) { panic("no model") }), Limits{},
			ReplicaError{Point: -2, Replica: -13, Reason: "panic", Text: "the model cannot be opened: panic: no model"}},
		"no model": {kind(func([]byte) (Model, error) { return nil, nil }), Limits{}, ReplicaError{Point: -2, Replica: -13,
			Reason: "error", Text: "the model cannot be opened: the kind gives no model"}},
	} {
		t.Run(name, func(t *testing.T) {
			job := walks(5, 30)
			job.Limits = c.limits
			want := c.want
			want.Point += 2
			want.Replica += 13
			want.Set, want.Repeat = fmt.Sprintf(" (mean = %d, sd = 2)", want.Point), fmt.Sprintf("walk --mean %d --replica %d",
				want.Point, want.Replica)
			onEach(t, c.g, func(t *testing.T, e Executor, g *Registry) {
				attempts := 2 // given again, it tries again
				if c.limits != (Limits{}) {
					attempts = 1 // a limit takes its time to be reached
				}
				for range attempts {
					points := 0
					outcome, err := e.Run(t.Context(), job, RunOptions{Registry: g, Point: func(PointResult) error {
						points++
						return nil
					}})
					var failed *ReplicaError
					if !errors.As(err, &failed) {
						t.Fatalf("%v\nand not %+v", err, want)
					}
					if panicked := strings.Contains(want.Text, "panic: "); panicked != (failed.Stack != "") {
						t.Errorf("%v has the stack %q", err, failed.Stack)
					}
					if failed.Stack = ""; *failed != want {
						t.Errorf("%v\nand not %+v", err, want)
					}
					if outcome.PointsDone != want.Point || points != want.Point {
						t.Errorf("%d points were given out: %+v", points, outcome)
					}
					if c, ok := e.(*Conn); ok {
						s, err := c.Status(t.Context(), outcome.Key)
						if err != nil || s.State != Failed || s.Error != failed.Error() {
							t.Errorf("%+v, %v", s, err)
						}
					}
				}
			})
		})
	}
}

// Jobs that are none are refused with the same words, before anything is run.
func TestExecutorsRefuse(t *testing.T) {
	onEach(t, walkKind, func(t *testing.T, e Executor, g *Registry) {
		for want, change := range map[string]func(*Job){
			`ensemble: this program has no kind "run"; it has walk`:     func(j *Job) { j.Kind = "run" },
			"ensemble: a job with 0 points: it needs from 1 to 1048576": func(j *Job) { j.Points = nil },
			"ensemble: a job with 1048577 points: it needs from 1 to 1048576": func(j *Job) {
				j.Points = make([]Point, MaxPoints+1)
			},
			"ensemble: a job with 0 replicas: it needs from 1 to 2147483647": func(j *Job) { j.Replicas = 0 },
			"ensemble: the model and its files have 67108865 bytes; 67108864 are the most": func(j *Job) {
				j.Payload = make([]byte, MaxPayload+1)
			},
		} {
			job := walks(2, 2)
			change(&job)
			if outcome, err := e.Run(t.Context(), job, RunOptions{Registry: g}); err == nil || err.Error() != want ||
				outcome != (Outcome{}) {
				t.Errorf("%v, %+v, and not %q", err, outcome, want)
			}
		}
		job := walks(2, 2)
		job.Points[1].Set["sd"] = "much"
		if _, err := e.Run(t.Context(), job, RunOptions{Registry: g}); err == nil || !strings.Contains(err.Error(),
			`parameter sd is "much", which is no number`) {
			t.Error(err)
		}
		job = walks(1, 60)
		job.Precision = Precision{Relative: 0.1, Outputs: []string{"size"}}
		if _, err := e.Run(t.Context(), job, RunOptions{Registry: g}); err == nil || !strings.Contains(err.Error(),
			`precision is asked of "size", which is not among the outputs`) {
			t.Error(err)
		}
	})
}

// What ends a job early is its error: the cause of its context, before it begins and in its middle,
// or that of a function of the caller. No replica is then running, except on a hub, where others
// run them. The job, given again, comes to its end.
func TestExecutorsEndEarly(t *testing.T) {
	enough := errors.New("enough")
	type state struct {
		running atomic.Int64  // replicas
		ended   chan struct{} // closed when the first run has ended
	}
	var states sync.Map // of each registry
	g := func() *Registry {
		g, s := new(Registry), &state{ended: make(chan struct{})}
		states.Store(g, s)
		g.AddKind(FuncKind("walk", "test", func(ctx context.Context, p Params, r Replica) (Outputs, error) {
			s.running.Add(1)
			defer s.running.Add(-1)
			defer time.Sleep(time.Millisecond)   // it takes a moment to stop
			if p["mean"] == 5 && r.Number == 0 { // so that the first run cannot be done before it ends
				select {
				case <-s.ended:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
			return walk(ctx, p, r)
		}))
		return g
	}
	job := walks(6, 30)
	want := plain(t, walkKind(), job)
	for name, end := range map[string]func(o *RunOptions, cancel context.CancelCauseFunc){
		"cancelled before": func(_ *RunOptions, cancel context.CancelCauseFunc) { cancel(enough) },
		"cancelled": func(o *RunOptions, cancel context.CancelCauseFunc) {
			o.Replica = func(point, replica int, _ Values) error {
				if point == 2 && replica == 7 {
					cancel(enough)
				}
				return nil
			}
		},
		"replica": func(o *RunOptions, _ context.CancelCauseFunc) {
			o.Replica = func(point, replica int, _ Values) error {
				if point == 2 && replica == 7 {
					return enough
				}
				return nil
			}
		},
		"point": func(o *RunOptions, _ context.CancelCauseFunc) {
			o.Point = func(p PointResult) error {
				if p.Index == 2 {
					return enough
				}
				return nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, g, func(t *testing.T, e Executor, g *Registry) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				o := RunOptions{Registry: g, TaskTime: oneReplica}
				end(&o, cancel)
				outcome, err := e.Run(ctx, job, o)
				of, _ := states.Load(g)
				s := of.(*state)
				if _, hub := e.(*Conn); !hub && s.running.Load() != 0 {
					t.Errorf("%d replicas are still running", s.running.Load())
				}
				if !errors.Is(err, enough) || outcome.PointsDone > 5 {
					t.Errorf("%+v, %v", outcome, err)
				}
				close(s.ended)
				var out bytes.Buffer
				if _, err := e.Run(t.Context(), job, RunOptions{Registry: g, Point: collect(&out)}); err != nil {
					t.Error(err)
				}
				same(t, out.Bytes(), want)
			})
		})
	}
}

// A replica that ignores its context is left behind, and does not keep the job from ending.
func TestExecutorsLeaveBehind(t *testing.T) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	g := func() *Registry {
		g := new(Registry)
		g.AddKind(FuncKind("walk", "test", func(context.Context, Params, Replica) (Outputs, error) {
			<-release
			return Outputs{"x": 1}, nil
		}))
		return g
	}
	onEach(t, g, func(t *testing.T, e Executor, g *Registry) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := e.Run(ctx, walks(1, 2), RunOptions{Registry: g}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// Progress is called a few times a second, and says what is known; all functions are called one at
// a time.
func TestExecutorsProgress(t *testing.T) {
	type gates struct{ first, last chan struct{} } // closed by the first call, and by one that says all
	var all sync.Map                               // of each registry
	g := func() *Registry {
		g, gate := new(Registry), gates{make(chan struct{}), make(chan struct{})}
		all.Store(g, gate)
		g.AddKind(FuncKind("walk", "test", func(ctx context.Context, p Params, r Replica) (Outputs, error) {
			if p["mean"] >= 5 {
				<-gate.first
			}
			if p["mean"] == 9 && r.Number == 29 {
				<-gate.last
			}
			return walk(ctx, p, r)
		}))
		return g
	}
	onEach(t, g, func(t *testing.T, e Executor, g *Registry) {
		of, _ := all.Load(g)
		gate := of.(gates)
		t.Cleanup(sync.OnceFunc(func() { // if it fails
			select {
			case <-gate.last:
			default:
				close(gate.last)
			}
		}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		job := walks(10, 30)
		key, _ := job.Key(g)
		inside := new(atomic.Bool)
		alone := func() func() {
			if inside.Swap(true) {
				t.Error("two functions are called at once")
			}
			return func() { inside.Store(false) }
		}
		var last Progress
		calls := 0
		said := false
		outcome, err := e.Run(ctx, job, RunOptions{Registry: g, TaskTime: oneReplica,
			Point:   func(PointResult) error { defer alone()(); return nil },
			Replica: func(int, int, Values) error { defer alone()(); return nil },
			Progress: func(p Progress) {
				defer alone()()
				if p.Key != key || p.Points != 10 || p.Replicas != 300 || p.Merged < last.Merged || p.PointsDone < last.PointsDone {
					t.Errorf("%+v after %+v", p, last)
				}
				last = p
				if calls++; calls == 1 {
					close(gate.first)
				}
				if !said && calls > 1 && p.Merged > 0 && p.Workers == 1 && p.Slots == 3 && p.EventsPerSecond > 0 && p.Left >= 0 &&
					p.Counts.Tasks > 0 {
					said = true
					close(gate.last)
				}
			}})
		if err != nil || !said {
			t.Errorf("%d calls, the last with %+v; %+v, %v", calls, last, outcome, err)
		}
	})
}

// Several jobs may run at once.
func TestExecutorsAtOnce(t *testing.T) {
	onEach(t, walkKind, func(t *testing.T, e Executor, g *Registry) {
		for i := range 4 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				job := walks(5+i, 30)
				want := plain(t, walkKind(), job)
				points, _, _, err := all(t, e, g, job)
				if same(t, points, want); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

// What is closed says so at once; to close it again does nothing. A directory that is closed while
// a job runs ends it, and can be opened again, but not while it is open.
func TestExecutorsClosed(t *testing.T) {
	t.Parallel()
	path, g, ended := filepath.Join(quickDir(t), ".state"), new(Registry), make(chan struct{})
	g.AddKind(FuncKind("walk", "test", func(ctx context.Context, p Params, r Replica) (Outputs, error) {
		if p["mean"] == 3 && r.Number == 19 { // which is not done before the directory is closed
			select {
			case <-ended:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return walk(ctx, p, r)
	}))
	// While one replica waits, the others go on: tasks that are given back come in another order.
	d, err := OpenDirectory(path, DirectoryOptions{Slots: 2, drain: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDirectory(path, DirectoryOptions{}); err == nil || !strings.Contains(err.Error(),
		"another process is using it") {
		t.Errorf("opened twice: %v", err)
	}
	job := walks(4, 20)
	closed := make(chan struct{})
	_, err = d.Run(t.Context(), job, RunOptions{Registry: g, TaskTime: oneReplica, Point: func(p PointResult) error {
		if p.Index == 1 {
			go func() { defer close(closed); d.Close() }()
			<-d.open.Done()
		}
		return nil
	}})
	if err == nil || !strings.HasPrefix(err.Error(), "ensemble: the directory "+path+" was closed") {
		t.Errorf("closed in the middle: %v", err)
	}
	<-closed
	close(ended)
	d.Close()
	if _, err := d.Run(t.Context(), job, RunOptions{Registry: g}); err == nil || err.Error() !=
		"ensemble: the directory "+path+" was closed" {
		t.Errorf("after its end: %v", err)
	}
	var out bytes.Buffer
	outcome, err := here{State: path, RunOptions: RunOptions{Registry: g, Point: collect(&out)}}.run(t.Context(), job)
	if same(t, out.Bytes(), plain(t, walkKind(), job)); err != nil || !outcome.Resumed {
		t.Errorf("%+v, %v", outcome, err)
	}

	c := connect(t, testHub(t, HubOptions{Listen: "none"}), 0)
	c.Close()
	c.Close()
	if _, err := c.Run(t.Context(), job, RunOptions{Registry: g}); err == nil || !strings.Contains(err.Error(),
		"was closed") {
		t.Errorf("a connection after its end: %v", err)
	}
}
