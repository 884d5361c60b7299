package static

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
)

var disciplines = []Discipline{Unordered, Ordered, JustInTime}

// eachDiscipline runs a test on a new calendar of each discipline, whatever cfg says.
func eachDiscipline(t *testing.T, cfg Config, test func(t *testing.T, s *Queue)) {
	for _, d := range disciplines {
		t.Run(d.String(), func(t *testing.T) {
			cfg.Discipline = d
			s := mustNew(t, cfg)
			test(t, s)
			if err := s.check(); err != nil {
				t.Error(err)
			}
		})
	}
}

func mustNew(tb testing.TB, cfg Config) *Queue {
	tb.Helper()
	s, err := New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func mustSchedule(tb testing.TB, s *Queue, times ...float64) {
	tb.Helper()
	for i, at := range times {
		if err := s.Schedule(calendar.ID(i), at); err != nil {
			tb.Fatalf("Schedule(%d, %v): %v", i, at, err)
		}
	}
}

// drain dispatches everything and returns the ids in order.
func drain(s *Queue) (ids []calendar.ID) {
	for id := range s.Until(math.Inf(1)) {
		ids = append(ids, id)
	}
	return ids
}

func TestQueueRefusesConfigurations(t *testing.T) {
	good := Config{Buckets: 4, Width: 1, Capacity: 4}
	for _, tc := range []struct {
		field string
		spoil func(*Config)
	}{
		{"Buckets", func(c *Config) { c.Buckets = 0 }},
		{"Buckets", func(c *Config) { c.Buckets = -1 }},
		{"Buckets", func(c *Config) { c.Buckets = math.MaxInt }},
		{"Buckets", func(c *Config) { c.Buckets = math.MaxInt32 }},
		{"Width", func(c *Config) { c.Width = 0 }},
		{"Width", func(c *Config) { c.Width = -1 }},
		{"Width", func(c *Config) { c.Width = math.NaN() }},
		{"Width", func(c *Config) { c.Width = math.Inf(1) }},
		{"Discipline", func(c *Config) { c.Discipline = 3 }},
		{"Capacity", func(c *Config) { c.Capacity = 0 }},
		{"Capacity", func(c *Config) { c.Capacity = math.MinInt }},
		{"Capacity", func(c *Config) { c.Capacity = math.MaxInt }},
		{"Capacity", func(c *Config) { c.Capacity = math.MaxInt32 }},
		{"Start", func(c *Config) { c.Start = math.NaN() }},
		{"Start", func(c *Config) { c.Start = math.Inf(-1) }},
	} {
		cfg := good
		tc.spoil(&cfg)
		s, err := New(cfg)
		if s != nil || err == nil {
			t.Errorf("New(%+v) was not refused", cfg)
		} else if !strings.HasPrefix(err.Error(), "static: Config."+tc.field+" is ") || !strings.Contains(err.Error(),
			"must be") {
			t.Errorf("New(%+v) is refused with %q, which does not say what is wrong with %s", cfg, err, tc.field)
		}
	}
	for _, width := range []float64{math.SmallestNonzeroFloat64, math.MaxFloat64} {
		cfg := good
		cfg.Width, cfg.Start = width, -math.MaxFloat64
		s := mustNew(t, cfg)
		if err := s.check(); err != nil {
			t.Error(err)
		}
	}
}

func TestQueueRefusesEvents(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	eachDiscipline(t, Config{Buckets: 4, Width: 1, Capacity: 3, Start: 5}, func(t *testing.T, s *Queue) {
		mustSchedule(t, s, 6, 7)
		for _, tc := range []struct {
			call string
			got  error
			want error
		}{
			{"Schedule(3, 6)", s.Schedule(3, 6), calendar.ErrID},
			{"Schedule(3, NaN)", s.Schedule(3, nan), calendar.ErrID},
			{"Schedule(max, 6)", s.Schedule(math.MaxUint32, 6), calendar.ErrID},
			{"Schedule(0, NaN)", s.Schedule(0, nan), calendar.ErrTime},
			{"Schedule(2, +Inf)", s.Schedule(2, inf), calendar.ErrTime},
			{"Schedule(2, -Inf)", s.Schedule(2, -inf), calendar.ErrTime},
			{"Schedule(0, 4)", s.Schedule(0, 4), calendar.ErrPast},
			{"Schedule(0, 8)", s.Schedule(0, 8), calendar.ErrScheduled},
			{"Reschedule(3, 6)", s.Reschedule(3, 6), calendar.ErrID},
			{"Reschedule(0, NaN)", s.Reschedule(0, nan), calendar.ErrTime},
			{"Reschedule(0, 4)", s.Reschedule(0, 4), calendar.ErrPast},
			{"Renumber(0, 3)", s.Renumber(0, 3), calendar.ErrID},
			{"Renumber(3, 2)", s.Renumber(3, 2), calendar.ErrID},
			{"Renumber(3, 3)", s.Renumber(3, 3), calendar.ErrID},
			{"Renumber(2, 0)", s.Renumber(2, 0), calendar.ErrNotScheduled},
			{"Renumber(2, 2)", s.Renumber(2, 2), calendar.ErrNotScheduled},
			{"Renumber(0, 1)", s.Renumber(0, 1), calendar.ErrScheduled},
			{"Renumber(0, 0)", s.Renumber(0, 0), nil},
		} {
			if !errors.Is(tc.got, tc.want) {
				t.Errorf("%s: %v, want %v", tc.call, tc.got, tc.want)
			}
		}
		if s.Cancel(2) || s.Cancel(3) {
			t.Error("cancelled what was not pending")
		}
		if _, ok := s.Due(2); ok {
			t.Error("Due(2) is pending")
		}
		if _, ok := s.Due(math.MaxUint32); ok {
			t.Error("Due(max) is pending")
		}
		if at, ok := s.Due(0); at != 6 || !ok || s.Len() != 2 || s.Now() != 5 {
			t.Errorf("a refused call changed something: At(0) = %v, %v; Len %d, Now %v", at, ok, s.Len(), s.Now())
		}
	})
	var zero Queue
	if _, _, ok := zero.Next(); ok || zero.Schedule(0, 1) != calendar.ErrID || zero.Cancel(0) {
		t.Error("the zero Queue holds something")
	}
}

func TestQueueMinusZeroIsZero(t *testing.T) {
	minus := math.Copysign(0, -1)
	eachDiscipline(t, Config{Buckets: 3, Width: 1, Capacity: 4, Start: minus}, func(t *testing.T, s *Queue) {
		if math.Signbit(s.Now()) {
			t.Error("the clock starts at minus zero")
		}
		mustSchedule(t, s, minus, 0, minus)
		for want := range calendar.ID(3) {
			id, at, _ := s.Next()
			if id != want || math.Signbit(at) {
				t.Errorf("Next gives %d at %v, want %d at 0", id, at, want)
			}
		}
	})
}

func TestQueuePeek(t *testing.T) {
	eachDiscipline(t, Config{Buckets: 8, Width: 1, Capacity: 8}, func(t *testing.T, s *Queue) {
		want := func(id calendar.ID, at float64) {
			t.Helper()
			for range 2 { // a second Peek takes no work
				if gotID, gotAt, ok := s.Peek(); gotID != id || gotAt != at || !ok {
					t.Fatalf("Peek gives %d at %v (%v), want %d at %v", gotID, gotAt, ok, id, at)
				}
				if err := s.check(); err != nil {
					t.Fatal(err)
				}
			}
			if s.Now() != 0 {
				t.Fatalf("Peek moved the clock to %v", s.Now())
			}
		}
		if _, _, ok := s.Peek(); ok {
			t.Fatal("Peek finds something in an empty calendar")
		}
		mustSchedule(t, s, 1e6) // many years ahead
		want(0, 1e6)
		peeked := s.Work()
		want(0, 1e6)
		if s.Work() != peeked {
			t.Error("peeking again was counted")
		}
		s.Schedule(1, 1e6) // an equal goes behind, in the same bucket
		s.Schedule(2, 1e6+8)
		want(0, 1e6)
		s.Schedule(3, 3.5) // earlier than what was found: the current bucket must go back
		want(3, 3.5)
		s.Schedule(4, 3.25) // earlier, in the same bucket
		want(4, 3.25)
		s.Schedule(5, 3.75)
		s.Cancel(5) // it may have been the one before what was found
		want(4, 3.25)
		s.Cancel(4)
		want(3, 3.5)
		s.Reschedule(3, 1e6)
		want(0, 1e6)
		s.Renumber(0, 4) // behind its equals
		want(1, 1e6)
		s.Schedule(0, 0)
		want(0, 0)
		peeked = s.Work()
		s.Next()
		if work := s.Work().Since(peeked); work != (Work{Dispatched: 1}) {
			t.Errorf("Next after Peek did %+v", work)
		}
		if got, want := fmt.Sprint(drain(s)), "[1 3 4 2]"; got != want {
			t.Errorf("the rest leaves as %v, want %v", got, want)
		}
	})
}

func TestQueueUntil(t *testing.T) {
	eachDiscipline(t, Config{Buckets: 4, Width: 1, Capacity: 8}, func(t *testing.T, s *Queue) {
		mustSchedule(t, s, 3, 1, 2, 2, 9)
		for range s.Until(math.NaN()) {
			t.Fatal("dispatched up to NaN")
		}
		for id := range s.Until(2) {
			if id != 1 {
				t.Fatalf("first is %d", id)
			}
			break
		}
		if s.Now() != 1 || s.Len() != 4 {
			t.Errorf("broken off at %v with %d pending, want 1 and 4", s.Now(), s.Len())
		}
		var got []calendar.ID
		for id, at := range s.Until(2) {
			got = append(got, id)
			if at != s.Now() {
				t.Errorf("event at %v, clock at %v", at, s.Now())
			}
			if id == 3 { // the body may schedule, also at this very time
				s.Schedule(5, 2)
				s.Schedule(6, 2.5)
			}
		}
		if fmt.Sprint(got) != "[2 3 5]" || s.Now() != 2 {
			t.Errorf("until 2: %v, clock %v", got, s.Now())
		}
		if err := s.Schedule(7, 2.25); err != nil { // it has looked beyond, and must come back
			t.Error(err)
		}
		if got := fmt.Sprint(drain(s)); got != "[7 6 0 4]" {
			t.Errorf("the rest leaves as %v", got)
		}
	})
}

func TestQueueDays(t *testing.T) {
	for _, tc := range []struct {
		t, width float64
		day      int64
		bucket   int
	}{
		{0, 10, 0, 0},
		{9.5, 10, 0, 0},
		{251, 10, 25, 5},
		{-0.5, 10, -1, 9},
		{-10, 10, -1, 9},
		{-10.5, 10, -2, 8},
		{1 << 60, 1, 1 << 60, 6}, // exact beyond 2⁵³
		{1e300, 1e-3, maxDay, 4},
		{-1e300, 1e-3, -maxDay, 6},
		{math.MaxFloat64, math.SmallestNonzeroFloat64, maxDay, 4}, // the division overflows
		{-math.SmallestNonzeroFloat64, math.MaxFloat64, 0, 0},     // and underflows, to minus zero
	} {
		s := mustNew(t, Config{Buckets: 10, Width: tc.width, Capacity: 1})
		if day := s.dayOf(tc.t); day != tc.day || s.bucketOf(day) != tc.bucket {
			t.Errorf("%v is on day %d in bucket %d, want %d in %d", tc.t, day, s.bucketOf(day), tc.day, tc.bucket)
		}
	}
}

func TestQueueAllocatesNothing(t *testing.T) {
	const n = 64
	eachDiscipline(t, Config{Buckets: 32, Width: 0.1, Capacity: 2 * n}, func(t *testing.T, s *Queue) {
		rng := rand.New(rand.NewPCG(3, 4))
		for i := range n {
			s.Schedule(calendar.ID(i), rng.ExpFloat64())
		}
		allocs := testing.AllocsPerRun(1000, func() {
			s.Peek()
			id, at, _ := s.Next()
			s.Schedule(id, at+rng.ExpFloat64())
			s.Reschedule(id, at+rng.ExpFloat64())
			s.Renumber(id, id+n)
			s.Cancel(id + n)
			s.Schedule(id, at+rng.ExpFloat64())
			for id, at := range s.Until(at + 0.05) {
				s.Schedule(id, at+rng.ExpFloat64())
			}
		})
		if allocs != 0 {
			t.Errorf("%v allocations", allocs)
		}
	})
}

func TestQueueBytes(t *testing.T) {
	const n = 100_000
	s := mustNew(t, Config{Buckets: n, Width: 1, Capacity: n})
	if got, want := s.Bytes(), 16*n+12; got != want {
		t.Errorf("%d ids and buckets take %d bytes, want %d", n, got, want)
	}
}

func TestDisciplineString(t *testing.T) {
	if got := fmt.Sprint(Unordered, Ordered, JustInTime, Discipline(9)); got != "unordered ordered just-in-time "+
		"Discipline(9)" {
		t.Error(got)
	}
}

func TestDisciplineAsText(t *testing.T) {
	for _, d := range []Discipline{Unordered, Ordered, JustInTime} {
		var back Discipline
		if text, err := d.MarshalText(); err != nil || back.UnmarshalText(text) != nil || back != d {
			t.Errorf("%v becomes %s and that %v", d, text, back)
		}
	}
	if _, err := Discipline(3).MarshalText(); err == nil {
		t.Error("a discipline that does not exist has a name")
	}
	var d Discipline
	if err := d.UnmarshalText([]byte("sorted")); err == nil || !strings.Contains(err.Error(),
		`there is no discipline "sorted"`) {
		t.Errorf("got %v", err)
	}
}

// A calendar that is made anew is like a new one, in the memory of the old one if that is enough; a
// configuration that is refused changes nothing.
func TestQueueReset(t *testing.T) {
	s := mustNew(t, Config{Buckets: 100, Width: 0.1, Capacity: 50, Discipline: JustInTime, Start: 3})
	mustSchedule(t, s, 4, 7, 5)
	if _, _, ok := s.Next(); !ok {
		t.Fatal("nothing to dispatch")
	}
	if err := s.Reset(Config{Buckets: 0, Width: 0.1, Capacity: 50}); err == nil || s.Len() != 2 || s.Now() != 4 ||
		s.Check() != nil {
		t.Errorf("%v, %d events at %v, %v", err, s.Len(), s.Now(), s.Check())
	}
	for _, cfg := range []Config{
		{Buckets: 10, Width: 2, Capacity: 20, Discipline: Ordered, Start: -1},
		{Buckets: 100, Width: 0.5, Capacity: 50},
		{Buckets: 300, Width: 0.5, Capacity: 70, Discipline: JustInTime},
	} {
		before := s.Bytes()
		if err := s.Reset(cfg); err != nil {
			t.Fatal(err)
		}
		fresh := mustNew(t, cfg)
		if want := max(before, fresh.Bytes()); s.Bytes() != want {
			t.Errorf("%+v: %d bytes, want %d", cfg, s.Bytes(), want)
		}
		for _, q := range []*Queue{s, fresh} {
			mustSchedule(t, q, 9, 8, 8.5)
		}
		if err := s.Check(); err != nil || s.Now() != cfg.Start || s.Work() != fresh.Work() {
			t.Errorf("%+v: %v, at %v, %+v", cfg, err, s.Now(), s.Work())
		}
		if got, want := drain(s), drain(fresh); !slices.Equal(got, want) {
			t.Errorf("%+v: %v, want %v", cfg, got, want)
		}
		mustSchedule(t, s, 100) // something is left for the next
	}
}
