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
