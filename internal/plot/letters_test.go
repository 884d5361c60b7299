package plot

import (
	"bytes"
	"strings"
	"testing"
)

// TestSeparated writes numbers.
func TestSeparated(t *testing.T) {
	for s, want := range map[string]string{"0": "0", "999": "999", "1000": "1,000", "12345": "12,345",
		"-1234567.50": "−1,234,567.50", "-0.00": "0.00"} {
		if got := separated(s, true); got != want {
			t.Errorf("%s is %q, want %q", s, got, want)
		}
	}
	if got := separated("2005", false); got != "2005" {
		t.Errorf("a year is %q", got)
	}
}

// TestLetters has names in letters that our font does not have. A viewer of an SVG can take them
// from another; a PNG has boxes.
func TestLetters(t *testing.T) {
	if got := plain("潜 a→b λ₂ 1−x"); got != "□ a→b λ₂ 1−x" {
		t.Errorf("%q", got)
	}
	c := Chart{Title: "潜伏期", Series: []Series{curve("潜", 0, 1, 0, 1, 40), curve("a & <b>", 0, 1, 0, 1, 40)}}
	svg, err := c.picture("svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`px">潜</text>`, `px">潜伏期</text>`,
		`lengthAdjust="spacingAndGlyphs">a &amp; &lt;b&gt;</text>`} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("no %s in the picture", want)
		}
	}
	if c.plain(); c.Series[0].Name != "潜" {
		t.Error("the chart itself was changed")
	}
	save(t, c, "a.png")
}

// Numbers of four digits are years if all of them have four.
func TestYears(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		grow      bool
		want      string
	}{
		{1981, 2011, false, "1985 1990 1995 2000 2005 2010"}, {100, 5000, false, "1,000 2,000 3,000 4,000 5,000"},
		{1000, 20_000, false, "2,000 4,000 6,000 8,000 10,000 12,000 14,000 16,000 18,000 20,000"},
		{1981, 2011, true, "1,980 1,990 2,000 2,010 2,020"},
		{0, 0.3, true, "0.00 0.05 0.10 0.15 0.20 0.25 0.30"}, {-0.3, 0.1, true, "−0.3 −0.2 −0.1 0.0 0.1"},
		{0, 6e7, true, "0 10 20 30 40 50 60"},
	} {
		var got []string
		for _, tick := range linear(c.low, c.high, c.grow).ticks {
			if tick.Label != "" {
				got = append(got, tick.Label)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%g to %g: %v, want %s", c.low, c.high, got, c.want)
		}
	}
}
