package pictures

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

const treeModel = `name: trees
time: {unit: day, start: 2024-01-01, end: 2024-03-01}
population: {size: 300, start: {ill: 2, well: rest}}
states: {well: {}, ill: {race: [{after: 5 days, to: immune}]}, immune: {race: [{rate: 0.05 per day, to: well}]}}
immigration: {rate: 0.1 per day, enter: ill, name: infection}
transmission: [{from: ill, rate: 0.4 per day, to: {well: ill}, name: infection}]
record: {every: 1 day, tree: {of: infection}}
`

// The largest tree that is drawn is the one of the rows with the most infections, however often an
// individual is infected again, in this tree or in another.
func TestLargestTree(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(treeModel))
	if err != nil {
		t.Fatal(err)
	}
	var rows []population.Infection
	o := population.Options{Seed: 3, Replicas: 4, Workers: 1}
	o.OnInfection = func(e population.Infection) { rows = append(rows, e) }
	r, err := m.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	// A tree of each infection, by following the rows.
	type tree struct {
		replica int
		root    uint64
		began   float64
	}
	in, sizes := map[[2]uint64]tree{}, map[tree]int{}
	for _, e := range rows {
		own, by := [2]uint64{uint64(e.Replica), e.Infected}, [2]uint64{uint64(e.Replica), e.By}
		switch of, ok := in[by]; {
		case e.By == 0:
			in[own] = tree{e.Replica, e.Infected, e.Time}
		case ok:
			in[own] = of
		default:
			in[by] = tree{e.Replica, e.By, e.Time}
			sizes[in[by]]++
			in[own] = in[by]
		}
		sizes[in[own]]++
	}
	sums := r.Tree()
	l := sums.Largest
	most := slices.Max(slices.Collect(maps.Values(sizes)))
	if n := sizes[tree{l.Replica, l.Root, l.Began}]; n != l.Size || n != most || n < 100 {
		t.Fatalf("the largest tree has %d, and %+v", n, l)
	}
	trees := map[int]uint64{}
	for _, n := range sizes {
		trees[n]++
	}
	if !maps.Equal(trees, sums.Chains) {
		t.Errorf("trees by size: %v, want %v", sums.Chains, trees)
	}
	all := func(yield func(population.Infection, error) bool) {
		for _, e := range rows {
			if !yield(e, nil) {
				return
			}
		}
	}
	c, err := LargestTree(r, sums, all)
	if err != nil {
		t.Fatal(err)
	}
	if want := min(mostInTree, l.Size); len(c.Nodes) != want || c.Nodes[0].By != -1 {
		t.Errorf("%d are drawn, want %d", len(c.Nodes), want)
	}
	for i, n := range c.Nodes[1:] {
		if n.By < 0 || n.By > i || n.Time < c.Nodes[n.By].Time || n.Time-c.Nodes[n.By].Time > 5+1e-9 {
			t.Errorf("infection %d is %+v", i+1, n)
		}
	}
	dir := t.TempDir()
	if err := SaveTrees(dir, r, all); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"reproduction", "generation-times", "largest-tree"} {
		for _, end := range []string{".svg", ".png"} {
			if text, err := os.ReadFile(filepath.Join(dir, name+end)); err != nil || len(text) < 1000 ||
				end == ".svg" && !strings.Contains(string(text), "<path") {
				t.Errorf("%s%s: %v, %d bytes", name, end, err, len(text))
			}
		}
	}
	shares := 0.0
	for _, s := range sums.GenerationTime.Shares(0.5, 11) {
		shares += s
	}
	if math.Abs(shares-1) > 1e-9 || sums.GenerationTime.Shares(0.5, 11)[10] > 0.05 {
		t.Errorf("%v of the generation times are below 5.5 days", shares)
	}
}

// A run without infections has no pictures of them.
func TestNoTrees(t *testing.T) {
	model := strings.NewReplacer("ill: 2, ", "", "rate: 0.1", "rate: 0").Replace(treeModel)
	m, err := population.Compile("model.yaml", []byte(model))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), population.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := SaveTrees(dir, r, func(func(population.Infection, error) bool) {}); err != nil {
		t.Fatal(err)
	}
	if all, _ := os.ReadDir(dir); len(all) > 0 {
		t.Errorf("%v", all)
	}
}
