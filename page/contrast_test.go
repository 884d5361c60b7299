package page_test

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// contrast is the ratio of the luminances of two colours, as WCAG 2.2 defines it.
func contrast(a, b [3]float64) float64 {
	luminance := func(c [3]float64) float64 {
		sum := 0.0
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			v := c[i] / 255
			if v <= 0.04045 {
				v /= 12.92
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			sum += weight * v
		}
		return sum
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// colours reads the colours of a scheme from the style sheet.
func colours(t *testing.T, css, head string) map[string][3]float64 {
	t.Helper()
	_, rest, ok := strings.Cut(css, head)
	block, _, _ := strings.Cut(rest, "}")
	all := map[string][3]float64{}
	for _, m := range regexp.MustCompile(`--([\w-]+): #([0-9a-f]{6})`).FindAllStringSubmatch(block, -1) {
		n, _ := strconv.ParseUint(m[2], 16, 32)
		all[m[1]] = [3]float64{float64(n >> 16 & 0xff), float64(n >> 8 & 0xff), float64(n & 0xff)}
	}
	if !ok || len(all) < 20 {
		t.Fatalf("%s has %d colours", head, len(all))
	}
	return all
}

// pale are the letters of a page that have less contrast with what is behind them than WCAG 2.2 AA
// wants: 4.5 to 1, and 3 to 1 where they are large. Unlike a look at the style sheet alone, it
// knows which colour stands on which, and how much of it shines through.
const pale = `(() => {
	const read = text => {
		const n = text.match(/[\d.]+/g).map(Number), unit = text.startsWith("color(") ? 255 : 1;
		return [n[0] * unit, n[1] * unit, n[2] * unit, n[3] ?? 1];
	};
	const over = (front, share, back) => [0, 1, 2].map(i => front[i] * share + back[i] * (1 - share));
	const known = new Map(); // of each element: what is behind its letters, and how much of it is seen
	const around = e => {
		if (!e) return {back: [255, 255, 255], share: 1};
		if (!known.has(e)) {
			const style = getComputedStyle(e), c = read(style.backgroundColor), {back, share} = around(e.parentElement);
			known.set(e, {back: over(c, c[3], back), share: share * Number(style.opacity)});
		}
		return known.get(e);
	};
	const linear = x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
	const light = c => 0.2126 * linear(c[0] / 255) + 0.7152 * linear(c[1] / 255) + 0.0722 * linear(c[2] / 255);
	const unseen = "svg, script, .sr, .skip, :disabled, details:not([open]) > :not(summary)";
	return [...document.querySelectorAll("body *")].filter(e => {
		if (e.closest(unseen) || !e.checkVisibility()) return false;
		if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) return false;
		const style = getComputedStyle(e), {back, share} = around(e), front = read(style.color);
		const x = light(over(front, share * front[3], back)), y = light(back), size = parseFloat(style.fontSize);
		const large = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
		return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05) < (large ? 3 : 4.5);
	}).map(e => e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 30)).join("; ");
})()`

// legible wants enough contrast of a page as it is, in both schemes.
func (v *visitor) legible(name string) {
	v.t.Helper()
	for _, scheme := range []string{"dark", "light"} {
		v.size(1280, 800, scheme)
		if found := eval[string](v, pale); found != "" {
			v.t.Errorf("%s, %s: pale letters: %s", name, scheme, found)
		}
	}
}

// Letters have a contrast of 4.5 to 1 with what they stand on, lines of charts and edges of fields
// 3 to 1 (WCAG 2.2, AA), in both schemes; and what the system and the switch call dark is the same.
func TestContrast(t *testing.T) {
	data, err := os.ReadFile("static/page.css")
	if err != nil {
		t.Fatal(err)
	}
	css := string(data)
	dark := colours(t, css, ":root[data-theme=dark] {")
	for name, c := range colours(t, css, ":root:not([data-theme=light]) {") {
		if dark[name] != c {
			t.Errorf("%s is dark in two ways", name)
		}
	}
	for scheme, all := range map[string]map[string][3]float64{"light": colours(t, css, ":root {"), "dark": dark} {
		need := func(least float64, front string, backs ...string) {
			for _, back := range backs {
				if c := contrast(all[front], all[back]); c < least {
					t.Errorf("%s: %s on %s has %.2f, less than %g", scheme, front, back, c, least)
				}
			}
		}
		for _, letters := range []string{"ink", "soft", "link", "good", "bad"} {
			need(4.5, letters, "paper", "panel")
		}
		need(4.5, "ink", "mark", "box")
		need(4.5, "soft", "box")
		need(4.5, "accent-ink", "accent")
		need(3, "focus", "paper", "panel")
		for _, line := range []string{"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"} {
			need(3, line, "paper")
		}
	}
}
