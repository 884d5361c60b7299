package population_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/population"
)

// households makes a synthetic population as it is published: sparse ids, households of 1 to 6,
// ages, some of them missing.
func households(people, houses int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("uid,hh_id,age\n")
	for i := range people {
		age := fmt.Sprint(r.IntN(95))
		if r.IntN(50) == 0 {
			age = ""
		}
		house := i
		if i >= houses { // each has at least one
			house = r.IntN(houses)
		}
		fmt.Fprintf(&b, "%d,HH-%04d,%s\n", 100_000+17*i, house, age)
	}
	return b.String()
}

const householdsModel = `
name: households
time: {unit: day, end: 60}
population:
  people: {file: people.csv.gz, columns: {id: uid, household: hh_id, "age in years": age}}
  age: {uniform: {low: 0 years, high: 90 years}}
  start: {infectious: 5, susceptible: rest}
attributes: {band: {age: {child: 0 years, adult: 18 years}}}
places: {household: {}}
states: {susceptible: {}, infectious: {race: [{after: {gamma: {mean: 5 days, shape: 3}}, to: immune}]}, immune: {}}
transmission:
  - {from: infectious, among: household, rate each: 0.1 per day, to: {susceptible: infectious}}
  - {from: infectious, rate: 0.3 per day, to: {susceptible: infectious}}
record: {every: 1 day, by: band}
`

// 1,600 people in 500 households, and 30,000 people, as published synthetic populations are:
// compressed, with sparse ids and missing cells.
func TestSyntheticPopulations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ people, houses int }{{1600, 500}, {17_000, 6200}} {
		m := compileIn(t, t.TempDir(), householdsModel,
			map[string]string{"people.csv.gz": zipped(households(c.people, c.houses))})
		r, err := m.Run(t.Context(), population.Options{Seed: 1, Replicas: 2})
		if err != nil {
			t.Fatal(err)
		}
		p := r.Places(0)
		if m.Size() != c.people || p.Number.Mean[0] != float64(c.houses) || p.Members.Mean[0] != float64(c.people) {
			t.Errorf("%d people, %v households with %v members", m.Size(), p.Number.Mean[0], p.Members.Mean[0])
		}
		if id := m.ID(uint64(c.people)); id != fmt.Sprint(100_000+17*(c.people-1)) {
			t.Errorf("the last id is %s", id)
		}
		if s := r.State(2).Mean[60]; !(s > float64(c.people)/4) {
			t.Errorf("%v were infected", s)
		}
	}
}

// A file that is not a regular one is refused, and so is one that is written to while it is read.
func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "people.csv.gz"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "model.yaml")
	if err := os.WriteFile(path, []byte(householdsModel), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := population.Load(path); err == nil || !strings.Contains(err.Error(), "it is not a file") {
		t.Errorf("a directory: %v", err)
	}
	// Larger than what is read at once.
	text := strings.ReplaceAll(households(200_000, 60_000), "HH-", "HH-"+strings.Repeat("0", 70))
	if len(text) < population.MaxTable {
		t.Fatalf("%d bytes", len(text))
	}
	model := strings.Replace(householdsModel, "people.csv.gz", "people.csv", 1)
	big := filepath.Join(dir, "people.csv")
	if err := os.WriteFile(big, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	steps := 0
	compile := func(touch func()) error {
		_, err := population.Compile("model.yaml", []byte(model), population.Streams(population.OpenDir(dir)),
			population.Reading(func(name string, done, of int64) {
				if steps++; name != "people.csv" || done > of || of != int64(len(text)) {
					t.Errorf("%s: %d of %d bytes", name, done, of)
				}
				if touch != nil {
					touch()
					touch = nil
				}
			}))
		return err
	}
	if err := compile(nil); err != nil || steps < 5 {
		t.Errorf("%d steps: %v", steps, err)
	}
	grow := func() {
		f, err := os.OpenFile(big, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString("1,HH-1,3\n")
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Error(err)
		}
	}
	if err := compile(grow); err == nil || !strings.Contains(err.Error(), "it was written to while it was read") {
		t.Errorf("a file that grows: %v", err)
	}
}

// A file that never ends is not read beyond the size that it had.
func TestEndlessFile(t *testing.T) {
	t.Parallel()
	model := strings.Replace(householdsModel, "people.csv.gz", "people.csv", 1)
	_, err := population.Compile("model.yaml", []byte(model), population.Streams(func(string) (fs.File, error) {
		return &endless{head: "uid,hh_id,age\n"}, nil
	}))
	if err == nil || !strings.Contains(err.Error(), "people.csv:") {
		t.Errorf("%v", err)
	}
}

// endless is a file with the same row for ever, which says that it has 20 MB.
type endless struct {
	head string
}

func (e *endless) Read(p []byte) (int, error) {
	if e.head != "" {
		n := copy(p, e.head)
		e.head = e.head[n:]
		return n, nil
	}
	if len(p) == 0 {
		return 0, io.EOF
	}
	return copy(p, strings.Repeat("1,2,3\n", 1+len(p)/6)), nil
}
func (e *endless) Close() error               { return nil }
func (e *endless) Stat() (fs.FileInfo, error) { return endlessInfo{}, nil }

type endlessInfo struct{ fs.FileInfo }

func (endlessInfo) Size() int64        { return 20 << 20 }
func (endlessInfo) ModTime() time.Time { return time.Time{} }
