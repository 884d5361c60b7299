package population

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/nearest"
)

// A unit of time. Its seconds are whole, so that converting a whole number of one unit into another is exact where the
// result is a float64.
type unit struct {
	name    string
	seconds float64
}

const year = 365.25 * 24 * 60 * 60

var units = []unit{
	{"second", 1}, {"minute", 60}, {"hour", 60 * 60}, {"day", 24 * 60 * 60}, {"week", 7 * 24 * 60 * 60},
	{"month", year / 12}, {"year", year},
}

// of is the unit's name after a number.
func (u unit) of(number float64) string {
	if number == 1 {
		return u.name
	}
	return u.name + "s"
}

// Duration is a duration in words.
func (u unit) Duration(x float64) string {
	if math.IsInf(x, 1) {
		return "for ever"
	}
	number := fmt.Sprintf("%.4g", x)
	if number == "1" { // or so near to it that it is told so
		x = 1
	}
	return number + " " + u.of(x)
}

// Rate is a rate in words.
func (u unit) Rate(x float64) string { return fmt.Sprintf("%.4g per %s", x, u.name) }

// unitNamed finds a unit by its singular or plural.
func unitNamed(name string) (unit, bool) {
	i := slices.IndexFunc(units, func(u unit) bool { return name == u.name || name == u.name+"s" })
	if i < 0 {
		return unit{}, false
	}
	return units[i], true
}

// noUnit says that there is no such unit, and which there are.
func noUnit(name string) string {
	var names, both []string
	for _, u := range units {
		names = append(names, u.name)
		both = append(both, u.name, u.name+"s")
	}
	if near := nearest.Name(name, both); near != "" {
		return fmt.Sprintf("there is no unit %s; did you mean %q?", quote(name), near)
	}
	return fmt.Sprintf("there is no unit %s; the units are %s", quote(name), strings.Join(names, ", "))
}

// A kind is what a value says.
type kind uint8

const (
	aNumber kind = iota
	aShare       // 30%
	aDuration
	aRate
	aDistribution
	aValue // any of them
	aDate  // days since 1970
	aPower // of a time
)

func (k kind) String() string {
	return [...]string{"a number", "a percentage", "a duration", "a rate", "a distribution", "a value", "a date", "a power of a time"}[k]
}

// like shows how a kind is written.
func (k kind) like() string {
	return [...]string{"2", "30%", "5 days", "0.5 per day", "{gamma: {mean: 5 days, shape: 2}}", "0.5 per day, 5 days or 30%", "2020-03-01", "0.04 per day"}[k]
}

// A quantity is a number with what it is a number of.
type quantity struct {
	kind   kind
	number float64 // 30% is 0.3
	unit   unit    // of a duration or a rate
}

// in gives a duration or a rate in terms of another unit. The number is multiplied before it is divided: 108 months are
// 9 years exactly.
func (q quantity) in(u unit) float64 {
	switch {
	case q.unit == u:
		return q.number
	case q.kind == aDuration:
		return q.number * q.unit.seconds / u.seconds
	case q.kind == aRate:
		return q.number * u.seconds / q.unit.seconds
	}
	return q.number
}

// String is the quantity as a file has it.
func (q quantity) String() string {
	switch q.kind {
	case aShare:
		return format.Percent(q.number)
	case aDuration:
		return fmt.Sprintf("%.6g %s", q.number, q.unit.of(q.number))
	case aRate:
		return fmt.Sprintf("%.6g per %s", q.number, q.unit.name)
	}
	return fmt.Sprintf("%.6g", q.number)
}

// parseQuantity reads "0.3", "30%", "5 days", "0.5 per day" or "2020-03-01". What is wrong with another text is the error's to say.
func parseQuantity(text string) (quantity, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return quantity{}, fmt.Errorf("nothing is written here")
	}
	if len(words) == 1 && dateAt(words[0]) == words[0] {
		return parseDate(words[0])
	}
	first, percent := strings.CutSuffix(words[0], "%")
	number, ok := parseNumber(first)
	if !ok {
		return quantity{}, fmt.Errorf("%s is not a number", quote(words[0]))
	}
	switch {
	case percent && len(words) > 1:
		return quantity{}, fmt.Errorf("%s: a percentage has no unit", quote(text))
	case percent:
		return quantity{aShare, number / 100, unit{}}, nil
	case len(words) == 1:
		return quantity{aNumber, number, unit{}}, nil
	}
	k, name := aDuration, words[1]
	if words[1] == "per" {
		if len(words) == 2 {
			return quantity{}, fmt.Errorf("%s: per what? Write %s per day, for example", quote(text), echo(words[0]))
		}
		k, name = aRate, words[2]
		words = words[1:]
	}
	if len(words) > 2 {
		return quantity{}, fmt.Errorf("%s is more than a quantity; write %s or %s, for example", quote(text), aDuration.like(), aRate.like())
	}
	u, ok := unitNamed(name)
	if !ok {
		return quantity{}, fmt.Errorf("%s: %s", quote(text), noUnit(name))
	}
	return quantity{k, number, u}, nil
}

// parseNumber reads a finite decimal number, with underscores between its digits if wanted.
func parseNumber(s string) (float64, bool) {
	m := goodNumber().FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	// What is too small for a float64 must not become nothing.
	return x, err == nil && (x != 0 || strings.Trim(m[1], "0._") == "")
}

var goodNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[+-]?(\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$`)
})

// looksNumeric tells whether a text was probably meant to be a quantity and not a name.
func looksNumeric(text string) bool {
	return text == "" || strings.ContainsAny(text[:1], "+-.0123456789")
}
