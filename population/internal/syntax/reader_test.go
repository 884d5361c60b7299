package syntax

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestScalarMeansSomethingElse reads back what Scalar writes, alone and in a list.
func TestScalarMeansSomethingElse(t *testing.T) {
	for _, text := range []string{
		"5 days", "-5", "- 5", "a - b", "30%", "%", "0.1 * (a + b)", "min(a, b)", "a: b", "a:", ":a",
		"a:b", "a #b", "a#b", "#a",
		"{a: b}", "[1]", "]", "a]", "a, b", "*a", "&a", "!a", "|", ">", "? a", "'a'", `"a"`, `a"b`,
		`a\b`, "@a", "`a`", "a b", " a",
		"a ", "a\nb", "a\tb", "größe", "2020-03-01", "true", "~", "---", "susceptible->infectious",
	} {
		for _, inside := range []bool{false, true} {
			source := Scalar(text, inside)
			if inside {
				source = "[" + source + "]"
			}
			var doc yaml.Node
			if err := yaml.Unmarshal([]byte(source), &doc); err != nil {
				t.Errorf("%q is written %s: %v", text, source, err)
				continue
			}
			n := doc.Content[0]
			if inside {
				if len(n.Content) != 1 {
					t.Errorf("%q is written %s, which has %d items", text, source, len(n.Content))
					continue
				}
				n = n.Content[0]
			}
			if n.Kind != yaml.ScalarNode || n.Value != text {
				t.Errorf("%q is written %s, which is %q", text, source, n.Value)
			}
		}
	}
}

func TestOneLineFollowsAliases(t *testing.T) {
	var doc yaml.Node
	const source = "stay: &s\n  gamma:\n    mean: 5 days\n    shape: 2\nlist:\n- *s\n- min(a, b)\n"
	if err := yaml.Unmarshal([]byte(source), &doc); err != nil {
		t.Fatal(err)
	}
	const want = `{stay: {gamma: {mean: 5 days, shape: 2}}, list: [{gamma: {mean: 5 days, shape: 2}}, "min(a, b)"]}`
	if got := OneLine(doc.Content[0]); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
