package plot

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"
)

func save(t *testing.T, c Chart, name string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := c.Save(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSave(t *testing.T) {
	c := Chart{
		Title: "cost", XLabel: "events", YLabel: "ns", LogX: true, LogY: true,
		Series: []Series{
			{Name: "flat", X: []float64{10, 100, 1000}, Y: []float64{30, 31, 32}},
			{Name: "steep", X: []float64{10, 100, 1000}, Y: []float64{30, 90, 400}},
			{Name: "not on a logarithmic axis", X: []float64{0, -1, 5}, Y: []float64{1, 1, math.NaN()}},
		},
	}
	svg := save(t, c, "a.svg")
	for _, want := range []string{"<svg", "flat", "steep", "events", "1,000"} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("no %q in the picture", want)
		}
	}
	if !bytes.Equal(svg, save(t, c, "b.svg")) {
		t.Error("the same chart is drawn differently the second time")
	}
	if text, err := c.SVG(); err != nil || !bytes.Equal(text, svg) {
		t.Errorf("the text of the picture is another: %v", err)
	}
	if png := save(t, c, "a.png"); !bytes.HasPrefix(png, []byte("\x89PNG")) {
		t.Error("not a PNG")
	}
	if err := c.Save(filepath.Join(t.TempDir(), "a.docx")); err == nil {
		t.Error("drawn in a format that does not exist")
	}
}

// A chart of nothing is still a chart.
func TestEmpty(t *testing.T) {
	for _, c := range []Chart{{}, {LogX: true, LogY: true},
		{LogY: true, Series: []Series{{Name: "one", X: []float64{1}, Y: []float64{2}}}}} {
		save(t, c, "a.svg")
	}
}

// A band is drawn behind its line, and panels have every chart.
func TestPanels(t *testing.T) {
	x := []float64{0, 1, 2, 3}
	y := []float64{5, 6, 8, 7}
	plain := Chart{Title: "plain", Series: []Series{{Name: "a", X: x, Y: y}}}
	banded := Chart{Title: "banded", Series: []Series{{Name: "a", X: x, Y: y, Low: []float64{4, 5, 7, 6},
		High: []float64{6, 7, 9, 8}}}}
	for c, want := range map[*Chart]bool{&plain: false, &banded: true} {
		if got := bytes.Contains(save(t, *c, "a.svg"), []byte("fill-opacity")); got != want {
			t.Errorf("%s: a band is %v", c.Title, got)
		}
	}
	for _, name := range []string{"all.svg", "all.png"} {
		path := filepath.Join(t.TempDir(), name)
		if err := (Panels{Charts: []Chart{plain, banded, plain}, Columns: 2}).Save(path); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil || len(data) == 0 {
			t.Fatal("nothing was drawn", err)
		}
		if name == "all.svg" && (bytes.Count(data, []byte(`"plain"`)) != 2 || bytes.Count(data, []byte(`"banded"`)) != 1) {
			t.Error("not every chart is there")
		}
	}
	if err := (Panels{}).Save(filepath.Join(t.TempDir(), "none.svg")); err != nil {
		t.Error(err)
	}
	if err := (Panels{Charts: []Chart{plain}}).Save(filepath.Join(t.TempDir(), "a.docx")); err == nil {
		t.Error("drawn in a format that does not exist")
	}
}
