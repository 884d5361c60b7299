package page

import (
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/population"
)

// maxTreeRows is how many infections of the first replica are kept until its largest tree is known:
// 9 MB. The command has all of them in a file.
const maxTreeRows = 1 << 17

// treeRows are the first infections of the first replica of a run.
type treeRows []population.Infection

// add adds an infection. Those of the first replica come one after the other.
func (t *treeRows) add(e population.Infection) {
	if e.Replica == 0 && len(*t) < maxTreeRows {
		*t = append(*t, e)
	}
}

// sampleFigures are drawings of samples of the first replica: of its networks, and of its largest
// tree of infections, with the generation times of all replicas.
func sampleFigures(r *population.Result, rows treeRows) (network, infections []figure.Figure) {
	if n, ok := pictures.Network(r); ok {
		network = append(network, networkFigure(n))
	}
	t := r.Tree()
	if t == nil || r.Rows() == 0 || t.Largest.Size == 0 {
		return network, nil
	}
	if t.GenerationTime.N > 0 {
		infections = append(infections, figure.Figure{ID: "generation-times", Caption: "Generation times",
			Group: infectedGroup, Chart: pictures.GenerationTimes(r, t)})
	}
	first := *r
	first.Runs = r.Runs[:1]
	if t = first.Tree(); first.Runs[0].Replica != 0 || t.Largest.Size == 0 {
		return network, infections
	}
	tree, _ := pictures.LargestTree(&first, t, func(yield func(population.Infection, error) bool) {
		for _, e := range rows {
			if !yield(e, nil) {
				return
			}
		}
	})
	if len(tree.Nodes) > 0 {
		f := treeFigure(tree)
		if len(r.Runs) > 1 {
			f.Caption += " of the first replica"
		}
		infections = append(infections, f)
	} else if n := len(infections); n > 0 {
		infections[n-1].Chart.Note += "; the largest tree begins after the first " + format.Thousands(maxTreeRows) +
			" infections, which are kept here: almanac run --out draws it"
	}
	return network, infections
}

// networkFigure is a drawing of a network, with a row for each link.
func networkFigure(n plot.Network) figure.Figure {
	d := &figure.Drawing{Note: n.Note, Picture: n, Head: []string{"individual", "state", "linked with", "its state",
		"network"}}
	for _, l := range n.Links {
		d.Rows = append(d.Rows, []any{l.A + 1, n.Colours[n.Nodes[l.A]], l.B + 1, n.Colours[n.Nodes[l.B]], n.Kinds[l.Kind]})
	}
	return figure.Figure{ID: "network", Caption: "A sample of who is linked", Drawing: d,
		Chart: plot.Chart{Note: n.Note}}
}

// treeFigure is a drawing of a tree, with a row for each infection.
func treeFigure(t plot.Tree) figure.Figure {
	d := &figure.Drawing{Note: t.Note, Picture: t, Head: []string{"individual", "infected at", "by"}}
	for _, node := range t.Nodes {
		by := ""
		if node.By >= 0 {
			by = t.Nodes[node.By].Text
		}
		d.Rows = append(d.Rows, []any{node.Text, node.Time, by})
	}
	return figure.Figure{ID: "largest-tree", Caption: "The largest tree of infections", Group: infectedGroup, Drawing: d,
		Chart: plot.Chart{Note: t.Note}}
}
