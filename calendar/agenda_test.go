package calendar_test

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

// A diary is what an agenda should be: a slice, in the order in which events were added.
type diary struct {
	now    float64
	events []diaryEvent
}

type diaryEvent struct {
	handle calendar.Handle
	at     float64
	value  int
}

func (d *diary) first() int {
	best := 0
	for i, e := range d.events {
		if e.at < d.events[best].at {
			best = i
		}
	}
	return best
}

func (d *diary) find(h calendar.Handle) int {
	return slices.IndexFunc(d.events, func(e diaryEvent) bool { return e.handle == h })
}

// replay applies what the bytes say to an agenda and a diary, and returns the first difference.
func replayAgenda(data []byte) error {
	a := calendar.NewAgenda[int]()
	var d diary
	var handles []calendar.Handle // all that there ever were, most of them stale in the end
	for i := 0; i+2 < len(data); i += 3 {
		op, pick, far := data[i]%6, int(data[i+1]), float64(data[i+2]%8)
		at := d.now + far*float64(uint64(1)<<(data[i+2]/8))
		if data[i+2] == 255 {
			at = math.NaN()
		}
		var h calendar.Handle
		if len(handles) > 0 {
			h = handles[len(handles)-1-pick%len(handles)]
		}
		k := d.find(h)
		switch op {
		case 0, 1:
			h, err := a.Schedule(at, i)
			if (err == nil) != (at == at) {
				return fmt.Errorf("add at %v: %v", at, err)
			}
			if err == nil {
				if d.find(h) >= 0 {
					return fmt.Errorf("handle %v given twice", h)
				}
				handles = append(handles, h)
				d.events = append(d.events, diaryEvent{h, at, i})
			}
		case 2:
			v, ok := a.Cancel(h)
			if ok != (k >= 0) || ok && v != d.events[k].value {
				return fmt.Errorf("cancel %v: %d %v", h, v, ok)
			}
			if ok {
				d.events = slices.Delete(d.events, k, k+1)
			}
		case 3:
			err := a.Reschedule(h, at)
			switch {
			case k < 0:
				if !errors.Is(err, calendar.ErrNotScheduled) {
					return fmt.Errorf("reschedule of a stale handle: %v", err)
				}
			case at != at:
				if !errors.Is(err, calendar.ErrTime) {
					return fmt.Errorf("reschedule to NaN: %v", err)
				}
			default:
				if err != nil {
					return err
				}
				e := d.events[k]
				e.at = at
				d.events = append(slices.Delete(d.events, k, k+1), e)
			}
		case 4, 5:
			if op == 5 { // a look first
				v, at, ok := a.Peek()
				if ok != (len(d.events) > 0) {
					return fmt.Errorf("peek: %v", ok)
				}
				if e := d.first(); ok && (v != d.events[e].value || at != d.events[e].at) {
					return fmt.Errorf("peek: %d at %v, want %+v", v, at, d.events[e])
				}
			}
			v, at, ok := a.Next()
			if ok != (len(d.events) > 0) {
				return fmt.Errorf("next: %v", ok)
			}
			if ok {
				e := d.first()
				if v != d.events[e].value || at != d.events[e].at {
					return fmt.Errorf("next: %d at %v, want %+v", v, at, d.events[e])
				}
				d.now = at
				d.events = slices.Delete(d.events, e, e+1)
			}
		}
		if a.Len() != len(d.events) || a.Now() != d.now {
			return fmt.Errorf("%d pending at %v, want %d at %v", a.Len(), a.Now(), len(d.events), d.now)
		}
		for _, h := range handles {
			at, ok := a.Due(h)
			v, has := a.Value(h)
			k := d.find(h)
			if ok != (k >= 0) || has != ok || ok && (at != d.events[k].at || v != d.events[k].value) {
				return fmt.Errorf("handle %v: %d at %v, %v", h, v, at, ok)
			}
		}
		if err := a.Check(); err != nil {
			return err
		}
	}
	return nil
}

