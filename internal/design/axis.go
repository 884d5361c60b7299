// Package design says at which points a model is run: grids of values, and samples of ranges by
// Latin hypercubes or Sobol's sequence.
//
// What is varied is written as one would say it:
//
//	0.2..0.6 per day by 0.05    from 0.2 per day to 0.6 per day, in steps
//	0%, 40%, 80%                these values
//	0.3, 0.4 per day            0.3 per day and 0.4 per day: a unit holds for plain numbers too
//	0.2..0.6 per day            any between them, for a sample
//	1..5 whole                  any whole number of them, for a sample
//
// Values stay text, as a model file has them, with their unit: a point is the same whoever reads
// it. Steps are worked out as fractions, so that the last of 0.2, 0.25, … is 0.6.
package design

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// An Axis is a parameter that is varied, with its values.
type Axis struct {
	Name   string
	Unit   string   // of all values, such as "per day" or "%"; empty if there is none, or they differ
	Values []string // those of a list or of steps

	// Ends of a range, which has no values.
	Low, High float64
	Whole     bool // whole numbers only
}

// IsRange reports whether the axis is a range, for sampling.
func (a *Axis) IsRange() bool { return a.Values == nil }

// MostValues is the largest number of values of an axis.
const MostValues = 100_000

// quantity is a number with its unit.
var quantity = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([+-]?(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?)\s*(.*)$`)
})

// split splits a text into a number and its unit.
func split(text string) (number, unit string, ok bool) {
	m := quantity().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return "", "", false
	}
	unit = strings.Join(strings.Fields(m[2]), " ")
	if unit != "" && unit != "%" && !unitLike().MatchString(unit) {
		return "", "", false
	}
	return strings.ReplaceAll(m[1], "_", ""), unit, true
}

var unitLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\pL+(?: \pL+)?$`) })

