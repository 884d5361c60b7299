package compile

import (
	"reflect"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// course works out a rate or a probability that may change. One that turns out not to is nil, and a number.
func (c *compiler) course(here Scope, v syntax.Value, what string, want syntax.Kind) (*program.TimeVarying, float64) {
	got, ok := here.course(v, what, want)
	if !ok {
		return nil, 0
	}
	if x, still := got.Constant(); still {
		if got.ByCounts && x > got.Most {
			here.broken(v.At, []syntax.Value{v}, "%s: the value is always %.6g per %s, above its most, %.6g per %s", what, x, here.unit.Name, got.Most, here.unit.Name)
		}
		return nil, max(0, x)
	}
	// Equal courses are one: for all states, cells and times between interventions.
	key := courseShape{got.Most, len(got.Bounds), 0}
	for i, b := range got.Bounds {
		key.sum += float64(b * float64(i+1))
	}
	for _, known := range c.courses[key] {
		if reflect.DeepEqual(known, got) {
			return known, 0
		}
	}
	if !c.room(1 + len(got.Bounds)/4) {
		return nil, 0
	}
	c.courses[key] = append(c.courses[key], got)
	c.m.Counting = c.m.Counting || got.ByCounts
	return got, 0
}

// A courseShape is the same for equal courses.
type courseShape struct {
	most   float64
	pieces int
	sum    float64
}
