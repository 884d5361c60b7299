package suggest

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	names := []string{"exponential", "uniform", "json", "seed", "n", "δ-width"}
	for word, want := range map[string]string{
		"exponental": "exponential",
		"jsno":       "json", // one swap
		"sed":        "seed",
		"δwidth":     "δ-width",
		"m":          "", // no letter is close to another
		"N":          "n",
		"an":         "",
		"banana":     "",
		"":           "",
	} {
		if got := Name(word, names); got != want {
			t.Errorf("Name(%q) = %q, want %q", word, got, want)
		}
	}
	if got := Name("seed", nil); got != "" {
		t.Errorf("no candidates, but %q", got)
	}
}

// Long words are not compared: that would take hours.
func TestLongWords(t *testing.T) {
	long := strings.Repeat("ä", 5_000_000)
	if got := Name(long, []string{long + "x", "a"}); got != "" {
		t.Error("a name for a word of five million letters")
	}
	if got := Name("seed", []string{long, "sed"}); got != "sed" {
		t.Errorf("%.20q", got)
	}
	word := strings.Repeat("ä", 64)
	if got := Name(word, []string{long, word[2:]}); got != word[2:] {
		t.Errorf("%.20q", got)
	}
}

// slow is the distance by its definition.
func slow(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return max(len(a), len(b))
	}
	m, n := len(a)-1, len(b)-1
	cost := 1
	if a[m] == b[n] {
		cost = 0
	}
	d := min(slow(a[:m], b)+1, slow(a, b[:n])+1, slow(a[:m], b[:n])+cost)
	if m > 0 && n > 0 && a[m] == b[n-1] && a[m-1] == b[n] {
		d = min(d, slow(a[:m-1], b[:n-1])+1)
	}
	return d
}

func TestDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() []rune {
		w := make([]rune, r.IntN(7))
		for i := range w {
			w[i] = rune('a' + r.IntN(3))
		}
		return w
	}
	for range 500 {
		a, b := word(), word()
		want := slow(a, b)
		for limit := 1; limit < 9; limit++ {
			if got := distance(a, b, limit); min(got, limit) != min(want, limit) {
				t.Fatalf("distance(%q, %q) = %d up to %d, want %d", string(a), string(b), got, limit, want)
			}
		}
	}
}
