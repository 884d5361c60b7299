package study

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of people goes with a study to where it is run, and one that is too large is refused
// there.
func TestPeopleTravel(t *testing.T) {
	const model = `name: village
time: {unit: day, end: 10}
parameters: {beta: 0.2 per day}
population: {people: {file: people.csv}, start: {well: rest}}
states: {well: {}, ill: {race: [{after: 5 days, to: well}]}}
transmission: [{from: ill, rate: beta, to: {well: ill}}]
record: {every: 1 day}
`
	dir := t.TempDir()
	path, table := filepath.Join(dir, "village.yaml"), filepath.Join(dir, "people.csv")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(path, model)
	open := func() *Study {
		r := &Request{Kind: Sweep, Model: path, Replicas: 1, Seed: 1, Vary: []string{"beta=0.1 per day,0.3 per day"}}
		last, again := int64(0), false
		r.Reading = func(_ string, done, of int64) { last, again = done, again || done < last || done > of }
		if err := r.ReadModel(strings.NewReader("")); err != nil {
			t.Fatal(err)
		}
		s, err := r.compiled()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Compile(); err != nil || again {
			t.Fatalf("the file was read again: %v: %v", again, err)
		}
		return s
	}
	write(table, "id,state\nann,ill\nbob,\n")
	payload, err := open().Payload()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(table); err != nil {
		t.Fatal(err)
	}
	r, err := ReadPayload(payload)
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Compile()
	if err != nil || m.Size() != 2 || m.ID(2) != "bob" {
		t.Fatalf("%v: %v", m, err)
	}
	f, err := os.Create(table)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(f, "state\n")
	_, _ = io.WriteString(f, strings.Repeat("well\n", 4_000_000))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = open().Payload()
	if want := "people.csv has more than 16 MB, which is the most that goes with a study to where it is run; " +
		"compress it with gzip, or use almanac run without a hub"; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}
