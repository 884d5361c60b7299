package population

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/engine"
)

// sameRun compares all that was recorded, but not how long it took.
func sameRun(a, b *Run) bool {
	same := a.Replica == b.Replica && a.rec.Rows == b.rec.Rows && a.Events == b.Events && a.PersonYears == b.PersonYears &&
		slices.Equal(a.Peaks, b.Peaks) && len(a.rec.Groups) == len(b.rec.Groups)
	all := func(r *Run) []engine.RowCounts { return append([]engine.RowCounts{r.rec.All}, r.rec.Groups...) }
	for i, x := range all(a) {
		y := all(b)[i]
		same = same && slices.Equal(x.Counts, y.Counts) && slices.Equal(x.Flows, y.Flows) && slices.Equal(x.Named, y.Named)
	}
	return same
}

// A runner makes of each replica what a run of many makes of it, in any order; and a run survives
// being bytes.
func TestRunnerIsRun(t *testing.T) {
	for _, name := range []string{"sir.yaml", "seir-regions.yaml"} {
		source, err := os.ReadFile("../examples/" + name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Compile(name, source, Size(300))
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Seed: 5, Replicas: 6}
		whole, err := m.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		runner, err := m.Runner(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{4, 1, 5, 1} {
			run, err := runner.Run(t.Context(), k)
			if err != nil || !sameRun(run, &whole.Runs[k]) {
				t.Errorf("%s: replica %d is another: %v", name, k, err)
			}
			data, err := run.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			read, err := m.ReadRun(data)
			if err != nil || !sameRun(read, run) || read.Seconds != run.Seconds || read.Setup != run.Setup {
				t.Errorf("%s: replica %d is another when it is read: %v", name, k, err)
			}
		}
		o.First, o.Replicas = 3, 2
		part, err := m.Run(t.Context(), o)
		if err != nil || len(part.Runs) != 2 || !sameRun(&part.Runs[0], &whole.Runs[3]) ||
			!sameRun(&part.Runs[1], &whole.Runs[4]) {
			t.Errorf("%s: replicas 3 and 4 are others: %v", name, err)
		}
	}
}

// Bytes that are no run of the model are refused, whatever they are.
func TestReadRunRefuses(t *testing.T) {
	m, err := Load("../examples/sir.yaml", Size(100))
	if err != nil {
		t.Fatal(err)
	}
	runner, err := m.Runner(Options{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := runner.Run(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	data, err := run.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for n := range data {
		if _, err := m.ReadRun(data[:n]); err == nil {
			t.Fatalf("%d of %d bytes are a run", n, len(data))
		}
	}
	other, err := Load("../examples/sir.yaml", Size(100), Until("20 days"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.ReadRun(data); err == nil || !strings.Contains(err.Error(), "no run of this model") {
		t.Errorf("a run of another model: %v", err)
	}
}

func TestClock(t *testing.T) {
	m, err := Load("../examples/sir.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]float64{"30": 30, "2 weeks": 14, "36 hours": 1.5} {
		if got, err := m.Clock(text); err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"soon": `the time: found "soon", expected a time such as 160, in the unit of the model, or 160 days; a ` +
			`parameter cannot stand here`,
		"3 dais": `the time: "3 dais": there is no unit "dais"; did you mean "days"?; expected a time such as 160, in the ` +
			`unit of the model, or 160 days`,
		"": `the time: found "", expected a time such as 160 or 160 days`,
	} {
		if _, err := m.Clock(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}

// What a replica records takes few bytes on its way: a sixteenth to a fifth of what it does in
// memory, and not as much as a quarter.
func TestRunSizes(t *testing.T) {
	for _, name := range []string{"sir", "seir-regions", "tuberculosis", "predator-prey"} {
		m, err := Load("../examples/"+name+".yaml", Size(10_000))
		if err != nil {
			t.Fatal(err)
		}
		runner, err := m.Runner(Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		run, err := runner.Run(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		data, err := run.MarshalBinary()
		if t.Logf("%s: %d bytes of %d", name, len(data), m.Recorded(1)); err != nil || uint64(len(data)) > m.Recorded(1)/4 {
			t.Errorf("%s: %d bytes of %d, %v", name, len(data), m.Recorded(1), err)
		}
	}
}

// What a model is said to take is more than it does, and not many times as much.
func TestModelBytes(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var clocks, always strings.Builder
	const head = "name: x\ntime: {unit: day, end: 1}\npopulation: {size: 1, start: {s0: rest}}\nrecord: {every: 1 day}\n"
	clocks.WriteString(head + "states:\n  b: {}\n  s0:\n    race:\n")
	for range 4000 {
		clocks.WriteString("      - {rate: 0.5 per day, to: b}\n")
	}
	always.WriteString(head + "states:\n")
	for i := range 100 {
		fmt.Fprintf(&always, "  s%d: {}\n", i)
	}
	always.WriteString("always:\n")
	for i := range 1000 {
		fmt.Fprintf(&always, "  - {rate: 0.5 per day, to: s%d}\n", i%100)
	}
	for name, text := range map[string]string{"clocks": clocks.String(), "always": always.String()} {
		before := heap()
		m, err := Compile("x.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		takes := heap() - before
		if said := int64(m.Bytes()); said < takes || said > 4*takes {
			t.Errorf("%s: it takes %d bytes, and is said to take %d", name, takes, said)
		}
		runtime.KeepAlive(m)
	}
}
