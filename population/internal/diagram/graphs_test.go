package diagram

import (
	"context"
	"fmt"
	"strings"
)

// must is for graphs that are not too large.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func drawn(g Graph) []byte    { return must(g.Drawing(context.Background())).SVG() }
func laidOut(g Graph) picture { return must(g.picture(context.Background())) }
func sheetOf(g Graph) *sheet  { return must(newSheet(context.Background(), g)) }

// The graphs that the tests draw.

func sir() Graph {
	return Graph{
		Title: "SIR",
		Nodes: []Node{{"S", "susceptible"}, {"I", "infectious"}, {"R", "recovered"}},
		Edges: []Edge{{0, 1, "infection", Contact}, {1, 2, "recovery", Clock}},
	}
}

func seirs() Graph {
	return Graph{
		Title: "SEIRS with births and deaths",
		Nodes: []Node{{"S", "susceptible"}, {"E", "exposed"}, {"I", "infectious"}, {"R", "recovered"}},
		Edges: []Edge{
			{Outside, 0, "birth", Entry},
			{0, 1, "infection", Contact},
			{1, 2, "onset", Clock},
			{2, 3, "recovery", Clock},
			{3, 0, "waning", Clock},
			{0, 3, "vaccination", Planned},
			{0, Outside, "death", Clock},
			{1, Outside, "death", Clock},
			{2, Outside, "death", Clock},
			{2, Outside, "death from disease", Clock},
			{3, Outside, "death", Clock},
		},
	}
}

func tuberculosis() Graph {
	g := Graph{
		Title: "Tuberculosis",
		Nodes: []Node{
			{"Susceptible", ""}, {"Vaccinated", "BCG"}, {"Early latent", "< 2 years"}, {"Late latent", ""},
			{"Active", "infectious"}, {"Treated", "6 months"}, {"Recovered", ""}, {"On prophylaxis", "3HP"},
		},
		Edges: []Edge{
			{Outside, 0, "birth", Entry},
			{Outside, 1, "birth, vaccinated", Entry},
			{Outside, 3, "immigration", Entry},
			{0, 2, "infection", Contact},
			{1, 2, "infection", Contact},
			{1, 0, "waning", Clock},
			{2, 4, "fast progression", Clock},
			{2, 3, "stabilisation", Clock},
			{3, 4, "reactivation", Clock},
			{3, 2, "reinfection", Contact},
			{4, 5, "detection", Clock},
			{4, 5, "screening", Planned},
			{5, 4, "failure", Clock},
			{5, 6, "cure", Clock},
			{4, 6, "self-cure", Clock},
			{6, 4, "relapse", Clock},
			{6, 2, "reinfection", Contact},
			{2, 7, "preventive therapy", Planned},
			{3, 7, "preventive therapy", Planned},
			{7, 6, "completed", Clock},
			{4, Outside, "death from TB", Clock},
		},
	}
	for node := range g.Nodes {
		g.Edges = append(g.Edges, Edge{node, Outside, "death", Clock})
	}
	return g
}

// complete has an edge from every node to every other.
func complete(n int) Graph {
	g := Graph{Title: fmt.Sprintf("complete, %d", n)}
	for from := range n {
		g.Nodes = append(g.Nodes, Node{Name: fmt.Sprint("N", from)})
		for to := range n {
			if from != to {
				g.Edges = append(g.Edges, Edge{from, to, fmt.Sprintf("from %d to %d", from, to), Kind((from + to) % int(kinds))})
			}
		}
	}
	return g
}

// selfLoops has loops, alone and several on a node, next to parallel and opposite edges.
func selfLoops() Graph {
	return Graph{
		Title: "Loops",
		Nodes: []Node{{"A", ""}, {"B", "three loops"}, {"C", ""}},
		Edges: []Edge{
			{0, 0, "again", Clock}, {0, 1, "first way", Clock}, {0, 1, "second way", Contact}, {1, 0, "return", Clock},
			{1, 1, "boost", Planned}, {1, 1, "reinfection", Contact}, {1, 1, "a birthday", Clock},
			{1, 2, "", Clock}, {2, 2, "again", Contact}, {2, Outside, "", Clock}, {2, Outside, "death", Clock},
		},
	}
}

func chain(n int) Graph {
	g := Graph{Title: "A chain"}
	for i := range n {
		g.Nodes = append(g.Nodes, Node{Name: fmt.Sprint("stage ", i+1)})
		if i > 0 {
			g.Edges = append(g.Edges, Edge{i - 1, i, "next", Clock})
		}
	}
	return g
}

// parts has three components, one a lone node and one a cycle.
func parts() Graph {
	return Graph{
		Nodes: []Node{{"a", ""}, {"lonely", "no edges"}, {"b", ""}, {"c", ""}, {"x", ""}, {"y", ""}, {"z", ""}},
		Edges: []Edge{
			{0, 2, "ab", Clock}, {2, 3, "bc", Clock}, {0, 3, "ac", Clock}, {3, Outside, "gone", Clock},
			{4, 5, "xy", Clock}, {5, 6, "yz", Clock}, {6, 4, "zx", Clock}, {5, 4, "yx", Contact},
		},
	}
}

// long has names and labels of 60 letters, some of which XML does not take as they are.
func long() Graph {
	text := func(start string) string {
		return start + strings.Repeat("as long as can be, ", 4)[:60-len([]rune(start))]
	}
	return Graph{
		Title: text("A title & more "),
		Nodes: []Node{{text("<first> "), ""}, {"B", text(`"second" `)}, {"日本語 & Ω", ""}},
		Edges: []Edge{
			{Outside, 0, text("enters "), Entry}, {0, 1, text("a & b < c "), Contact}, {1, 0, "back", Clock},
			{1, 2, text("it's "), Planned}, {2, 2, text("ä "), Clock}, {2, 2, text("ö "), Contact},
			{1, Outside, text("ü "), Clock}, {1, Outside, text("é "), Clock}, {2, 0, text("ñ "), Clock},
		},
	}
}

// graphs are all graphs of the tests, by name.
func graphs() map[string]Graph {
	return map[string]Graph{
		"empty":        {},
		"title only":   {Title: "Nothing here"},
		"one node":     {Nodes: []Node{{"alone", ""}}},
		"sir":          sir(),
		"seirs":        seirs(),
		"tuberculosis": tuberculosis(),
		"complete 5":   complete(5),
		"complete 6":   complete(6),
		"loops":        selfLoops(),
		"chain":        chain(30),
		"parts":        parts(),
		"long":         long(),
	}
}
