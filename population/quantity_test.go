package population

import (
	"math"
	"math/big"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "7": 7, "-1.5": -1.5, "+2": 2, ".5": 0.5, "5.": 5, "1e3": 1000, "1E-3": 0.001, "2.5e+2": 250, "007": 7,
		"100_000": 100_000, "1_000.000_5": 1000.0005, "1_0e1_0": 1e11, "1.7976931348623157e308": math.MaxFloat64, "5e-324": math.SmallestNonzeroFloat64,
	} {
		if x, ok := parseNumber(text); !ok || x != want {
			t.Errorf("%q is %v, %v; want %v", text, x, ok, want)
		}
	}
	for _, text := range []string{
		"", " ", "-", "+", ".", "_", "e", "e5", "1e", "--1", "1-", "1,5", "1 0", "1..5", "0x10", "0b1", "0o7", "0x1p-2", "1f",
		"nan", "NaN", "inf", "Inf", "+Inf", ".inf", ".nan", "infinity", "1e999", "-1e999", "1.8e308", "_1", "1_", "1__0", "٣", "１", "½", "−1",
		// An underscore stands between digits or not at all.
		"1_.5", "1._5", "1e_5", "1_e5", "+_1", "-_1",
		// This is not 0, and no other float64 either.
		"1e-400", "-0.1e-999",
	} {
		if x, ok := parseNumber(text); ok {
			t.Errorf("%q is read as %v", text, x)
		}
	}
}

func TestParseQuantity(t *testing.T) {
	for text, want := range map[string]quantity{
		"0.3":              {aNumber, 0.3, unit{}},
		"-2":               {aNumber, -2, unit{}},
		"30%":              {aShare, 0.3, unit{}},
		"0.1%":             {aShare, 0.001, unit{}},
		"-5%":              {aShare, -0.05, unit{}},
		"5 days":           {aDuration, 5, unit{"day", 86400}},
		"1 day":            {aDuration, 1, unit{"day", 86400}},
		"1 days":           {aDuration, 1, unit{"day", 86400}},
		"2 second":         {aDuration, 2, unit{"second", 1}},
		"1.5 minutes":      {aDuration, 1.5, unit{"minute", 60}},
		"1_000 hours":      {aDuration, 1000, unit{"hour", 3600}},
		"-3 weeks":         {aDuration, -3, unit{"week", 604800}},
		"108 months":       {aDuration, 108, unit{"month", 2629800}},
		"1e2 years":        {aDuration, 100, unit{"year", 31557600}},
		"  5 \t days  ":    {aDuration, 5, unit{"day", 86400}},
		"0.5 per day":      {aRate, 0.5, unit{"day", 86400}},
		"500 per years":    {aRate, 500, unit{"year", 31557600}},
		"-1  per  month":   {aRate, -1, unit{"month", 2629800}},
		"0 per second":     {aRate, 0, unit{"second", 1}},
		"1e-3 per minutes": {aRate, 0.001, unit{"minute", 60}},
	} {
		if q, err := parseQuantity(text); err != nil || q != want {
			t.Errorf("%q is %v, %v; want %v", text, q, err, want)
		}
	}
	const units = "the units are second, minute, hour, day, week, month, year"
	for text, want := range map[string]string{
		"":                 `nothing is written here`,
		" \t":              `nothing is written here`,
		"five days":        `"five" is not a number`,
		"5days":            `"5days" is not a number`,
		"0.5/day":          `"0.5/day" is not a number`,
		"%":                `"%" is not a number`,
		"30%%":             `"30%%" is not a number`,
		"per day":          `"per" is not a number`,
		".inf days":        `".inf" is not a number`,
		"1e999 days":       `"1e999" is not a number`,
		"30% days":         `"30% days": a percentage has no unit`,
		"30% per day":      `"30% per day": a percentage has no unit`,
		"5 per":            `"5 per": per what? Write 5 per day, for example`,
		"5 days ago":       `"5 days ago" is more than a quantity; write 5 days or 0.5 per day, for example`,
		"5 per day or so":  `"5 per day or so" is more than a quantity; write 5 days or 0.5 per day, for example`,
		"5 wekes":          `"5 wekes": there is no unit "wekes"; did you mean "weeks"?`,
		"5 Hours":          `"5 Hours": there is no unit "Hours"; did you mean "hours"?`,
		"5 per per":        `"5 per per": there is no unit "per"; ` + units,
		"5 fortnights":     `"5 fortnights": there is no unit "fortnights"; ` + units,
		"30 %":             `"30 %": there is no unit "%"; ` + units,
		"0.5 per mintutes": `"0.5 per mintutes": there is no unit "mintutes"; did you mean "minutes"?`,
		"1 weak":           `"1 weak": there is no unit "weak"; did you mean "week"?`,
		"0.5 per yaer":     `"0.5 per yaer": there is no unit "yaer"; did you mean "year"?`,
	} {
		if q, err := parseQuantity(text); err == nil || err.Error() != want {
			t.Errorf("%q is %v, error\n%v\nwant\n%s", text, q, err, want)
		}
	}
}

