package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// restless is a model in which people are born, come, go, meet, move and are moved, and ids are
// taken again all the time. Its attributes have names that columns have.
const restless = `
name: restless
time: {unit: day, start: 100, end: 130}
population: {size: 200, start: {a: 40%, b: 10, c: rest}}
parameters: {beta: 0.4 per day}
attributes:
  region: {north: 30%, south: 70%}
  name: {f: 0.5, m: 0.5}
  name_: {x: 0.5, y: 0.5}
states:
  a: {}
  b:
    split: [{chance: 30%, after: 2 days, to: c}, {otherwise: true, after: {exponential: {mean: 3 days}}, to: d}]
    race: [{after: 9 days, to: out, name: end of b}, {rate: 0.1 per day, to: b, name: "again, and \"again\""}]
  c: {race: [{after: {weibull: {scale: 5 days, shape: 2}}, to: a}]}
  d: {race: [{rate: 0.2 per day, to: a}]}
transmission:
  - {from: b, rate: beta, to: {a: b, c: out}, chance: 50%, name: contact}
  - {from: [b, d], rate: beta, to: {a: c}, mixing: {by: region, matrix: [[0.9, 0.1], [0.2, 0.8]]}}
always:
  - {after: {weibull: {scale: 20 days, shape: 4}}, to: out, name: death}
  - {rate: 0.1 per day, move: {region: north}, name: north}
  - {rate: 0.05 per day, move: {region: south, name: m}, from: [c, d], to: a, name: both}
births: {rate: 0.04 per day, enter: a, name: a->b}
immigration: {rate: 4 per day, enter: b}
interventions:
  - {at: 110 days, set: {beta: 0.1 per day}, name: nobody}
  - {at: 115 days, every: 5 days, who: [a, b], coverage: 30%, to: c, name: campaign}
  - {at: 117 days, who: everyone, where: {region: north}, move: {region: south}, name: southwards}
  - {at: 118 days, enter: b, count: 40}
  - {at: 119 days, who: everyone, coverage: 60%, to: out, name: catastrophe}
record: {every: 0.5 days}
`

// readTable reads a table as rows by column.
func readTable(t *testing.T, path string) []map[string]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, column := range lines[0] {
			row[column] = line[i]
		}
		if len(row) != len(lines[0]) {
			t.Fatalf("%s: two columns have one name: %v", path, lines[0])
		}
		rows = append(rows, row)
	}
	return rows
}

// A historian puts together from the events of a replica, in their order, what became of everybody.
type historian struct {
	t      *testing.T
	alive  map[string]map[string]string // the last row of each of the living
	gone   map[string]bool
	next   int // the number of the next individual to enter
	counts map[string]int
}

var restlessValues = []string{"region", "name_", "name__"}

// follow takes notice of an event, and refuses one that does not follow from those before.
func (h *historian) follow(e map[string]string) {
	who := e["individual"]
	before, alive := h.alive[who]
	if e["name"] != "" {
		h.counts["named "+e["name"]]++
	}
	entering := e["kind"] == "start" || e["kind"] == "enter"
	if entering == alive || h.gone[who] {
		h.t.Fatalf("%v of someone who is alive: %v, gone: %v", e, alive, h.gone[who])
	}
	if _, ok := h.alive[e["by"]]; e["by"] != "" && e["by"] != who && !ok {
		h.t.Fatalf("%v by someone who is not alive", e)
	}
	same := true
	for _, a := range restlessValues {
		same = same && before[a] == e[a]
		if e[a] == "" {
			h.t.Fatalf("%v without %s", e, a)
		}
	}
	if entering {
		if h.next++; who != strconv.Itoa(h.next) {
			h.t.Fatalf("%v, expected number %d", e, h.next)
		}
	} else if e["from"] != before["to"] {
		h.t.Fatalf("%v of someone in state %s", e, before["to"])
	}
	if e["kind"] != "start" && e["kind"] != "move" {
		h.counts["flow "+e["from"]+"->"+e["to"]]++
	}
	switch e["kind"] {
	case "move":
		if same || e["from"] != e["to"] {
			h.t.Fatalf("%v moves nothing, or more than attributes", e)
		}
	case "leave":
		if e["to"] != "out" {
			h.t.Fatalf("%v does not leave", e)
		}
		delete(h.alive, who)
		h.gone[who] = true
		return
	case "change":
		if !same && e["name"] != "both" {
			h.t.Fatalf("%v changes attributes", e)
		}
	}
	h.alive[who] = e
}