func TestAgendaAgainstDiary(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	for range 200 {
		data := make([]byte, 3*r.IntN(150))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		must(t, replayAgenda(data))
	}
}

func FuzzAgenda(f *testing.F) {
	f.Add([]byte("add, cancel, next, and so on"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := replayAgenda(data[:min(len(data), 900)]); err != nil {
			t.Error(err)
		}
	})
}

func TestAgendaRefusesStaleHandles(t *testing.T) {
	a := calendar.NewAgenda[string]()
	if _, ok := a.Cancel(calendar.Handle{}); ok {
		t.Error("the zero handle cancelled something")
	}
	old, err := a.Schedule(1, "old")
	must(t, err)
	a.Next()
	young, err := a.Schedule(2, "young") // in the same place
	must(t, err)
	if old == young {
		t.Fatal("two events have the same handle")
	}
	if _, ok := a.Cancel(old); ok {
		t.Error("a stale handle cancelled another's event")
	}
	if err := a.Reschedule(old, 5); !errors.Is(err, calendar.ErrNotScheduled) {
		t.Errorf("a stale handle moved another's event: %v", err)
	} else if !strings.Contains(err.Error(), "the handle was dispatched or cancelled") {
		t.Errorf("a stale handle: %v", err)
	}
	if err := a.Reschedule(calendar.Handle{}, 5); !errors.Is(err, calendar.ErrNotScheduled) ||
		!strings.Contains(err.Error(), "the zero Handle") {
		t.Errorf("the zero handle: %v", err)
	}
	if v, ok := a.Cancel(young); v != "young" || !ok {
		t.Errorf("cancelled %q, %v", v, ok)
	}
}

// Numbers of uses never repeat, since a place that has run out of them is left alone.
func TestAgendaRetiresPlaces(t *testing.T) {
	a := calendar.NewAgenda[int]()
	first, err := a.Schedule(1, 1)
	must(t, err)
	last := a.SetUse(first, calendar.Retired-1)
	if v, _, ok := a.Next(); v != 1 || !ok {
		t.Fatal("the event is gone")
	}
	next, err := a.Schedule(2, 2)
	must(t, err)
	must(t, a.Check())
	if _, ok := a.Value(last); ok {
		t.Error("a handle outlived its event")
	}
	if v, ok := a.Value(next); v != 2 || !ok {
		t.Errorf("value %d, %v", v, ok)
	}
	for range 3 { // were the place used on, its numbers would begin again, and the first handle be valid
		a.Next()
		_, err := a.Schedule(3, 3)
		must(t, err)
		if _, ok := a.Value(first); ok {
			t.Error("the first handle names another's event")
		}
	}
}

func TestAgendaForgetsValues(t *testing.T) {
	a := calendar.NewAgenda[*int]()
	h, err := a.Schedule(1, new(int))
	must(t, err)
	a.Next()
	k, err := a.Schedule(1, nil)
	must(t, err)
	if v, _ := a.Value(k); v != nil {
		t.Error("a value outlived its event")
	}
	if v, ok := a.Cancel(h); v != nil || ok {
		t.Error("a stale handle gave a value")
	}
}

func TestAgendaUntil(t *testing.T) {
	a := calendar.NewAgenda[string](calendar.Capacity(4), calendar.StartAt(10))
	for i, v := range []string{"b", "a", "c"} {
		_, err := a.Schedule(11+float64((i+1)%3), v)
		must(t, err)
	}
	var got []string
	for v, at := range a.Until(12) {
		got = append(got, fmt.Sprint(v, at))
	}
	if want := []string{"c11", "b12"}; !slices.Equal(got, want) || a.Len() != 1 {
		t.Errorf("got %v, want %v; %d left", got, want, a.Len())
	}
}

