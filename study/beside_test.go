package study_test

import (
	"testing"

	"github.com/almanac-sim/almanac/study"
)

// Only the names of files that have other names beside the results are changed, and nothing else of
// the text: its comments, its quotes, and what only looks like a name.
func TestSourceBeside(t *testing.T) {
	r := study.Request{Source: []byte(`name: people.csv # people.csv
# größer
population: {people: {file: people.csv, ignore: [people.csv]}} # after ü
a: {ü: {file: "../up.csv"}, b: {file: '../up.csv'}, c: {file: other.csv}}
fit:
  data: people.csv
`), Moved: map[string]string{"people.csv": "inputs/people.csv", "../up.csv": "inputs/up.csv"}}
	const want = `name: people.csv # people.csv
# größer
population: {people: {file: inputs/people.csv, ignore: [people.csv]}} # after ü
a: {ü: {file: "inputs/up.csv"}, b: {file: 'inputs/up.csv'}, c: {file: other.csv}}
fit:
  data: inputs/people.csv
`
	if got := string(r.SourceBeside()); got != want {
		t.Errorf("got\n%s", got)
	}
}