// Everybody's history can be put together from events.csv alone, and gives the states, flows and
// names of the other tables.
func TestHistoryFromEvents(t *testing.T) {
	dir := t.TempDir()
	model, out := filepath.Join(dir, "restless.yaml"), filepath.Join(dir, "out")
	if err := os.WriteFile(model, []byte(restless), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if status := run(context.Background(), []string{"run", model, "--replicas", "3", "--out", out, "--events"}, &stdout,
		&stderr); status != 0 {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	events := readTable(t, filepath.Join(out, "events.csv"))
	time := func(row map[string]string) float64 {
		x, err := strconv.ParseFloat(row["time"], 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	// What the other tables have of each replica and time.
	type moment struct {
		replica string
		time    float64
	}
	var moments []moment
	states, flows := map[moment]map[string]int{}, map[moment]map[string]int{}
	count := func(of map[moment]map[string]int, row map[string]string, what string) {
		at := moment{row["replica"], time(row)}
		if of[at] == nil {
			of[at] = map[string]int{}
		}
		n, err := strconv.Atoi(row["count"])
		if _, twice := of[at][what]; err != nil || twice {
			t.Fatalf("%v: twice, or %v", row, err)
		}
		of[at][what] = n
	}
	for _, row := range readTable(t, filepath.Join(out, "series.csv")) {
		if at := (moment{row["replica"], time(row)}); states[at] == nil {
			moments = append(moments, at)
		}
		count(states, row, row["state"])
	}
	for _, row := range readTable(t, filepath.Join(out, "flows.csv")) {
		count(flows, row, row["kind"]+" "+row["flow"])
	}
	var h *historian
	seen, kinds, replica := 0, map[string]int{}, ""
	for _, at := range moments {
		if at.replica != replica {
			replica = at.replica
			h = &historian{t: t, alive: map[string]map[string]string{}, gone: map[string]bool{}, counts: map[string]int{}}
		}
		for ; seen < len(events) && events[seen]["replica"] == replica && time(events[seen]) <= at.time+1e-9; seen++ {
			h.follow(events[seen])
			kinds[events[seen]["kind"]]++
		}
		got := map[string]int{}
		for _, e := range h.alive {
			got[e["to"]]++
		}
		for state, want := range states[at] {
			if got[state] != want {
				t.Fatalf("%+v: %d in %s, series.csv has %d", at, got[state], state, want)
			}
		}
		for what := range h.counts {
			if _, ok := flows[at][what]; !ok {
				t.Fatalf("%+v: flows.csv has no %s", at, what)
			}
		}
		for what, want := range flows[at] {
			if h.counts[what] != want {
				t.Fatalf("%+v: %s: %d, flows.csv has %d", at, what, h.counts[what], want)
			}
		}
	}
	if seen != len(events) {
		t.Errorf("%d of %d events belong to no row", len(events)-seen, len(events))
	}
	for _, kind := range []string{"start", "enter", "change", "leave", "move"} {
		if kinds[kind] < 100 {
			t.Errorf("only %d of kind %s", kinds[kind], kind)
		}
	}
}

// The rows of a replica that is over are in its file, and the file is closed: replicas do not pile
// up in memory, nor open files.
func TestPartsAreClosed(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(strings.Replace(restless, "every: 0.5 days",
		"every: 5 days, tree: {of: contact}, people: true", 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []results.Format{results.CSV, results.JSON, results.Parquet} {
		var logs rowLogs
		o := population.Options{Seed: 3, Replicas: 6, Workers: 1}
		if err := logs.open(t.TempDir(), format, m, true, &o, func(err error) { t.Error(err) }); err != nil {
			t.Fatal(err)
		}
		open := func() (n int) {
			for k := range o.Replicas {
				for _, file := range []*os.File{fileOf(logs.events, k), fileOf(logs.tree, k), fileOf(logs.people, k)} {
					if file != nil {
						n++
					}
				}
			}
			return n
		}
		record := o.OnRecord
		o.OnRecord = func(r population.Record) {
			record(r)
			if n := open(); r.Row == len(m.Times())-1 && n > 3 { // those of the first replica get all rows
				t.Errorf("%s: %d files are open after replica %d", format, n, r.Replica)
			}
		}
		result, err := m.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := logs.close(result); err != nil {
			t.Fatal(err)
		}
		if n := open(); n > 0 {
			t.Errorf("%s: %d files are open at the end", format, n)
		}
	}
}

// fileOf is the open file of a part of a log; nil if there is none.
func fileOf[R any](l *rowLog[R], part int) *os.File {
	if l.parts[part] == nil {
		return nil
	}
	return l.parts[part].file
}

// A heavyWriter keeps a megabyte, as a writer of Parquet does.
type heavyWriter struct{ kept [1 << 20]byte }

func (w *heavyWriter) Write(n int) error                 { w.kept[n]++; return nil }
func (*heavyWriter) Append(r io.ReaderAt, n int64) error { return nil }
func (*heavyWriter) Close() error                        { return nil }

// A complete replica keeps no writer: the rows of 64 take the memory of one.
func TestCompleteReplicasKeepNoWriter(t *testing.T) {
	const replicas = 64
	log, err := newRowLog(t.TempDir(), "rows", results.CSV, 0, replicas, func(error) {},
		func(io.Writer) (rowWriter[int], error) { return &heavyWriter{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := inUse()
	for replica := range replicas {
		log.add(replica, replica)
		log.done(replica)
	}
	if after := inUse(); after > before+8<<20 {
		t.Errorf("%d bytes in use after %d replicas, %d before", after, replicas, before)
	}
	if err := log.close(replicas - 1); err != nil {
		t.Fatal(err)
	}
}
