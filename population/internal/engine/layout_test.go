package engine

import (
	"context"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/interleave"
)

// unequal has a clock of always that is off in nine of ten regions, where next to nobody lives.
const unequal = `
name: unequal
time: {unit: year, end: 30}
population: {size: 20_000, start: {well: rest}}
attributes:
  region: {a: 99.1%, b: 0.1%, c: 0.1%, d: 0.1%, e: 0.1%, f: 0.1%, g: 0.1%, h: 0.1%, i: 0.1%, j: 0.1%}
states: {well: {}, ill: {}}
always:
  - {where: {region: a}, after: {uniform: {low: 1 year, high: 20 years}}, to: ill}
  - {where: {region: b}, after: {uniform: {low: 1 year, high: 20 years}}, to: ill}
`

// late is a model whose clocks fire after its end.
func late(text string) string {
	return strings.ReplaceAll(text, "{low: 1 year, high: 20 years}", "{low: 40 years, high: 50 years}")
}

// If the sample was misleading, so that timers of everybody would are sparse, the set-up ends
// before many do, and begins anew with none; all is then as if it had begun so, and the tables
// never took more than a few blocks of individuals do.
func TestLayoutMisled(t *testing.T) {
	const cores = 3
	size := 300_000
	if interleave.Enabled { // blocks enough for the goroutines to meet
		size = 100_000
	}
	text := `
name: misled
time: {unit: year, end: 30}
population: {size: 300, start: {well: rest}}
states: {well: {}, ill: {}}
always:
  - {after: {uniform: {low: 1 year, high: 20 years}}, to: ill}
  - {after: {uniform: {low: 1 year, high: 20 years}}, to: ill}
`
	m, other := sized(t, text, size), sized(t, late(text), size)
	start := func(r *Run) (bytes uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := r.Start(context.Background(), m, 1, 0); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	dense, misled := Run{sparseRule: sparseRule{least: size + 1}, cores: cores}, Run{sparseRule: sparseRule{1, 0.02, 0.01},
		cores: cores, layoutOf: other}
	want := start(&dense)
	got := start(&misled)
	if misled.sparseTimers != nil || misled.stride != dense.stride {
		t.Fatalf("%d words an individual, want %d", misled.stride, dense.stride)
	}
	if a, b := footprint(&misled), footprint(&dense); !reflect.DeepEqual(a, b) {
		t.Error("another population than one that is laid out so from the start")
	}
	// What is thrown away: the words that were too few, and of each core the table for a block,
	// which has doubled up to its size.
	const block, columns = 1 << 14, 2
	few := uint64(8 * headWords * misled.capacity)
	tables := uint64(cores * 2 * 16 * 2 * block * columns)
	if most := want + few + tables + 1<<20; got > most {
		t.Errorf("%d bytes were allocated, want at most %d: %d as without a layout, %d of words and %d of tables", got, most,
			want, few, tables)
	}
}

// If there is no memory for words in place of what is sparse, the error says so.
func TestLayoutMisledWithoutMemory(t *testing.T) {
	size, memory, said := 300_000, uint64(12_000_000), "300,000"
	if interleave.Enabled { // blocks enough for the goroutines to meet
		size, memory, said = 100_000, 4_000_000, "100,000"
	}
	m := sized(t, unequal, size)
	other := sized(t, late(unequal), size)
	p := NewBudget(&Options{Memory: memory})
	r := Run{sparseRule: sparseRule{1, 0.02, 0.01}, cores: 2, layoutOf: other, budget: p}
	err := r.Start(context.Background(), m, 1, 0)
	if err == nil || !strings.Contains(err.Error(), "not enough memory: "+said+" individuals take") {
		t.Errorf("error %v", err)
	}
}
