package nearest

import "testing"

func TestName(t *testing.T) {
	names := []string{"exponential", "uniform", "json", "seed", "n", "δ-width"}
	for word, want := range map[string]string{
		"exponental": "exponential",
		"jsno":       "json", // one swap
		"sed":        "seed",
		"δwidth":     "δ-width",
		"m":          "n",
		"banana":     "",
		"":           "n",
	} {
		if got := Name(word, names); got != want {
			t.Errorf("Name(%q) = %q, want %q", word, got, want)
		}
	}
	if got := Name("seed", nil); got != "" {
		t.Errorf("no candidates, but %q", got)
	}
}
