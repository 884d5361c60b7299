package quantity

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population/internal/diag"
)

// A Unit of time. Its seconds are whole, so that a whole number of one unit converts exactly to
// another wherever the result is a float64.
type Unit struct {
	Name    string
	Seconds float64
}

// SecondsPerYear is the number of seconds in a year, which has 365.25 days.
const SecondsPerYear = 365.25 * 24 * 60 * 60

// Units are the units of time, from the shortest to the longest.
var Units = []Unit{
	{"second", 1}, {"minute", 60}, {"hour", 60 * 60}, {"day", 24 * 60 * 60}, {"week", 7 * 24 * 60 * 60},
	{"month", SecondsPerYear / 12}, {"year", SecondsPerYear},
}

// NameFor returns the unit's name after a number: day or days.
func (u Unit) NameFor(number float64) string {
	if number == 1 {
		return u.Name
	}
	return u.Name + "s"
}

// Duration returns a duration in words: 5 days.
func (u Unit) Duration(x float64) string {
	if math.IsInf(x, 1) {
		return "for ever"
	}
	number := fmt.Sprintf("%.4g", x)
	if number == "1" { // also if it rounds to 1
		x = 1
	}
	return number + " " + u.NameFor(x)
}

// Rate returns a rate in words: 0.5 per day.
func (u Unit) Rate(x float64) string { return fmt.Sprintf("%.4g per %s", x, u.Name) }

// FindUnit returns the unit with a name, in the singular or the plural. The error names the nearest
// one, or all of them.
func FindUnit(name string) (Unit, error) {
	i := slices.IndexFunc(Units, func(u Unit) bool { return name == u.Name || name == u.Name+"s" })
	if i >= 0 {
		return Units[i], nil
	}
	var names, both []string
	for _, u := range Units {
		names = append(names, u.Name)
		both = append(both, u.Name, u.Name+"s")
	}
	if near := suggest.Name(name, both); near != "" {
		return Unit{}, fmt.Errorf("there is no unit %s; did you mean %q?", diag.Quote(name), near)
	}
	return Unit{}, fmt.Errorf("there is no unit %s; the units are %s", diag.Quote(name), strings.Join(names, ", "))
}

// A Kind is what a value is: a number, a duration and so on.
type Kind uint8

// The kinds.
const (
	Number Kind = iota
	Share       // 30%
	Duration
	Rate
	Distribution
	Any   // any of the above
	Date  // in days since 1970-01-01
	Power // a power of time that is neither a duration nor a rate
)

// String returns the kind with its article, for a message.
func (k Kind) String() string {
	return [...]string{
		"a number", "a percentage", "a duration", "a rate", "a distribution", "a value", "a date", "a power of a time",
	}[k]
}

// Example returns an example of the kind.
func (k Kind) Example() string {
	return [...]string{
		"2", "30%", "5 days", "0.5 per day", "{gamma: {mean: 5 days, shape: 2}}",
		"0.5 per day, 5 days or 30%", "2020-03-01", "0.04 per day",
	}[k]
}

// A Quantity is a number with its kind and its unit.
type Quantity struct {
	Kind   Kind
	Number float64 // 30% is 0.3
	Unit   Unit    // of a duration or a rate
}

// In returns the number of a duration or a rate in another unit, and any other number as it is. It
// multiplies before it divides: 108 months are 9 years exactly.
func (q Quantity) In(u Unit) float64 {
	switch {
	case q.Unit == u:
		return q.Number
	case q.Kind == Duration:
		return q.Number * q.Unit.Seconds / u.Seconds
	case q.Kind == Rate:
		return q.Number * u.Seconds / q.Unit.Seconds
	}
	return q.Number
}

// String returns the quantity as a file would write it.
func (q Quantity) String() string {
	switch q.Kind {
	case Share:
		return format.Percent(q.Number)
	case Duration:
		return fmt.Sprintf("%.6g %s", q.Number, q.Unit.NameFor(q.Number))
	case Rate:
		return fmt.Sprintf("%.6g per %s", q.Number, q.Unit.Name)
	}
	return fmt.Sprintf("%.6g", q.Number)
}

// UnitSuffix returns what is written after the number of a quantity: days, per day, %. It reports
// false for a kind that has no such words.
func UnitSuffix(q Quantity) (string, bool) {
	switch q.Kind {
	case Number:
		return "", true
	case Share:
		return "%", true
	case Duration:
		return q.Unit.Name + "s", true
	case Rate:
		return "per " + q.Unit.Name, true
	}
	return "", false
}

// Parse reads "0.3", "30%", "5 days", "0.5 per day" or "2020-03-01". The error says what is
// wrong with any other text.
func Parse(text string) (Quantity, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return Quantity{}, fmt.Errorf("nothing is written here")
	}
	if len(words) == 1 && LeadingDate(words[0]) == words[0] {
		return ParseDate(words[0])
	}
	first, percent := strings.CutSuffix(words[0], "%")
	number, ok := ParseNumber(first)
	if !ok {
		return Quantity{}, fmt.Errorf("%s is not a number", diag.Quote(words[0]))
	}
	switch {
	case percent && len(words) > 1:
		return Quantity{}, fmt.Errorf("%s: a percentage has no unit", diag.Quote(text))
	case percent:
		return Quantity{Share, number / 100, Unit{}}, nil
	case len(words) == 1:
		return Quantity{Number, number, Unit{}}, nil
	}
	k, name := Duration, words[1]
	if words[1] == "per" {
		if len(words) == 2 {
			return Quantity{}, fmt.Errorf("%s: per what? Write %s per day, for example",
				diag.Quote(text), diag.Shorten(words[0]))
		}
		k, name = Rate, words[2]
		words = words[1:]
	}
	if len(words) > 2 {
		return Quantity{}, fmt.Errorf("%s is more than a quantity; write %s or %s, for example",
			diag.Quote(text), Duration.Example(), Rate.Example())
	}
	u, err := FindUnit(name)
	if err != nil {
		return Quantity{}, fmt.Errorf("%s: %w", diag.Quote(text), err)
	}
	return Quantity{k, number, u}, nil
}

// ParseNumber reads a finite decimal number. Underscores may stand between its digits.
func ParseNumber(s string) (float64, bool) {
	m := numberPattern().FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	// A number that is too small for a float64 must not become 0.
	return x, err == nil && (x != 0 || strings.Trim(m[1], "0._") == "")
}

var numberPattern = sync.OnceValue(func() *regexp.Regexp {
	const digits = `\d+(?:_\d+)*`
	return regexp.MustCompile(
		`^[+-]?(` + digits + `(?:\.(?:` + digits + `)?)?|\.` + digits + `)(?:[eE][+-]?` + digits + `)?$`)
})

// LooksNumeric reports whether a text is empty or begins as a number does, so that it was probably
// meant to be a quantity and not a name.
func LooksNumeric(text string) bool {
	return text == "" || strings.ContainsAny(text[:1], "+-.0123456789")
}
