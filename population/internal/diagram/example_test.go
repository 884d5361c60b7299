package diagram_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/almanac-sim/almanac/population/internal/diagram"
)

func ExampleGraph_Drawing() {
	g := diagram.Graph{
		Title: "A cold",
		Nodes: []diagram.Node{{Name: "S", Note: "susceptible"}, {Name: "I", Note: "has a cold"}},
		Edges: []diagram.Edge{
			{From: diagram.Outside, To: 0, Label: "birth", Kind: diagram.Entry},
			{From: 0, To: 1, Label: "infection", Kind: diagram.Contact},
			{From: 1, To: 0, Label: "recovery", Kind: diagram.Clock},
			{From: 0, To: diagram.Outside, Label: "death", Kind: diagram.Clock},
			{From: 1, To: diagram.Outside, Label: "death", Kind: diagram.Clock},
		},
	}
	d, err := g.Drawing(context.Background())
	if err != nil {
		panic(err)
	}
	svg := d.SVG()
	firstLine, _, _ := bytes.Cut(svg, []byte("\n"))
	fmt.Printf("%s\n", firstLine)
	fmt.Println(bytes.Count(svg, []byte(">death<")), "deaths")
	// Output:
	// <svg xmlns="http://www.w3.org/2000/svg" viewBox="-20 -53 425 221" width="425" height="221" font-family="sans-serif">
	// 2 deaths
}

func ExampleFramed() {
	d, err := diagram.Framed(context.Background(), "A cold, and care", []diagram.Graph{
		{
			Title: "states",
			Nodes: []diagram.Node{{Name: "well"}, {Name: "ill"}},
			Edges: []diagram.Edge{{From: 0, To: 1, Label: "infection", Kind: diagram.Contact}},
		},
		{
			Title: "machine care",
			Nodes: []diagram.Node{{Name: "none"}, {Name: "seen"}},
			Edges: []diagram.Edge{{From: 0, To: 1, Label: "visit", Kind: diagram.Clock}},
		},
	})
	if err != nil {
		panic(err)
	}
	svg := d.SVG()
	for _, word := range []string{"states", "machine care", "clock"} {
		fmt.Println(bytes.Count(svg, []byte(">"+word+"<")), word)
	}
	// Output:
	// 1 states
	// 1 machine care
	// 1 clock
}
