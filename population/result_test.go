package population

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
)

// An interrupted run returns what was recorded, and says that it is incomplete.
func TestInterrupted(t *testing.T) {
	m := modelFrom(t, testModel("everything"))
	for _, after := range []int{0, 50, 700} {
		ctx, cancel := context.WithCancel(context.Background())
		rows := 0
		result, err := m.Run(ctx, Options{Replicas: 10, Workers: 1, OnRecord: func(Record) {
			if rows++; rows == after {
				cancel()
			}
		}})
		if after == 0 { // not interrupted
			if err != nil || result.Incomplete || result.Done != 10 || len(result.Runs) != 10 {
				t.Fatalf("%v, done %d", err, result.Done)
			}
			cancel()
			continue
		}
		per := len(m.program.RecordTimes)
		if err != context.Canceled || !result.Incomplete || result.Done != after/per || len(result.Runs) != after/per+1 {
			t.Fatalf("%d rows: %v, done %d, %d runs", after, err, result.Done, len(result.Runs))
		}
		last := &result.Runs[len(result.Runs)-1]
		if last.Rows() != after%per {
			t.Errorf("%d rows of the last replica, want %d", last.Rows(), after%per)
		}
		if s := result.State(0); len(s.Mean) != min(per, after) {
			t.Errorf("%d means after %d rows", len(s.Mean), after)
		}
		if _, err := result.MarshalJSON(); err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	result, err := m.Run(ctx, Options{})
	if err != context.Canceled || !result.Incomplete || result.Rows() != 0 {
		t.Errorf("%v, %+v", err, result)
	}
}

// Where one replica alone has recorded a row, the standard deviation is missing, not 0; reading it
// back keeps it so.
func TestDeviationOfOne(t *testing.T) {
	m := modelFrom(t, testModel("everything"))
	per := len(m.program.RecordTimes)
	for _, c := range []struct{ replicas, rows int }{
		{1, per},            // one, complete
		{10, 50},            // one of ten, interrupted
		{10, per + 50},      // two of ten, one of them interrupted
		{10, 2*per + per/2}, // three of ten
	} {
		ctx, cancel := context.WithCancel(context.Background())
		rows := 0
		result, err := m.Run(ctx, Options{Replicas: c.replicas, Workers: 1, OnRecord: func(Record) {
			if rows++; rows == c.rows {
				cancel()
			}
		}})
		cancel()
		if err != nil && err != context.Canceled {
			t.Fatal(err)
		}
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		var read struct {
			States map[string]Series
			Flows  map[string]Series
			Total  Series
		}
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		all := []Series{result.State(0), result.Total(), result.Flow(0), result.Named(0), read.States["a"],
			read.Flows[m.program.Flows[0].String()], read.Total}
		for k, s := range all {
			for row, sd := range s.SD {
				have := 0
				for i := range result.Runs {
					if row < result.Runs[i].Rows() {
						have++
					}
				}
				if math.IsNaN(sd) != (have == 1) {
					t.Fatalf("%+v, series %d, row %d: sd %v of %d replicas", c, k, row, sd, have)
				}
			}
		}
		if !slices.Contains(all[4].Mean, 120) || len(all[4].SD) != min(c.rows, per) {
			t.Errorf("%+v: read back %d rows", c, len(all[4].SD))
		}
	}
}

// Times are those of the model's clock, with a row at the start, every so often, and at the end.
func TestTimes(t *testing.T) {
	for _, c := range []struct{ time, every, want string }{
		{"{unit: day, start: 0, end: 3}", "1 day", "[0 1 2 3]"},
		{"{unit: day, start: 5, end: 8}", "2 days", "[5 7 8]"},
		{"{unit: year, start: 1981, end: 1982}", "3 months", "[1981 1981.25 1981.5 1981.75 1982]"},
		{"{unit: day, end: 1 week}", "1 week", "[0 7]"},
		{"{unit: day, end: 3}", "5 days", "[0 3]"},
		{"{unit: hour, start: 0, end: 1}", "6 minutes", "[0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1]"},
		{"{unit: day, start: -2, end: 0}", "1 day", "[-2 -1 0]"},
	} {
		m := modelFrom(t, fmt.Sprintf("name: times\ntime: %s\npopulation: {size: 0, start: {}}\nstates: {a: {}}\n"+
			"record: {every: %s}\n", c.time, c.every))
		if got := fmt.Sprint(m.Times()); got != c.want {
			t.Errorf("%s every %s: %s, want %s", c.time, c.every, got, c.want)
		}
	}
}