func TestUnitsByHand(t *testing.T) {
	for _, c := range []struct {
		text, unit string
		want       float64
	}{
		{"108 months", "year", 9},
		{"30 days", "day", 30},
		{"1 year", "day", 365.25},
		{"1 year", "month", 12},
		{"1 month", "day", 30.4375},
		{"2 weeks", "day", 14},
		{"36 hours", "day", 1.5},
		{"90 minutes", "hour", 1.5},
		{"100 years", "second", 3_155_760_000},
		{"0 weeks", "year", 0},
		{"-7 days", "week", -1},
		{"0.5 per day", "week", 3.5},
		{"12 per year", "month", 1},
		{"1461 per year", "day", 4},
		{"1 per second", "day", 86400},
		{"500 per year", "year", 500},
		{"0.3", "year", 0.3},
		{"25%", "week", 0.25},
	} {
		q, err := parseQuantity(c.text)
		u, ok := unitNamed(c.unit)
		if err != nil || !ok {
			t.Fatal(c.text, c.unit, err, ok)
		}
		if x := q.in(u); x != c.want {
			t.Errorf("%s is %v in terms of a %s, want %v", c.text, x, c.unit, c.want)
		}
	}
}

// TestUnitsAreExact compares with fractions: a whole number of one unit is exact in another wherever a float64 can be, and
// the nearest float64 otherwise.
func TestUnitsAreExact(t *testing.T) {
	for _, from := range units {
		for _, to := range units {
			for n := range int64(2000) {
				up, down := int64(from.seconds), int64(to.seconds)
				want, _ := big.NewRat(n*up, down).Float64()
				if x := (quantity{aDuration, float64(n), from}).in(to); x != want {
					t.Fatalf("%d %ss are %v %ss, want %v", n, from.name, x, to.name, want)
				}
				want, _ = big.NewRat(n*down, up).Float64()
				if x := (quantity{aRate, float64(n), from}).in(to); x != want {
					t.Fatalf("%d per %s is %v per %s, want %v", n, from.name, x, to.name, want)
				}
			}
		}
	}
}

// TestUnitsOfTheirOwn says that what is written in the unit of the model is what the model has. A time on the model's
// clock may be written with its unit or without, and both must mean the same: what happens at 0.007 days is not to come
// after an end of 0.007.
func TestUnitsOfTheirOwn(t *testing.T) {
	for _, u := range units {
		wrong := 0
		for n := range 100_000 {
			for _, k := range []kind{aDuration, aRate} {
				if x := float64(n) / 1000; (quantity{k, x, u}).in(u) != x {
					if wrong++; wrong == 1 {
						t.Errorf("%v %ss (%v) are %v", x, u.name, k, quantity{k, x, u}.in(u))
					}
				}
			}
		}
		if wrong > 0 {
			t.Errorf("%d of 200000 quantities in %ss change", wrong, u.name)
		}
	}
}

// A lawCase is a distribution with what is known about it by hand.
type lawCase struct {
	name    string
	law     law
	mean    float64
	longest float64
	at      [3]float64 // where survival is looked at
	ages    []float64  // beyond which durations are drawn
}

