package sim

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/almanac-sim/almanac/sim/trace"
)

func TestReport(t *testing.T) {
	s := New()
	wait, length := s.NewTally("wait"), s.NewTimeWeighted("Länge der Schlange", 0)
	s.NewTally("never seen")
	s.WarmUp(2)
	for i := range 12 {
		s.At(float64(i)+0.5, func() {
			wait.Add(float64(i))
			length.Set(float64(i % 3))
		})
	}
	if err := s.Run(t.Context(), 12); err != nil {
		t.Fatal(err)
	}
	r := s.Report()
	// After the reset at 2: waits 2 … 11, and lengths 1 for half a unit, then 2, 0, 1, 2, … for one
	// each, and 2 for the last half.
	if row, ok := r.Row("wait"); !ok || row.TimeWeighted || row.N != 10 || row.Mean != 6.5 || row.Min != 2 ||
		row.Max != 11 || row.Time != 0 {
		t.Errorf("wait: %+v", row)
	}
	row, ok := r.Row("Länge der Schlange")
	if !ok || !row.TimeWeighted || row.Time != 10 || row.N != 0 || !near(row.Mean, 1.05, 1e-14) || row.Min != 0 ||
		row.Max != 2 {
		t.Errorf("length: %+v", row)
	}
	if row, ok := r.Row("never seen"); !ok || row.N != 0 || !math.IsNaN(row.Mean) {
		t.Errorf("never seen: %+v", row)
	}
	if _, ok := r.Row("nobody's"); ok || r.Now != 12 || len(r.Rows) != 3 {
		t.Errorf("the report is %+v", r)
	}
	want := `statistic           mean        sd  min  max   n  time
wait                 6.5   3.02765    2   11  10
Länge der Schlange  1.05  0.804674    0    2        10
never seen             –         –    –    –   0
`
	if r.String() != want {
		t.Errorf("the report is\n%s, want\n%s", r, want)
	}
	// The names are as wide as they look, not as many bytes as they have.
	for _, line := range strings.Split(r.String(), "\n")[1:3] {
		if column := utf8.RuneCountInString(line[:strings.Index(line, "5  ")]); column != 23 && column != 22 {
			t.Errorf("the mean ends in column %d of %q", column, line)
		}
	}
}

// heap is how many bytes are reachable.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what the first found unreachable may have had weak pointers to it
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// names of the rows of a report.
func (r Report) names() (all []string) {
	for _, row := range r.Rows {
		all = append(all, row.Name)
	}
	return all
}

// A mailbox for each customer, and whatever else it has for itself, leave nothing behind: no
// memory, and no rows in the report.
func TestUnnamedGo(t *testing.T) {
	s := New()
	defer s.Close()
	desk, stays := NewResource(s, "desk", 1), s.NewTally("stays")
	kinds := []func(p *Process){
		func(p *Process) {
			box := NewStore[int](s, "", Unlimited)
			s.After(1, func() { box.TryPut(1) })
			_, _ = box.Get(p)
		},
		func(p *Process) { _ = NewResource(s, "", 1).Use(p, 1, func() error { return p.Wait(1) }) },
		func(p *Process) { _ = NewContainer(s, "", 1, 1).Get(p, 1) },
		func(p *Process) { s.NewTimeWeighted("", 0).Set(1) },
		func(p *Process) { s.NewTally("", QuantileSketch(0.01)).Add(1) },
		func(p *Process) { _ = NewSortedStore(s, "", 1, func(a, b int) int { return a - b }).Put(p, 1) },
	}
	customers := func(n int) {
		for i := range n {
			s.GoAfter(float64(i)/10, "customer", func(p *Process) {
				came := p.Now()
				_ = desk.Use(p, 1, func() error { kinds[i%len(kinds)](p); return nil })
				stays.Add(p.Now() - came)
			})
			if i%1000 == 999 {
				run(t, s)
				runtime.GC() // so that what is unnamed is found to be unreachable
			}
		}
		run(t, s)
	}
	customers(5000)
	before, rows := heap(), s.Report().names()
	const n = 30_000
	customers(n)
	// What is unnamed and not yet swept takes 70 bytes, and there may be as many of it as are made
	// between two collections, that is a few thousand: it would be 70 of each if nothing were swept.
	if grown := int64(heap()) - int64(before); grown > 20*n {
		t.Errorf("%d bytes are left, %d of each", grown, grown/n)
	}
	if now := s.Report().names(); !slices.Equal(rows, now) || len(rows) != 5 {
		t.Errorf("the report had %q, and has %q", rows, now)
	}
	s.ResetStatistics()
	if left := len(s.registry.unnamed); left > 0 {
		t.Errorf("%d are known that nobody holds", left)
	}
}

