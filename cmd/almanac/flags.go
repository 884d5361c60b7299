package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/allocation"
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

// parseNumber reads a number: see [allocation.ParseNumber].
func parseNumber(s string) float64 { return allocation.ParseNumber(s) }

// parseWhole reads a whole number of something.
func parseWhole(flag, s, what string, least, most float64) (int, error) {
	n, err := allocation.ParseWhole(s, what, least, most)
	if err != nil {
		return 0, usagef("%s: %w", flag, err)
	}
	return n, nil
}

// parseRate reads a rate.
func parseRate(flag, s string, kind capped.Kind) (float64, error) {
	rate, err := allocation.ParseRate(s, kind)
	if err != nil {
		return 0, usagef("%s: %w", flag, err)
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