var (
	inf      = math.Inf(1)
	lifeline = hazard([]float64{0, 1, 5}, []float64{0.5, 0, 0.25})
	lawCases = []lawCase{
		{"exactly", exactly(5), 5, 5, [3]float64{4.999, 5, 6}, []float64{2}},
		{"exactly 0", exactly(0), 0, 0, [3]float64{0, 1, 2}, nil},
		{"exponential", exponential(0.5), 2, inf, [3]float64{0.2, 2, 6}, []float64{1, 10}},
		{"gamma of shape 2", gamma(5, 2), 5, inf, [3]float64{1, 5, 12}, []float64{0.5, 5, 20}},
		{"gamma of shape 1", gamma(5, 1), 5, inf, [3]float64{1, 5, 12}, []float64{5}},
		{"gamma of shape 0.5", gamma(3, 0.5), 3, inf, [3]float64{0.1, 2, 9}, []float64{0.01, 1, 9}},
		{"gamma of shape 0.05", gamma(3, 0.05), 3, inf, [3]float64{1e-9, 0.1, 20}, []float64{1e-6, 3}},
		{"gamma of shape 40", gamma(10, 40), 10, inf, [3]float64{8, 10, 12}, []float64{5, 10, 14}},
		{"weibull of shape 6", weibull(80, 6), 80 * math.Gamma(7.0/6), inf, [3]float64{50, 75, 95}, []float64{30, 80, 100}},
		{"weibull of shape 0.7", weibull(2, 0.7), 2 * math.Gamma(1+1/0.7), inf, [3]float64{0.1, 2, 7}, []float64{0.1, 5}},
		{"lognormal", lognormal(5, 2), 5, inf, [3]float64{3, 5, 8}, []float64{2, 5, 9}},
		{"lognormal with a large sd", lognormal(1, 1.5), 1, inf, [3]float64{0.1, 0.6, 3}, []float64{0.3, 4}},
		{"uniform", uniform(1, 4), 2.5, 4, [3]float64{0.5, 2, 3.9}, []float64{0.5, 1, 3}},
		{"uniform from 0", uniform(0, 4), 2, 4, [3]float64{0.1, 2, 4}, []float64{2}},
		{"hazard", lifeline, 2*(1-math.Exp(-0.5)) + 4*math.Exp(-0.5) + 4*math.Exp(-0.5), inf, [3]float64{0.5, 3, 9}, []float64{0.4, 1, 2.5, 5, 7}},
		{"hazard of one step", hazard([]float64{0}, []float64{0.25}), 4, inf, [3]float64{1, 4, 8}, []float64{3}},
		{
			"mixture", mixture([]float64{0.3, 0.5, 0.2}, []law{exactly(2), exponential(0.2), uniform(1, 3)}),
			0.3*2 + 0.5*5 + 0.2*2, inf, [3]float64{1.5, 2.5, 6}, []float64{1.5, 2, 2.5, 10},
		},
		{
			"mixture with an end", mixture([]float64{0.5, 0.5}, []law{exactly(2), mixture([]float64{0.4, 0.6}, []law{uniform(1, 3), exactly(1)})}),
			0.5*2 + 0.5*(0.4*2+0.6*1), 3, [3]float64{0.5, 1.5, 2.5}, []float64{1.2, 2.1},
		},
	}
)

// Draws and standard errors: a share or a mean of 200,000 draws is off by more than 4.5 standard errors once in 150,000
// times, and the seed is fixed.
const (
	draws     = 200_000
	tolerance = 4.5
)

// shareIs compares how often something happened with its probability.
func shareIs(t *testing.T, what string, count, n int, p float64) {
	t.Helper()
	got := float64(count) / float64(n)
	if d := math.Abs(got - p); d > tolerance*math.Sqrt(max(0, p*(1-p))/float64(n))+1e-12 || math.IsNaN(p) {
		t.Errorf("%s: share %v, want %v", what, got, p)
	}
}