func TestAgendaAllocatesNothing(t *testing.T) {
	a := calendar.NewAgenda[int]()
	r := rand.New(rand.NewPCG(8, 0))
	for i := range 1000 {
		_, err := a.Schedule(r.ExpFloat64(), i)
		must(t, err)
	}
	hold := func() {
		for range 1000 {
			v, at, _ := a.Next()
			h, _ := a.Schedule(at+r.ExpFloat64(), v)
			if v%2 == 0 {
				a.Cancel(h)
				_, _ = a.Schedule(at+r.ExpFloat64(), v)
			}
		}
	}
	for range 100 {
		hold()
	}
	if allocs := testing.AllocsPerRun(10, hold); allocs > 1 {
		t.Errorf("%v allocations in 1000 holds", allocs)
	}
}

// Places of events that are gone are given back, and a handle of one of them stays stale when the
// place is used again.
func TestAgendaGivesPlacesBack(t *testing.T) {
	const n = 100_000
	a := calendar.NewAgenda[[4]int]()
	handles := make([]calendar.Handle, n)
	for burst := range 3 {
		old := append([]calendar.Handle(nil), handles...)
		for i := range handles {
			h, err := a.Schedule(a.Now()+float64(i%1000), [4]int{burst, i})
			must(t, err)
			handles[i] = h
		}
		for i, h := range old {
			if _, ok := a.Value(h); ok {
				t.Fatalf("burst %d: handle %d of an earlier event names another", burst, i)
			}
		}
		for i, h := range handles {
			if v, ok := a.Value(h); !ok || v[0] != burst || v[1] != i {
				t.Fatalf("burst %d: value %v, %v of event %d", burst, v, ok, i)
			}
		}
		most := a.Places()
		for i := range handles {
			if i%2 == 0 {
				if v, ok := a.Cancel(handles[i]); !ok || v[1] != i {
					t.Fatalf("cancelled %v, %v", v, ok)
				}
			}
		}
		for a.Len() > 10 {
			a.Next()
		}
		must(t, a.Check())
		if got := a.Places(); got > most/2 {
			t.Errorf("burst %d: places for %d events, of %d", burst, got, most)
		}
		for a.Len() > 0 {
			a.Next()
		}
		must(t, a.Check())
		if got := a.Places(); got > 3*4096 {
			t.Errorf("burst %d: places for %d events, and none is left", burst, got)
		}
	}
}

// A handle of another agenda is refused, also if it has the place and the use of an event.
func TestAgendaForeignHandle(t *testing.T) {
	var a, b calendar.Agenda[string]
	foreign, err := a.Schedule(1, "a")
	must(t, err)
	own, err := b.Schedule(2, "b")
	must(t, err)
	if foreign == own {
		t.Error("two agendas give equal handles")
	}
	for _, h := range []calendar.Handle{foreign, {}} {
		if v, ok := b.Cancel(h); ok {
			t.Errorf("Cancel: %q", v)
		}
		if err := b.Reschedule(h, 3); !errors.Is(err, calendar.ErrNotScheduled) {
			t.Errorf("Reschedule: %v", err)
		}
		if at, ok := b.Due(h); ok {
			t.Errorf("Due: %v", at)
		}
		if v, ok := b.Value(h); ok {
			t.Errorf("Value: %q", v)
		}
	}
	if v, at, ok := b.Next(); v != "b" || at != 2 || !ok {
		t.Errorf("Next: %q, %v, %v", v, at, ok)
	}
}

func TestAgendaMaxID(t *testing.T) {
	a := calendar.NewAgenda[int](calendar.MaxID(9))
	var first calendar.Handle
	for i := range 10 {
		h, err := a.Schedule(1, i)
		must(t, err)
		if i == 0 {
			first = h
		}
	}
	if _, err := a.Schedule(1, 10); !errors.Is(err, calendar.ErrID) {
		t.Errorf("an event too many: %v", err)
	}
	a.Cancel(first)
	_, err := a.Schedule(1, 11)
	must(t, err)
	must(t, a.Check())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
