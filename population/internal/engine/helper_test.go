package engine

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// Models that several tests run, from the folder testdata of the package population.
var (
	everything     = text("testdata/everything")
	busyGroups     = text("testdata/busy-groups")
	busyEverything = text("testdata/busy-everything")
	tied           = text("testdata/tied")
	banded         = text("testdata/bands")
	curved         = text("testdata/since")
	numbered       = text("testdata/numbers")
	crowdText      = text("testdata/crowd")
	placed         = text("testdata/places")
	tracedText     = text("testdata/tracing")
	networked      = text("testdata/networks")
)

// text is that of a model file.
func text(name string) string {
	b, err := os.ReadFile(population + name + ".yaml")
	if err != nil {
		panic(err)
	}
	return string(b)
}

// population is where that package is.
const population = "../../"

// modelOf compiles a text.
func modelOf(t testing.TB, source string, asked syntax.Changes) *compile.Model {
	t.Helper()
	m, err := compile.Text("model.yaml", []byte(source), asked)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// programOf is the program of a text.
func programOf(t testing.TB, source string) *program.Program {
	t.Helper()
	return modelOf(t, source, syntax.Changes{}).Program
}

// sized is the program of a text, with another number of individuals.
func sized(t testing.TB, source string, size int) *program.Program {
	t.Helper()
	return modelOf(t, source, syntax.Changes{Size: &size}).Program
}

// example is one of the examples, with a number of individuals.
func example(t testing.TB, name string, size int) *program.Program {
	t.Helper()
	return sized(t, text("../examples/"+name), size)
}

// crowdOf is the crowd, with a number of individuals.
func crowdOf(t testing.TB, size int) *program.Program {
	t.Helper()
	most := strconv.FormatInt(syntax.MaxIndividuals, 10)
	return sized(t, strings.Replace(crowdText, "2_000_000_000", most, 1), size)
}

// kept is a happening that may be looked at after the call.
func kept(h *Event) Event {
	k := *h
	k.Values = slices.Clone(h.Values)
	return k
}

// A seen happening has names in place of numbers.
type seen struct {
	time           float64
	kind           Kind
	individual, by uint64
	from, to, name string
	values         []uint16
	place, byPlace uint32
}

// alike reports whether the same was seen.
func alike(a, b []seen) bool {
	return slices.EqualFunc(a, b, func(a, b seen) bool {
		return a.time == b.time && a.kind == b.kind && a.individual == b.individual && a.by == b.by && a.from == b.from &&
			a.to == b.to && a.name == b.name && slices.Equal(a.values, b.values) && a.place == b.place && a.byPlace == b.byPlace
	})
}

// seenIn is a happening in a program, with names.
func seenIn(m *program.Program, h *Event) seen {
	s := seen{time: h.Time, kind: h.Kind, individual: h.Individual, by: h.By, values: slices.Clone(h.Values),
		place: h.Slot, byPlace: h.BySlot}
	switch h.Kind {
	case Started:
		s.to = m.States[h.State]
	case Moved:
		s.from, s.to = m.States[h.State], m.States[h.State]
	case Entered, Changed, Left:
		s.from, s.to = m.Flows[h.Flow].From, m.Flows[h.Flow].To
	case Linked, Unlinked:
		s.name = m.Networks[h.Name].Name
		return s
	}
	if h.Name >= 0 {
		s.name = m.CountedNames[h.Name]
	}
	return s
}

// quiet are hooks that do nothing.
var quiet = Hooks{Begun: func() {}, Recorded: func(int) {}, Progress: func(float64, uint64) {}}

// walk runs a replica in small steps and looks at it after each.
func walk(t *testing.T, r *Run, m *program.Program, seed uint64, step float64) {
	t.Helper()
	ctx := context.Background()
	if err := r.Start(ctx, m, seed, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	plans := m.Scheduled
	advance := func(to float64) {
		if err := r.run(ctx, to, nil); err != nil {
			t.Fatal(err)
		}
		if err := r.Check(); err != nil {
			t.Fatalf("seed %d, time %v: %v", seed, r.Now, err)
		}
	}
	for at := 0.0; at < r.end; at += step {
		for len(plans) > 0 && plans[0].At <= at {
			advance(plans[0].At)
			if err := r.intervene(ctx, &plans[0]); err != nil {
				t.Fatal(err)
			}
			if err := r.Check(); err != nil {
				t.Fatalf("seed %d, after %s: %v", seed, plans[0].What, err)
			}
			plans = plans[1:]
		}
		advance(at)
	}
}
