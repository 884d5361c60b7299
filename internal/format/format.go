// Package format writes numbers as people read them.
package format

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Number writes a number with as many digits as it needs to be read back.
func Number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Thousands writes a number with commas, and with decimals if it is small and not whole.
func Thousands(x float64) string {
	decimals := 0
	if x != float64(int64(x)) && x < 1000 {
		decimals = 2
	}
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	whole, rest, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		return whole + "." + rest
	}
	return whole
}

// Count is a number of things: 1 bin, 1,000 bins.
func Count(n int, thing string) string { return Thousands(float64(n)) + " " + Things(n, thing) }

// Plural is a number of things without commas: 1 row, 2000 rows.
func Plural(n int, thing string) string { return strconv.Itoa(n) + " " + Things(n, thing) }

// Things is the noun after a number: row after 1, rows after any other.
func Things(n int, thing string) string {
	if n == 1 {
		return thing
	}
	return thing + "s"
}

// Be is the verb after a number of things: is after 1, are after any other.
func Be(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// Percent is a share of 1 with four digits: 12.5%.
func Percent(p float64) string { return fmt.Sprintf("%.4g%%", 100*p) }

// Tidy is a number without the noise that arithmetic leaves in its last place: 0.8999999999999999
// is 0.9.
func Tidy(x float64) float64 {
	ulp := math.Nextafter(math.Abs(x), math.Inf(1)) - math.Abs(x)
	if short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 15, 64), 64); err == nil && math.Abs(short-x) <=
		2*ulp {
		return short
	}
	return x
}

// Power writes powers of ten as such: 1e6.
func Power(n int) string {
	if s := strconv.Itoa(n); len(s) > 3 && strings.TrimRight(s[1:], "0") == "" {
		return s[:1] + "e" + strconv.Itoa(len(s)-1)
	}
	return strconv.Itoa(n)
}

// Rate is a rate as one would write it: a decimal, or 1-2^-10 for those that are near 1 and so.
func Rate(rate float64) string {
	if half, exponent := math.Frexp(1 - rate); half == 0.5 && exponent <= -4 {
		return fmt.Sprintf("1-2^%d", exponent-1)
	}
	return Number(rate)
}

// Bytes is an amount of memory as one says it.
func Bytes(bytes uint64) string {
	if bytes >= 1e9 {
		return fmt.Sprintf("%.2f GB", float64(bytes)/1e9)
	}
	if bytes < 1e6 {
		return fmt.Sprintf("%d kB", (bytes+999)/1000)
	}
	return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
}

// Nanoseconds writes a short time with three digits.
func Nanoseconds(ns float64) string {
	d := time.Duration(ns)
	switch {
	case d < time.Microsecond:
		return d.String()
	case d < time.Millisecond:
		return fmt.Sprintf("%.3gµs", ns/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.3gms", ns/1e6)
	}
	return fmt.Sprintf("%.3gs", ns/1e9)
}

// Word is a word of a command line as a shell takes it.
func Word(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./=%,^:+µ−",
			r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Words are those of a command line, as a shell takes it apart: single and double quotes and
// backslashes hold words together, and nothing else means anything.
func Words(line string) (words []string) {
	var word strings.Builder
	begun, quote := false, rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			begun, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			begun, quote = true, r
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}
