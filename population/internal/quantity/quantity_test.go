package quantity

import (
	"math"
	"math/big"
	"testing"
)

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "7": 7, "-1.5": -1.5, "+2": 2, ".5": 0.5, "5.": 5, "1e3": 1000, "1E-3": 0.001, "2.5e+2": 250, "007": 7,
		"100_000": 100_000, "1_000.000_5": 1000.0005, "1_0e1_0": 1e11,
		"1.7976931348623157e308": math.MaxFloat64, "5e-324": math.SmallestNonzeroFloat64,
	} {
		if x, ok := ParseNumber(text); !ok || x != want {
			t.Errorf("%q is %v, %v; want %v", text, x, ok, want)
		}
	}
	for _, text := range []string{
		"", " ", "-", "+", ".", "_", "e", "e5", "1e", "--1", "1-", "1,5", "1 0", "1..5", "0x10", "0b1",
		"0o7", "0x1p-2", "1f", "nan", "NaN", "inf", "Inf", "+Inf", ".inf", ".nan", "infinity", "1e999", "-1e999",
		"1.8e308", "_1", "1_", "1__0", "٣", "１", "½", "−1",
		// An underscore stands between digits only.
		"1_.5", "1._5", "1e_5", "1_e5", "+_1", "-_1",
		// Too small for a float64, and not 0.
		"1e-400", "-0.1e-999",
	} {
		if x, ok := ParseNumber(text); ok {
			t.Errorf("%q is read as %v", text, x)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Quantity{
		"0.3":              {Number, 0.3, Unit{}},
		"-2":               {Number, -2, Unit{}},
		"30%":              {Share, 0.3, Unit{}},
		"0.1%":             {Share, 0.001, Unit{}},
		"-5%":              {Share, -0.05, Unit{}},
		"5 days":           {Duration, 5, Unit{"day", 86400}},
		"1 day":            {Duration, 1, Unit{"day", 86400}},
		"1 days":           {Duration, 1, Unit{"day", 86400}},
		"2 second":         {Duration, 2, Unit{"second", 1}},
		"1.5 minutes":      {Duration, 1.5, Unit{"minute", 60}},
		"1_000 hours":      {Duration, 1000, Unit{"hour", 3600}},
		"-3 weeks":         {Duration, -3, Unit{"week", 604800}},
		"108 months":       {Duration, 108, Unit{"month", 2629800}},
		"1e2 years":        {Duration, 100, Unit{"year", 31557600}},
		"  5 \t days  ":    {Duration, 5, Unit{"day", 86400}},
		"0.5 per day":      {Rate, 0.5, Unit{"day", 86400}},
		"500 per years":    {Rate, 500, Unit{"year", 31557600}},
		"-1  per  month":   {Rate, -1, Unit{"month", 2629800}},
		"0 per second":     {Rate, 0, Unit{"second", 1}},
		"1e-3 per minutes": {Rate, 0.001, Unit{"minute", 60}},
	} {
		if q, err := Parse(text); err != nil || q != want {
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
		if q, err := Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q is %v, error\n%v\nwant\n%s", text, q, err, want)
		}
	}
}

func TestUnitConversions(t *testing.T) {
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
		q, err := Parse(c.text)
		u, unknown := FindUnit(c.unit)
		if err != nil || unknown != nil {
			t.Fatal(c.text, c.unit, err, unknown)
		}
		if x := q.In(u); x != c.want {
			t.Errorf("%s is %v in terms of a %s, want %v", c.text, x, c.unit, c.want)
		}
	}
}

// TestUnitConversionsAreExact compares with fractions: a whole number of one unit, converted to
// another, is the nearest float64, and so exact wherever a float64 can be.
func TestUnitConversionsAreExact(t *testing.T) {
	for _, from := range Units {
		for _, to := range Units {
			for n := range int64(2000) {
				up, down := int64(from.Seconds), int64(to.Seconds)
				want, _ := big.NewRat(n*up, down).Float64()
				if x := (Quantity{Duration, float64(n), from}).In(to); x != want {
					t.Fatalf("%d %ss are %v %ss, want %v", n, from.Name, x, to.Name, want)
				}
				want, _ = big.NewRat(n*down, up).Float64()
				if x := (Quantity{Rate, float64(n), from}).In(to); x != want {
					t.Fatalf("%d per %s is %v per %s, want %v", n, from.Name, x, to.Name, want)
				}
			}
		}
	}
}

// TestConversionToTheSameUnitChangesNothing: a time on the model's clock may be written with its
// unit or without, and both must mean the same. An event at 0.007 days must not come after an end
// of 0.007.
func TestConversionToTheSameUnitChangesNothing(t *testing.T) {
	for _, u := range Units {
		wrong := 0
		for n := range 100_000 {
			for _, k := range []Kind{Duration, Rate} {
				if x := float64(n) / 1000; (Quantity{k, x, u}).In(u) != x {
					if wrong++; wrong == 1 {
						t.Errorf("%v %ss (%v) are %v", x, u.Name, k, Quantity{k, x, u}.In(u))
					}
				}
			}
		}
		if wrong > 0 {
			t.Errorf("%d of 200000 quantities in %ss change", wrong, u.Name)
		}
	}
}
