package spray

import (
	"reflect"
	"strings"
	"testing"
)

// An option that is for the other structure, or for more than there can be, panics and says why.
func TestOptionsThatDoNotApply(t *testing.T) {
	for want, f := range map[string]func(){
		"spray: PerProcess is for a Calendar":             func() { New[int, int](PerProcess(2)) },
		"spray: Sticky is for a Calendar":                 func() { New[int, int](Sticky(16)) },
		"spray: Spraying is for a List":                   func() { NewCalendar[int](Spraying(PerfectSpray(2))) },
		"spray: a Calendar is for 1 to 65,536 processes":  func() { NewCalendar[int](Processes(1<<16 + 1)) },
		"spray: Capacity needs a number of elements, not": func() { Capacity(-1) },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, want) {
					t.Errorf("%q, want %q", got, want)
				}
			}()
			f()
		}()
	}
}

// What is for both is for both.
func TestOptionsForBoth(t *testing.T) {
	opts := []Option{Processes(3), Seed(4), Capacity(100)}
	l, c := New[float64, int](opts...), NewCalendar[int](opts...)
	if !reflect.DeepEqual(l.walk, defaultWalk(3)) || l.seed != 4 || len(c.shards) != 3 || c.capacity != 17 {
		t.Errorf("walk %+v, seed %d, %d shards, capacity %d", l.walk, l.seed, len(c.shards), c.capacity)
	}
}

// A handle of another list or calendar is refused, though the same element would have it there.
func TestHandlesOfOthers(t *testing.T) {
	a, b := New[float64, int](), New[float64, int]()
	c, d := NewCalendar[int](), NewCalendar[int]()
	var handles []Handle
	for i := range 10 {
		at := float64(i)
		handles = append(handles, a.Insert(at, i), b.Insert(at, i))
		for _, c := range []*Calendar[int]{c, d} {
			h, _ := c.Schedule(at, i)
			handles = append(handles, h)
		}
	}
	remove := []func(Handle) bool{a.Delete, b.Delete, c.Cancel, d.Cancel}
	for i, h := range handles {
		for k := range remove {
			if k != i%len(remove) && remove[k](h) {
				t.Errorf("handle %d of structure %d removed something from structure %d", i, i%len(remove), k)
			}
		}
	}
	for i, h := range handles {
		if own := remove[i%len(remove)]; !own(h) || own(h) {
			t.Errorf("handle %d removed nothing, or something twice", i)
		}
	}
}
