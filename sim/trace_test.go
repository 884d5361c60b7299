package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/sim/trace"
)

// traced is a model in which every kind of record comes up.
func traced(to func(trace.Record)) *Simulation {
	s := New(TraceTo(to))
	desk := NewResource(s, "desk", 1)
	shelf := NewStore[string](s, "shelf", Unlimited)
	ready := s.Signal("ready")
	s.At(1, func() { ready.Trigger() }, Named("prepare"))
	s.Every(2.5, 100, func() { s.Stop() })
	ann := s.Go("ann", func(p *Process) {
		_ = p.WaitFor(ready)
		_ = desk.Use(p, 1, func() error { return p.Wait(5) }, Rank(1))
		_ = shelf.Put(p, "book")
	})
	s.GoAt(1.5, "bob", func(p *Process) {
		_ = desk.Use(p, 1, func() error { return nil }, Until(ready))
		_ = desk.Use(p, 1, func() error { return nil }, Patience(0.25), Rank(1))
		_ = desk.Use(p, 1, func() error { return nil }, AtMost(0), Rank(1))
		_ = desk.Use(p, 1, func() error { _, _ = p.WaitForWithin(AnyOf(ready, ann), 1); return nil }, Preempting(Interrupt))
		ann.Interrupt("fire")
		_, _ = shelf.Get(p)
	})
	lathe := NewResource(s, "lathe", 1)
	lathe.Schedule(Dated{Shifts: []Shift{{2, 2.25, 0}}, Otherwise: 1}, Resume)
	s.GoAt(1.875, "cas", func(p *Process) { _ = lathe.Work(p, 1, 0.25) })
	return s
}

func TestTextTrace(t *testing.T) {
	var b bytes.Buffer
	s := traced(trace.Text(&b))
	defer s.Close()
	if err := s.Run(background, 10); err != nil {
		t.Fatal(err)
	}
	want := `
           0  start      ann
           0  wait       ann               for ready
           1  event      prepare
           1  trigger                      ready
           1  resume     ann
           1  grant      ann               desk: 1, in use 1 of 1
           1  wait       ann               5
         1.5  start      bob
         1.5  withdraw   bob               desk
         1.5  request    bob               desk
        1.75  resume     bob
        1.75  renege     bob               desk
        1.75  balk       bob               desk
        1.75  preempt    bob               desk: 1 from ann
        1.75  interrupt  bob               ann: sim: desk, held since 1, was taken away by bob
        1.75  grant      bob               desk: 1, in use 1 of 1
        1.75  release    bob               desk: 1, in use 0 of 1
        1.75  interrupt  bob               ann: fire
        1.75  request    bob               shelf
        1.75  resume     ann
        1.75  grant      ann               shelf: put book
        1.75  grant      bob               shelf: get book
        1.75  end        ann
        1.75  resume     bob
        1.75  end        bob
       1.875  start      cas
       1.875  grant      cas               lathe: 1, in use 1 of 1
       1.875  wait       cas               0.25
           2  event      timetable of lathe
           2  capacity                     lathe: 0, in use 1
           2  stop       cas               lathe: 0.125 left
        2.25  event      timetable of lathe
        2.25  capacity                     lathe: 1, in use 0
        2.25  go on      cas               lathe: 0.125 left
       2.375  resume     cas
       2.375  release    cas               lathe: 1, in use 0 of 1
       2.375  end        cas
         2.5  event      sim.traced.func2
`
	if got := "\n" + b.String(); got != want {
		t.Errorf("got%s", got)
	}
}

func TestJSONTrace(t *testing.T) {
	var b bytes.Buffer
	var records []trace.Record
	write := trace.JSON(&b)
	s := traced(func(r trace.Record) {
		records = append(records, r)
		write(r)
	})
	defer s.Close()
	_ = s.Run(background, 10)
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != len(records) || lines[4] != `{"time":1,"kind":"resume","who":"ann"}` {
		t.Fatalf("%d lines for %d records: %s", len(lines), len(records), lines[4])
	}
	kinds := map[trace.Kind]bool{}
	for i, line := range lines {
		var got struct {
			Time            float64
			Kind, Who, What string
		}
		r := records[i]
		if err := json.Unmarshal([]byte(line), &got); err != nil ||
			got.Time != r.Time || got.Kind != r.Kind.String() || got.Who != r.Who || got.What != r.What {
			t.Errorf("%s: %v", line, err)
		}
		kinds[r.Kind] = true
	}
	if all := int(trace.GoOn) + 1; len(kinds) != all {
		t.Errorf("%d of %d kinds", len(kinds), all)
	}
	if got := trace.Kind(99).String(); got != "Kind(99)" {
		t.Error(got)
	}
}

func TestLogTrace(t *testing.T) {
	var b bytes.Buffer
	l := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s := New(TraceTo(trace.Log(l)))
	s.At(2, func() {}, Named("tick"))
	run(t, s)
	if got := b.String(); !strings.Contains(got, `msg=event time=2 who=tick what=""`) {
		t.Error(got)
	}
}

// A trace must not change what happens, though a process then never keeps its turn.
func TestTraceChangesNothing(t *testing.T) {
	model := func(opts ...Option) (log []string) {
		s := New(opts...)
		desk := NewResource(s, "desk", 2)
		for i := range 10 {
			s.Go(fmt.Sprint(i), func(p *Process) {
				for k := range 10 {
					_ = p.Wait(float64(i*k%4) / 2)
					_ = desk.Use(p, 1+i%2, func() error { return p.Wait(math.Sqrt(float64(i + k))) })
					log = append(log, fmt.Sprint(i, p.Now()))
				}
			})
		}
		run(t, s)
		return append(log, fmt.Sprint(s.Events()))
	}
	if a, b := fmt.Sprint(model()), fmt.Sprint(model(TraceTo(func(trace.Record) {}))); a != b {
		t.Errorf("without a trace %s\nwith one %s", a, b)
	}
}

// Processes of one name are told apart, whatever a record says of them.
func TestTraceNumbersProcessesOfOneName(t *testing.T) {
	var b bytes.Buffer
	s := New(TraceTo(trace.Text(&b)))
	desk := NewResource(s, "desk", 1)
	for range 3 {
		s.Go("ann", func(p *Process) { _ = desk.Work(p, 1, 1, Patience(1.5)) })
	}
	s.Go("bob", func(*Process) {})
	run(t, s)
	for _, want := range []string{
		"0  start      ann\n", "0  start      ann#2\n", "0  request    ann#3             desk\n", "0  start      bob\n",
		"1  grant      ann#2             desk: 1, in use 1 of 1\n", "1.5  renege     ann#3             desk\n",
		"2  end        ann#2\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if n := len(s.tracedNames.of); n != 0 {
		t.Errorf("%d names are kept of processes that have ended", n)
	}
}
