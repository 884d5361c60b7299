package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/nearest"
)

// list formats names and what they are for the help text.
func list[T any](title string, all []T, describe func(T) (name, about string)) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n", title)
	for _, t := range all {
		name, about := describe(t)
		fmt.Fprintf(&b, "  %-22s %s\n", name, about)
	}
	b.WriteByte('\n')
	return b.String()
}

// choose checks names against those there are; "all" stands for all of them.
func choose(flag string, names, known []string) ([]string, error) {
	var chosen []string
	for _, name := range names {
		name = strings.TrimSpace(name)
		switch i := slices.Index(known, name); {
		case name == "all":
			chosen = append(chosen, known...)
		case i >= 0:
			chosen = append(chosen, known[i])
		default:
			if near := nearest.Name(name, known); near != "" {
				return nil, usagef("%s: there is no %q; did you mean %q?", flag, name, near)
			}
			return nil, usagef("%s: there is no %q; there are %s", flag, name, strings.Join(known, ", "))
		}
	}
	if len(chosen) == 0 {
		return nil, usagef("%s: name at least one of %s", flag, strings.Join(known, ", "))
	}
	return chosen, nil
}

// chooseOne finds a name among those there are.
func chooseOne(flag, name string, known []string) (int, error) {
	if name == "all" { // which choose would take for all of them
		return 0, usagef("%s: there is no %q; name one of %s", flag, name, strings.Join(known, ", "))
	}
	chosen, err := choose(flag, []string{name}, known)
	if err != nil {
		return 0, err
	}
	return slices.Index(known, chosen[0]), nil
}

// parseSizes reads a list of whole numbers of something.
func parseSizes(flag, s, what string, least, most float64) ([]int, error) {
	var sizes []int
	for _, word := range strings.Split(s, ",") {
		x, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(word), "_", ""), 64)
		if err != nil || x != float64(int64(x)) || !(x >= least && x <= most) {
			return nil, usagef("%s: %q is not a number of %s; wanted are whole numbers from %.0f to %.0f, as in 1e6", flag, word, what, least, most)
		}
		sizes = append(sizes, int(x))
	}
	return sizes, nil
}

// parseNumber reads a decimal, as 0.99 or 1e-3, a power, as 2^-10, or a fraction, as 1/1024. What is none is NaN.
func parseNumber(s string) float64 {
	decimal := func(s string) float64 {
		x, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(s), "_", ""), 64)
		if err != nil {
			return math.NaN()
		}
		return x
	}
	if base, exponent, ok := strings.Cut(s, "^"); ok {
		return math.Pow(decimal(base), decimal(exponent))
	}
	if over, under, ok := strings.Cut(s, "/"); ok {
		return decimal(over) / decimal(under)
	}
	return decimal(s)
}

// parseWhole reads a whole number of something.
func parseWhole(flag, s, what string, least, most float64) (int, error) {
	x := parseNumber(s)
	if !(x >= least && x <= most) || x != math.Trunc(x) {
		return 0, usagef("%s: %q is not a number of %s; wanted is a whole number from %.0f to %.0f, as 3, 1e6 or 2^20", flag, s, what, least, most)
	}
	return int(x), nil
}

// leastRate is the smallest rate that is run. Below it all the rounds that there may be are not likely to have a ball.
const leastRate = 1e-30

// parseRate reads a rate: a number, or 1- and a number. A minus sign may be the one that prose has.
func parseRate(flag, s string, kind capped.Kind) (float64, error) {
	rate := 0.0
	written := strings.ReplaceAll(strings.TrimSpace(s), "−", "-")
	rest, near := strings.CutPrefix(written, "1-")
	if near {
		rate = 1 - parseNumber(rest)
	} else {
		rate = parseNumber(written)
	}
	if kind == capped.Threshold {
		if !(rate > 0) || math.IsInf(rate, 1) {
			return 0, usagef("%s: %q is not a number of balls per bin; wanted is a number above 0, as 1, 0.99 or 8", flag, s)
		}
		return rate, nil
	}
	const wanted = "wanted is a number above 0 and below 1, as 0.99, 1-2^-10, 1-1/1024 or 1-1e-3"
	switch {
	case math.IsNaN(rate):
		return 0, usagef("%s: %q is not a rate; %s", flag, s, wanted)
	case rate == 1 && near && parseNumber(rest) > 0:
		return 0, usagef("%s: %q is too near to 1 to be told from it; the nearest that can is 1-2^-53", flag, s)
	case rate >= 1:
		return 0, usagef("%s: %q brings as many balls as the bins can delete, or more, and the pool would grow forever; %s", flag, s, wanted)
	case !(rate >= leastRate):
		return 0, usagef("%s: %q brings no balls; %s", flag, s, wanted)
	}
	return rate, nil
}

// checkRepetitions wants at least one, as --reps says.
func checkRepetitions(n int) error {
	if n < 1 {
		return usagef("--reps %d: at least one repetition is needed", n)
	}
	return nil
}

// checkLeast wants a repetition to last, as --least says, and otherwise tells so.
func checkLeast(d time.Duration, tell string) error {
	if d <= 0 {
		return usagef("--least %v: a repetition %s", d, tell)
	}
	return nil
}
