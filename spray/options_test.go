package spray

import (
	"reflect"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// An option that cannot be panics and says why.
func TestOptionsThatCannotBe(t *testing.T) {
	for want, f := range map[string]func(){
		"spray: Capacity needs a number of elements, not": func() { Capacity(-1) },
		"spray: Concurrency needs a number of 1 or more":  func() { Concurrency(0) },
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

func TestOptions(t *testing.T) {
	l := New[float64, int](Concurrency(3), Seed(4), Capacity(100))
	if !reflect.DeepEqual(l.walk, defaultWalk(3)) || l.epochs.Enter().Local.random != random.New(4, 0) {
		t.Errorf("walk %+v", l.walk)
	}
}

// A handle of another list is refused, though the same element would have it there.
func TestHandlesOfOthers(t *testing.T) {
	a, b := New[float64, int](), New[float64, int]()
	var handles []Handle
	for i := range 10 {
		handles = append(handles, a.Insert(float64(i), i), b.Insert(float64(i), i))
	}
	remove := []func(Handle) bool{a.Delete, b.Delete}
	for i, h := range handles {
		if remove[1-i%2](h) {
			t.Errorf("handle %d of list %d removed something from the other", i, i%2)
		}
	}
	for i, h := range handles {
		if own := remove[i%2]; !own(h) || own(h) {
			t.Errorf("handle %d removed nothing, or something twice", i)
		}
	}
}
