package design

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		`beta=0.2..0.6 per day by 0.05`: "beta (per day): 0.2 per day|0.25 per day|0.3 per day|0.35 per " +
			"day|0.4 per day|0.45 per day|0.5 per day|0.55 per day|0.6 per day",
		`beta=0.2 per day .. 0.5 per  day by 0.1`:        "beta (per day): 0.2 per day|0.3 per day|0.4 per day|0.5 per day",
		`coverage = 0%, 40%, 80%`:                        "coverage (%): 0%|40%|80%",
		`coverage=0..30% by 10%`:                         "coverage (%): 0%|10%|20%|30%",
		`stay=1..2 weeks by 0.3`:                         "stay (weeks): 1 weeks|1.3 weeks|1.6 weeks|1.9 weeks",
		`n=1e3..3e3 by 1_000`:                            "n: 1000|2000|3000",
		`x=-1..1 by 1`:                                   "x: -1|0|1",
		`stay={gamma: {mean: 5 days, shape: 2}}, 5 days`: "stay: {gamma: {mean: 5 days, shape: 2}}|5 days",
		`stay=5 days, 1 week`:                            "stay: 5 days|1 week",
		`beta=0.3, 0.4 per day`:                          "beta (per day): 0.3 per day|0.4 per day",
		`beta=0.3 per day, 0.4`:                          "beta (per day): 0.3 per day|0.4 per day",
		`coverage=0, 40, 80%`:                            "coverage (%): 0%|40%|80%",
		`stay=3, 5 days, 1 week`:                         "stay: 3|5 days|1 week",
		`stay=slow, 5 days, 3`:                           "stay: slow|5 days|3",
		`clerks=3`:                                       "clerks: 3",
		`beta=0.2..0.6 per day`:                          "beta (per day): range 0.2 0.6 false",
		`clerks=1..5 whole`:                              "clerks: range 1 5 true",
	} {
		a, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := a.Column() + ": " + strings.Join(a.Values, "|")
		if a.IsRange() {
			got = fmt.Sprintf("%s: range %v %v %v", a.Column(), a.Low, a.High, a.Whole)
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestParseWrong(t *testing.T) {
	for text, want := range map[string]string{
		`beta`:                          `"beta" has no =; expected a name and its values`,
		`=1,2`:                          `has no name before the =`,
		`beta=`:                         `beta: no values; expected some`,
		`beta=1,,2`:                     `"1,,2" has an empty value`,
		`beta=1, 1`:                     `1 stands there twice`,
		`beta=0.6..0.2 per day by 0.1`:  `it goes from 0.6 to 0.2; the second must be larger`,
		`beta=0.2..0.6 per day by 0`:    `the step is 0; expected a number above 0`,
		`beta=0.2..0.6 per day by -1`:   `the step is -1; expected a number above 0`,
		`beta=0.2..0.6 per day by 1e-9`: `more than 100000 steps`,
		`beta=0.2 per week..0.6 per day`: `the low end is in "per week" and the high end in "per day"; write both in ` +
			`one unit`,
		`beta=0.2..0.6 per day by 1%`:      `the step is in "%" and the high end in "per day"`,
		`beta=low..0.6 per day`:            `the low end is "low"; expected a number`,
		`beta=0.2..`:                       `the high end is ""; expected a number`,
		`beta=0.2..0.6 by`:                 `the step is ""; expected a number`,
		`clerks=1..5 whole by 1`:           `"whole" is for ranges without steps`,
		`x=1..1.00000000000000000001`:      `the second must be larger`,
		`x=1e400..1e401`:                   `too large or too small to work with`,
		`x=0e999999999..1e-999999999 by 1`: `too large or too small to work with`,
		`coverage=0.5, 2%`:                 `0.5 beside percentages: 0.5% or 50%? Write the % behind it`,
		`beta=1, 1 per day`:                `1 per day stands there twice`,
		`clerks=1.2..1.8 whole`:            `there is no whole number from 1.2 to 1.8`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		}
	}
}

func axes(t *testing.T, texts ...string) (all []*Axis) {
	for _, text := range texts {
		a, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

func TestGrid(t *testing.T) {
	points, err := Grid(axes(t, "a=1,2", "b=x,y,z"), 6)
	if err != nil || fmt.Sprint(points) != "[[1 x] [1 y] [1 z] [2 x] [2 y] [2 z]]" {
		t.Errorf("%v, %v", points, err)
	}
	if points, err := Grid(nil, 6); err != nil || len(points) != 1 || len(points[0]) != 0 {
		t.Errorf("nothing varied: %v, %v", points, err)
	}
	for want, all := range map[string][]*Axis{
		"6 points or more; 5 are the most":                              axes(t, "a=1,2", "b=x,y,z"),
		`a is a range: say in which steps, as in a="1..2 days by 0.25"`: axes(t, "a=1..2 days"),
		"a is varied twice":                                             axes(t, "a=1,2", "a=3"),
	} {
		if _, err := Grid(all, 5); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

// Each slice of every dimension has one point, and the same seed gives the same points.
func TestHypercube(t *testing.T) {
	const n, d = 500, 7
	points := hypercube(n, d, rand.New(rand.NewPCG(1, 2)))
	for k := range d {
		if slices := sliced(points, k, n); len(slices) != n {
			t.Errorf("dimension %d: %d of %d slices have a point", k, len(slices), n)
		}
	}
	// Which slices come together is random: the correlation of two dimensions has a standard
	// deviation of 1/√(n-1).
	for k := 1; k < d; k++ {
		sum := 0.0
		for _, p := range points {
			sum += (p[0] - 0.5) * (p[k] - 0.5) * 12 / n
		}
		if limit := 4 / math.Sqrt(n-1); math.Abs(sum) > limit {
			t.Errorf("dimensions 0 and %d have a correlation of %.3f; at most %.3f was to be expected", k, sum, limit)
		}
	}
	again := hypercube(n, d, rand.New(rand.NewPCG(1, 2)))
	if !slices.EqualFunc(points, again, func(a, b []float64) bool { return slices.Equal(a, b) }) {
		t.Error("the same seed gives other points")
	}
}

// sliced is which of n slices of a dimension have a point.
func sliced(points [][]float64, dimension, n int) map[int]bool {
	hit := map[int]bool{}
	for _, p := range points {
		hit[int(p[dimension]*float64(n))] = true
	}
	return hit
}

// Every 2^k points have one in each of 2^k slices of every dimension, also those after the first
// 2^k, shifted or not.
func TestSobolIsANet(t *testing.T) {
	points := Sobol(4096, MostSobol, rand.New(rand.NewPCG(3, 4)))
	for _, n := range []int{2, 16, 256, 1024} {
		for from := 0; from < len(points); from += n {
			for k := range MostSobol {
				if got := len(sliced(points[from:from+n], k, n)); got != n {
					t.Fatalf("points %d to %d, dimension %d: %d of %d slices have one", from, from+n-1, k, got, n)
				}
			}
		}
	}
	// The first two dimensions are a (0, 2)-sequence: each of 2^k boxes of any shape has one of 2^k
	// points.
	for shape := range 9 {
		hit := map[[2]int]bool{}
		for _, p := range points[:256] {
			hit[[2]int{int(p[0] * float64(int(1)<<shape)), int(p[1] * float64(int(256)>>shape))}] = true
		}
		if len(hit) != 256 {
			t.Errorf("boxes of %d by %d: %d of 256 have a point", 1<<shape, 256>>shape, len(hit))
		}
	}
}

// Property A (Sobol 1976): of the first 2^d points in d dimensions, each of the 2^d parts into
// which halving all dimensions divides the cube has one. That is so if the matrix of the first bits
// of the direction numbers is regular over the field of two elements. It is what Joe and Kuo's
// numbers were chosen for, and a number typed wrongly would be found by it about every second time.
func TestSobolHasPropertyA(t *testing.T) {
	for d := 1; d <= MostSobol; d++ {
		rows := make([]uint32, d)
		for k := range d {
			v := directionNumbers(k)
			for c := range d {
				rows[k] |= v[c] >> 31 << c
			}
		}
		if !regular(rows) {
			t.Errorf("in %d dimensions it does not hold", d)
		}
	}
}

func regular(rows []uint32) bool {
	for c := range rows {
		pivot := slices.IndexFunc(rows[c:], func(r uint32) bool { return r>>c&1 == 1 })
		if pivot < 0 {
			return false
		}
		rows[c], rows[c+pivot] = rows[c+pivot], rows[c]
		for i := range rows {
			if i != c && rows[i]>>c&1 == 1 {
				rows[i] ^= rows[c]
			}
		}
	}
	return true
}

// The polynomials are primitive, each its own, and the numbers odd and below 2^i.
func TestSobolNumbersArePossible(t *testing.T) {
	seen := map[uint32]bool{}
	for i, d := range directions {
		polynomial := 1<<d.s | d.a<<1 | 1
		if seen[polynomial] || d.a >= 1<<max(d.s-1, 0) {
			t.Errorf("dimension %d: its polynomial is another's, or too large", i+2)
		}
		seen[polynomial] = true
		// x is primitive if its powers are all 2^s − 1 elements other than 0.
		order, power := 0, uint32(1)
		for {
			if power <<= 1; power>>d.s&1 == 1 {
				power ^= polynomial
			}
			if order++; power == 1 {
				break
			}
		}
		if order != 1<<d.s-1 {
			t.Errorf("dimension %d: %b is not primitive: x has order %d", i+2, polynomial, order)
		}
		if len(d.m) != d.s {
			t.Errorf("dimension %d: %d numbers for degree %d", i+2, len(d.m), d.s)
		}
		for k, m := range d.m {
			if m%2 == 0 || bits.Len32(m) > k+1 {
				t.Errorf("dimension %d: m%d is %d", i+2, k+1, m)
			}
		}
	}
}

func TestSample(t *testing.T) {
	all := axes(t, "beta=0.2..0.6 per day", "clerks=1..4 whole", "coverage=0%, 50%")
	for _, kind := range Kinds {
		points, err := Sample(all, kind, 64, 1000, 7)
		if err != nil {
			t.Fatal(err)
		}
		clerks, coverage := map[string]int{}, map[string]int{}
		for _, p := range points {
			if x := all[0].Number(p[0]); !(x >= 0.2 && x < 0.6) || !strings.HasSuffix(p[0], " per day") || len(p[0]) >
				len("0.1234567 per day") {
				t.Errorf("%s: %s", kind, p[0])
			}
			clerks[p[1]]++
			coverage[p[2]]++
		}
		if fmt.Sprint(clerks, coverage) != "map[1:16 2:16 3:16 4:16] map[0%:32 50%:32]" {
			t.Errorf("%s: %v, %v", kind, clerks, coverage)
		}
		again, _ := Sample(all, kind, 64, 1000, 7)
		other, _ := Sample(all, kind, 64, 1000, 8)
		if fmt.Sprint(again) != fmt.Sprint(points) || fmt.Sprint(other) == fmt.Sprint(points) {
			t.Errorf("%s: the seed does not decide", kind)
		}
	}
	for _, bad := range []struct {
		kind string
		n    int
		want string
	}{{"lhs", 0, "expected from 1 to 1000"}, {"lhs", 1001, "expected from 1 to 1000"},
		{"halton", 5, `there is no design "halton"`}} {
		if _, err := Sample(all, bad.kind, bad.n, 1000, 1); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%v; want %s", err, bad.want)
		}
	}
}

// Whatever is written, it is read or refused; what is read makes points of its own values.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"beta=0.2..0.6 per day by 0.05", "c=0%, 40%", "a=1..2", "n=1..5 whole", "x=..",
		"x=1e400..1e401 by 1", "x={a: [1, 2]}, 3", "x=1..2 by 1e-300", "=", "x='"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse(text)
		if err != nil {
			return
		}
		if a.Column() == "" {
			t.Error("it has no name")
		}
		if a.IsRange() {
			if _, err := Sample([]*Axis{a}, "sobol", 3, 10, 1); err != nil || !(a.Low < a.High) {
				t.Errorf("%v to %v: %v", a.Low, a.High, err)
			}
			return
		}
		if points, err := Grid([]*Axis{a}, MostValues); err != nil || len(points) != len(a.Values) {
			t.Errorf("%d points of %d values: %v", len(points), len(a.Values), err)
		}
	})
}