func TestLaws(t *testing.T) {
	for i, c := range lawCases {
		t.Run(c.name, func(t *testing.T) {
			l := &c.law
			if m := l.mean(); math.Abs(m-c.mean) > 1e-12*c.mean {
				t.Errorf("mean %v, want %v", m, c.mean)
			}
			if x := l.longest(); x != c.longest {
				t.Errorf("longest %v, want %v", x, c.longest)
			}
			s := random.New(2026, uint64(i))
			var sum, squares float64
			var longer [3]int
			for range draws {
				x := l.draw(&s)
				if !(x >= 0 && x <= c.longest) {
					t.Fatalf("a draw of %v", x)
				}
				d := x - c.mean
				sum += d
				squares += d * d
				for k, at := range c.at {
					if x > at {
						longer[k]++
					}
				}
			}
			se := math.Sqrt(squares / draws / draws)
			if off := sum / draws; math.Abs(off) > tolerance*se+1e-12*c.mean {
				t.Errorf("the mean of the draws is %v, want %v ± %v", c.mean+off, c.mean, se)
			}
			for k, at := range c.at {
				shareIs(t, "longer than the point", longer[k], draws, l.survival(at))
			}
		})
	}
}

// TestDrawBeyond compares what is left at an age with what Bayes says: it is longer than x with the probability of x
// divided by that of the age.
func TestDrawBeyond(t *testing.T) {
	const n = 20_000
	for i, c := range lawCases {
		t.Run(c.name, func(t *testing.T) {
			for _, age := range c.ages {
				checkBeyond(t, &c.law, age, n, uint64(i))
			}
			// At the beginning of life nothing is known yet.
			a, b := random.New(1, uint64(i)), random.New(1, uint64(i))
			if x, y := c.law.draw(&a), c.law.drawBeyond(&b, 0); x != y || a != b {
				t.Errorf("beyond 0 it draws %v in place of %v", y, x)
			}
		})
	}
}

func checkBeyond(t *testing.T, l *law, age float64, n int, seed uint64) {
	t.Helper()
	s := random.New(2027, seed)
	xs := make([]float64, n)
	for k := range xs {
		// Rounding may bring a draw down to the age itself.
		if xs[k] = l.drawBeyond(&s, age); !(xs[k] >= age && xs[k] <= l.longest()) {
			t.Fatalf("beyond %v it draws %v", age, xs[k])
		}
	}
	// Where to look: at some of the draws, which are where the probability is.
	for _, at := range []float64{xs[0], xs[1], xs[2]} {
		count := 0
		for _, x := range xs {
			if x > at {
				count++
			}
		}
		shareIs(t, "longer than "+inWords(at, unit{name: "day"})+" beyond "+inWords(age, unit{name: "day"}), count, n, l.survival(at)/l.survival(age))
	}
}

// TestDrawBeyondFar goes where almost nobody comes: the numbers there are as small as 10⁻²⁵⁰, and what is left must be right
// all the same.
func TestDrawBeyondFar(t *testing.T) {
	for i, c := range []struct {
		name string
		law  law
		ages []float64
	}{
		{"exponential", exponential(1), []float64{40, 500}},
		{"gamma", gamma(1, 2), []float64{20, 50, 150, 280}},
		{"gamma of shape 0.5", gamma(1, 0.5), []float64{50, 200, 1000}},
		{"gamma of shape 30", gamma(1, 30), []float64{3, 6, 20}},
		{"weibull", weibull(1, 3), []float64{3, 8}},
		{"lognormal", lognormal(1, 0.5), []float64{20, 60, 10_000}},
		{"hazard", lifeline, []float64{200, 2000}},
		{"mixture", mixture([]float64{0.5, 0.5}, []law{gamma(1, 2), exponential(1.5)}), []float64{30, 200}},
	} {
		for _, age := range c.ages {
			t.Run(c.name, func(t *testing.T) { checkBeyond(t, &c.law, age, 20_000, uint64(100+i)) })
		}
	}
	// Beyond all numbers what is left of a gamma is exponential, to one part in b·age.
	l := gamma(1, 2)
	s := random.New(2028)
	sum := 0.0
	for range draws {
		sum += l.drawBeyond(&s, 500) - 500
	}
	if mean, se := sum/draws, 0.5/math.Sqrt(draws); math.Abs(mean-0.5*(1+1.0/1001)) > tolerance*se {
		t.Errorf("beyond 500 there is %v left of a gamma, want 0.5005 ± %v", mean, se)
	}
}

