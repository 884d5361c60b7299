package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// Events of replicas that run at once are put together in the order of the replicas, those of
// interrupted ones too.
func TestEventLog(t *testing.T) {
	m, err := population.Load("../../examples/sir.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	o, l := population.Options{Replicas: 4}, rowLogs{}
	if err := l.open(dir, results.CSV, m, true, &o, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	event := func(replica int, individual uint64, name string) {
		o.OnEvent(population.Event{Replica: replica, Time: 1.5, Kind: population.Changed, Individual: individual, From: "a",
			To: "b", Name: name, By: 7})
	}
	event(2, 1, "")
	event(0, 2, "said \"no\", twice")
	event(1, 3, "x")
	event(2, 4, "")
	o.OnRecord(population.Record{Replica: 1, Row: len(m.Times()) - 1}) // this one is done; the others are interrupted
	event(0, 5, "")
	if err := l.close(&population.Result{Runs: []population.Run{{Replica: 2}}}); err != nil {
		t.Fatal(err)
	}
	const want = `replica,time,kind,individual,from,to,name,by
0,1.5,change,2,a,b,"said ""no"", twice",7
0,1.5,change,5,a,b,,7
1,1.5,change,3,a,b,x,7
2,1.5,change,1,a,b,,7
2,1.5,change,4,a,b,,7
`
	if got, err := os.ReadFile(filepath.Join(dir, "events.csv")); err != nil || string(got) != want {
		t.Errorf("%v, got\n%s", err, got)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%d files are left, %v", len(files), err)
	}
}

// Of one replica out of several, interrupted, no deviation is known: a dash stands for it.
func TestPrintsNoDeviationOfOne(t *testing.T) {
	m, err := population.Load("../../examples/sir.yaml", population.Size(1000))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := m.Run(ctx, population.Options{Seed: 1, Replicas: 3, Workers: 1, OnRecord: func(population.Record) {
		cancel()
	}})
	if err != context.Canceled {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := printRun(&out, m, r, 0, 0); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		for _, row := range []string{"susceptible ", "total ", "susceptible->infectious "} {
			if strings.HasPrefix(strings.TrimSpace(line), row) && strings.Fields(line)[2] != "–" {
				t.Errorf("a deviation in %q", line)
			}
		}
	}
	if !strings.Contains(out.String(), "–") {
		t.Errorf("printed %q", out.String())
	}
}
