package format

import (
	"slices"
	"testing"
)

func TestFormat(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Number(0.1), "0.1"}, {Number(1e300), "1e+300"},
		{Thousands(0), "0"}, {Thousands(999), "999"}, {Thousands(1000), "1,000"}, {Thousands(-1234567), "-1,234,567"},
		{Thousands(-123), "-123"},
		{Thousands(1.5), "1.50"}, {Thousands(1234.5), "1,234"},
		{Count(1, "bin"), "1 bin"}, {Count(0, "bin"), "0 bins"}, {Count(1000, "bin"), "1,000 bins"},
		{Power(100), "100"}, {Power(1000), "1e3"}, {Power(20_000), "2e4"}, {Power(1001), "1001"},
		{Bytes(1_234_567), "1 MB"}, {Bytes(12_345_678_901), "12.35 GB"},
		{Nanoseconds(999), "999ns"}, {Nanoseconds(1234), "1.23µs"}, {Nanoseconds(12_345_678), "12.3ms"},
		{Nanoseconds(1.5e9), "1.5s"},
	} {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
}

func TestRate(t *testing.T) {
	for rate, want := range map[float64]string{0.5: "0.5", 0.99: "0.99", 0.96875: "1-2^-5", 1 - 0x1p-10: "1-2^-10",
		0.999: "0.999", 1e-9: "1e-09", 8: "8", 1: "1"} {
		if got := Rate(rate); got != want {
			t.Errorf("%v is %s, want %s", rate, got, want)
		}
	}
}

// What Word writes Words reads, whatever it is.
func TestWords(t *testing.T) {
	want := []string{"almanac", "a b", "", "it's", `"x" \ y`, "β=0.2 per day", "tab\there"}
	line := ""
	for _, w := range want {
		line += Word(w) + " \n"
	}
	if got := Words(line); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Words(`run --vary "a=1, 2" b\ c`); !slices.Equal(got, []string{"run", "--vary", "a=1, 2", "b c"}) {
		t.Errorf("%q", got)
	}
}