// What has a name is reported though nobody holds it.
func TestNamedStay(t *testing.T) {
	s := New()
	s.At(1, func() {
		NewResource(s, "desk", 1).TryRequest(1)
		NewStore[int](s, "box", 1).TryPut(1)
		NewContainer(s, "tank", Unlimited, 1).TryGet(1)
		s.NewTally("tally").Add(1)
		s.NewTimeWeighted("level", 3)
	})
	run(t, s)
	runtime.GC()
	want := []string{
		"desk in use", "desk queue", "desk wait", "desk utilisation", "box contents", "box getters", "box putters",
		"box wait",
		"tank contents", "tank getters", "tank putters", "tank wait", "tally", "level",
	}
	if got := s.Report().names(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// What has no name is reset when the model has warmed up, if somebody holds it or one of its
// statistics.
func TestUnnamedAreReset(t *testing.T) {
	s := New()
	tally, level := s.NewTally(""), s.NewTimeWeighted("", 1)
	var waits []*Tally // of stores that nobody holds otherwise
	var uses []*TimeWeighted
	var contents []*TimeWeighted
	for range 3 * fewUnnamed {
		store, desk, tank := NewStore[int](s, "", Unlimited), NewResource(s, "", 1), NewContainer(s, "", Unlimited, 1)
		s.At(1, func() {
			store.TryPut(1)
			store.TryGet()
			desk.TryRequest(1)
			tank.TryPut(1)
		})
		waits, uses, contents = append(waits, store.Waits()), append(uses, desk.Usage()), append(contents, tank.Contents())
	}
	s.At(1, func() { tally.Add(1); level.Set(5) })
	s.WarmUp(2)
	s.At(1.5, runtime.GC)
	if err := s.Run(background, 3); err != nil {
		t.Fatal(err)
	}
	if tally.N() != 0 || level.Mean() != 5 || level.Observed() != 1 {
		t.Errorf("%v; %v", tally, level)
	}
	for i := range waits {
		if waits[i].N() != 0 || uses[i].Mean() != 1 || contents[i].Mean() != 2 || contents[i].Observed() != 1 {
			t.Fatalf("%v; %v; %v", waits[i], uses[i], contents[i])
		}
	}
	if len(s.Report().Rows) > 0 {
		t.Errorf("the report has %q", s.Report().names())
	}
}

// Messages call what has no name by its kind.
func TestUnnamedAreCalledSomething(t *testing.T) {
	var log []string
	s := New(TraceTo(func(r trace.Record) {
		if r.Kind == trace.Grant || r.Kind == trace.Request {
			log = append(log, r.What)
		}
	}))
	defer s.Close()
	desk, store, tank := NewResource(s, "", 1), NewStore[int](s, "", 1), NewContainer(s, "", 5, 1)
	p := s.Go("p", func(p *Process) {
		desk.TryRequest(1)
		_ = store.Put(p, 1)
		_ = tank.Get(p, 1)
		_, _ = desk.Request(p, 1)
	})
	run(t, s)
	want := []string{"a resource: 1, in use 1 of 1", "a store: put 1", "a container: get 1, now 0", "a resource"}
	if !slices.Equal(log, want) {
		t.Errorf("%q", log)
	}
	if got := p.Status(); got != "waits in line for a resource since 0" {
		t.Error(got)
	}
	wantPanic(t, "a request for 2 units of a resource can never be granted", func() { desk.TryRequest(2) })
	gate := NewGate(s, "", Dated{Shifts: []Shift{{1, 2, 1}}})
	if got := fmt.Sprint(desk.Name(), store.Name(), tank.Name(), gate.Name()); got !=
		"a resourcea storea containera gate" {
		t.Error(got)
	}
	wantPanic(t, "Leave of a gate: no visitor is inside", gate.Leave)
	wantPanic(t, "of a resource: a gate belongs to another simulation", func() {
		desk.Schedule(Dated{Shifts: []Shift{{1, 2, 1}}}, UntilEmpty(NewGate(New(), "", Dated{Shifts: []Shift{{1, 2, 1}}})))
	})
	wantPanic(t, "needs a gate", func() { UntilEmpty(nil) })
	wantPanic(t, "sim: a resource needs a capacity of 0 or more, not -1", func() { NewResource(s, "", -1) })
	wantPanic(t, "sim: a resource needs a capacity of 0 or more, not -1", func() { desk.SetCapacity(-1) })
	wantPanic(t, "sim: a store needs a capacity of 0 or more, not -1", func() { NewStore[int](s, "", -1) })
	wantPanic(t, "sim: a container needs a capacity above 0, not 0", func() { NewContainer(s, "", 0, 0) })
	wantPanic(t, "sim: a container with 2 in a capacity of 1", func() { NewContainer(s, "", 1, 2) })
	bell := s.Signal("")
	q := s.Go("q", func(p *Process) { _ = p.WaitFor(AnyOf(bell, NewSignal[int](s, ""))) })
	_ = s.Run(background, 0)
	if got := q.Status(); got != "waits for any of (a signal, a signal)" {
		t.Error(got)
	}
	bell.Trigger()
	wantPanic(t, "sim: a signal was triggered before", bell.Trigger)
}

func BenchmarkUnnamedStore(b *testing.B) {
	b.ReportAllocs()
	s := New()
	for b.Loop() {
		NewStore[int](s, "", Unlimited)
	}
}

// Quantiles and the service level of the waits at a resource, asked for and in the report.
func TestServiceLevel(t *testing.T) {
	s := New()
	desk := NewResource(s, "desk", 1, QuantileSketch(0.01))
	desk.Waits().AddTarget(2.5)
	for i := range 10 { // they wait 0, 1, … 9
		s.GoAt(float64(i), "customer", func(p *Process) { _ = desk.Use(p, 1, func() error { return p.Wait(2) }) })
	}
	run(t, s)
	w := desk.Waits()
	if w.ServiceLevel(2.5) != 0.3 || w.ServiceLevel(-1) != 0 || w.ServiceLevel(9) != 1 || w.ServiceLevel(4.5) != 0.5 {
		t.Errorf("within 2.5 %v, 4.5 %v, 9 %v", w.ServiceLevel(2.5), w.ServiceLevel(4.5), w.ServiceLevel(9))
	}
	if q := w.Quantile(0.9); !near(q, 8, 0.01) {
		t.Errorf("nine of ten wait at most %v", q)
	}
	report := s.Report()
	for name, want := range map[string]float64{"desk wait p90": 8, "desk wait p50": 4, "desk wait within 2.5": 0.3,
		"desk utilisation": 1} {
		if row, ok := report.Row(name); !ok || !near(row.Mean, want, 0.01) {
			t.Errorf("%s is %v, %t, want %v", name, row.Mean, ok, want)
		}
	}
	var all Tally
	all.AddTarget(2.5)
	all.Merge(w)
	all.Merge(w)
	if all.ServiceLevel(2.5) != 0.3 || all.N() != 20 {
		t.Errorf("merged, %v of %d are within 2.5", all.ServiceLevel(2.5), all.N())
	}
	w.Reset()
	if !math.IsNaN(w.ServiceLevel(2.5)) || !math.IsNaN(w.ServiceLevel(1)) {
		t.Error("an empty tally does not know")
	}
	mustPanic(t, "neither that target nor a sketch", func() { all.ServiceLevel(1) })
	mustPanic(t, "keeps no quantiles", func() { all.Quantile(0.5) })
	mustPanic(t, "before the run", func() { all.AddTarget(1) })
	mustPanic(t, "without the target", func() {
		one := NewTally()
		one.Add(1)
		all.Merge(one)
	})
}
