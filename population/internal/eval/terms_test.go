package eval_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// evaluate evaluates an expression in a scope: its value in the unit of the model, and its
// dimension.
func evaluate(here eval.Scope, text string) (eval.DimTerm, error) {
	defined := map[string]bool{}
	for _, name := range here.ParameterNames() {
		defined[name] = true
	}
	x := &syntax.Expression{At: diag.Place{File: "test", Line: 1, Column: 1}, HasColumns: true, Text: text}
	if wrong := syntax.ParseExpression(x, defined, here.ParameterNames); wrong != nil {
		return eval.DimTerm{}, fmt.Errorf("%d: %v", wrong.At+1, wrong.Message)
	}
	here = here.Quiet()
	m, ok := here.Term(syntax.Value{Expr: x}, "x")
	if !ok {
		return eval.DimTerm{}, here.Err()
	}
	return m, nil
}

func TestExpressionWrongValueOrDimension(t *testing.T) {
	here, _ := scopeOf(t, `
		beta: 0.5 per day
		stay: 4 days
		half: beta * stay / 4
		R0: beta * stay
		a-b: 7
		a: 10
		b: 1
		waning of immunity: 2 per week
		x.y: 3
		o'k: 5
		min: 9`)
	for text, want := range map[string]struct {
		x float64
		d quantity.Dimension
	}{
		"0.5 * beta":                    {0.25, quantity.RateDimension},
		"1 - half":                      {0.5, quantity.Dimensionless},
		"stay / 2":                      {2, quantity.DurationDimension},
		"1 / 0.5 per day":               {2, quantity.DurationDimension}, // a quantity binds tightest
		"2 * 3 days / 6":                {1, quantity.DurationDimension},
		"R0":                            {2, quantity.Dimensionless},
		"R0 - 1":                        {1, quantity.Dimensionless},
		"2 + 3 * 4":                     {14, quantity.Dimensionless},
		"(2 + 3) * 4":                   {20, quantity.Dimensionless},
		"10 - 4 - 3":                    {3, quantity.Dimensionless},
		"100 / 10 / 2":                  {5, quantity.Dimensionless},
		"2 ^ 3 ^ 2":                     {512, quantity.Dimensionless},
		"-2 ^ 2":                        {-4, quantity.Dimensionless},
		"2 ^ -1":                        {0.5, quantity.Dimensionless},
		"--2":                           {2, quantity.Dimensionless},
		"+2":                            {2, quantity.Dimensionless},
		"3 - -2":                        {5, quantity.Dimensionless},
		"2*-3":                          {-6, quantity.Dimensionless},
		"stay ^ 2":                      {16, quantity.Dimension{N: 2, D: 1}},
		"sqrt(stay ^ 2)":                {4, quantity.DurationDimension},
		"sqrt(stay)":                    {2, quantity.Dimension{N: 1, D: 2}},
		"sqrt(stay) * stay ^ 0.5":       {4, quantity.DurationDimension},
		"stay ^ (1/3) * stay ^ (2/3)":   {4, quantity.DurationDimension},
		"1 / stay ^ 2 * stay":           {0.25, quantity.RateDimension},
		"20% * 50":                      {10, quantity.Dimensionless},
		"1 - 20%":                       {0.8, quantity.Dimensionless},
		"10_000 / 1e4":                  {1, quantity.Dimensionless},
		"1e-3 * 1e+3":                   {1, quantity.Dimensionless},
		".5 + 5.":                       {5.5, quantity.Dimensionless},
		"min(3, 2, 5)":                  {2, quantity.Dimensionless},
		"max(beta, 1 per week)":         {0.5, quantity.RateDimension},
		"min (stay, 1 day)":             {1, quantity.DurationDimension},
		"min + 1":                       {10, quantity.Dimensionless}, // a parameter, since no parenthesis follows
		"exp(0) + log(1)":               {1, quantity.Dimensionless},
		"exp(-beta * 2 days)":           {math.Exp(-1), quantity.Dimensionless},
		"a-b":                           {7, quantity.Dimensionless}, // the longest name that matches
		"a-b * 2":                       {14, quantity.Dimensionless},
		"a - b":                         {9, quantity.Dimensionless},
		"a -b":                          {9, quantity.Dimensionless},
		"a-b-a":                         {-3, quantity.Dimensionless},
		"waning of immunity * 7 days":   {2, quantity.Dimensionless},
		"2*waning of immunity*7 days":   {4, quantity.Dimensionless},
		"x.y + o'k":                     {8, quantity.Dimensionless},
		"1 week - 1 day":                {6, quantity.DurationDimension},
		"  (  ( beta ) )  * 2 ":         {1, quantity.RateDimension},
		"(1 - 20%) * (1 - 20%) * 100%":  {0.64, quantity.Dimensionless},
		"108 months / 1 year":           {9, quantity.Dimensionless},
		"beta - beta":                   {0, quantity.RateDimension},
		"0.5 per day * 2 days + R0 ^ 2": {5, quantity.Dimensionless},
	} {
		got, err := evaluate(here, strings.TrimSpace(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got.Op != program.TermConstant || math.Abs(got.X-want.x) > 1e-14*math.Abs(want.x) ||
			got.Dimension != want.d {
			t.Errorf("%s is %v %v, want %v %v", text, got.Term, got.Dimension, want.x, want.d)
		}
	}
}

// TestBrokenExpressionAccepted gives the byte, from 1, at which each expression is wrong.
func TestBrokenExpressionAccepted(t *testing.T) {
	here, _ := scopeOf(t, "beta: 0.5 per day\nstay: 4 days\nlength: {gamma: {mean: 4 days, shape: 2}}\ntotal of all: 3")
	for text, want := range map[string]string{
		"2 *":        "4: something is missing at the end; expected a quantity or a parameter",
		"* 2":        `1: found "*", expected a quantity or a parameter`,
		"(2 + 3":     "1: there is no ) for (",
		"2 + 3)":     "6: a ) without a ( before it",
		"2 3":        `3: there is no unit "3"; the units are second, minute, hour, day, week, month, year`,
		"2 (3)":      `3: found "(", expected an operator such as + or *`,
		"2 * 5 dyas": `7: there is no unit "dyas"; did you mean "days"?`,
		"2 * 5 per":  "10: 5 per what? Write 5 per day, for example",
		"beta stay":  `6: found "stay", expected an operator such as + or *`,
		"beta days":  `6: "days" has no number before it; a unit stands directly after a number, as in 5 days`,
		"1 / day":    `5: "day" has no number before it; a rate is written 0.5 per day, and a duration 5 days`,
		"2 * betta":  `5: there is no parameter "betta"; did you mean "beta"?`,
		"sin(2)":     `1: there is no function "sin"; did you mean "min"?`,
		"beta(2)": `1: there is no function "beta"; the functions are min, max, exp, log, sqrt; a product ` +
			`is written with *`,
		"exp(1, 2)":      "1: exp has one argument, and there are 2 here",
		"exp()":          `5: found ")", expected a quantity or a parameter`,
		"exp(1":          "1: there is no ) for exp(",
		"1, 2":           "2: a comma stands between the arguments of min and max, and nowhere else",
		"2 % 3":          "3: a % stands directly after a number, as in 30%",
		"2x + 1":         `1: "2x" is not a number`,
		"1 + 0x10":       `5: "0x10" is not a number`,
		"1 + 1__0":       `5: "1__0" is not a number`,
		"2 * 2020-03-01": "5: 2020-03-01 is a date, and cannot be part of an expression",
		"1 + total": "5: total may stand only in the value of a rate, as in {value: r * (1 - " +
			"total / 10_000), most: r}",
		"1 + count(a)": "5: count(…) may stand only in the value of a rate, as in {value: r * " +
			"count(prey) / 1000, most: r}",
		"beta + stay": "test:1:6: x: beta is a rate, 0.5 per day, and stay is a duration, 4 days; only things " +
			"of the same kind can be added or subtracted",
		"1 + 2 * beta": "test:1:3: x: 1 is a number, and 2 * beta is a rate; only things of the same kind can be " +
			"added or subtracted",
		"max(beta, 0)": "test:1:1: x: beta is a rate, 0.5 per day, and 0 is a number; only things of the same " +
			"kind can be compared",
		"exp(beta)": "test:1:1: x: beta is a rate, 0.5 per day; exp and log are of numbers",
		"2 ^ stay":  "test:1:3: x: the exponent stay is a duration, 4 days; expected a number",
		"stay ^ 0.1234567": "test:1:6: x: stay is a duration, 4 days, which cannot be raised to 0.123457; expected " +
			"an exponent such as 2 or 1/2",
		"stay ^ 2000": "test:1:6: x: stay is a duration, 4 days, which cannot be raised to 2000; expected an " +
			"exponent such as 2 or 1/2",
		"1 / (2 - 2)":     "test:1:3: x: 1 / (2 - 2) is +Inf, with which one cannot calculate",
		"log(0 - 1)":      "test:1:1: x: log(0 - 1) is NaN, with which one cannot calculate",
		"exp(1000)":       "test:1:1: x: exp(1000) is +Inf, with which one cannot calculate",
		"2 * length":      "test:1:5: x: parameter length is a distribution, and cannot be part of an expression",
		"1 + 1e305 years": "test:1:5: x: 1e305 years is too large or too small for a time in days",
		strings.Repeat("(", 60) + "1" + strings.Repeat(")", 60): "51: more than 50 expressions in one another; give " +
			"parts of it names, as parameters",
		strings.Repeat("-", 60) + "1": "51: more than 50 expressions in one another; give " +
			"parts of it names, as parameters",
		strings.Repeat("1+", 1500) + "1": "1: an expression of more than 2000 letters; give " +
			"parts of it names, as parameters",
	} {
		_, err := evaluate(here, text)
		if got := fmt.Sprint(err); got != want {
			t.Errorf("%.60s: got\n%s\nwant\n%s", text, got, want)
		}
	}
}

// TestNameReadAsExpression checks that a parameter whose name contains operators can still be
// used.
func TestNameReadAsExpression(t *testing.T) {
	m, err := compileText(`name: m
time: {unit: day, end: 10}
population: {size: 1, start: {a: 1}}
parameters: {a-b: 2 per day, c + d: 3 per day, e'f.g h: 4 per day, "1": 5}
states:
  a:
    race: [{rate: a-b, to: a}, {rate: c + d, to: a}, {rate: e'f.g h, to: a}]
`)
	const want = `model.yaml:4:68: parameters: "1" cannot be a name; ` +
		`expected letters, digits and _, beginning with a letter: write parameter_1, for example`
	if err == nil || err.Error() != want {
		t.Fatal(m, err)
	}
	m, err = compileText(`name: m
time: {unit: day, end: 10}
population: {size: 1, start: {a: 1}}
parameters: {a-b: 2 per day, c + d: 3 per day, e'f.g h: 4 per day}
states:
  a:
    race: [{rate: a-b, to: a}, {rate: c + d, to: a}, {rate: e'f.g h, to: a}]
`)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Program.FirstPhase.States[0].TotalRate; got != 9 {
		t.Errorf("the rates add up to %v, want 9", got)
	}
}

// TestExpressionRefusedSomewhere gives a parameter an expression in the file, with --set and in a
// scenario.
func TestExpressionRefusedSomewhere(t *testing.T) {
	const source = `name: m
time: {unit: day, end: 10}
population: {size: 1, start: {a: 1}}
parameters: {beta: 0.5 per day, stay: 4 days, rate: beta * 2, half: rate / 2}
states: {a: {race: [{rate: half + 1 per day, to: a}]}}
interventions: [{at: 3 days, set: {beta: 3 / stay}}, {at: 5 days, set: {half: rate - beta, beta: 2 per day}}]
scenarios: {slow: {beta: 0.1 / stay}, base: {}}
`
	rates := func(asked ...func(*syntax.Changes)) (all []float64) {
		m, err := compileText(source, asked...)
		if err != nil {
			t.Fatal(err)
		}
		for _, phase := range m.Program.Phases {
			all = append(all, phase.States[0].TotalRate)
		}
		return all
	}
	for name, c := range map[string]struct {
		OnCommandLine []func(*syntax.Changes)
		want          []float64
	}{
		"the file":   {nil, []float64{1.5, 1.75, 3}},
		"--set":      {[]func(*syntax.Changes){set("beta", "2 / stay + 0.25 per day")}, []float64{1.75, 1.75, 3}},
		"a scenario": {[]func(*syntax.Changes){scenario("slow")}, []float64{1.025, 1.75, 3}},
		"both":       {[]func(*syntax.Changes){scenario("slow"), set("stay", "1 week - 6 days")}, []float64{1.1, 4, 3}},
	} {
		got := rates(c.OnCommandLine...)
		for i, want := range c.want {
			if math.Abs(got[i]-want) > 1e-12 {
				t.Errorf("%s: the rates are %v, want %v", name, got, c.want)
				break
			}
		}
	}
	for value, want := range map[string]string{
		"beta * 2": `model.yaml:6:42: intervention 1: set: beta: the parameter "beta" stands for itself; ` +
			`what it becomes cannot be worked out from what it was: write it out, or give what it was ` +
			`a name of its own`,
		"2 /": `--set stay: the value: "2 /": something is missing at the end; expected a quantity or ` +
			`a parameter`,
		"4": "model.yaml:6:42: states: a: race: clock 1: rate: half is a number, and 1 per day is a " +
			"rate; only things of the same kind can be added or subtracted (see line 5)",
		"4 days + 1 per day": "--set stay: parameters: stay: 4 days is a duration, and 1 per day is a rate; only " +
			"things of the same kind can be added or subtracted",
	} {
		if _, err := compileText(source, set("stay", value)); err == nil || err.Error() != want {
			t.Errorf("%s: got\n%v\nwant\n%s", value, err, want)
		}
	}
}