// TestLognormal checks that mean and sd are those of the time, not of its logarithm.
func TestLognormal(t *testing.T) {
	l := lognormal(5, 2)
	if sd := l.mean() * math.Sqrt(math.Expm1(l.b*l.b)); math.Abs(sd-2) > 1e-12 {
		t.Errorf("sd %v, want 2", sd)
	}
	if want := math.Log(25 / math.Sqrt(29)); math.Abs(l.a-want) > 1e-12 {
		t.Errorf("the logarithm has mean %v, want %v", l.a, want)
	}
	if want := math.Sqrt(math.Log(1.16)); math.Abs(l.b-want) > 1e-12 {
		t.Errorf("the logarithm has sd %v, want %v", l.b, want)
	}
	s := random.New(2029)
	var squares, fourths float64
	for range draws {
		d := l.draw(&s) - 5
		squares += d * d
		fourths += d * d * d * d
	}
	variance := squares / draws
	se := math.Sqrt((fourths/draws - variance*variance) / draws)
	if math.Abs(variance-4) > tolerance*se {
		t.Errorf("the variance of the draws is %v, want 4 ± %v", variance, se)
	}
}

// TestHazardByHand takes a table of 0.5 up to 1, nothing up to 5, and 0.25 from then on.
func TestHazardByHand(t *testing.T) {
	for x, want := range map[float64]float64{
		0: 1, 0.5: math.Exp(-0.25), 1: math.Exp(-0.5), 3: math.Exp(-0.5), 5: math.Exp(-0.5), 9: math.Exp(-1.5), 21: math.Exp(-4.5),
	} {
		if p := lifeline.survival(x); math.Abs(p-want) > 1e-15 {
			t.Errorf("survival of %v is %v, want %v", x, p, want)
		}
	}
	for h, want := range map[float64]float64{0.25: 0.5, 0.49: 0.98, 0.75: 6, 1.5: 9} {
		if x := lifeline.reach(h); math.Abs(x-want) > 1e-15 {
			t.Errorf("the hazard is %v at %v, want %v", h, x, want)
		}
	}
	for x, want := range map[float64]int{0: 0, 0.99: 0, 1: 1, 4.99: 1, 5: 2, 100: 2} {
		if i := lifeline.byAge.find(x); i != want {
			t.Errorf("%v is in step %d, want %d", x, i, want)
		}
	}
	// A table that ends with 0 lets a share of all live for ever.
	mortal := hazard([]float64{0, 2}, []float64{0.5, 0})
	if m := mortal.mean(); m != inf {
		t.Errorf("mean %v of what may never end", m)
	}
	s := random.New(2030)
	forever, beyond := 0, 0
	for range draws {
		if x := mortal.draw(&s); x == inf {
			forever++
		} else if x > 2 {
			t.Fatalf("a draw of %v", x)
		}
		if mortal.drawBeyond(&s, 1) == inf {
			beyond++
		}
	}
	shareIs(t, "for ever", forever, draws, math.Exp(-1))
	shareIs(t, "for ever beyond 1", beyond, draws, math.Exp(-0.5))
	if x := mortal.drawBeyond(&s, 3); x != inf {
		t.Errorf("who is past the table lives to %v", x)
	}
}

// TestNever is about what has no chance to happen.
func TestNever(t *testing.T) {
	s := random.New(2031)
	never := exponential(0)
	if x, y, m, p := never.draw(&s), never.drawBeyond(&s, 3), never.mean(), never.survival(1e9); x != inf || y != inf || m != inf || p != 1 {
		t.Errorf("a rate of 0: draws %v and %v, mean %v, survival %v", x, y, m, p)
	}
	// A part without a share is not drawn, and counts for nothing.
	l := mixture([]float64{0, 1, 0}, []law{never, exactly(2), hazard([]float64{0}, []float64{0})})
	for range 1000 {
		if x := l.draw(&s); x != 2 {
			t.Fatalf("a draw of %v from a part without a share", x)
		}
		if x := l.drawBeyond(&s, 1); x != 2 {
			t.Fatalf("a draw of %v from a part without a share", x)
		}
	}
	if m := l.mean(); m != 2 {
		t.Errorf("mean %v, want 2", m)
	}
	if x := l.longest(); x != 2 {
		t.Errorf("longest %v, want 2", x)
	}
}
