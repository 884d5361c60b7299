package results_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// A table of more rows than a block has several, in one list, with null for what is missing.
func TestJSONBlocks(t *testing.T) {
	var b bytes.Buffer
	w, err := results.NewPointWriter(&b, results.JSON, []results.PointColumn{{Name: "beta", Number: true}, {Name: "k"}})
	if err != nil {
		t.Fatal(err)
	}
	const rows = 1<<16 + 3
	for i := range rows {
		if err := w.Write(results.PointRow{Values: []string{"", `a "<b>"`}, Numbers: []float64{float64(i) / 4, 0},
			Replicas: 1, Kind: "state", Name: "ill"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var blocks []map[string][]any
	if err := json.Unmarshal(b.Bytes(), &blocks); err != nil {
		t.Fatal(err)
	}
	if len(blocks) != 2 || len(blocks[0]["beta"]) != 1<<16 || len(blocks[1]["beta"]) != 3 {
		t.Fatalf("%d blocks", len(blocks))
	}
	for i := range rows {
		if x := blocks[i>>16]["beta"][i%(1<<16)]; x != float64(i)/4 {
			t.Fatalf("row %d is %v", i, x)
		}
	}
	if last := blocks[1]["k"][2]; last != `a "<b>"` {
		t.Errorf("the text is %v", last)
	}
}

// A table without rows has its columns; what is no table is refused, with the reason.
func TestJSONWrong(t *testing.T) {
	r := ran(t, regions, population.Options{Seed: 1})
	d := write(t, results.JSON, r)
	for text, want := range map[string]string{
		`[{"replica":[],"time":[],"state":[],"count":[]}]`:                         "",
		`[{"replica":[0],"time":[1.5],"state":["ill"],"count":[null]}]`:            `row 1: count: found "", expected`,
		`[{"replica":[0],"time":[1],"state":["ill"],"count":[1,2]}]`:               "column count has 2 rows, others 1",
		`[{"replica":[0],"time":[1],"state":["ill"],"count":[1]},{"time":[1]}]`:    "different columns: time",
		`[{"replica":[0],"time":[1],"state":["ill"],"count":[1]},{"replica":[1]}]`: "has 1 columns, expected 4",
		`[{"replica":[0],"time":[1],"state":["ill"],"count":[1]}`:                  "unexpected EOF",
		`[{"replica":[0],"time":[1],"state":[{}],"count":[1]}]`:                    "column state: found map[], expected",
		`[{"replica":[0],"time":[1],"state":"ill","count":[1]}]`:                   "column state: json",
		`[]`: "the table is empty", `[{}]`: "0 columns", ``: "unexpected EOF",
		`{"replica":[]}`: "expected [", `[[]]`: "expected {",
	} {
		if err := os.WriteFile(filepath.Join(d.Path, "series.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var last error
		for _, err := range d.Series() {
			last = err
		}
		switch {
		case want == "" && last != nil, want != "" && (last == nil || !strings.Contains(last.Error(), want)):
			t.Errorf("%s: %v, expected %q", text, last, want)
		}
	}
}
