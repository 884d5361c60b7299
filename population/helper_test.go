package population

import (
	"os"
	"slices"
	"testing"
)

// Models that several tests run, from the folder testdata of the package population.
var (
	everything     = text("testdata/everything")
	busyGroups     = text("testdata/busy-groups")
	busyEverything = text("testdata/busy-everything")
	tied           = text("testdata/tied")
	crowdText      = text("testdata/crowd")
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
const population = "./"

// modelOf compiles a text.
func modelOf(t testing.TB, source string, asked changes) *compiled {
	t.Helper()
	m, err := compileText("model.yaml", []byte(source), asked)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// programOf is the program of a text.
func programOf(t testing.TB, source string) *program {
	t.Helper()
	return modelOf(t, source, changes{}).program
}

// sized is the program of a text, with another number of individuals.
func sized(t testing.TB, source string, size int) *program {
	t.Helper()
	return modelOf(t, source, changes{size: &size}).program
}

// example is one of the examples, with a number of individuals.
func example(t testing.TB, name string, size int) *program {
	t.Helper()
	return sized(t, text("../examples/"+name), size)
}

// crowdOf is the crowd, with a number of individuals.
func crowdOf(t testing.TB, size int) *program {
	t.Helper()
	return sized(t, crowdText, size)
}

// kept is a happening that may be looked at after the call.
func kept(h *happening) happening {
	k := *h
	k.values = slices.Clone(h.values)
	return k
}

// A seen happening has names in place of numbers.
type seen struct {
	time           float64
	kind           happeningKind
	individual, by uint64
	from, to, name string
	values         []uint16
	place, byPlace uint32
}

// seenIn is a happening in a program, with names.
func seenIn(m *program, h *happening) seen {
	s := seen{time: h.time, kind: h.kind, individual: h.individual, by: h.by, values: slices.Clone(h.values), place: h.place, byPlace: h.byPlace}
	switch h.kind {
	case hasStarted:
		s.to = m.states[h.state]
	case hasMoved:
		s.from, s.to = m.states[h.state], m.states[h.state]
	case hasEntered, hasChanged, hasLeft:
		s.from, s.to = m.flows[h.flow].From, m.flows[h.flow].To
	}
	if h.name >= 0 {
		s.name = m.names[h.name]
	}
	return s
}

// quiet are hooks that do nothing.
var quiet = hooks{begun: func() {}, recorded: func(int) {}, progress: func(float64, uint64) {}}
