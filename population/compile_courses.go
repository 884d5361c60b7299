package population

import "reflect"

// course works out a rate or a probability that may change. One that turns out not to is nil, and a number.
func (c *compiler) course(here scope, v value, what string, want kind) (*course, float64) {
	got, ok := here.course(v, what, want)
	if !ok {
		return nil, 0
	}
	if x, still := got.constant(); still {
		if got.counts && x > got.most {
			here.broken(v.at, []value{v}, "%s: the value is always %.6g per %s, above its most, %.6g per %s", what, x, here.unit.name, got.most, here.unit.name)
		}
		return nil, max(0, x)
	}
	// Equal courses are one: for all states, cells and times between interventions.
	key := courseShape{got.most, len(got.bounds), 0}
	for i, b := range got.bounds {
		key.sum += float64(b * float64(i+1))
	}
	for _, known := range c.courses[key] {
		if reflect.DeepEqual(known, got) {
			return known, 0
		}
	}
	if !c.room(1 + len(got.bounds)/4) {
		return nil, 0
	}
	c.courses[key] = append(c.courses[key], got)
	c.m.counting = c.m.counting || got.counts
	return got, 0
}

// A courseShape is the same for equal courses.
type courseShape struct {
	most   float64
	pieces int
	sum    float64
}
