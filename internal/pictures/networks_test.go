package pictures

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

const networkModel = `name: linked
time: {unit: day, end: 20}
population: {size: 400, start: {ill: 20, well: rest}}
networks: {friends: {random: {mean: 3}}, couples: {most: 1}}
states: {never: {}, well: {}, ill: {race: [{rate: 0.1 per day, to: immune}]}, immune: {}}
transmission:
  - {rate: 0.1 per day, link: couples}
  - {from: ill, among: friends, rate each: 0.2 per day, to: {well: ill}}
record: {every: 1 day}
`

// A picture of a network has the individuals and links of the sample, in the colours of the chart
// of states, and says what it is; a model without links has none.
func TestNetworkPicture(t *testing.T) {
	run := func(source string) *population.Result {
		t.Helper()
		m, err := population.Compile("model.yaml", []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Run(t.Context(), population.Options{Seed: 4, Replicas: 2})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := run(networkModel)
	n, ok := Network(r)
	s := r.Runs[0].NetworkSample()
	if !ok || len(n.Nodes) != len(s.States) || len(n.Links) != len(s.Links) || len(n.Nodes) < 100 {
		t.Fatalf("%d discs and %d lines of %d individuals and %d links",
			len(n.Nodes), len(n.Links), len(s.States), len(s.Links))
	}
	if want := []string{"well", "ill", "immune"}; !slices.Equal(n.Colours, want) {
		t.Errorf("colours of %v, want %v", n.Colours, want)
	}
	for i, c := range n.Nodes {
		if n.Colours[c] != s.States[i] {
			t.Errorf("disc %d is %s, individual is %s", i, n.Colours[c], s.States[i])
		}
	}
	second := func(l population.SampledLink) bool { return l.Network == 1 }
	if !strings.Contains(n.Note, "150 of 400 individuals") || !slices.ContainsFunc(s.Links, second) {
		t.Error(n.Note)
	}
	if r.Runs[1].NetworkSample() != nil {
		t.Error("the second replica has a sample")
	}
	dir := t.TempDir()
	if err := SaveNetwork(dir, r); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "network.svg"))
	if err != nil || strings.Count(string(text), "<path") < 400 {
		t.Errorf("%v, %d bytes", err, len(text))
	}
	machine := strings.NewReplacer(
		"never: {}, well: {}, ill: {race: [{rate: 0.1 per day, to: immune}]}, immune: {}", "here: {}",
		"{ill: 20, well: rest}", "{here: rest}", "- {from: ill,", "- {machine: flu, from: ill,", "record:", `machines:
  flu: {start: {ill: 5%, well: rest}, states: {well: {}, ill: {}}}
record:`).Replace(networkModel)
	if n, ok := Network(run(machine)); !ok || !slices.Equal(n.Colours, []string{"well", "ill"}) {
		t.Errorf("of a machine: colours of %v", n.Colours)
	}
	unlinked := strings.NewReplacer("mean: 3", "mean: 0", "rate: 0.1 per day, link", "rate: 0 per day, link")
	if _, ok := Network(run(unlinked.Replace(networkModel))); ok {
		t.Error("a network without links is drawn")
	}
}
