package results_test

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// Infections and people are written while a run goes on and do not pile up, however many there are
// and however many trees they begin: a run with twenty times as many rows takes no more memory.
// Kept, each row would take 64 bytes or more.
func TestRowsDoNotPileUp(t *testing.T) {
	const text = `name: turnover
time: {unit: day, end: END}
population: {size: 50, start: {well: rest}}
states: {well: {race: [{rate: 1 per day, to: out}]}, ill: {race: [{rate: 2 per day, to: out}]}}
immigration:
  - {rate: 400 per day, enter: well}
  - {rate: 300 per day, enter: ill, name: infection}
transmission: [{from: ill, rate: 1 per day, to: {well: ill}, name: infection}]
observe: {reports: {of: infection, chance: 50%, after: {exponential: {mean: 3 days}}}}
record: {every: 25 days, tree: {of: infection}, people: {times: [infection, reports]}}
`
	// held is how many bytes are held shortly before the end, and how many rows there were.
	held := func(end string) (bytes, rows int) {
		m, err := population.Compile("model.yaml", []byte(strings.Replace(text, "END", end, 1)))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := results.NewTreeWriter(io.Discard, results.CSV)
		if err != nil {
			t.Fatal(err)
		}
		people, err := results.NewPeopleWriter(io.Discard, results.CSV, m)
		if err != nil {
			t.Fatal(err)
		}
		last := len(m.Times()) - 1
		o := population.Options{Seed: 1, Workers: 1}
		o.OnInfection = func(e population.Infection) {
			rows++
			if err := tree.Write(e); err != nil {
				t.Error(err)
			}
		}
		o.OnPerson = func(p population.Person) {
			rows++
			if err := people.Write(p); err != nil {
				t.Error(err)
			}
		}
		o.OnRecord = func(r population.Record) {
			if r.Row == last {
				runtime.GC()
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				bytes = int(now.HeapAlloc)
			}
		}
		if _, err := m.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if err := tree.Close(); err != nil {
			t.Error(err)
		}
		if err := people.Close(); err != nil {
			t.Error(err)
		}
		return bytes, rows
	}
	held("25") // what is made once
	few, rows := held("25")
	many, moreRows := held("500")
	t.Logf("%d bytes with %d rows, %d with %d", few, rows, many, moreRows)
	if moreRows < 15*rows || moreRows < 300_000 {
		t.Errorf("%d rows and %d", rows, moreRows)
	}
	if grown := many - few; grown > 4*(moreRows-rows) {
		t.Errorf("%d rows more take %d bytes", moreRows-rows, grown)
	}
}

// Parquet and JSON hold a group of 65,536 rows of a table, and of the groups before it only what
// the end of the file has of them. Kept, each row would take 64 bytes or more.
func TestGroupsDoNotPileUp(t *testing.T) {
	const group = 1 << 16
	for _, format := range []results.Format{results.Parquet, results.JSON} {
		w, err := results.NewTreeWriter(io.Discard, format)
		if err != nil {
			t.Fatal(err)
		}
		rows := uint64(0)
		// held is how many bytes are held after so many more groups.
		held := func(groups int) int {
			for range groups * group {
				rows++
				e := population.Infection{Infected: rows, Time: float64(rows) / 7, By: rows / 2, ByTime: float64(rows) / 9,
					Generation: int(rows % 40), Root: rows % 1000, Among: "household"}
				if err := w.Write(e); err != nil {
					t.Fatal(err)
				}
			}
			runtime.GC()
			runtime.GC() // what lies in a sync.Pool outlives one collection
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			return int(now.HeapAlloc)
		}
		few := held(2)
		if grown := held(2) - few; grown > 2*2*group {
			t.Errorf("%s: %d rows more take %d bytes", format, 2*group, grown)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
