package reproduce

import "testing"

func TestSuperscript(t *testing.T) {
	for n, want := range map[int]string{0: "⁰", 7: "⁷", 1234567890: "¹²³⁴⁵⁶⁷⁸⁹⁰"} {
		if got := Superscript(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