// Number is the number of a value on this axis, in its unit; NaN if it is not a number.
func (a *Axis) Number(value string) float64 {
	number, unit, ok := split(value)
	if !ok || unit != a.Unit {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// Column is the axis as a heading, with its unit. Tables for programs use the name alone.
func (a *Axis) Column() string {
	if a.Unit == "" {
		return a.Name
	}
	return a.Name + " (" + a.Unit + ")"
}

// Names are what the columns of some axes are called in a table: by their names, or, where the
// table has a column of that name for itself, with "parameter " before it.
func Names(axes []*Axis, own ...string) (names []string) {
	for _, a := range axes {
		name := a.Name
		if slices.Contains(own, name) {
			name = "parameter " + name
		}
		names = append(names, name)
	}
	return names
}

// Cell is a value as it stands in the column: its number if the axis has a unit, and otherwise as
// it is written.
func (a *Axis) Cell(value string) string {
	if number, unit, ok := split(value); ok && unit == a.Unit {
		return number
	}
	return value
}

// Parse parses an axis: NAME=VALUES.
func Parse(text string) (*Axis, error) {
	name, values, ok := strings.Cut(text, "=")
	name, values = strings.TrimSpace(name), strings.TrimSpace(values)
	switch {
	case !ok:
		return nil, fmt.Errorf("%q has no =; expected a name and its values, as in beta=\"0.2..0.6 per day by 0.05\"", text)
	case name == "":
		return nil, fmt.Errorf("%q has no name before the =", text)
	case values == "":
		return nil, fmt.Errorf("%s: no values; expected some, such as \"0.2..0.6 per day by 0.05\" or \"0%%, 40%%, 80%%\"",
			name)
	}
	a := &Axis{Name: name}
	var err error
	if isRange().MatchString(values) {
		err = a.parseRange(values)
	} else {
		err = a.parseList(values)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// isRange distinguishes the dots of a range from those of a list or a name.
var isRange = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^,\[{"'(]*\.\.[^,\[{"'(]*$`) })

func (a *Axis) parseRange(text string) error {
	low, rest, _ := strings.Cut(text, "..")
	high, by, steps := cutWord(rest, "by")
	high, a.Whole = strings.CutSuffix(strings.TrimSpace(high), " whole")
	var units [3]string
	var numbers [3]string
	for i, part := range []struct{ what, text string }{{"the low end", low}, {"the high end", high}, {"the step", by}} {
		if i == 2 && !steps {
			break
		}
		var ok bool
		if numbers[i], units[i], ok = split(part.text); !ok {
			return fmt.Errorf("%s is %q; expected a number with a unit if it has one, as in 0.2..0.6 per day by 0.05", part.what,
				strings.TrimSpace(part.text))
		}
	}
	for i, what := range []string{"low end", "", "step"} {
		if units[i] != "" && units[i] != units[1] {
			return fmt.Errorf("the %s is in %q and the high end in %q; write both in one unit", what, units[i], units[1])
		}
	}
	a.Unit = units[1]
	lowest, ok1 := fraction(numbers[0])
	highest, ok2 := fraction(numbers[1])
	if !ok1 || !ok2 {
		return fmt.Errorf("%q has a number that is too large or too small to work with", text)
	}
	a.Low, _ = lowest.Float64()
	a.High, _ = highest.Float64()
	if !(a.Low < a.High) {
		return fmt.Errorf("it goes from %s to %s; the second must be larger", numbers[0], numbers[1])
	}
	if !steps {
		if a.Whole && math.Ceil(a.Low) > math.Floor(a.High) {
			return fmt.Errorf("there is no whole number from %s to %s", numbers[0], numbers[1])
		}
		return nil
	}
	if a.Whole {
		return fmt.Errorf("\"whole\" is for ranges without steps; leave it out, or leave out by")
	}
	step, ok := fraction(numbers[2])
	if !ok || step.Sign() <= 0 {
		return fmt.Errorf("the step is %s; expected a number above 0", numbers[2])
	}
	return a.steps(lowest, highest, step)
}

// fraction is a decimal number, exactly, if it is of a size that a float64 can have: an exponent of
// nine digits would take all memory.
func fraction(number string) (*big.Rat, bool) {
	const longest = 100
	switch x, err := strconv.ParseFloat(number, 64); {
	case err != nil || len(number) > longest:
		return nil, false
	case x == 0:
		digits, _, _ := strings.Cut(strings.ToLower(number), "e")
		return new(big.Rat), strings.Trim(digits, "+-0.") == ""
	}
	return new(big.Rat).SetString(number)
}

// steps fills in the values from the low end on, exactly. The high end is one of them if a step
// hits it.
func (a *Axis) steps(low, high, step *big.Rat) error {
	count := new(big.Rat).Quo(new(big.Rat).Sub(high, low), step)
	n := new(big.Int).Quo(count.Num(), count.Denom())
	if !n.IsInt64() || n.Int64() >= MostValues {
		return fmt.Errorf("it has more than %d steps", MostValues)
	}
	for k := range n.Int64() + 1 {
		x := new(big.Rat).Add(low, new(big.Rat).Mul(step, new(big.Rat).SetInt64(k)))
		a.Values = append(a.Values, a.Write(decimal(x)))
	}
	return nil
}

// decimal writes a fraction whose denominator is of twos and fives, without zeros at the end.
func decimal(x *big.Rat) string {
	digits, exact := x.FloatPrec()
	if !exact || digits > 30 {
		digits = 30
	}
	s := x.FloatString(digits)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Write is a number with the unit, as a model file has it.
func (a *Axis) Write(number string) string {
	switch a.Unit {
	case "":
		return number
	case "%":
		return number + "%"
	}
	return number + " " + a.Unit
}

func (a *Axis) parseList(text string) error {
	for _, v := range commas(text) {
		if v = strings.TrimSpace(v); v == "" {
			return fmt.Errorf("%q has an empty value; expected values with commas between, such as 0%%, 40%%, 80%%", text)
		}
		a.Values = append(a.Values, v)
	}
	if len(a.Values) > MostValues {
		return fmt.Errorf("it has %d values; %d are the most", len(a.Values), MostValues)
	}
	if err := a.share(); err != nil {
		return err
	}
	seen := map[string]bool{}
	common, same := "", true
	for i, v := range a.Values {
		if seen[v] {
			return fmt.Errorf("%s stands there twice", v)
		}
		seen[v] = true
		_, unit, ok := split(v)
		if i == 0 {
			common = unit
		}
		same = same && ok && unit == common
	}
	if same {
		a.Unit = common
	}
	return nil
}

// share gives plain numbers of a list the unit that the others have, if it is one: 0.3, 0.4 per
// day. Beside a percentage, a number up to 1 could be meant as it is written.
func (a *Axis) share() error {
	unit, plain := "", []int(nil)
	for i, v := range a.Values {
		switch _, u, ok := split(v); {
		case !ok || u != "" && unit != "" && u != unit:
			return nil
		case u == "":
			plain = append(plain, i)
		default:
			unit = u
		}
	}
	if unit == "" {
		return nil
	}
	for _, i := range plain {
		number, _, _ := split(a.Values[i])
		x, err := strconv.ParseFloat(number, 64)
		switch {
		case err != nil:
			return nil
		case unit == "%" && x > 0 && x <= 1:
			return fmt.Errorf("%s beside percentages: %s%% or %s%%? Write the %% behind it", a.Values[i], number,
				strconv.FormatFloat(math.Round(100*x*1e9)/1e9, 'g', -1, 64))
		}
		a.Values[i] = (&Axis{Unit: unit}).Write(a.Values[i])
	}
	return nil
}

// commas cuts a text at commas that are not within brackets or quotes.
func commas(text string) (parts []string) {
	depth, quote, from := 0, rune(0), 0
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '{' || c == '(':
			depth++
		case c == ']' || c == '}' || c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}

// cutWord cuts a text at a separate word.
func cutWord(text, word string) (before, after string, found bool) {
	fields := strings.Fields(text)
	for i, f := range fields {
		if f == word {
			return strings.Join(fields[:i], " "), strings.Join(fields[i+1:], " "), true
		}
	}
	return text, "", false
}
