package vector

import "testing"

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{1.26: "1.3", -0.01: "0", 12: "12", -2.5: "-2.5"} {
		if got := number(x); got != want {
			t.Errorf("%g is written %s", x, got)
		}
	}
}
