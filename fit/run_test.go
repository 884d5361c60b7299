package fit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// here fits a model on a hub in this process, with its state in a directory.
func (g *goModel) here(ctx context.Context, dir string, slots int, o Options) (r *Result, err error) {
	o.Kind, o.Registry = "fit", g.register()
	d, err := ensemble.OpenDirectory(dir, ensemble.DirectoryOptions{Slots: slots})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	o.Executor = d
	return Run(ctx, g.problem, []byte("model"), o)
}

// all is a result as bytes.
func (r *Result) all(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if err := r.Posterior.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	return b.String() + r.Text() + strings.Join(r.Jobs, "\n")
}

// The result is the same, byte for byte, in memory and on a hub, for 1 replica at once, and for
// 7 in TestInterrupted.
func TestSameForAnyNumberOfWorkers(t *testing.T) {
	g := coins(2, 3, 20, 7)
	o := Options{Seed: 3, Population: 100, Budget: 2000}
	want := g.fit(t, o).all(t)
	for _, slots := range testscale.Size([]int{1}, []int{1, 7}) {
		r, err := g.here(t.Context(), t.TempDir(), slots, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.all(t); got != want {
			t.Errorf("with %d slots:\n%.300s\nin memory:\n%.300s", slots, got, want)
		}
	}
	o.Seed++
	if g.fit(t, o).all(t) == want {
		t.Error("another seed gives the same")
	}
}

// A fit that is cut off in the middle of a run, again and again, each time a few runs later, gives
// the same as one that is not.
func TestInterrupted(t *testing.T) {
	g := coins(2, 3, 20, 7)
	o := Options{Seed: 4, Population: 100, Budget: 2000}
	want := g.fit(t, o)
	dir, stream := t.TempDir(), random.New(1)
	var runs, cuts, all int
	for {
		ctx, cancel := context.WithCancel(t.Context())
		var left, made atomic.Int64
		left.Store(150 + int64(stream.Below(300)))
		g.before = func() error {
			if made.Add(1); left.Add(-1) == 0 {
				cancel()
			}
			return nil
		}
		r, err := g.here(ctx, dir, 7, o)
		stopped := ctx.Err() != nil
		cancel()
		all += int(made.Load())
		if err == nil {
			if got := r.all(t); got != want.all(t) {
				t.Errorf("after %d interruptions:\n%.300s\nwithout:\n%.300s", cuts, got, want.all(t))
			}
			runs = r.Runs
			break
		}
		if !stopped || !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if cuts++; cuts > 200 {
			t.Fatal("it never ends")
		}
	}
	if cuts < 3 || runs != want.Runs {
		t.Errorf("%d interruptions, %d runs instead of %d", cuts, runs, want.Runs)
	}
	t.Logf("%d interruptions; %d runs were made for %d", cuts, all, runs)
	// All is there: nothing is run.
	g.before = func() error { return errors.New("something is run") }
	if r, err := g.here(t.Context(), dir, 2, o); err != nil || r.all(t) != want.all(t) {
		t.Error("given once more:", err)
	}
}

// What fails says where; what is not possible has no weight.
func TestFailures(t *testing.T) {
	g, _, _ := rateModel([]float64{7, 12, 9, 11, 14})
	fit := func(o Options) (*Result, error) {
		o.Kind, o.Registry = "fit", g.register()
		o.Executor = ensemble.InMemory{Slots: 2}
		return Run(t.Context(), g.problem, []byte("model"), o)
	}
	g.before = func() error { return errors.New("the pump is broken") }
	if _, err := fit(Options{Seed: 1}); err == nil || !strings.Contains(err.Error(), "rate = ") ||
		!strings.Contains(err.Error(), "the pump is broken") {
		t.Error(err)
	}
	g.before = func() error { return fmt.Errorf("no wheels: %w", ErrImpossible) }
	if _, err := fit(Options{Seed: 1}); err == nil || !strings.Contains(err.Error(), "at none of 1000 draws") {
		t.Error(err)
	}
	var n atomic.Int64
	g.before = func() error {
		if n.Add(1)%3 == 0 {
			return ErrImpossible
		}
		return nil
	}
	if r, err := fit(Options{Seed: 1}); err != nil || r.Impossible == 0 || !r.Exact {
		t.Error(r, err)
	}
	g.before = nil
	means := g.means
	g.means = func([]float64, *random.Stream) [][]float64 { return [][]float64{same(-1, 5)} }
	if _, err := fit(Options{}); err == nil || !strings.Contains(err.Error(), "no mean of a report") {
		t.Error(err)
	}
	g.means = func([]float64, *random.Stream) [][]float64 { return [][]float64{same(1, 4)} }
	if _, err := fit(Options{}); err == nil || !strings.Contains(err.Error(), "4 rows of y where the data have 5") {
		t.Error(err)
	}
	g.means = means
	if _, err := fit(Options{Method: "tea leaves"}); err == nil || !strings.Contains(err.Error(), "there are abc") {
		t.Error(err)
	}
	if _, err := fit(Options{Budget: -1}); err == nil {
		t.Error("a negative budget")
	}
}

// What comes from elsewhere as a stage gets an error, not a panic.
func TestStagesThatAreNone(t *testing.T) {
	g, _, _ := rateModel([]float64{7, 12})
	k := NewKind("fit", "1", func([]byte) (*Problem, Simulator, error) { return g.problem, g, nil })
	join := func(sort, args string) []byte {
		b, err := encodePayload(stage{sort, []byte(args)}, []byte("model"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, payload := range [][]byte{nil, {1, 2}, {255, 255, 255, 255, 1}, append([]byte{2, 0, 0, 0}, "{["...),
		join("nothing", "{}"), join("runs", "[]"), join("runs", "{}"),
		join("runs", `{"kernel": {}, "at": [1, 2]}`), join("runs", `{"kernel": {"centres": [[1, 2]], "weights": [1], `+
			`"cholesky": [[1]]}}`),
		join("runs", `{"kernel": {"centres": [[1]], "weights": [1, 1], "cholesky": [[1]]}}`),
		join("runs", `{"kernel": {"centres": [[1]], "weights": [1], "cholesky": [[0]]}}`),
		join("runs", `{"kernel": {"share": 2}}`), join("runs", `{"kernel": {}, "scales": [[1]]}`),
		join("runs", `{"kernel": {}, "particles": -1}`)} {
		if _, err := k.Open(payload); err == nil {
			t.Errorf("%q passes for a stage", payload)
		}
	}
	m, err := k.Open(join("runs", `{"kernel": {}}`))
	if err != nil {
		t.Fatal(err)
	}
	run, err := m.At(ensemble.Point{})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := run(t.Context(), ensemble.NewReplica(0, 3)); err != nil || len(v.Data) != 8*(1+4+5+3+2) {
		t.Error(len(v.Data), err)
	}
}
