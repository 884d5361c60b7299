package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/allocation"
	"github.com/almanac-sim/almanac/internal/suggest"
)

// List formats names and descriptions for a help text.
func List[T any](title string, all []T, describe func(T) (name, about string)) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n", title)
	for _, t := range all {
		name, about := describe(t)
		fmt.Fprintf(&b, "  %-22s %s\n", name, about)
	}
	b.WriteByte('\n')
	return b.String()
}

// Choose checks names against the known ones; "all" means all of them.
func Choose(flag string, names, known []string) ([]string, error) {
	var chosen []string
	for _, name := range names {
		name = strings.TrimSpace(name)
		switch i := slices.Index(known, name); {
		case name == "all":
			chosen = append(chosen, known...)
		case i >= 0:
			chosen = append(chosen, known[i])
		default:
			return nil, Usage(suggest.Among(flag, name, known))
		}
	}
	if len(chosen) == 0 {
		return nil, Usagef("%s: name at least one of %s", flag, strings.Join(known, ", "))
	}
	return chosen, nil
}

// ChooseOne returns the index of a name.
func ChooseOne(flag, name string, known []string) (int, error) {
	if name == "all" { // which means all for Choose
		return 0, Usagef("%s: there is no %q; name one of %s", flag, name, strings.Join(known, ", "))
	}
	chosen, err := Choose(flag, []string{name}, known)
	if err != nil {
		return 0, err
	}
	return slices.Index(known, chosen[0]), nil
}

// ParseSizes parses a list of whole numbers.
func ParseSizes(flag, s, what string, least, most float64) ([]int, error) {
	var sizes []int
	for _, word := range strings.Split(s, ",") {
		x, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(word), "_", ""), 64)
		if err != nil || x != float64(int64(x)) || !(x >= least && x <= most) {
			return nil, Usagef("%s: %q is not a number of %s; wanted are whole numbers from %.0f to %.0f, as in 1e6", flag, word,
				what, least, most)
		}
		sizes = append(sizes, int(x))
	}
	return sizes, nil
}

// ParseWhole parses a whole number.
func ParseWhole(flag, s, what string, least, most float64) (int, error) {
	n, err := allocation.ParseWhole(s, what, least, most)
	if err != nil {
		return 0, Usagef("%s: %w", flag, err)
	}
	return n, nil
}

// ParseRate parses an arrival rate.
func ParseRate(flag, s string, kind capped.Kind) (float64, error) {
	rate, err := allocation.ParseRate(s, kind)
	if err != nil {
		return 0, Usagef("%s: %w", flag, err)
	}
	return rate, nil
}

// CheckRepetitions checks --reps.
func CheckRepetitions(n int) error {
	if n < 1 {
		return Usagef("--reps %d: at least one repetition is needed", n)
	}
	return nil
}

// CheckLeast checks --least.
func CheckLeast(d time.Duration, tell string) error {
	if d <= 0 {
		return Usagef("--least %v: a repetition %s", d, tell)
	}
	return nil
}
