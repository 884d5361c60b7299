package diagram

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/vector"
)

// each runs a test on all graphs, in the order of their names.
func each(t *testing.T, test func(*testing.T, Graph)) {
	all := graphs()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) { test(t, all[name]) })
	}
}

// A parsed is what a reader of XML finds in an SVG.
type parsed struct {
	root  xml.StartElement
	texts []string // of text elements
	rects []rect   // with round corners
}

func parse(t *testing.T, svg []byte) parsed {
	var p parsed
	var inText bool
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return p
		} else if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if p.root.Name.Local == "" {
				p.root = token.Copy()
			}
			if attribute(token, "rx") != "" {
				p.rects = append(p.rects, rectOf(t, token))
			}
			inText = token.Name.Local == "text"
		case xml.EndElement:
			inText = false
		case xml.CharData:
			if inText {
				p.texts = append(p.texts, string(token))
			}
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func rectOf(t *testing.T, e xml.StartElement) rect {
	var numbers []float64
	for _, name := range []string{"x", "y", "width", "height"} {
		x, err := strconv.ParseFloat(attribute(e, name), 64)
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, x)
	}
	return rect{xy(numbers[0], numbers[1]), xy(numbers[0]+numbers[2], numbers[1]+numbers[3])}
}

func TestTextsAreThere(t *testing.T) {
	each(t, func(t *testing.T, g Graph) {
		p := parse(t, drawn(g))
		var want []string
		var used [kinds]bool
		for _, n := range g.Nodes {
			want = append(want, n.Name, n.Note)
		}
		for _, e := range g.Edges {
			want = append(want, e.Label)
			used[e.Kind] = true
		}
		for k, word := range []string{"clock", "by contact", "enters", "planned"} {
			if used[k] {
				want = append(want, word)
			}
		}
		want = slices.DeleteFunc(append(want, g.Title), func(s string) bool { return s == "" })
		slices.Sort(want)
		slices.Sort(p.texts)
		if !slices.Equal(p.texts, want) {
			t.Errorf("has the texts %q, not %q", p.texts, want)
		}
	})
}

func TestEscaped(t *testing.T) {
	g := Graph{Title: "a<b", Nodes: []Node{{`"x" & <y>`, "1 > 0"}}, Edges: []Edge{{0, 0, "</svg>\x00", Clock}}}
	svg := string(drawn(g))
	for _, bad := range []string{"a<b", "<y>", "& ", "</svg>\x00", "\x00"} {
		if strings.Contains(svg, bad) {
			t.Errorf("%q is in the output", bad)
		}
	}
	if texts := parse(t, []byte(svg)).texts; !slices.Contains(texts, `"x" & <y>`) ||
		!slices.Contains(texts, "</svg>\ufffd") {
		t.Errorf("texts are %q", texts)
	}
}

func TestSameEveryTime(t *testing.T) {
	each(t, func(t *testing.T, g Graph) {
		first := drawn(g)
		for range 5 {
			if !bytes.Equal(first, drawn(g)) {
				t.Fatal("drawn differently the second time")
			}
		}
	})
}

// What is drawn lies in the view box, and the view box has the size that the picture says it has.
func TestViewBox(t *testing.T) {
	each(t, func(t *testing.T, g Graph) {
		root := parse(t, drawn(g)).root
		var x, y, width, height float64
		if _, err := fmt.Sscan(attribute(root, "viewBox"), &x, &y, &width, &height); err != nil {
			t.Fatal(err)
		}
		if attribute(root, "width") != fmt.Sprint(width) || attribute(root, "height") != fmt.Sprint(height) {
			t.Errorf("size is %s by %s, not %g by %g", attribute(root, "width"), attribute(root, "height"), width, height)
		}
		in := laidOut(g).bounds()
		if min(in.min.X-x, in.min.Y-y, x+width-in.max.X, y+height-in.max.Y) < margin {
			t.Errorf("view box %g %g %g %g is too small for %v", x, y, width, height, in)
		}
		if !(width < 6000 && height < 2000) {
			t.Errorf("size is %g by %g", width, height)
		}
	})
}

// The legend and the title of a small graph are wider than the rest.
func TestViewBoxHoldsLegendAndTitle(t *testing.T) {
	g := Graph{Nodes: []Node{{"A", ""}}}
	bare := laidOut(g).bounds()
	for k := range kinds {
		g.Edges = append(g.Edges, Edge{0, 0, "", k})
	}
	words := textWidth("clockby contactentersplanned", labelSize) + float64(kinds)*sampleSize
	g.Title = "A"
	checkWidth(t, g, words)
	g.Title = strings.Repeat("A", 100)
	checkWidth(t, g, 100*0.6*titleSize)
	if bare.max.X-bare.min.X > words {
		t.Error("the box is as wide as the legend, so this tests nothing")
	}
}

func checkWidth(t *testing.T, g Graph, least float64) {
	root := parse(t, drawn(g)).root
	if width, err := strconv.ParseFloat(attribute(root, "width"), 64); err != nil || width < least+2*margin {
		t.Errorf("the width is %g, less than %g and two margins (%v)", width, least, err)
	}
}

func TestColoursOfKinds(t *testing.T) {
	for kind, colour := range map[Kind]string{Contact: "#d55e00", Entry: "#0072b2", Planned: "#009e73"} {
		g := Graph{Nodes: make([]Node, 2), Edges: []Edge{{0, 1, "", kind}}}
		svg := drawn(g)
		for other := range styles {
			if bytes.Contains(svg, []byte(vector.Hex(styles[other].colour))) != (Kind(other) == kind) {
				t.Errorf("kind %d: colour of kind %d", kind, other)
			}
		}
		if !bytes.Contains(svg, []byte(`stroke="`+colour+`"`)) || bytes.Contains(svg, []byte("dasharray")) !=
			(kind == Planned) {
			t.Errorf("kind %d is drawn wrongly:\n%s", kind, svg)
		}
	}
}

func TestPanics(t *testing.T) {
	for _, e := range []Edge{
		{0, 2, "", Clock}, {2, 0, "", Clock}, {-2, 0, "", Clock}, {Outside, Outside, "", Clock}, {0, 1, "", 4},
		{0, 1, "", -1},
	} {
		t.Run(fmt.Sprint(e), func(t *testing.T) {
			defer func() {
				if message, _ := recover().(string); !strings.HasPrefix(message, "diagram: ") {
					t.Errorf("panicked with %q", message)
				}
			}()
			drawn(Graph{Nodes: make([]Node, 2), Edges: []Edge{e}})
		})
	}
}
