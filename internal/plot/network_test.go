package plot

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// chain is a network of a chain, a ring with a tail, a star, pairs and a disc alone.
func chain() Network {
	n := Network{Title: "a network", Note: "some", Colours: []string{"well", "ill", "absent"},
		Kinds: []string{"home", "work"}}
	part := func(size int, links ...int) {
		from := len(n.Nodes)
		for i := range size {
			n.Nodes = append(n.Nodes, i%2)
		}
		for k := 0; k < len(links); k += 2 {
			n.Links = append(n.Links, NetworkLink{from + links[k], from + links[k+1], k / 2 % 2})
		}
	}
	part(5, 0, 1, 1, 2, 2, 3, 3, 4)
	part(5, 0, 1, 1, 2, 2, 3, 3, 0, 0, 4)
	part(7, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6)
	for range 20 {
		part(2, 0, 1)
	}
	part(1)
	return n
}

// Discs that are linked are about as far apart as a link is long, no two lie upon each other, parts
// do not overlap, and all are within the drawing.
func TestNetworkLayout(t *testing.T) {
	n := chain()
	at, wide, high := n.layout()
	far := func(a, b int) float64 { return math.Hypot(at[a].x-at[b].x, at[a].y-at[b].y) }
	for _, l := range n.Links {
		if d := far(l.A, l.B); !(d > 0.7 && d < 1.3) {
			t.Errorf("%d and %d are %v apart", l.A, l.B, d)
		}
	}
	for a := range at {
		if s := at[a]; !(s.x >= 0.49 && s.x <= wide-0.49 && s.y >= 0.49 && s.y <= high-0.49) {
			t.Errorf("%d is at %v, outside of %v × %v", a, s, wide, high)
		}
		for b := range a {
			if far(a, b) < 0.5 {
				t.Errorf("%d and %d are %v apart", a, b, far(a, b))
			}
		}
	}
	if d := far(0, 4); math.Abs(d-4) > 0.05 || math.Abs(at[0].y-at[4].y) > 0.1 {
		t.Errorf("a chain of 4 links goes from %v to %v", at[0], at[4])
	}
	if share := high / wide; share < 0.3 || share > 1 {
		t.Errorf("it is %v wide and %v high", wide, high)
	}
	if at, wide, high := (Network{}).layout(); len(at) != 0 || wide != 0 || high != 0 {
		t.Errorf("of nobody: %v × %v", wide, high)
	}
}

// A picture names the colours and kinds that it has, and is the same each time.
func TestNetworkPictures(t *testing.T) {
	n := chain()
	svg, err := n.picture("svg")
	if err != nil {
		t.Fatal(err)
	}
	all, width, height := texts(t, svg)
	apartFromEachOther(t, all, width, height, 8)
	for _, want := range []string{">well (31)<", ">ill (27)<", ">home<", ">work<"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("there is no %s", want)
		}
	}
	if strings.Contains(string(svg), "absent") {
		t.Error("a colour is named that no disc has")
	}
	again, _ := n.picture("svg")
	if !bytes.Equal(svg, again) {
		t.Error("another picture of the same network")
	}
	web := string(n.Web(Size{Width: 320, Text: 13}))
	if strings.Contains(web, "style=") || strings.Count(web, "<text") != 4 {
		t.Errorf("%.300s", web)
	}
}

// A tree in a page has no text smaller than the page's, however many infections there are.
func TestTreeInPage(t *testing.T) {
	for _, nodes := range []int{1, 10, 300} {
		tree := Tree{XLabel: "day"}
		for i := range nodes {
			tree.Nodes = append(tree.Nodes, TreeNode{Time: float64(i), By: (i+1)/2 - 1, Text: "somebody"})
		}
		web := string(tree.Web(Size{Width: 320, Text: 13}))
		small := strings.ReplaceAll(web, `font-size="13"`, "")
		if strings.Contains(small, "font-size") || strings.Contains(web, "somebody") != (nodes < 100) ||
			strings.Count(web, "<path") < 2*nodes {
			t.Errorf("%d infections: %.600s", nodes, web)
		}
	}
}
