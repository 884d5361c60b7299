//go:build !race

package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sampled starts a run of a text, goes on to a time, and returns it with a sample that is verified:
// all links between its individuals are there and no other, and all but those who were drawn are
// linked with one before them.
func sampled(t *testing.T, r *Run, source string, size int, at float64) *NetworkSample {
	t.Helper()
	m := sized(t, source, size)
	if err := r.Start(t.Context(), m, 7, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.Advance(t.Context(), at, nil); err != nil {
		t.Fatal(err)
	}
	s := r.SampleNetworks()
	if n := len(s.ids); n > mostSampled || len(s.Links) > mostSampledLinks || len(s.States) != n || len(s.Values) != n {
		t.Fatalf("%d individuals with %d states, %d values, %d links", n, len(s.States), len(s.Values), len(s.Links))
	}
	drawn := 0
	for b := range s.ids {
		before := false
		for a := range b {
			for k := range r.networks {
				linked := r.networks[k].links.Linked(s.ids[a], s.ids[b])
				before = before || linked
				if linked != slices.Contains(s.Links, SampledLink{a, b, k}) {
					t.Fatalf("%d and %d are linked in %s: %v", a, b, m.Networks[k].Name, linked)
				}
			}
		}
		if !before {
			drawn++
		}
	}
	if drawn != s.Around {
		t.Errorf("%d are linked with nobody before them, %d were drawn", drawn, s.Around)
	}
	return s
}

// A sample of networks is a part of them, whatever has happened to them, and the same one however
// the run was set up.
func TestSampleNetworks(t *testing.T) {
	few := sampled(t, &Run{sparseRule: usualSparse, setupFrom: 1}, networked, 3000, 0.1)
	again := sampled(t, &Run{sparseRule: usualSparse, setupFrom: 1 << 20}, networked, 3000, 0.1)
	if diff := cmp.Diff(few.ids, again.ids); diff != "" || !cmp.Equal(few.Links, again.Links) {
		t.Errorf("the sample depends on how the run is set up: %s", diff)
	}
	if len(few.ids) < mostSampled-10 {
		t.Errorf("%d of 3000, with %d links", len(few.ids), len(few.Links))
	}
}

// A sample ends before the links are too many; where few are linked, it has all of them, and none
// is drawn twice.
func TestSampleNetworksBounds(t *testing.T) {
	const text = `name: sample
time: {unit: day, end: 1}
population: {size: 100, start: {a: rest}}
networks: {all: {random: {mean: MEAN}}}
states: {a: {}}
record: {every: 1 day}
`
	of := func(mean string, size int) (*Run, *NetworkSample) {
		r := &Run{sparseRule: usualSparse}
		return r, sampled(t, r, strings.Replace(text, "MEAN", mean, 1), size, 0)
	}
	if _, s := of("99", 100); len(s.ids) != 35 || len(s.Links) != 35*34/2 || s.Around != 1 {
		t.Errorf("of a clique %d individuals and %d links, around %d", len(s.ids), len(s.Links), s.Around)
	}
	r, s := of("0.002", 20_000)
	all := r.CountNetwork(0)
	linked := r.Alive - all.OfDegree(0)
	if len(s.ids) != linked || linked < 20 || len(s.Links) != all.Links {
		t.Errorf("%d of %d individuals that have a link", len(s.ids), linked)
	}
	if _, s := of("0", 100); len(s.ids) != 0 || s.Around != 0 {
		t.Errorf("%d individuals without a link", len(s.ids))
	}
}
