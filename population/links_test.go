package population_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

const chainModel = `
name: chain
time: {unit: day, end: 20}
population: {people: {file: people.csv}, start: {susceptible: rest}}
networks: {friends: {file: friends.csv}}
states: {susceptible: {}, infectious: {race: [{after: 2 days, to: immune}]}, immune: {}}
transmission: [{from: infectious, among: friends, rate each: 0.4 per day, to: {susceptible: infectious}}]
record: {every: 20 days}
`

const (
	chainPeople = "id,state\nann,infectious\nbob,\ncid,\ndee,\n"
	chainLinks  = "from,to,weight\nann,bob,1\ncid,bob,2\ncid,dee,0.5\n"
)

// Test 1 of section 4: infection passes along links of a file at the rate times the weight. Whoever
// is infected in the chain has those before it infected too, so that the number tells who they are.
func TestExactWeightedLinks(t *testing.T) {
	r := withFiles(t, population.Options{Seed: 1, Replicas: testscale.Size(8000, 400_000)},
		map[string]string{"people.csv": chainPeople, "friends.csv": chainLinks}, chainModel)
	for k, want := range []float64{0.550671, 0.439492, 0.144892} {
		hit := make([]float64, len(r.Runs))
		for i, n := range r.counts(r.last(), "immune") {
			if int(n) >= k+2 {
				hit[i] = 1
			}
		}
		checkMean(t, fmt.Sprintf("%d infected or more", k+1), hit, want)
	}
	// Per head the weights say with whom: bob is linked with ann and cid.
	r = withFiles(t, population.Options{Seed: 1, Replicas: testscale.Size(8000, 400_000)},
		map[string]string{"people.csv": strings.Replace(chainPeople, "bob,", "bob,infectious", 1), "friends.csv": chainLinks},
		strings.NewReplacer("rate each: 0.4", "rate: 3", "after: 2 days", "rate: 100 per day").Replace(chainModel))
	met := make([]float64, len(r.Runs))
	for i := range r.Runs {
		met[i] = float64(r.Runs[i].Count(1, 2))
	}
	checkMean(t, "infected", met, 2+2./102*(1+0.6/100.6))
}

// A file of links is read as it is: columns with other names, numbers in place of ids, gzip, other
// columns, missing weights.
func TestForeignLinks(t *testing.T) {
	text := strings.NewReplacer("people: {file: people.csv}", "size: 6",
		"{file: friends.csv}", "{file: friends.csv, columns: {from: p1, to: p2, weight: edge_weight}, ignore: [layer]}",
		"{susceptible: rest}", "{infectious: 1, susceptible: rest}").Replace(chainModel)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte("\xef\xbb\xbf\"p1\",p2,layer,edge_weight\r\n1,2,home,1\r\n\r\n2, 3,work,NA\r\n" +
		"6,5,,\r\n6,4,\"a, b\",2.5\r\n"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := withFiles(t, population.Options{Seed: 1}, map[string]string{"friends.csv": packed.String()}, text)
	if got := r.Runs[0].Network(0, 0); got.Links != 4 || got.Degrees[2] != 2 || got.Degrees[0] != 0 {
		t.Errorf("%+v", got)
	}
}

// What is wrong with a file of links is said with its line and column.
func TestProblemsOfLinks(t *testing.T) {
	for _, c := range []struct{ links, want string }{
		{"from,to\nann,p77\n", `friends.csv:2:5: there is nobody with the id "p77"`},
		{"from,to\nann,dee\nbob,cid\n\ndee,ann\n", "friends.csv:5:1: dee and ann are linked in line 2 already"},
		{"from,to\nann,bob\nann,ann\n", "friends.csv:3:5: ann is linked to herself"},
		{"from,to,weight\nann,bob,-1\n", "friends.csv:2:9: weight: -1 is negative"},
		{"from,to,weight\nann,bob,x\n", `friends.csv:2:9: weight: found "x", expected a number`},
		{"from,to,weight\nann,bob,NaN\n", `friends.csv:2:9: weight: found "NaN", expected a number`},
		{"p1,p2\nann,bob\n",
			`friends.csv:1:1: there is no column "p1" of links; write columns: {from: p1}, if it is that, or ` +
				"name it in ignore"},
		{"from\nann\n", `friends.csv:1:1: there is no column "to"; expected from, to and, if there are weights, weight`},
		{"", "friends.csv:1:1: the file is empty; expected a line with the names of the columns, from and to"},
		{"from,to\nann,bob,2\n", "friends.csv:2:1: 3 values here, and 2 names of columns; expected the same"},
	} {
		_, err := population.Compile("model.yaml", []byte(chainModel), population.Files(func(name string) ([]byte, error) {
			if name == "people.csv" {
				return []byte(chainPeople), nil
			}
			return []byte(c.links), nil
		}))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %s", c.links, err, c.want)
		}
	}
	none := files(map[string]string{"people.csv": "id,state\n", "friends.csv": chainLinks})
	if _, err := population.Compile("model.yaml", []byte(chainModel), none); err == nil ||
		!strings.HasPrefix(err.Error(), `friends.csv:2:1: there is nobody with the id "ann"`) {
		t.Errorf("of no people: %v", err)
	}
	twice := strings.Replace(chainModel, "{file: friends.csv}", "{file: friends.csv, columns: {from: a, to: a}}", 1)
	if _, err := population.Compile("model.yaml", []byte(twice), none); err == nil ||
		err.Error() != `model.yaml:5:64: networks: friends: columns: to: the column "a" is from already` {
		t.Errorf("columns: %v", err)
	}
	_, err := population.Compile("model.yaml",
		[]byte(strings.Replace(chainModel, "people: {file: people.csv}", "size: 4", 1)),
		population.Files(func(string) ([]byte, error) { return []byte("from,to\n1,5\n"), nil }))
	if want := `friends.csv:2:3: there is nobody with the number "5"; people have numbers from 1 to 4`; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Compilations that share what they read read a file of links once, but again for other columns.
func TestLinksAreReadOnce(t *testing.T) {
	files := files(map[string]string{"people.csv": chainPeople, "friends.csv": chainLinks})
	read := map[string]int{}
	progress := population.Reading(func(name string, done, of int64) { read[name]++ })
	var shared population.Shared
	other := strings.Replace(chainModel, "{file: friends.csv}", "{file: friends.csv, ignore: [layer]}", 1)
	for range 3 {
		for _, text := range []string{chainModel, other} {
			m, err := population.Compile("chain.yaml", []byte(text), files, progress, population.Share(&shared))
			if err != nil {
				t.Fatal(err)
			}
			if err := begun(t, m, 1, 0).Check(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if read["people.csv"] != 1 || read["friends.csv"] != 2 {
		t.Errorf("files are read: %v", read)
	}
}
