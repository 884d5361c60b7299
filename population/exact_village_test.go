package population_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// files returns changes that let a model read these files.
func files(all map[string]string) population.Change {
	return population.Files(func(name string) ([]byte, error) {
		text, ok := all[name]
		if !ok {
			return nil, os.ErrNotExist
		}
		return []byte(text), nil
	})
}

const villageModel = `
name: village
time: {unit: day, start: 0, end: 60}
population:
  people: {file: people.csv, columns: {household: hh_id}, ignore: [street]}
  start: {infectious: 2, susceptible: rest}
attributes: {age: {child: 30%, adult: 70%}}
places: {household: {}}
states: {susceptible: {}, infectious: {race: [{after: {gamma: {mean: 5 days, shape: 3}}, to: immune}]}, immune: {}}
transmission:
  - {from: infectious, among: household, rate each: 0.2 per day, to: {susceptible: infectious}}
record: {every: 1 day}
`

const villagers = `id,age,hh_id,street,state,since
ann,adult,h1,Mill Lane,,
bob,adult,h1,Mill Lane,immune,30
cid,,h1,Mill Lane,,
dee,adult,h2,High Street,infectious,1.5
eve,child,h2,High Street,,
`

// The village of the specification: who is what the file says, and the rest is dealt.
func TestVillage(t *testing.T) {
	t.Parallel()
	forms := map[string]string{
		"plain":      villagers,
		"crlf":       strings.ReplaceAll(villagers, "\n", "\r\n"),
		"bom":        "\ufeff" + villagers,
		"quoted":     strings.ReplaceAll(villagers, "Mill Lane", "\"Mill, \"\"Lane\"\",\n 3\""),
		"old mac":    strings.ReplaceAll(villagers, "\n", "\r"),
		"blanks":     "# from the census\n\n" + strings.ReplaceAll(villagers, "\n", "\n\n"),
		"spaces":     strings.ReplaceAll(villagers, ",", " , "),
		"compressed": zipped(villagers),
		"from R":     strings.NewReplacer("cid,,", "cid,NA,", ",,\n", ",NA,NA\n").Replace(villagers),
		"semicolons": strings.ReplaceAll(villagers, ",", ";"),
		"tabs":       strings.ReplaceAll(villagers, ",", "\t"),
	}
	want := ""
	for name, text := range forms {
		m, err := population.Compile("village.yaml", []byte(villageModel), files(map[string]string{"people.csv": text}))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if m.Size() != 5 {
			t.Fatalf("%s: %d people", name, m.Size())
		}
		for i, id := range []string{"", "ann", "bob", "cid", "dee", "eve", ""} {
			if got := m.ID(uint64(i)); got != id {
				t.Errorf("%s: the id of %d is %q", name, i, got)
			}
		}
		r, err := m.Run(t.Context(), population.Options{Seed: 1, Replicas: 20})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out := fmt.Sprint(r.State(0), r.State(1), r.State(2))
		if want == "" {
			want = out
		} else if out != want {
			t.Errorf("%s: another result", name)
		}
	}
}

// zipped compresses a text.
func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// What the file says is so in every run, and what it leaves empty is drawn: two are infectious
// besides dee, chosen uniformly among the three without a state, and cid is a child with
// probability 30%.
func TestVillagersAreWhoTheFileSays(t *testing.T) {
	t.Parallel()
	const runs = 3000
	m := compileIn(t, t.TempDir(), villageModel, map[string]string{"people.csv": villagers})
	infectious, children := map[uint64]int{}, 0
	o := population.Options{Seed: 3, Replicas: runs, Workers: 1}
	o.OnEvent = func(e population.Event) {
		if e.Kind != population.Started {
			return
		}
		id := m.ID(e.Individual)
		switch {
		case id == "bob" && e.To != "immune", id == "dee" && e.To != "infectious":
			t.Errorf("%s is %s", id, e.To)
		case id == "cid" && e.Values[0] == "child":
			children++
		case id != "cid" && (e.Values[0] == "child") != (id == "eve"):
			t.Errorf("%s: %v", id, e.Values)
		}
		if e.To == "infectious" {
			infectious[e.Individual]++
		}
	}
	if _, err := m.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, n := range []uint64{1, 3, 5} {
		within(t, fmt.Sprintf("%s is infectious", m.ID(n)), float64(infectious[n])/runs, 2.0/3, 4*0.4714/54.8)
	}
	within(t, "cid is a child", float64(children)/runs, 0.3, 4*0.4583/54.8)
}

// compileIn writes files into a directory and loads the model there.
func compileIn(t *testing.T, dir, model string, all map[string]string) *population.Model {
	t.Helper()
	for name, text := range all {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "model.yaml")
	if err := os.WriteFile(path, []byte(model), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := population.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// within compares a mean with its expectation.
func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(got >= want-tolerance && got <= want+tolerance) {
		t.Errorf("%s: %v, want %v ± %v", what, got, want, tolerance)
	}
}

// Conditions see who is in a place that the file gives, and what is made of something may lie in
// it.
func TestPlacesOfAFileAreSeen(t *testing.T) {
	const model = `
name: seen
time: {unit: day, end: 2}
population: {people: {file: people.csv}, start: {a: rest}}
attributes: {age: {child: 50%, adult: 50%}}
places:
  block: {join: none}
  flat: {by: age, made of: [{share: 100%, adult: 1, child: 1}], alike: [block], join: none}
states:
  a: {race: [{after: 1 day, to: b, where: {block: none}}, {after: 1 day, to: c, where: {block: any}}]}
  b: {}
  c: {}
record: {every: 1 day, by: [age], values: {inside: count(block=any)}}
`
	people := "id,block\np1,x\np2,x\np3,x\np4,\np5,y\np6,y\np7,y\n"
	m, err := population.Compile("seen.yaml", []byte(model), files(map[string]string{"people.csv": people}))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), population.Options{Seed: 1, Replicas: 10})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Runs {
		run := &r.Runs[i]
		// Two blocks of three have a child each; whoever is in none has a flat of one adult.
		if run.Value(0, 0) != 6 || run.Count(1, 1) != 1 || run.Count(1, 2) != 6 || run.In(0).Total(0) != 2 {
			t.Fatalf("%v inside, %d in b, %d in c, %d children", run.Value(0, 0), run.Count(1, 1), run.Count(1, 2),
				run.In(0).Total(0))
		}
	}
}
