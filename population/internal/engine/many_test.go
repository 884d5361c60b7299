//go:build !race

package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// manyModel has as many states and values as there can be: a ring of states, each of which is left
// after a while, and an attribute whose values everybody moves on to the last of.
func manyModel(states, values int) string {
	var b strings.Builder
	b.WriteString("name: many\ntime: {unit: day, end: 10}\npopulation: {size: 20_000, start: {")
	for i := range states {
		fmt.Fprintf(&b, "s%d: %d, ", i, 20_000/states)
	}
	b.WriteString("}}\nattributes: {site: {")
	for i := range values {
		fmt.Fprintf(&b, "v%d: %g, ", i, 1/float64(values))
	}
	b.WriteString("}}\nstates:\n")
	for i := range states {
		clock := "rate: 0.3 per day"
		if i%3 == 0 {
			clock = "after: 2 days"
		}
		fmt.Fprintf(&b, "  s%d: {race: [{%s, to: s%d}]}\n", i, clock, (i+1)%states)
	}
	fmt.Fprintf(&b, "always: [{rate: 0.1 per day, to: out}, {rate: 0.05 per day, move: {site: v%d}, name: moving}]\n",
		values-1)
	fmt.Fprintf(&b, "transmission: [{from: s0, rate: 500 per day, to: {s%d: s%d}}]\n", states-1, states/2)
	fmt.Fprintf(&b, "births: {rate: 0.1 per day, enter: s%d}\n", states-2)
	return b.String()
}

// Ten thousand states and ten thousand values take no tables of their square, and every one of them
// is what it says.
func TestTenThousandStatesAndValues(t *testing.T) {
	const states, values = 10_000, 10_000
	began := time.Now()
	m := programOf(t, manyModel(states, values))
	t.Logf("compiled in %v", time.Since(began))
	if len(m.Flows) != 2*states+2 { // on, out, by a contact, by birth
		t.Errorf("%d flows", len(m.Flows))
	}
	for k, f := range m.Flows {
		from := 0
		switch _, err := fmt.Sscanf(f.From, "s%d", &from); {
		case f.From == "births":
			from = states + program.ByBirth
		case err != nil:
			t.Fatal(err)
		}
		to := program.NoState
		if f.To != "out" {
			to = 0
			if _, err := fmt.Sscanf(f.To, "s%d", &to); err != nil {
				t.Fatal(err)
			}
		}
		if got := m.FlowOf(from, to); got != k {
			t.Fatalf("flow %v is number %d, found as %d", f, k, got)
		}
	}
	r := Run{sparseRule: usualSparse}
	walk(t, &r, m, 1, 2.5)
	last, others := 0, map[uint16]bool{}
	for id := r.firstID; int(id) < r.Used; id++ {
		if r.status(id).state == program.NoState {
			continue
		}
		if v := r.attributes[0].Of(id); v == values-1 {
			last++
		} else {
			others[v] = true
		}
	}
	if r.Alive < 19_000 || last < r.Alive/5 || len(others) < 5000 {
		t.Errorf("%d alive, %d at the last site, %d other sites", r.Alive, last, len(others))
	}
	if columnBytes(m) != 2 {
		t.Errorf("a value takes %d bytes", columnBytes(m))
	}
}

// A value takes one byte up to 256 of them, and two above.
func TestColumns(t *testing.T) {
	for _, values := range []int{1, 255, 256, 257, 10_000} {
		m := programOf(t, manyModel(4, values))
		want := 1
		if values > 256 {
			want = 2
		}
		if columnBytes(m) != want {
			t.Errorf("%d values: %d bytes", values, columnBytes(m))
		}
		r := Run{sparseRule: usualSparse}
		if err := r.Start(context.Background(), m, 1, 0); err != nil {
			t.Fatal(err)
		}
		counts := make([]int, values)
		for id := r.firstID; int(id) < r.Used; id++ {
			counts[r.attributes[0].Of(id)]++
		}
		if counts[0] == 0 && values < 1000 || counts[values-1] == 0 && values < 1000 {
			t.Errorf("%d values: %d have the first, %d the last", values, counts[0], counts[values-1])
		}
	}
}
