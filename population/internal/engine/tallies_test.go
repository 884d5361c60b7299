package engine

import (
	"context"
	"strings"
	"testing"
)

// What is recorded takes as much as is said beforehand.
func TestRecordedMemory(t *testing.T) {
	m := programOf(t, busyGroups)
	rec := NewRecording(m)
	bytes := func(t RowCounts) float64 { return float64(4*cap(t.Counts) + 8*cap(t.Flows) + 8*cap(t.Named)) }
	got := bytes(rec.All)
	for _, g := range rec.Groups {
		got += bytes(g)
	}
	if want := RecordedBytes(m) * float64(len(m.RecordTimes)); got != want {
		t.Errorf("%g bytes, estimated as %g", got, want)
	}
	without := programOf(t, strings.Replace(busyGroups, "by: [region, age, [age, region]], ", "", 1))
	none := programOf(t, strings.Replace(busyGroups, ", by: [region, age, [age, region]], incidence: true", "", 1))
	if newGroupTallies(none) != nil {
		t.Error("there are tallies without by")
	}
	o := Options{Replicas: 1000}
	a, b := newDemand(m, &o), newDemand(without, &o)
	if groups := 3 + 2 + 6.0; a.recorded-1000*512 != (b.recorded-1000*512)*(1+groups) || !(a.fixed > b.fixed) {
		t.Errorf("%g and %g bytes are recorded in a thousand replicas with and without %g groups", a.recorded, b.recorded,
			groups)
	}
	r := Run{sparseRule: usualSparse}
	if err := r.Start(context.Background(), m, 1, 0); err != nil {
		t.Fatal(err)
	}
	held := 0.0
	for _, g := range r.ByGroup.Groups {
		held += float64(8*(cap(g.Counts)+cap(g.Flows)+cap(g.Named)) + 72)
	}
	if held != groupTallyBytes(m) {
		t.Errorf("tallies take %g bytes, estimated as %g", held, groupTallyBytes(m))
	}
}
